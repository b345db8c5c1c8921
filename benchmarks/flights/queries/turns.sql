-- Planes that turn round: off again within two hours of when they can be back at the earliest, so
-- that they stood less than two hours at both ends together.
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MONTH) AS rowtime, COUNT(*) AS turns,
  MIN(minutes) AS fastest
FROM (
  SELECT d.rowtime, TIMESTAMPDIFF(MINUTE, r.rowtime, d.rowtime) AS minutes
  FROM Returns AS r
  JOIN Departures AS d
    ON d.tailnum = r.tailnum
    AND d.rowtime BETWEEN r.rowtime AND r.rowtime + INTERVAL '2' HOUR)
GROUP BY TUMBLE(rowtime, INTERVAL '1' MONTH)
