-- CASE does not protect a division inside an aggregate.
-- SQL:2016, case expression: a THEN operand is evaluated only for rows whose condition is true.
-- Expected: one row, S = 5.  Actual (1.42.0): java.lang.ArithmeticException: / by zero
SELECT SUM(CASE WHEN y <> 0 THEN x / y END) AS s
FROM (VALUES (6, 3), (1, 0), (9, 3)) AS t (x, y);
