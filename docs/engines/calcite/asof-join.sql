-- ASOF JOIN gives the farthest row that MATCH_CONDITION allows, and not the closest.
-- Calcite's javadoc, JoinRelType.ASOF: "the join finds at most one row in the right table that has the "closest" timestamp
-- value".  Of the times 1, 4 and 6, the closest to 5 that is not greater is 4, and the closest to 9 is 6.
-- Expected: (5, 4), (9, 6).  Actual (1.42.0): (5, 1), (9, 1)
SELECT l.t, r.t AS nearest FROM (VALUES (5, 1), (9, 1)) AS l (t, k) ASOF JOIN (VALUES (1, 1), (4, 1), (6, 1)) AS r (t, k) MATCH_CONDITION l.t >= r.t ON l.k = r.k;
