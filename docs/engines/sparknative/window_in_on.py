"""``window(…)`` in the condition of a join ends in an internal error.

Run with PySpark alone: ``pip install pyspark==4.3.0; python window_in_on.py``.

Spark evaluates ``window(…)`` over one table.  In ON it raises INTERNAL_ERROR ("Invalid call to
dataType on unresolved object").  Such an error "should not be exposed to the end-user" (Spark's
commit for SPARK-36870, which introduced it).  The same condition over columns of derived tables is
evaluated.
"""

from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
for view, time in (("a", "10:10:00"), ("b", "10:20:00")):
    spark.sql(f"SELECT TIMESTAMP '2015-02-15 {time}' AS t").createOrReplaceTempView(view)
HOUR = "(SELECT window(t, '1 hour').end AS e FROM {}) AS {}"
failed = False
for text in (
    f"SELECT count(*) AS n FROM {HOUR.format('a', 'a')} JOIN {HOUR.format('b', 'b')} ON a.e = b.e",
    "SELECT count(*) AS n FROM a JOIN b ON window(a.t, '1 hour').end = window(b.t, '1 hour').end",
):
    try:
        found = str([row.n for row in spark.sql(text).collect()])
    except Exception as error:  # Py4J raises the Java exception as it is
        found = str(error).strip().splitlines()[1][:100]
    failed = failed or found != "[1]"
    print(text, found, "expected: ", [1], sep="\n  ")
raise SystemExit(failed)
