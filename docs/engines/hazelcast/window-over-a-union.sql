-- A window over a union of two streams loses the rows of one of them.
-- Documentation, Expressions, Functions and Operators: "The UNION ALL operator is used to combine the result set of two or
-- more SELECT statements, including any duplicate values".  Two rows of each stream lie in the first minute.
-- Expected: (00:01, 4).  Actual (5.7.0): (00:01, 2)
CREATE VIEW l_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 10 WHEN 1 THEN 20 ELSE 5000 END) AS ts, v AS k
FROM TABLE(generate_stream(10));
CREATE VIEW l AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE l_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
CREATE VIEW r_as_they_come AS
SELECT TO_TIMESTAMP_TZ(CASE v WHEN 0 THEN 30 WHEN 1 THEN 40 ELSE 5000 END) AS ts, v AS k
FROM TABLE(generate_stream(10));
CREATE VIEW r AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE r_as_they_come, DESCRIPTOR(ts), INTERVAL '0' SECOND));
SELECT window_end, COUNT(*) AS c
FROM TABLE(TUMBLE((SELECT ts, k FROM l UNION ALL SELECT ts, k FROM r), DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
