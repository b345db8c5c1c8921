-- In LIKE, an underscore matches no line break.
-- SQL-92 8.5, <like predicate>, general rules 3 and 5: it is an arbitrary character specifier, which is for any single
-- character.
-- Expected: true.  Actual (1.42.0): false
SELECT x LIKE 'a_b' AS a FROM (VALUES ('a
b')) AS t (x);
