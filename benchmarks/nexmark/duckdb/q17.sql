SELECT date_trunc('day', rowtime) + INTERVAL 1 DAY, auction,
  count(*),
  count(*) FILTER (price < 10000),
  count(*) FILTER (price >= 10000 AND price < 1000000),
  count(*) FILTER (price >= 1000000),
  min(price), max(price), avg(price), sum(price)
FROM bid
GROUP BY ALL
