"""Of two rows at one event time the second is dropped, if it comes in another micro-batch.

Run with PySpark alone: ``pip install pyspark==4.3.0; python equal_event_times.py``.

``DataFrame.withWatermark``: the delay is "the minimum delay to wait to data to arrive late,
relative to the latest record that has been processed".  With a delay of 0 a row is late if it is
behind the latest one; a row at the same time is not behind it.  (The guide's guarantee is of rows
less than the delay behind, and leaves this one out.)  Nor may the cut of the input into
micro-batches, which is the engine's own, change what a query returns; so says a pull request to
Spark, too (56043).  Windows are right with such rows, dropDuplicates and groups by the event time
are not.
"""

import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

ROWS = ('{"t": "2015-02-15 10:00:00", "id": 1}', '{"t": "2015-02-15 10:00:00", "id": 2}')


def ids(spark: SparkSession, batches: list[tuple[str, ...]]) -> list[int]:
    """The ids of the distinct rows, which come in these micro-batches."""
    folder = Path(tempfile.mkdtemp())
    (folder / "in").mkdir()
    rows = spark.readStream.schema("t TIMESTAMP, id INT").json(str(folder / "in"))
    distinct = rows.withWatermark("t", "0 seconds").dropDuplicates(["t", "id"])
    found: list[int] = []

    def take(batch: DataFrame, _: int) -> None:
        found.extend(each.id for each in batch.collect())

    query = distinct.writeStream.foreachBatch(take).option(
        "checkpointLocation", str(folder / "out")
    )
    running = query.start()
    for number, batch in enumerate(batches):
        (folder / "row.json").write_text("".join(f"{row}\n" for row in batch))
        (folder / "row.json").rename(folder / "in" / f"{number}.json")
        running.processAllAvailable()
    running.stop()
    return sorted(found)


spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
found = [ids(spark, each) for each in ([ROWS], [ROWS[:1], ROWS[1:]])]
print("in one micro-batch:", found[0])
print("in two micro-batches:", found[1])
print("in both expected: ", [1, 2])
raise SystemExit(found != [[1, 2], [1, 2]])
