-- The frame of a window that refines a named one is ignored: the frame goes from the first row to the current one.
-- Calcite's page on streaming has such windows ("Sliding windows"): OVER product (RANGE INTERVAL '10' MINUTE PRECEDING),
-- "where you partially define a window using a WINDOW clause and then refine the window in each OVER clause".
-- Expected: (1, 1), (2, 3), (4, 6) from both queries.  Actual (1.42.0): (1, 1), (2, 3), (4, 7) from both
SELECT i, SUM(i) OVER (p ROWS 1 PRECEDING) AS s FROM (VALUES (1), (2), (4)) AS t (i) WINDOW p AS (ORDER BY i);
SELECT i, SUM(i) OVER w AS s FROM (VALUES (1), (2), (4)) AS t (i) WINDOW p AS (ORDER BY i), w AS (p ROWS 1 PRECEDING);
