SELECT rowtime, auction, bidder, (0.908::DECIMAL(4, 3) * price)::DECIMAL(23, 3) AS euros,
  CASE WHEN hour(rowtime) BETWEEN 8 AND 18 THEN 'dayTime'
    WHEN hour(rowtime) BETWEEN 7 AND 19 THEN 'otherTime' ELSE 'nightTime' END,
  extra, len(regexp_extract_all(extra, 'c'))
FROM bid
WHERE euros > 1000000 AND euros < 50000000
