-- Departures of each origin and hour, and their mean delay.
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, origin,
  COUNT(*) AS departures, AVG(delay) AS delay
FROM Departures
GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), origin
