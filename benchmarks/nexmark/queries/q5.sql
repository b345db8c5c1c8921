-- Hot items: every 2 seconds, the auctions with most bids in the last 10 seconds.
-- The usual text joins the counts with their own maximum by window.  Here the maximum is taken by a
-- window function over the counts of one end: the same rows, and each count is made once.
SELECT STREAM rowtime, auction, num
FROM (
  SELECT rowtime, auction, num, MAX(num) OVER (PARTITION BY rowtime) AS most
  FROM (
    SELECT HOP_END(rowtime, INTERVAL '2' SECOND, INTERVAL '10' SECOND) AS rowtime,
      auction, COUNT(*) AS num
    FROM Bid
    GROUP BY HOP(rowtime, INTERVAL '2' SECOND, INTERVAL '10' SECOND), auction))
WHERE num = most
