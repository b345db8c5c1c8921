-- PERCENTILE_CONT without WITHIN GROUP throws where the validator has a message for it, and so does one with FILTER.
-- Calcite's reference, Ordered-set aggregate functions: "The syntax is as for aggregateCall, except that WITHIN GROUP is
-- required"; aggregateCall has FILTER after it.  CalciteResource, aggregateMissingWithinGroupClause: "Aggregate expression
-- 'PERCENTILE_CONT' must contain a WITHIN GROUP clause".
-- Expected: that message; 2.  Actual (1.42.0): UnsupportedOperationException from the validator, for both
SELECT PERCENTILE_CONT(0.5) AS a FROM (VALUES (1), (2)) AS t (x);
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x) FILTER (WHERE x > 1) AS a FROM (VALUES (1), (2)) AS t (x);
