-- HOP fails where its windows do not cover all times.
-- Calcite's reference, HOP: it "assigns windows that cover rows within the interval of size and shifting every slide".
-- Expected: no row for 10:10, which is in no window, and one for 10:40.  Actual (1.42.0): NullPointerException
SELECT * FROM TABLE(HOP((SELECT * FROM (VALUES (TIMESTAMP '2015-02-15 10:10:00'), (TIMESTAMP '2015-02-15 10:40:00')) AS v (t)),
  DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '30' MINUTE));
