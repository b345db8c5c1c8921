-- ASOF JOIN fails if MATCH_CONDITION compares numbers of two types.
-- Calcite's error message asofMatchMustBeComparison demands "a comparison between columns from the two inputs", which this
-- is, and the validator accepts it; numbers of all types can be compared (SQL:2016 8.2).
-- Expected: (5, 4.5), (9, 4.5).  Actual (1.42.0): Unable to implement EnumerableCalc
SELECT l.n, r.n AS nearest FROM (VALUES (5, 1), (9, 1)) AS l (n, k) ASOF JOIN (VALUES (1.5, 1), (4.5, 1)) AS r (n, k) MATCH_CONDITION l.n >= r.n ON l.k = r.k;
-- In a correlated subquery it fails, too.
-- Expected: (1, 10), (2, 20).  Actual (1.42.0): LogicalJoin cannot be cast to class LogicalAsofJoin
SELECT k, (
  SELECT MAX(r.y) FROM (SELECT * FROM (VALUES (5, 1), (9, 2)) AS l (t, k) WHERE l.k = o.k) AS l
  ASOF JOIN (VALUES (1, 1, 10), (4, 2, 20)) AS r (t, k, y) MATCH_CONDITION l.t >= r.t ON l.k = r.k) AS m
FROM (VALUES (1), (2)) AS o (k);
