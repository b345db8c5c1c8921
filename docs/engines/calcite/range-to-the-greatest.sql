-- The end of a RANGE frame overflows, and the frame is empty without the row itself.
-- SQL:2016 7.15, <window clause>: 5 FOLLOWING leaves out the rows whose key is greater than the current row's plus 5, and
-- CURRENT ROW those before it.  No key is greater than 9223372036854775807 plus 5.
-- Expected: (9223372036854775803, 2), (9223372036854775807, 1).  Actual (1.42.0): counts 0, 0
SELECT x, COUNT(*) OVER (ORDER BY x RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING) AS c
FROM (VALUES (9223372036854775807), (9223372036854775803)) AS t (x);
