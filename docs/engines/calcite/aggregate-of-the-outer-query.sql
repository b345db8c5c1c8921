-- An aggregate whose argument has columns of an outer query alone is computed in the inner query.
-- SQL:2016, set function specification: it belongs to the outer query, which is aggregated.
-- Expected: one row, 2.  Actual (1.42.0): two rows, 1 and 2
SELECT (SELECT MAX(e)) AS m FROM (VALUES (1), (2)) AS emp (e);
