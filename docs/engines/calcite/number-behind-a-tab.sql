-- A text is cast to a number though a tab stands before it.
-- SQL-92 6.10, <cast specification>, general rule 3b: <space>s around it are removed; if what is left is no <signed numeric
-- literal>, that is the exception "invalid character value for cast".  A tab is no <space>.
-- Expected: an error.  Actual (1.42.0): 12
SELECT CAST(x AS INTEGER) AS i FROM (VALUES ('	12')) AS t (x);
