-- IN converts its values to the type of the left side: 2 IN (1.0, 2.5) is true.
-- Documentation, Expressions, Functions and Operators: IN "returns TRUE if an equal value is found".
-- Expected: (1, true, true), (2, false, false).  Actual (5.7.0): (1, true, true), (2, true, false)
SELECT v, v IN (1.0, 2.5) AS i, v = 1.0 OR v = 2.5 AS o FROM TABLE(generate_series(1, 2));
