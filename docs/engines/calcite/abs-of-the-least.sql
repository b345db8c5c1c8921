-- ABS of the least number of a type is that number, which is negative, and no error; so it is, too, where arithmetic is
-- checked (conformance SQL_SERVER_2008), by which -x of the same x is an error.
-- SQL:2016 6.30, <numeric value function>, on ABS: "the result is -1 * N. If -1 * N is not representable by the result data
-- type, then an exception condition is raised: data exception - numeric value out of range".
-- Expected: an error.  Actual (1.42.0): -2147483648
SELECT ABS(x) AS y FROM (VALUES (CAST(-2147483648 AS INTEGER))) AS t (x);
