-- Delays by the weather that held at the origin: of all, in rain, and in less than two miles of sight.
-- Departures are looked up by origin and day; which of the day's versions holds, the period says.
SELECT STREAM TUMBLE_END(d.rowtime, INTERVAL '1' MONTH) AS rowtime,
  COUNT(*) AS departures, AVG(d.delay) AS delay,
  COUNT(*) FILTER (WHERE w.rain > 0) AS rainy,
  AVG(d.delay) FILTER (WHERE w.rain > 0) AS rainy_delay,
  COUNT(*) FILTER (WHERE w.visibility < 2) AS foggy,
  AVG(d.delay) FILTER (WHERE w.visibility < 2) AS foggy_delay
FROM (SELECT rowtime, origin, delay, CAST(rowtime AS DATE) AS "DAY" FROM Departures) AS d
LEFT JOIN Weather FOR SYSTEM_TIME AS OF d.rowtime AS w
  ON w.origin = d.origin AND w."DAY" = d."DAY"
GROUP BY TUMBLE(d.rowtime, INTERVAL '1' MONTH)
