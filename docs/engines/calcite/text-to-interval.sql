-- A text of several fields is not cast to an interval.
-- SQL-92 6.10, <cast specification>, general rule 12b: the text is read by the rules for literals (5.3), in which '1:30' is
-- an interval HOUR TO MINUTE.
-- Expected: 2015-02-15 11:30:00.  Actual (1.42.0): ExceptionInInitializerError
SELECT TIMESTAMP '2015-02-15 10:00:00' + CAST('1:30' AS INTERVAL HOUR TO MINUTE) AS a FROM (VALUES (1)) AS t (x);
