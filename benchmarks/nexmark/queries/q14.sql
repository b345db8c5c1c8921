-- Calculation: a conversion, a filter, the time of day, and how many letters c there are.
-- The usual text counts the letters by a function of the user's.
SELECT STREAM rowtime, auction, bidder, 0.908 * price AS price,
  CASE
    WHEN EXTRACT(HOUR FROM rowtime) BETWEEN 8 AND 18 THEN 'dayTime'
    WHEN EXTRACT(HOUR FROM rowtime) <= 6 OR EXTRACT(HOUR FROM rowtime) >= 20 THEN 'nightTime'
    ELSE 'otherTime'
  END AS bidTimeType,
  extra,
  CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', '')) AS c_counts
FROM Bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000
