-- UNION of an INTEGER and a DECIMAL keeps equal numbers apart.
-- Documentation, Expressions, Functions and Operators: "The UNION operator is used to combine the result set of two or more
-- SELECT statements, excluding any duplicate values".
-- Expected: 1, 2, 2.5.  Actual (5.7.0): 1, 2, 1.000..., 2.500...
SELECT * FROM (VALUES (1), (2)) UNION SELECT * FROM (VALUES (1.0), (2.5));
