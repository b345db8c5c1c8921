-- Highest bid: every 10 seconds, the bids at the greatest price of those seconds.
-- The usual text bounds both ends by BETWEEN, so that a bid at the very end of a window is in two;
-- here a window is half-open, as TUMBLE is.
SELECT STREAM m.rowtime, b.auction, b.price, b.bidder, b.extra
FROM (
  SELECT TUMBLE_END(rowtime, INTERVAL '10' SECOND) AS rowtime, MAX(price) AS price
  FROM Bid
  GROUP BY TUMBLE(rowtime, INTERVAL '10' SECOND)) AS m
JOIN Bid AS b
  ON b.price = m.price
  AND b.rowtime >= m.rowtime - INTERVAL '10' SECOND AND b.rowtime < m.rowtime
