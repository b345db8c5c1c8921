"""A RANGE frame of a month counts a row that is more than a month ahead.

Run with PySpark alone: ``pip install pyspark==4.3.0; python range_of_a_month.py``.

SQL:2016, part 2, 7.15 <window clause>: RANGE BETWEEN CURRENT ROW AND i FOLLOWING is the rows whose
sort key is at most that of the current row plus i, which is the last day of a month that has no
such day.  Spark itself says that 2015-01-31 01:00 plus a month is 2015-02-28 01:00, which is before
the last row, so the second row's frame has that row alone.  The month ends earlier for the second
row than for the first one (2015-02-28 23:00): Spark only ever moves the end of a frame forwards.
"""

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
counted = spark.sql("""
    SELECT t, t + INTERVAL '1' MONTH AS later,
      count(*) OVER (ORDER BY t RANGE BETWEEN CURRENT ROW AND INTERVAL '1' MONTH FOLLOWING) AS n
    FROM VALUES (TIMESTAMP '2015-01-30 23:00:00'), (TIMESTAMP '2015-01-31 01:00:00'),
      (TIMESTAMP '2015-02-28 12:00:00') AS rows (t)
    ORDER BY t
""")
rows = counted.collect()
for row in rows:
    print(f"from {row.t} to {row.later}: {row.n}")
print("expected: 3, 1, 1")
raise SystemExit([row.n for row in rows] != [3, 1, 1])
