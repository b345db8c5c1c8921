-- A join by the equality of an INTEGER and a DECIMAL has no rows, though the comparison is true.
-- Documentation, Expressions, Functions and Operators: X = Y "Returns TRUE if X is equal to Y"; SQL:2016 8.2: numbers are
-- compared by their value.
-- Expected: (1, 1), (2, 2) and the same.  Actual (5.7.0): no row; (1, 1), (2, 2) (with zeros after the point)
SELECT a.x, b.y FROM (VALUES (1), (2)) AS a (x) JOIN (VALUES (1.0), (2.5), (2.00)) AS b (y) ON a.x = b.y;
SELECT a.x, b.y FROM (VALUES (1), (2)) AS a (x) JOIN (VALUES (1.0), (2.5), (2.00)) AS b (y) ON a.x >= b.y AND a.x <= b.y;
