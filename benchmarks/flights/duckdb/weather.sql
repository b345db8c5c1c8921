-- An hour of the clock has at most one observation: no period is asked about.
SELECT date_trunc('month', d.rowtime) + INTERVAL 1 MONTH, count(*), avg(delay),
  count(*) FILTER (rain > 0), avg(delay) FILTER (rain > 0),
  count(*) FILTER (visibility < 2), avg(delay) FILTER (visibility < 2)
FROM departures d
LEFT JOIN weather w ON w.origin = d.origin AND w.validfrom = date_trunc('hour', d.rowtime)
GROUP BY ALL
