"""A condition after withWatermark decides which rows move the watermark, by how it is written.

Run with PySpark alone: ``pip install pyspark==4.3.0; python filter_moves_watermark.py``.

``DataFrame.withWatermark``: the watermark is "the MAX(eventTime) seen across all of the partitions
in the query" minus the delay.  The query sees the row at 13:00 whatever a condition after
withWatermark does with it.  But the optimizer moves the condition to before withWatermark
(SPARK-21587), unless it names the event time: the same condition, written in two ways, lets the
hour from 10:00 end or not.  An optimizer may not change what a query returns.
"""

import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

ROWS = ('{"t": "2015-02-15 10:30:00", "kind": "a"}', '{"t": "2015-02-15 13:00:00", "kind": "b"}')


def hours(spark: SparkSession, condition: str) -> list[tuple[str, int]]:
    """The hours that have ended after both rows, with their numbers of rows."""
    folder = Path(tempfile.mkdtemp())
    (folder / "in").mkdir()
    rows = spark.readStream.schema("t TIMESTAMP, kind STRING").json(str(folder / "in"))
    rows.withWatermark("t", "0 seconds").createOrReplaceTempView("rows")
    counts = spark.sql(
        "SELECT window.start, count(*) AS n FROM rows"
        f" WHERE {condition} GROUP BY window(t, '1 hour')"
    )
    found: list[tuple[str, int]] = []

    def take(batch: DataFrame, _: int) -> None:
        found.extend((str(each.start), each.n) for each in batch.collect())

    query = counts.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "out"))
    running = query.start()
    for number, row in enumerate(ROWS):
        (folder / "row.json").write_text(f"{row}\n")
        (folder / "row.json").rename(folder / "in" / f"{number}.json")
        running.processAllAvailable()
    running.stop()
    return found


spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
# Both are true of the same rows among those that have a time; others are in no window.
conditions = ("kind = 'a'", "(kind = 'a') = (t IS NOT NULL)")
expected = [("2015-02-15 10:00:00", 1)]
found = [hours(spark, each) for each in conditions]
for condition, each in zip(conditions, found, strict=True):
    print(f"{condition}:", each)
print("in both expected: ", expected)
raise SystemExit(found != [expected, expected])
