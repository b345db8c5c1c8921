-- RANGE by a negative distance and ROWS by an interval are accepted; ROWS by a negative number is refused, with the message
-- "ROWS value must be a non-negative integral constant".
-- SQL:2016 7.15, <window clause>: a negative size raises an exception, and that of ROWS is an exact number without a scale.
-- Expected: an error from each.  Actual (1.42.0): the counts 0, 0; 1, 2
SELECT i, COUNT(*) OVER (ORDER BY i RANGE -1 PRECEDING) AS c FROM (VALUES (1), (2)) AS t (i);
SELECT i, COUNT(*) OVER (ORDER BY i ROWS INTERVAL '1' DAY PRECEDING) AS c FROM (VALUES (1), (2)) AS t (i);
