-- A text of several fields is not cast to an interval.
-- SQL:2016, cast specification: the text of an interval literal is cast to that interval.
-- Expected: 2015-02-15 11:30:00.  Actual (1.42.0): ExceptionInInitializerError
SELECT TIMESTAMP '2015-02-15 10:00:00' + CAST('1:30' AS INTERVAL HOUR TO MINUTE) AS a FROM (VALUES (1)) AS t (x);
