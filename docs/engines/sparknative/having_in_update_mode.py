"""In update mode a group that no longer satisfies HAVING stays in the result.

Run with PySpark alone: ``pip install pyspark==4.3.0; python having_in_update_mode.py``.

Structured Streaming Programming Guide, Basic Concepts: a query generates a Result Table, which is
updated at each trigger as the same query on a static table would be, and in Update Mode "only the
rows that were updated in the Result Table since the last trigger will be written to the external
storage".  A sink that writes these rows by their key has the Result Table, as long as no row
leaves it.
A row that leaves is not written in this mode, so the key keeps its old row: after the third
micro-batch, the answer that is shown is the answer over no part of the input.
"""

import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import sum as total

#: Deposits and withdrawals of an account, each in a micro-batch of its own.
ROWS = (("a", 10), ("b", 30), ("a", -10))
#: The accounts with a positive balance, after each micro-batch.
EXPECTED = [{"a": 10}, {"a": 10, "b": 30}, {"b": 30}]

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
print("Spark", spark.version)
folder = Path(tempfile.mkdtemp())
(folder / "in").mkdir()
rows = spark.readStream.schema("account STRING, amount INT").json(str(folder / "in"))
balances = rows.groupBy("account").agg(total("amount").alias("balance")).where("balance > 0")
shown: dict[str, int] = {}


def take(batch: DataFrame, _: int) -> None:
    """Write the rows by their key, as an upsert into a table does."""
    shown.update({each.account: each.balance for each in batch.collect()})


query = balances.writeStream.outputMode("update").foreachBatch(take)
running = query.option("checkpointLocation", str(folder / "out")).start()
actual: list[dict[str, int]] = []
for number, (account, amount) in enumerate(ROWS):
    (folder / "row.json").write_text(f'{{"account": "{account}", "amount": {amount}}}\n')
    (folder / "row.json").rename(folder / "in" / f"{number}.json")
    running.processAllAvailable()
    actual.append(dict(shown))
running.stop()
print("expected: ", *EXPECTED, sep="\n  ")
print("actual: ", *actual, sep="\n  ")
raise SystemExit(actual != EXPECTED)
