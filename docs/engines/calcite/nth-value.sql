-- NTH_VALUE looks beyond the end of its frame.
-- Calcite's reference, Window functions: "Returns value evaluated at the row that is the nth row of the window frame".
-- SQL:2016 6.10, <window function>: NULL, where the frame has fewer rows.  No frame of these has more than two.
-- Expected: NULL in all four rows.  Actual (1.42.0): 3, 3, 4, NULL
SELECT i, NTH_VALUE(i, 3) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n
FROM (VALUES (1), (2), (3), (4)) AS t (i);
