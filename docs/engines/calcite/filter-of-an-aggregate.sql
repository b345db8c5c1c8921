-- FILTER does not keep rows from the argument of an aggregate.
-- Calcite's reference, Aggregate functions: "If FILTER is present, the aggregate function only considers rows for which
-- condition evaluates to TRUE."  SQL:2016 10.9, <aggregate function>: the argument is applied to those rows.
-- Expected: one row, S = 5.  Actual (1.42.0): java.lang.ArithmeticException: / by zero
SELECT SUM(6 / x) FILTER (WHERE x <> 0) AS s
FROM (VALUES (0), (2), (3)) AS t (x);
