-- OVERLAY that starts behind the end of its text fails.
-- SQL:2016, string value function: it is SUBSTRING(x FROM 1 FOR 8) || 'zz' || SUBSTRING(x FROM 11).
-- Expected: abcdefzz.  Actual (1.42.0): StringIndexOutOfBoundsException
SELECT OVERLAY(x PLACING 'zz' FROM y) AS o FROM (VALUES ('abcdef', 9)) AS t (x, y);
