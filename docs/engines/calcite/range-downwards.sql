-- A RANGE frame over a descending key is empty.
-- SQL:2016 7.15, <window clause>: with DESC, 1 PRECEDING leaves out the rows whose key is greater than the current row's
-- plus 1; the row itself stays.
-- Expected: (4, 4), (2, 2), (1, 3).  Actual (1.42.0): NULL in all three rows
SELECT i, SUM(i) OVER (ORDER BY i DESC RANGE 1 PRECEDING) AS s
FROM (VALUES (1), (2), (4)) AS t (i);
