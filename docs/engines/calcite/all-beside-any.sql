-- = ALL is false where <> ANY stands beside it.
-- SQL-92 8.7, <quantified comparison predicate>, general rule 2: it is true if the comparison is true for every row, as
-- 2 = 2 is; without the column before it, so it is in Calcite.
-- Expected: (1, true, false), (2, true, true), (3, true, false).  Actual (1.42.0): the second row is (2, true, false)
SELECT x, x <> ANY (VALUES (1), (2)) AS b, x = ALL (VALUES (2), (2)) AS c FROM (VALUES (1), (2), (3)) AS t (x);
