-- An event that is later than the greatest lag of IMPOSE_ORDER is not dropped, neither from the stream nor from a window.
-- Documentation, Stream Processing in SQL, Handling Late Events: "Any event that arrives later than the maximum event lag is
-- dropped", and, of a lag of 0.5 seconds, "If another event is processed with a timestamp that's 0.5 seconds or more old [...]
-- that event is dropped because it is too old".  The event v = 2, at 50 seconds, comes after that at 70 seconds.
-- Expected: the events 0, 1 and 3; (00:02, 3).  Actual (5.7.0): the events 0 to 3; (00:02, 4)
CREATE VIEW events_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 8 WHEN 1 THEN 70 WHEN 2 THEN 50 WHEN 3 THEN 119 ELSE 5000 END) AS ts, v
FROM TABLE(generate_stream(10));
CREATE VIEW events AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE events_as_they_come, DESCRIPTOR(ts), INTERVAL '0.5' SECOND));
SELECT ts, v FROM events WHERE v < 4;
SELECT window_end, COUNT(*) AS c
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '2' MINUTE)) GROUP BY window_start, window_end;
