-- A day before a DATE, and a month before a TIMESTAMP, are other numbers of the key's representation: milliseconds are
-- subtracted from days, and months from milliseconds.
-- SQL:2016 7.15, <window clause>: PRECEDING leaves out the rows whose key is less than the current row's minus the interval,
-- by the rules of datetimes.
-- Expected: (2016-02-28, 1), (2016-02-29, 2), (2016-03-02, 1).  Actual (1.42.0): counts 1, 2, 3
SELECT d, COUNT(*) OVER (ORDER BY d RANGE INTERVAL '1' DAY PRECEDING) AS c
FROM (VALUES (DATE '2016-02-28'), (DATE '2016-02-29'), (DATE '2016-03-02')) AS t (d);
-- Expected: (2015-02-01, 1), (2015-02-20, 2).  Actual (1.42.0): counts 1, 1
SELECT t, COUNT(*) OVER (ORDER BY t RANGE INTERVAL '1' MONTH PRECEDING) AS c
FROM (VALUES (TIMESTAMP '2015-02-01 00:00:00'), (TIMESTAMP '2015-02-20 00:00:00')) AS v (t);
