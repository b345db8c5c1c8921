-- EXCLUDE CURRENT ROW excludes the first row from all frames.
-- Calcite's reference, Window functions: "EXCLUDE CURRENT ROW: Exclude the current row from the frame."
-- Expected: (1, 6), (2, 5), (4, 3).  Actual (1.42.0): (1, 6), (2, 6), (4, 6)
SELECT i, SUM(i) OVER (ORDER BY i
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) AS s
FROM (VALUES (1), (2), (4)) AS t (i);
