-- CORR is a reserved word, and cannot be called.
-- SQL:2016, aggregate function: CORR is a binary set function, as COVAR_POP is.
-- Expected: -1.  Actual (1.42.0): Incorrect syntax near the keyword 'CORR'
SELECT CORR(x, y) AS c FROM (VALUES (1, 2), (2, 1)) AS t (x, y);
