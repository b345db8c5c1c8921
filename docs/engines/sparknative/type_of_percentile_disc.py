"""PERCENTILE_DISC, which chooses one of the values, makes a DOUBLE of it, and takes no DATE.

Run with PySpark alone: ``pip install pyspark==4.3.0; python type_of_percentile_disc.py``.

SQL:2016, part 2, 10.9 <aggregate function>: the declared type of the result of PERCENTILE_DISC is
that of the sort key, which may be of any ordered type; only PERCENTILE_CONT computes, and demands a
number or an interval.  As DOUBLE a BIGINT loses its last digits.
"""

from datetime import date

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
found: list[object] = []
for value in ("9007199254740993", "DATE '2015-02-15'"):
    query = f"""
        SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) AS p FROM VALUES ({value}) AS t (v)
    """
    try:
        (row,) = spark.sql(query).collect()
        found.append(row.p)
    except AnalysisException as error:
        found.append(error.getCondition())
expected = [9007199254740993, date(2015, 2, 15)]
print("found:", found)
print("expected: ", expected)
raise SystemExit(found != expected)
