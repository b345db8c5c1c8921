-- The columns of USING stand in the order of USING.
-- SQL:2016 (ISO/IEC 9075-2), 7.10, joined table: they stand first, in the order in which they stand in the left table.
-- Expected: (1, 2, l, r).  Actual (5.7.0): (2, 1, l, r)
SELECT * FROM (VALUES (1, 2, 'l')) AS a (p, q, x) JOIN (VALUES (2, 1, 'r')) AS b (q, p, y) USING (q, p);
