-- Pass through: what it costs to read and write.
SELECT STREAM rowtime, auction, bidder, price, extra
FROM Bid
