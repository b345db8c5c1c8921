-- RANGE UNBOUNDED PRECEDING is refused behind two keys, though it is the frame that a window with ORDER BY has without one.
-- SQL:2016 7.15, <window clause>: a single sort key is asked of a RANGE frame with a distance alone, since it is added to
-- the key; and where no frame is written, it is RANGE UNBOUNDED PRECEDING.
-- Expected: (1, 1, 1), (1, 2, 3), (2, 1, 4), as without the frame.
-- Actual (1.42.0): RANGE clause cannot be used with compound ORDER BY clause
SELECT a, b, SUM(b) OVER (ORDER BY a, b) AS s FROM (VALUES (1, 1), (1, 2), (2, 1)) AS t (a, b);
SELECT a, b, SUM(b) OVER (ORDER BY a, b RANGE UNBOUNDED PRECEDING) AS s FROM (VALUES (1, 1), (1, 2), (2, 1)) AS t (a, b);
