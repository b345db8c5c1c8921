-- The leading field of an interval is taken modulo the next unit.
-- SQL-92 6.6, <numeric value function>: EXTRACT takes an interval, too, and by general rule 3 "the result is the value of
-- the datetime field"; HOUR of '100:30' is 100, since the leading field is not limited (4.5.2).
-- Expected: (100, 30).  Actual (1.42.0): (4, 6)
SELECT EXTRACT(HOUR FROM a) AS h, EXTRACT(MONTH FROM b) AS m
FROM (VALUES (INTERVAL '100:30' HOUR(3) TO MINUTE, INTERVAL '30' MONTH)) AS v (a, b);
