-- In SIMILAR TO, a point is any character, and a repetition may be made reluctant, as in Java.
-- SQL:2016 8.6, <similar predicate>: a point is not among the special characters, so that it represents itself.  Nor is it in
-- Calcite's own list, Like.SQL_SIMILAR_SPECIALS.
-- Expected: false.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a.c' AS s FROM (VALUES ('abc')) AS t (x);
-- A factor has one sign of repetition; what is no regular expression raises an exception, "invalid regular expression".
-- Expected: an error.  Actual (1.42.0): true
SELECT x SIMILAR TO 'a+?' AS s FROM (VALUES ('aaa')) AS t (x);
