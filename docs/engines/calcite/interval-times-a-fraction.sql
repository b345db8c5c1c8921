-- An interval times a number with a fraction does not compile; the number times the interval does.
-- SQL:2016 6.37, <interval value expression>: the grammar has <interval term 2> * <factor>, where the factor is numeric, and
-- by general rule 5 the result is the product, in units of the interval's least field.
-- Expected: +5.000000, as that of n * INTERVAL '10' SECOND.  Actual (1.42.0): Unable to implement EnumerableCalc;
-- NoSuchMethodException: SqlFunctions.checkedMultiply(long,java.math.BigDecimal)
SELECT INTERVAL '10' SECOND * n AS i FROM (VALUES (0.5)) AS t (n);
