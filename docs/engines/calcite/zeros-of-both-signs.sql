-- 0.0 and -0.0 are equal, but stand in two groups.
-- SQL:2016 7.13, <group by clause>: rows whose grouping columns are not distinct are one group, and equal values are not
-- distinct (8.15).
-- Expected: one row, E = true and C = 2.  Actual (1.42.0): two rows, each with E = true and C = 1.
SELECT z = 0E0 AS e, COUNT(*) AS c
FROM (SELECT x * 0E0 AS z FROM UNNEST(ARRAY[1E0, -1E0]) AS t (x)) AS q
GROUP BY z;
