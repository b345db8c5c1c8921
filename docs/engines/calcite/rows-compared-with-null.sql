-- Rows are compared as if NULL were a value.
-- SQL:2016, comparison predicate: (1, NULL) < (1, 2) is 1 < 1 OR (1 = 1 AND NULL < 2), which is unknown.
-- Expected: NULL.  Actual (1.42.0): false
SELECT (a, b) < (c, d) AS e FROM (VALUES (1, CAST(NULL AS INTEGER), 1, 2)) AS t (a, b, c, d);
-- SQL:2016, in predicate: 3 is neither 1 nor 2, so that (3, NULL) equals neither row.
-- Expected: true.  Actual (1.42.0): NULL
SELECT (x, y) NOT IN (SELECT c, d FROM (VALUES (1, NULL), (2, 5)) AS s (c, d)) AS n
FROM (VALUES (3, CAST(NULL AS INTEGER))) AS t (x, y);
