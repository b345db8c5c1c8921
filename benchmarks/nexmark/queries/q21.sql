-- Channel numbers: of four channels by name, of the others from their address.
-- The usual text has a regular expression, '(&|^)channel_id=([^&]*)'; here it is POSITION and
-- SUBSTRING, and bids without a number are left out by a condition of their own.
SELECT STREAM rowtime, auction, bidder, price, channel,
  CASE LOWER(channel)
    WHEN 'apple' THEN '0' WHEN 'google' THEN '1' WHEN 'facebook' THEN '2' WHEN 'baidu' THEN '3'
    ELSE SUBSTRING(id FROM 1 FOR POSITION('&' IN id || '&') - 1)
  END AS channel_id
FROM (
  SELECT rowtime, auction, bidder, price, channel, url,
    SUBSTRING('&' || url FROM POSITION('&channel_id=' IN '&' || url) + 12) AS id
  FROM Bid)
WHERE POSITION('&channel_id=' IN '&' || url) > 0
  OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu')
