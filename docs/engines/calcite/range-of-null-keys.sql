-- A RANGE frame fails where a sort key is NULL.
-- SQL:2016 7.15, <window clause>: of a row whose key is NULL, the rows with other keys are left out, and the reverse.
-- Expected: (1, 1), (2, 2), (NULL, 1).  Actual (1.42.0): NullPointerException in generated code
SELECT i, COUNT(*) OVER (ORDER BY i RANGE 1 PRECEDING) AS c
FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t (i);
