-- The condition of a join sees a table that stands before a comma.
-- SQL-92 7.5, <joined table>, syntax rule 4a: a column of the condition is one of the two tables joined, here D and F.
-- Expected: refused, E.A is unknown there.  Actual (1.42.0): one row, 1
SELECT e.a FROM (VALUES (1)) AS e (a), (VALUES (1)) AS d (a) JOIN (VALUES (1)) AS f (a) ON e.a = f.a;
