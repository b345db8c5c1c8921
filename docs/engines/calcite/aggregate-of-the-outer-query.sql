-- An aggregate whose argument has columns of an outer query alone is computed in the inner query.
-- SQL:2016 6.9, <set function specification>: its aggregation query is the innermost query whose columns are aggregated, here
-- the outer one, in whose select list it may stand.
-- Expected: one row, 2.  Actual (1.42.0): two rows, 1 and 2
SELECT (SELECT MAX(e) FROM (VALUES (0)) AS d (x)) AS m FROM (VALUES (1), (2)) AS emp (e);
-- So does an aggregate in a WITH of the subquery.  MAX(t.v) is 7, and one of 1 and 9 is less.
-- Expected: 1.  Actual (1.42.0): Aggregate expression is illegal in WHERE clause
SELECT (WITH x AS (SELECT w FROM (VALUES (1), (9)) AS u (w) WHERE w < MAX(t.v)) SELECT COUNT(*) FROM x) AS m FROM (VALUES (5), (7)) AS t (v);
