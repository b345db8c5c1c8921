-- Rows are compared as if NULL were a value.
-- SQL-92 8.2, <comparison predicate>, general rule 7: (1, NULL) < (1, 2) is true if 1 < 1, or if 1 = 1 and NULL < 2; it is
-- false if >= is true; it is neither, so it is unknown.
-- Expected: NULL.  Actual (1.42.0): false
SELECT (a, b) < (c, d) AS e FROM (VALUES (1, CAST(NULL AS INTEGER), 1, 2)) AS t (a, b, c, d);
-- SQL-92 8.2, general rule 7g: rows are not equal if one pair of values is not, and 3 is neither 1 nor 2; so IN (8.4), which
-- is = ANY (8.7), is false.
-- Expected: true.  Actual (1.42.0): NULL
SELECT (x, y) NOT IN (SELECT c, d FROM (VALUES (1, NULL), (2, 5)) AS s (c, d)) AS n
FROM (VALUES (3, CAST(NULL AS INTEGER))) AS t (x, y);
