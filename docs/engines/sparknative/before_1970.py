"""Rows before 1970 are dropped as late, in the first micro-batch, by a watermark that no row made.

Run with PySpark alone: ``pip install pyspark==4.3.0; python before_1970.py``.

The guide (Structured Streaming, "Semantic Guarantees of Aggregation with Watermarking"): a
watermark delay of 2 hours guarantees that no data is dropped that is less than 2 hours behind the
latest data processed till then.  Here each row is later than all before it, so none may be dropped:
two hours with a row each, before 1970 as after it.
"""

import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession


def hours(spark: SparkSession, year: int) -> list[tuple[str, int]]:
    """The hours, with their numbers of rows, of three micro-batches of a row each."""
    folder = Path(tempfile.mkdtemp())
    (folder / "in").mkdir()
    rows = spark.readStream.schema("t TIMESTAMP").json(str(folder / "in"))
    rows.withWatermark("t", "1 second").createOrReplaceTempView("rows")
    counts = spark.sql("SELECT window.start, count(*) AS n FROM rows GROUP BY window(t, '1 hour')")
    found: list[tuple[str, int]] = []

    def take(batch: DataFrame, _: int) -> None:
        found.extend((str(each.start), each.n) for each in batch.collect())

    query = counts.writeStream.foreachBatch(take).option("checkpointLocation", str(folder / "out"))
    running = query.start()
    for hour in (10, 11, 12):
        written = folder / "row.json"
        written.write_text(f'{{"t": "{year}-06-01 {hour}:30:00"}}\n')
        written.rename(folder / "in" / f"{hour}.json")
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
print("after 1970:", hours(spark, 1971))
expected = [(f"1969-06-01 {hour}:00:00", 1) for hour in (10, 11)]
found = hours(spark, 1969)
print("before 1970:", found)
print("expected:", expected)
raise SystemExit(found != expected)
