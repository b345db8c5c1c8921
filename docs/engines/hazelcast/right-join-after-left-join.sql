-- A RIGHT JOIN after a LEFT JOIN fails with an internal error.
-- Documentation, SELECT: "[[INNER | LEFT | RIGHT | CROSS] JOIN from_item [ ON join_condition ]]".
-- Expected: (1, 1, 1), (NULL, NULL, 3).
-- Actual (5.7.0): Cannot invoke "com.hazelcast.shaded.org.apache.calcite.sql.type.SqlTypeName.ordinal()" because "typeName"
-- is null
SELECT a.x, b.y, c.z FROM (VALUES (1), (2)) AS a (x)
LEFT JOIN (VALUES (1)) AS b (y) ON a.x = b.y RIGHT JOIN (VALUES (1), (3)) AS c (z) ON b.y = c.z;
