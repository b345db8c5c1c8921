-- FETCH takes a number that is not whole.
-- Calcite's reference, SELECT: "count and start may each be either an unsigned integer literal or a dynamic parameter whose
-- value is an integer".
-- Expected: refused.  Actual (1.42.0): one row, 1
SELECT x FROM (VALUES (1), (2), (3)) AS t (x) ORDER BY x FETCH FIRST 1.5 ROWS ONLY;
