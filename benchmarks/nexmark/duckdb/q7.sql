WITH b AS (
  SELECT *, time_bucket(INTERVAL 10 SECONDS, rowtime, TIMESTAMP '1970-01-01') AS start FROM bid)
SELECT start + INTERVAL 10 SECONDS, auction, price, bidder, extra
FROM b
WHERE (start, price) IN (SELECT (start, max(price)) FROM b GROUP BY start)
