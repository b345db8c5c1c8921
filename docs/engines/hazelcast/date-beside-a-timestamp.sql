-- The comparison of a DATE and a TIMESTAMP passes the validator, and fails as it runs.
-- Documentation, Expressions, Functions and Operators: "Comparisons require operands to be of comparable type".
-- Expected: true, or an error of the validator.
-- Actual (5.7.0): java.lang.ClassCastException: class java.time.LocalDateTime cannot be cast to class
-- java.time.chrono.ChronoLocalDate
SELECT d = t FROM (VALUES (DATE '2015-02-15', TIMESTAMP '2015-02-15 00:00:00')) AS v (d, t);
