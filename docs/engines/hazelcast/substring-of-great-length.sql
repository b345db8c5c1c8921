-- SUBSTRING with a great length fails: the sum of start and length overflows.
-- SQL:2016 (ISO/IEC 9075-2), 6.32, character substring function: the end is the lesser of the end of the text and start plus
-- length.
-- Expected: bc.  Actual (5.7.0): java.lang.StringIndexOutOfBoundsException: begin 1, end -2147483648, length 3
SELECT SUBSTRING(x FROM 2 FOR 2147483647) FROM (VALUES ('abc')) AS t (x);
