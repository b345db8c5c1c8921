-- New users who sell: the persons who have come, and have opened an auction, in the same 10 seconds.
SELECT STREAM p.rowtime, p.id, p.name
FROM (
  SELECT TUMBLE_END(rowtime, INTERVAL '10' SECOND) AS rowtime, id, name
  FROM Person
  GROUP BY TUMBLE(rowtime, INTERVAL '10' SECOND), id, name) AS p
JOIN (
  SELECT TUMBLE_END(rowtime, INTERVAL '10' SECOND) AS rowtime, seller
  FROM Auction
  GROUP BY TUMBLE(rowtime, INTERVAL '10' SECOND), seller) AS a
  ON p.id = a.seller AND p.rowtime = a.rowtime
