-- Bids of each bidder every 10 seconds.
-- The usual text counts by processing time.  Here there is none (S-106): it is the time of the bids.
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '10' SECOND) AS rowtime, bidder, COUNT(*) AS bid_count
FROM Bid
GROUP BY TUMBLE(rowtime, INTERVAL '10' SECOND), bidder
