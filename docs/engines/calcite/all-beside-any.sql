-- = ALL is false where <> ANY stands beside it.
-- SQL:2016, quantified comparison predicate: 2 = ALL (2, 2) is true; without the first column, so it is in Calcite.
-- Expected: (1, true, false), (2, true, true), (3, true, false).  Actual (1.42.0): the second row is (2, true, false)
SELECT x, x <> ANY (VALUES (1), (2)) AS b, x = ALL (VALUES (2), (2)) AS c FROM (VALUES (1), (2), (3)) AS t (x);
