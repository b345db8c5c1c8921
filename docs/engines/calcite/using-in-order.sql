-- The columns of USING come in the order of the list.
-- SQL-92 7.5, <joined table>, syntax rule 6d: they are "taken in order of their ordinal positions" in the first table.
-- Expected: columns P, Q, X, Y.  Actual (1.42.0): Q, P, X, Y
SELECT * FROM (VALUES (1, 2, 'l')) AS a (p, q, x) JOIN (VALUES (2, 1, 'r')) AS b (q, p, y) USING (q, p);
