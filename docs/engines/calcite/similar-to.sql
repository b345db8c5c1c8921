-- In SIMILAR TO, a point is any character, a repetition may be made reluctant, as in Java, a circumflex inside of a set is a
-- letter of it, and only the white space of ASCII is white space.
-- SQL:2016 8.6, <similar predicate>: a point is not among the special characters, so that it represents itself.  Nor is it in
-- Calcite's own list, Like.SQL_SIMILAR_SPECIALS.
-- Expected: false.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a.c' AS s FROM (VALUES ('abc')) AS t (x);
-- A factor has one sign of repetition; what is no regular expression raises an exception, "invalid regular expression".
-- Expected: an error.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a+?' AS s FROM (VALUES ('aaa')) AS t (x);
-- [a-e^bd] is the set of a to e without b and d; a circumflex that excludes nothing must stand at the beginning.
-- Expected: false.  Actual (1.42.0): true
SELECT x SIMILAR TO '[a-e^bd]' AS s FROM (VALUES ('b')) AS t (x);
-- [:WHITESPACE:] holds all white space, among it the characters of Unicode's class Zs (SQL:2016 3.1.6); U+3000 is one.
-- Expected: true.  Actual (1.42.0): false
SELECT x SIMILAR TO U&'[[:WHITESPACE:]]' AS s FROM (VALUES (U&'\3000')) AS t (x);
-- A brace that closes nothing is a special character without its meaning; so this is no regular expression, either.
-- Expected: an error.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a}' AS s FROM (VALUES ('a}')) AS t (x);
