-- FILTER does not keep rows from the argument of an aggregate.
-- SQL:2016, aggregate function: the argument is applied to the rows that pass the filter.
-- Expected: one row, S = 5.  Actual (1.42.0): java.lang.ArithmeticException: / by zero
SELECT SUM(6 / x) FILTER (WHERE x <> 0) AS s
FROM (VALUES (0), (2), (3)) AS t (x);
