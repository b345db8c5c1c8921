-- A DOUBLE is cast to a text without an exponent.
-- SQL-92 6.10, <cast specification>, general rule 6b: the text is the shortest <approximate numeric literal> with one
-- digit before the point, and such a literal has an exponent; 0 is '0E0', as it is in Calcite.
-- Expected: 1.5E0, 1.25E1, 0E0.  Actual (1.42.0): 1.5, 12.5, 0E0
SELECT CAST(x AS VARCHAR(20)) AS s FROM (VALUES (1.5E0), (12.5E0), (0E0)) AS t (x);
