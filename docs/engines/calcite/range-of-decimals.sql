-- A RANGE frame over DECIMAL or DOUBLE keys makes code that does not compile.
-- SQL:2016 7.15, <window clause>: the key of such a frame is numeric, datetime or interval.  The validator accepts the query.
-- Expected: (1.5, 1), (2.0, 2).  Actual (1.42.0): CompileException: Binary numeric promotion not possible on types
-- "java.math.BigDecimal" and "int"
SELECT x, COUNT(*) OVER (ORDER BY x RANGE 1 PRECEDING) AS c
FROM (VALUES (1.5), (2.0)) AS t (x);
