WITH ends AS (  -- each bid is in five windows of ten seconds, one every two seconds
  SELECT time_bucket(INTERVAL 2 SECONDS, rowtime, TIMESTAMP '1970-01-01') + to_seconds(2 * n) AS e,
    auction
  FROM bid, range(1, 6) AS r(n)),
counts AS (SELECT e, auction, count(*) AS num FROM ends GROUP BY ALL),
most AS (SELECT e, max(num) AS num FROM counts GROUP BY e)
SELECT e, auction, num FROM counts JOIN most USING (e, num)
