SELECT date_trunc('day', rowtime) + INTERVAL 1 DAY,
  count(*),
  count(*) FILTER (price < 10000),
  count(*) FILTER (price >= 10000 AND price < 1000000),
  count(*) FILTER (price >= 1000000),
  count(DISTINCT bidder),
  count(DISTINCT bidder) FILTER (price < 10000),
  count(DISTINCT bidder) FILTER (price >= 10000 AND price < 1000000),
  count(DISTINCT bidder) FILTER (price >= 1000000),
  count(DISTINCT auction),
  count(DISTINCT auction) FILTER (price < 10000),
  count(DISTINCT auction) FILTER (price >= 10000 AND price < 1000000),
  count(DISTINCT auction) FILTER (price >= 1000000)
FROM bid
GROUP BY ALL
