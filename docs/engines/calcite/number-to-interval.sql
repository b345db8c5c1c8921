-- A number that is cast to an interval is multiplied by the unit twice.
-- SQL-92 6.10, <cast specification>, general rule 12a: the result is the representation of the number in the interval's
-- single field.
-- Expected: 2015-02-20 00:00:00.  Actual (1.42.0): 1184790-12-14 00:00:00
SELECT TIMESTAMP '2015-02-15 00:00:00' + CAST(x AS INTERVAL DAY) AS t FROM (VALUES (5)) AS t (x);
