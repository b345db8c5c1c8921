SELECT rowtime, origin, count(*) OVER aday, avg(delay) OVER aday
FROM departures
WINDOW aday AS (
  PARTITION BY origin ORDER BY rowtime RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)
