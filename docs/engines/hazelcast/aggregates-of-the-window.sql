-- Aggregates of window_start and window_end read the column of the time; the column of COUNT, a BIGINT, has a timestamp.
-- Documentation, Expressions, Functions and Operators: the "output contains all the input columns, with two added columns:
-- window_start and window_end"; COUNT(DISTINCT field) is the "number of distinct values".
-- Expected: (00:05, 00:00, 00:05, 1).  Actual (5.7.0): (00:05, 00:00, 00:01:59, 00:00:08)
CREATE VIEW events_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 8 WHEN 1 THEN 70 WHEN 2 THEN 119 ELSE 5000 END) AS ts, v
FROM TABLE(generate_stream(10));
CREATE VIEW events AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE events_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
SELECT window_end, MIN(window_start) AS lo, MAX(window_end) AS hi, COUNT(DISTINCT window_start) AS c
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) GROUP BY window_end;
