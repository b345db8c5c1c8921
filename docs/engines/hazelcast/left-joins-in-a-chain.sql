-- A second LEFT JOIN of streams fails as soon as a row of the first has no match.
-- Documentation, SELECT: "[[INNER | LEFT | RIGHT | CROSS] JOIN from_item [ ON join_condition ]]".  No row of r is a minute
-- after its row of l, and one is within the minute.
-- Expected: (0, NULL, 00:00:30) and (1, NULL, 00:00:40).
-- Actual (5.7.0): java.lang.NullPointerException: Cannot invoke "Object.hashCode()" because "value" is null
CREATE VIEW l_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 10 WHEN 1 THEN 20 ELSE 5000 END) AS ts, v AS k
FROM TABLE(generate_stream(10));
CREATE VIEW l AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE l_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
CREATE VIEW r_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 30 WHEN 1 THEN 40 ELSE 5000 END) AS ts, v AS k
FROM TABLE(generate_stream(10));
CREATE VIEW r AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE r_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
SELECT l.k, r.ts AS later, z.ts AS soon FROM l
LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts + INTERVAL '1' MINUTE AND l.ts + INTERVAL '2' MINUTE
LEFT JOIN r AS z ON l.k = z.k AND z.ts BETWEEN l.ts AND l.ts + INTERVAL '1' MINUTE
WHERE l.k < 2;
