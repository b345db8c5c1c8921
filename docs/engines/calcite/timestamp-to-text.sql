-- A timestamp loses its fraction when it is cast to a text.
-- SQL-92 6.10, <cast specification>, general rule 6e: the text is the shortest literal with the timestamp's value and
-- precision, which is 3.
-- Expected: 2015-02-15 10:17:00.250.  Actual (1.42.0): 2015-02-15 10:17:00
SELECT CAST(t AS VARCHAR) AS t FROM (VALUES (TIMESTAMP '2015-02-15 10:17:00.250')) AS t (t);
