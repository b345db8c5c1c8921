-- An aggregate whose argument has columns of an outer query alone is computed in the inner query.
-- SQL:2016 6.9, <set function specification>: its aggregation query is the innermost query whose columns are aggregated, here
-- the outer one, in whose select list it may stand.
-- Expected: one row, 2.  Actual (1.42.0): two rows, 1 and 2
SELECT (SELECT MAX(e) FROM (VALUES (0)) AS d (x)) AS m FROM (VALUES (1), (2)) AS emp (e);
