-- GROUPING in a query without grouping sets fails in the planner: it is BIGINT to the validator, then INTEGER.
-- Calcite's reference, Grouping functions: "Returns a bit vector of the given grouping expressions".
-- Expected: one row, (1, 0).  Actual (1.42.0): AssertionError: Conversion to relational algebra failed to preserve
-- datatypes
SELECT a, GROUPING(a) AS g FROM (VALUES (1)) AS t (a) GROUP BY a;
