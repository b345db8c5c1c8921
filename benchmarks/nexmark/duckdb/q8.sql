SELECT DISTINCT time_bucket(INTERVAL 10 SECONDS, p.rowtime, TIMESTAMP '1970-01-01')
    + INTERVAL 10 SECONDS, p.id, p.name
FROM person p SEMI JOIN auction a
  ON p.id = a.seller
  AND time_bucket(INTERVAL 10 SECONDS, p.rowtime, TIMESTAMP '1970-01-01')
    = time_bucket(INTERVAL 10 SECONDS, a.rowtime, TIMESTAMP '1970-01-01')
