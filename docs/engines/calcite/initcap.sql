-- INITCAP takes a letter that is not ASCII for the end of a word.
-- Calcite's reference, Character string operators: "Words are sequences of alphanumeric characters", and UPPER of é is É.
-- Expected: Édition.  Actual (1.42.0): éDition
SELECT INITCAP(x) AS i FROM (VALUES ('édition')) AS t (x);
