-- The three folders of a bid's address.
-- The usual text has SPLIT_INDEX; here the text behind a slash is cut off step by step.
SELECT STREAM rowtime, auction, bidder, price, channel, dir1, dir2,
  SUBSTRING(rest FROM 1 FOR POSITION('/' IN rest || '/') - 1) AS dir3
FROM (
  SELECT rowtime, auction, bidder, price, channel, dir1,
    SUBSTRING(rest FROM 1 FOR POSITION('/' IN rest || '/') - 1) AS dir2,
    SUBSTRING(rest FROM POSITION('/' IN rest || '/') + 1) AS rest
  FROM (
    SELECT rowtime, auction, bidder, price, channel,
      SUBSTRING(rest FROM 1 FOR POSITION('/' IN rest || '/') - 1) AS dir1,
      SUBSTRING(rest FROM POSITION('/' IN rest || '/') + 1) AS rest
    FROM (
      SELECT rowtime, auction, bidder, price, channel,
        SUBSTRING(url FROM POSITION('/' IN SUBSTRING(url FROM 9)) + 9) AS rest
      FROM Bid)))
