-- A CAST of a datetime in VALUES fails.
-- Documentation, Expressions, Functions and Operators: CAST "Converts the result type of expression to data_type".
-- Expected: 10:17; 2015-02-15; 2015-02-15T00:00; the text 2015-02-15.
-- Actual (5.7.0): java.lang.UnsupportedOperationException: must never be called, of each
SELECT CAST(t AS TIME) FROM (VALUES (TIMESTAMP '2015-02-15 10:17:00')) AS v (t);
SELECT CAST(t AS DATE) FROM (VALUES (TIMESTAMP '2015-02-15 10:17:00')) AS v (t);
SELECT CAST(d AS TIMESTAMP) FROM (VALUES (DATE '2015-02-15')) AS v (d);
SELECT CAST(d AS VARCHAR) FROM (VALUES (DATE '2015-02-15')) AS v (d);
