-- The grand total of no rows is missing.
-- SQL:2016 7.13, <group by clause>: ROLLUP(a) is GROUPING SETS ((a), ()), which is the union of GROUP BY a and GROUP BY ();
-- the latter has one group, of no rows, too.  So it is in Calcite with GROUP BY () alone.
-- Expected: one row, (NULL, 0), from each query.  Actual (1.42.0): no rows
SELECT a, COUNT(*) AS n FROM (VALUES (1)) AS t (a) WHERE a > 1 GROUP BY ROLLUP(a);
SELECT a, COUNT(*) AS n FROM (VALUES (1)) AS t (a) WHERE a > 1 GROUP BY GROUPING SETS ((a), ());
