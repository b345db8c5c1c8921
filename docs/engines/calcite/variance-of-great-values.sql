-- The variance of great values that lie close together is 0: it is computed as the difference of two sums of squares.
-- Calcite's reference, Aggregate functions: "the population variance (square of the population standard deviation)".
-- Expected: 2.25, the square of 1.5.  Actual (1.42.0): 0.0
SELECT VAR_POP(x) AS v FROM (VALUES (1000000004e0), (1000000007e0)) AS t (x);
