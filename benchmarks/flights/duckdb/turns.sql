SELECT date_trunc('month', d.rowtime) + INTERVAL 1 MONTH, count(*),
  min(date_diff('minute', r.rowtime, d.rowtime))
FROM returns r, departures d
WHERE d.tailnum = r.tailnum AND d.rowtime - r.rowtime BETWEEN INTERVAL 0 HOURS AND INTERVAL 2 HOURS
GROUP BY ALL
