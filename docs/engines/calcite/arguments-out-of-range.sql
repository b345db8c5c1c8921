-- NTILE of no buckets, the value at place 0, and the root of a negative number are no errors.
-- SQL:2016 6.10, <window function>: an exception is raised where the number of NTILE, or the place of NTH_VALUE, is less than
-- or equal to 0; 6.30, <numeric value function>: and where a negative number is raised to a power that is not whole.
-- Expected: an error from each.  Actual (1.42.0): 1; 0; NaN
SELECT NTILE(0) OVER (ORDER BY i) AS n FROM (VALUES (1)) AS t (i);
SELECT NTH_VALUE(i, 0) OVER (ORDER BY i) AS n FROM (VALUES (1)) AS t (i);
SELECT SQRT(x) AS s FROM (VALUES (-1)) AS t (x);
