-- The condition of a join sees a table that stands before a comma.
-- SQL:2016, joined table: the scope of ON is the two tables joined, D and F.
-- Expected: refused, E.A is unknown there.  Actual (1.42.0): one row, 1
SELECT e.a FROM (VALUES (1)) AS e (a), (VALUES (1)) AS d (a) JOIN (VALUES (1)) AS f (a) ON e.a = f.a;
