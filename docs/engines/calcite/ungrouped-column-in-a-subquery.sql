-- The validator accepts a subquery that names a column of a grouped query which is not grouped.
-- SQL:2016 7.16, <query specification>: each column that the select list names, also in a subquery, must be grouped or
-- stand in an aggregate.
-- Expected: a validation error.  Actual (1.42.0): AssertionError: Identifier 'T.E' is not a group expr
SELECT k, (SELECT SUM(a) FROM (VALUES (10)) AS s (a) WHERE a > t.e) AS m FROM (VALUES (1, 1), (1, 2), (2, 3)) AS t (k, e) GROUP BY k;
