-- PERCENTILE_CONT and PERCENTILE_DISC cannot be run.
-- Calcite's reference, "Ordered-Set Aggregate Functions", lists both, and no list "Not implemented" names them.
-- Expected: 2.  Actual (1.42.0): Missing conversion is LogicalAggregate[convention: NONE -> ENUMERABLE]
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) AS p FROM (VALUES (1), (2), (4)) AS t (x);
-- Expected: 2.  Actual (1.42.0): the same error
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x) AS p FROM (VALUES (1), (2), (4)) AS t (x);
