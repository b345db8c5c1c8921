-- OVERLAY fails where the new text reaches beyond the end of the old one.
-- SQL:2016 6.32, <string value function>: it is SUBSTRING(x FROM 1 FOR 3) || 'foo' || SUBSTRING(x FROM 7), and SUBSTRING
-- from behind the end is empty.
-- Expected: 123foo.  Actual (1.42.0): StringIndexOutOfBoundsException
SELECT OVERLAY(x PLACING 'foo' FROM y) AS o FROM (VALUES ('12345', 4)) AS t (x, y);
