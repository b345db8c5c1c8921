-- The grand total of no rows is missing.
-- SQL:2016, group by clause: ROLLUP(a) is GROUPING SETS ((a), ()), and () makes one group, of no rows too.
-- Expected: one row, (NULL, 0), from each query.  Actual (1.42.0): no rows; with GROUP BY () alone there is one
SELECT a, COUNT(*) AS n FROM (VALUES (1)) AS t (a) WHERE a > 1 GROUP BY ROLLUP(a);
SELECT a, COUNT(*) AS n FROM (VALUES (1)) AS t (a) WHERE a > 1 GROUP BY GROUPING SETS ((a), ());
