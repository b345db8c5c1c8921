-- NTILE leaves out numbers.
-- SQL:2016 6.10, <window function>: the buckets are numbered from 1 in the order of the rows; of R rows in N buckets, the
-- first MOD(R, N) have a row more than the others.
-- Expected: 1, 2, 3.  Actual (1.42.0): 1, 4, 7
SELECT i, NTILE(10) OVER (ORDER BY i) AS n FROM (VALUES (1), (2), (3)) AS t (i);
-- Expected: 1, 1, 2, 2, 3, 3, 4, 5.  Actual (1.42.0): 1, 1, 2, 2, 3, 4, 4, 5
SELECT i, NTILE(5) OVER (ORDER BY i) AS n FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) AS t (i);
