-- MIN of a DATE is declared as a BIGINT, and has a date.
-- Documentation, Expressions, Functions and Operators: MIN has the "same type as the input".
-- Expected: a DATE, 2015-02-15.  Actual (5.7.0): a BIGINT, 2015-02-15
SELECT MIN(d) AS lo, MIN(s) AS first FROM (VALUES ('b', DATE '2015-02-15'), ('a', DATE '2016-02-15')) AS t (s, d);
