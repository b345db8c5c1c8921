-- Bounded side input: every bid with a name from a table.
-- The usual text has the expression in ON; as a column of its own it is looked up, and not compared
-- with every row of the table.
SELECT STREAM b.rowtime, b.auction, b.bidder, b.price, s.name
FROM (SELECT rowtime, auction, bidder, price, MOD(auction, 10000) AS key FROM Bid) AS b
JOIN Side AS s ON b.key = s.key
