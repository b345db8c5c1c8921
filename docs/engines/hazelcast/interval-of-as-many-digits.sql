-- An interval literal that fills the precision of its type fails in the planner.
-- SQL:2016 (ISO/IEC 9075-2), 5.3, literal: the precision is the greatest number of digits of the leading field.
-- Expected: an interval of 99 hours, or a refusal.
-- Actual (5.7.0): java.lang.AssertionError: Conversion to relational algebra failed to preserve datatypes
SELECT INTERVAL '99' HOUR(2) AS a FROM (VALUES (1)) AS v (x);
