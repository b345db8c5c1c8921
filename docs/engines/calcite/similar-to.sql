-- In SIMILAR TO, a point is any character.
-- SQL:2016, similar predicate: a point is not among the special characters, so that it is itself.
-- Expected: false.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a.c' AS s FROM (VALUES ('abc')) AS t (x);
