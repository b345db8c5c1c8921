-- A RANGE frame fails where a sort key is NULL.
-- SQL:2016, window clause: the frame of a row whose key is NULL holds its peers.
-- Expected: (1, 1), (2, 2), (NULL, 1).  Actual (1.42.0): NullPointerException in generated code
SELECT i, COUNT(*) OVER (ORDER BY i RANGE 1 PRECEDING) AS c
FROM (VALUES (1), (2), (CAST(NULL AS INTEGER))) AS t (i);
