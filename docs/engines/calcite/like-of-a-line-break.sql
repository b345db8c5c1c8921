-- In LIKE, an underscore matches no line break.
-- SQL:2016, like predicate: it matches any one character.
-- Expected: true.  Actual (1.42.0): false
SELECT x LIKE 'a_b' AS a FROM (VALUES ('a
b')) AS t (x);
