-- The text UNKNOWN cannot be cast to a BOOLEAN.
-- SQL:2016 6.13, <cast specification>: a text that is a literal of BOOLEAN is cast to the value of this literal; 5.3 has the
-- literals TRUE, FALSE and UNKNOWN.
-- Expected: NULL.  Actual (1.42.0): Invalid character for cast: UNKNOWN
SELECT CAST(s AS BOOLEAN) AS b FROM (VALUES ('UNKNOWN')) AS t (s);
