-- A union of two windows over one stream gives both branches the windows of the first.
-- Documentation, Stream Processing in SQL: "A tumbling window assigns events into non-overlapping windows of a fixed
-- length", here of 1 and of 5 minutes.  The events are at 8, 70 and 119 seconds.
-- Expected: (00:01, 1, 1), (00:02, 1, 2), (00:05, 5, 3).
-- Actual (5.7.0): (00:01, 1, 1), (00:01, 5, 1), (00:02, 1, 2), (00:02, 5, 2)
CREATE VIEW events_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 8 WHEN 1 THEN 70 WHEN 2 THEN 119 ELSE 5000 END) AS ts, v
FROM TABLE(generate_stream(10));
CREATE VIEW events AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE events_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
SELECT window_end, 1 AS minutes, COUNT(*) AS c
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end
UNION ALL
SELECT window_end, 5 AS minutes, COUNT(*) AS c
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;
