-- A RANGE frame over a descending key is empty.
-- SQL:2016, window clause: in a descending order, PRECEDING is towards greater keys; the row itself is in the frame.
-- Expected: (4, 4), (2, 2), (1, 3).  Actual (1.42.0): NULL in all three rows
SELECT i, SUM(i) OVER (ORDER BY i DESC RANGE 1 PRECEDING) AS s
FROM (VALUES (1), (2), (4)) AS t (i);
