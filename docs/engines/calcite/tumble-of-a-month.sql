-- TUMBLE takes a size of one month for one millisecond.
-- Calcite's reference, TUMBLE: "Indicates a tumbling window of size interval for timecol".
-- Expected: the window is a month long, or the interval is rejected.
-- Actual (1.42.0): the window from 10:10:00 to 10:10:00.001
SELECT * FROM TABLE(TUMBLE(
  (SELECT * FROM (VALUES (TIMESTAMP '2015-02-15 10:10:00', 1)) AS v (t, v)),
  DESCRIPTOR(t), INTERVAL '1' MONTH));
