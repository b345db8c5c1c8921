-- A timestamp loses its fraction when it is cast to a text.
-- SQL:2016, cast specification: the text is that of the shortest literal with the timestamp's precision, which is 3.
-- Expected: 2015-02-15 10:17:00.250.  Actual (1.42.0): 2015-02-15 10:17:00
SELECT CAST(t AS VARCHAR) AS t FROM (VALUES (TIMESTAMP '2015-02-15 10:17:00.250')) AS t (t);
