-- The arguments of HOP are the window and then its step, and not the step and then the window as in the guide's example.
-- Documentation, Stream Processing in SQL, Hopping Windows: INTERVAL '1' DAY, INTERVAL '7' DAY "Set the size of the step to
-- one day and the window to seven days".  (The list of functions has HOP(..., window_size, slide_step), which is right.)
-- Expected: windows of 2 minutes, one each minute.  Actual (5.7.0): windowSize must be an integer multiple of slideBy
CREATE VIEW events_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 8 WHEN 1 THEN 70 WHEN 2 THEN 119 ELSE 5000 END) AS ts, v
FROM TABLE(generate_stream(10));
CREATE VIEW events AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE events_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
SELECT window_start, window_end, COUNT(*) AS c
FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end;
