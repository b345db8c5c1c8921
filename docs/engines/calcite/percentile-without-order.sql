-- PERCENTILE_CONT without WITHIN GROUP throws where the validator has a message for it.
-- Expected: a validation error with its place.  Actual (1.42.0): UnsupportedOperationException
SELECT PERCENTILE_CONT(0.5) AS a FROM (VALUES (1), (2)) AS t (x);
