-- A CASE whose only condition is false, and that has no ELSE, fails.
-- SQL:2016 (ISO/IEC 9075-2), 6.12, case expression: if there is no ELSE, then ELSE NULL is implicit.
-- Expected: NULL.  Actual (5.7.0): Error while applying rule ReduceExpressionsRule(Calc)
SELECT CASE WHEN FALSE THEN 1 END AS v;
