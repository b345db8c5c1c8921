-- LAG with a default fails where a value is NULL.
-- Calcite's reference, Window functions: LAG "returns value evaluated at the row that is offset rows before the current row
-- within the partition; if there is no such row, instead returns default".
-- Expected: (1, 0), (2, 10), (3, NULL).  Actual (1.42.0): CalciteException: Cannot convert null to int
SELECT i, LAG(v, 1, 0) OVER (ORDER BY i) AS l
FROM (VALUES (1, 10), (2, CAST(NULL AS INTEGER)), (3, 30)) AS t (i, v);
