-- The column of USING is not coalesced before it is joined again.
-- SQL-92 7.5, <joined table>, syntax rule 6d: the column K of a join is COALESCE(A.K, B.K); the second join compares that.
-- Expected: two rows, 1 and 2.  Actual (1.42.0): three rows, 1, 2 and 2
SELECT * FROM (VALUES (1)) AS a (k)
FULL JOIN (VALUES (2)) AS b (k) USING (k)
FULL JOIN (VALUES (2)) AS c (k) USING (k);
