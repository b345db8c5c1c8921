-- Currency: prices in euros.
SELECT STREAM rowtime, auction, bidder, CAST(0.908 * price AS DECIMAL(23, 3)) AS price, extra
FROM Bid
