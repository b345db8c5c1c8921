-- A text with a fraction is not cast to an integer.
-- SQL-92 6.10, <cast specification>, general rule 3b: blanks around it are removed, and then it is cast as the <signed
-- numeric literal> that it is; so is CAST(1.5 AS INTEGER), which is 1 or 2.
-- Expected: 1 or 2.  Actual (1.42.0): NumberFormatException: For input string: "1.5"
SELECT CAST(x AS INTEGER) AS i FROM (VALUES ('1.5')) AS t (x);
