-- The leading field of an interval is taken modulo the next unit.
-- SQL:2016, numeric value function: EXTRACT gives the value of the field, and HOUR of '100:30' is 100.
-- Expected: (100, 30).  Actual (1.42.0): (4, 6)
SELECT EXTRACT(HOUR FROM a) AS h, EXTRACT(MONTH FROM b) AS m
FROM (VALUES (INTERVAL '100:30' HOUR(3) TO MINUTE, INTERVAL '30' MONTH)) AS v (a, b);
