-- A DATE plus days fails; a DATE plus months does not, and is a DATE in a column that is declared as TIMESTAMP.
-- SQL:2016 (ISO/IEC 9075-2), 6.35, datetime value expression: a datetime plus an interval has the type of the datetime.
-- Expected: 2016-02-29; 2016-03-28.
-- Actual (5.7.0): java.time.temporal.UnsupportedTemporalTypeException: Unsupported unit: Millis; 2016-03-28
SELECT d + INTERVAL '1' DAY FROM (VALUES (DATE '2016-02-28')) AS v (d);
SELECT d + INTERVAL '1' MONTH FROM (VALUES (DATE '2016-02-28')) AS v (d);
