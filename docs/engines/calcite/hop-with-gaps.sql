-- HOP fails where its windows do not cover all times.
-- Calcite's reference, HOP: it indicates "a hopping window for timecol, covering rows within the interval of size,
-- shifting every slide"; 10:40 is within no half an hour from a full hour.
-- Expected: one row, 10:10.  Actual (1.42.0): NullPointerException: list.pollFirst()
SELECT t, v FROM TABLE(HOP(
  (SELECT * FROM (VALUES (TIMESTAMP '2015-02-15 10:10:00', 1), (TIMESTAMP '2015-02-15 10:40:00', 2)) AS v (t, v)),
  DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '30' MINUTE));
