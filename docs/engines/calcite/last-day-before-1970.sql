-- LAST_DAY of a TIMESTAMP before 1970 rounds the day towards 1970.
-- Calcite's reference, Date/time functions: "the date of the last day of the month in a value of datatype DATE".
-- Expected: 1969-12-31.  Actual (1.42.0): 1970-01-31
SELECT LAST_DAY(t) AS l FROM (VALUES (TIMESTAMP '1969-12-31 23:59:59')) AS v (t);
