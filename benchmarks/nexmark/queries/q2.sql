-- Selection: the bids for some auctions.
SELECT STREAM rowtime, auction, price
FROM Bid
WHERE MOD(auction, 123) = 0
