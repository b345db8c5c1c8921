-- Statistics of a day for each auction.
-- The usual text gives changes all day long; here a day is told once, when it is over.
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' DAY) AS rowtime, auction,
  COUNT(*) AS total_bids,
  COUNT(*) FILTER (WHERE price < 10000) AS rank1_bids,
  COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS rank2_bids,
  COUNT(*) FILTER (WHERE price >= 1000000) AS rank3_bids,
  MIN(price) AS min_price, MAX(price) AS max_price, AVG(price) AS avg_price,
  SUM(price) AS sum_price
FROM Bid
GROUP BY TUMBLE(rowtime, INTERVAL '1' DAY), auction
