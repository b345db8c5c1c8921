-- NTILE leaves out numbers.
-- SQL:2016, window function: the buckets are numbered from 1, and the first ones have a row more where rows are left over.
-- Expected: 1, 2, 3.  Actual (1.42.0): 1, 4, 7
SELECT i, NTILE(10) OVER (ORDER BY i) AS n FROM (VALUES (1), (2), (3)) AS t (i);
-- Expected: 1, 1, 2, 2, 3, 3, 4, 5.  Actual (1.42.0): 1, 1, 2, 2, 3, 4, 4, 5
SELECT i, NTILE(5) OVER (ORDER BY i) AS n FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) AS t (i);
