-- SESSION cannot be run with the syntax of Calcite's own example, nor without a key.
-- Calcite's reference, SESSION: "The input table has set semantics", and the example "SESSION(TABLE orders PARTITION BY
-- product, DESCRIPTOR(rowtime), INTERVAL '20' MINUTE)".
-- Expected: one row, with the window from 10:00 to 10:20.
-- Actual (1.42.0): Only tables with set semantics may be partitioned
SELECT * FROM TABLE(SESSION(
  (SELECT * FROM (VALUES (TIMESTAMP '2015-02-15 10:00:00', 1)) AS v (t, k)) PARTITION BY k,
  DESCRIPTOR(t), INTERVAL '20' MINUTE));
-- Expected: the same row.  Actual (1.42.0): Unable to implement EnumerableTableFunctionScan(invocation=[SESSION(…)])
SELECT * FROM TABLE(SESSION(
  (SELECT * FROM (VALUES (TIMESTAMP '2015-02-15 10:00:00', 1)) AS v (t, k)),
  DESCRIPTOR(t), INTERVAL '20' MINUTE));
