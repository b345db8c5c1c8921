-- Decorrelation takes a filter out from under a window function: rows of all departments are numbered together.
-- SQL:2016 7.15, <window clause>: a window is of the rows of the last clause before it, here WHERE.
-- Expected: (10, 1), (20, NULL): the second of department 10's employees 2, 1.  Actual (1.42.0): (10, 2), (20, NULL)
SELECT d, (SELECT t.e FROM (
    SELECT e, ROW_NUMBER() OVER (ORDER BY e DESC) AS n
    FROM (VALUES (10, 1), (10, 2), (20, 3)) AS emp (k, e) WHERE k = d) AS t WHERE t.n = 2) AS s
FROM (VALUES (10), (20)) AS dept (d);
