-- EXTRACT from a column of VALUES fails.
-- Documentation, Expressions, Functions and Operators: EXTRACT "Returns the element date part from the date expression";
-- QUARTER and HOUR are among the "Supported elements".
-- Expected: 2; 10.  Actual (5.7.0): null SqlTypeFamily for SYMBOL, SqlTypeName SYMBOL
SELECT EXTRACT(QUARTER FROM d) FROM (VALUES (DATE '2015-04-01')) AS v (d);
SELECT EXTRACT(HOUR FROM t) FROM (VALUES (TIMESTAMP '2015-02-15 10:17:00')) AS v (t);
