SELECT date_trunc('hour', rowtime) + INTERVAL 1 HOUR, origin, count(*), avg(delay)
FROM departures
GROUP BY ALL
