"""GROUPING SETS with the empty set has no row over an empty table; GROUP BY () has its row.

Run with PySpark alone: ``pip install pyspark==4.3.0; python grand_total_of_nothing.py``.

SQL:2016, part 2, 7.13 <group by clause>: GROUPING SETS ((a), ()) is the UNION ALL of GROUP BY a and
GROUP BY ().  The latter, like an aggregate without GROUP BY, is one group of all rows, also of none
(7.14 <having clause>, and Spark for a query without GROUP BY).  So ROLLUP (a) and CUBE (a), which
are defined by grouping sets, have the row of the grand total.
"""

from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
spark.sql("SELECT 1 AS a WHERE false").createOrReplaceTempView("nothing")
failed = False
for group in ("", "GROUP BY GROUPING SETS ((a), ())", "GROUP BY ROLLUP (a)", "GROUP BY CUBE (a)"):
    found = [row.n for row in spark.sql(f"SELECT count(*) AS n FROM nothing {group}").collect()]
    failed = failed or found != [0]
    print(f"{group or 'no GROUP BY'}:", found, "expected: ", [0])
raise SystemExit(failed)
