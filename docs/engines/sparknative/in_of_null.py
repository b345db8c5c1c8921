"""IN (SELECT …) as a value is false where a NULL makes it unknown.

Run with PySpark alone: ``pip install pyspark==4.3.0; python in_of_null.py``.

Spark's SQL reference, "NULL Semantics": IN is UNKNOWN if the value is NULL, or if it is not found
and the list has a NULL; so says SQL:2016, part 2, 8.4 <in predicate>, too.  With a list of values
Spark keeps to that.  With a sub-query it does in WHERE, where unknown is as good as false, and not
in SELECT, nor under IS NULL.
"""

from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
found = [
    spark.sql(f"SELECT x IN ({listed}) AS v FROM VALUES (1) AS t (x)").collect()[0].v
    for listed in ("2, NULL", "SELECT y FROM VALUES (2), (NULL) AS u (y)")
]
print("in a list:", found[0])
print("in a sub-query:", found[1])
print("in both expected: ", None)
raise SystemExit(found != [None, None])
