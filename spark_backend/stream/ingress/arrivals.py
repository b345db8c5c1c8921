"""The order in which the rows of a micro-batch arrive, by the kind of source.

**Files** (parquet, json, csv, orc, text).  A file is read from its first row to its last, in splits
of up to ``spark.sql.files.maxPartitionBytes``.  Spark packs splits into tasks by size, the largest
first, so the number of a task does not show the order.  Spark divides files into micro-batches by
their modification times. Within a micro-batch the order is that of the paths of the files, then of
the places in a file where splits begin.  The column `ARRIVAL_KEY` has this order, from Spark's
metadata of each row.

**rate**. Task i of n generates the values i, i + n, i + 2n, … of a micro-batch, so the order is
that of ``value``.  **socket**. The lines are dealt out to the tasks in turn, so the order is that
of the place in the task, then of the task.  **Kafka**.  The order is that of ``timestamp``, then of
topic, partition and offset: within a partition it is that of offsets while its timestamps ascend,
and the rows of several partitions arrive as they were sent, not one partition after another.

**All other sources** have the order in which they are read: task by task, each from its first row
on.
"""

from collections.abc import Sequence
from typing import Final

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import Type
from spark_backend.data.row_buffer import NUMBERED, RowBuffer
from spark_backend.made_once import col
from spark_backend.relation import SortColumn, column_name
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.stream.ingress.splits import OF_TASK

#: The name of the column that orders the splits; it has one value in all rows of a split.
ARRIVAL_KEY: Final = "came"
#: The name of this column if its value differs from row to row, so that the rows are sorted by it.
TURN: Final = "turn"

#: The name of the column that is true for a record that may be malformed.  A frame without this
#: column has no such records.
DOUBT: Final = "doubt"

#: The names of the fields of `ARRIVAL_KEY` and `TURN`, so that sources can be unioned.
_FIELDS: Final = ("at", "place", "start")


def arrival_key(frame: DataFrame, format: str = "") -> Column:
    """The column `ARRIVAL_KEY` of a streaming frame that reads a source of this format directly.

    A socket's stream cannot have the column, only its micro-batches can: see `with_arrival_key`.
    """
    match format:
        case "rate":
            fields = (col("value"), F.lit(""), F.lit(0))
        case "socket":
            number = F.monotonically_increasing_id()  # its lower bits count the rows of a task
            fields = (number % 2**OF_TASK, F.lit(""), F.spark_partition_id())
        case "kafka":
            topic = F.concat_ws("/", "topic", F.lpad(col("partition").cast("string"), 10, "0"))
            fields = (F.unix_micros("timestamp"), topic, col("offset"))
        case _ if _reads_files(frame):
            path, start = col("_metadata.file_path"), col("_metadata.file_block_start")
            fields = (F.lit(0), path, start)
        case _:
            fields = (F.lit(0), F.lit(""), F.lit(0))
    types = ("bigint", "string", "bigint")
    named = [
        each.cast(type).alias(name) for each, type, name in zip(fields, types, _FIELDS, strict=True)
    ]
    return F.struct(*named)


def with_arrival_key(batch: DataFrame, format: str) -> DataFrame:
    """A micro-batch with `ARRIVAL_KEY` as its last column, if its stream cannot have it.

    Spark cannot number the lines of a socket before they are in a micro-batch.
    """
    if format != "socket":
        return batch
    return batch.withColumn(ARRIVAL_KEY, arrival_key(batch, format))


def rows_by_arrival(
    frame: DataFrame,
    columns: Sequence[Column],
    types: tuple[Type, ...],
    arrival_key: Column,
    *,
    is_shuffled: bool = False,
    doubt: Column | None = None,
) -> RowBuffer:
    """The rows of a micro-batch in order of arrival, for `ingress_filter`.

    ``columns`` has their internal values, one for each type; ``arrival_key`` is the column that
    orders them, and ``doubt`` the value of `DOUBT`. ``is_shuffled``: the order of arrival is not
    the order in which the splits are read, so the rows must be sorted.
    """
    named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
    named += [] if doubt is None else [doubt.alias(DOUBT)]
    if is_shuffled:
        turned = frame.select(*named, arrival_key.alias(TURN))
        return RowBuffer.of_frame(turned, types, order=(SortColumn(TURN),))
    read = frame.select(
        *named, arrival_key.alias(ARRIVAL_KEY), F.monotonically_increasing_id().alias(ARRIVAL)
    )
    return RowBuffer.of_frame(read, types, order=(SortColumn(ARRIVAL_KEY), *NUMBERED))


def _reads_files(frame: DataFrame) -> bool:
    """Whether a frame reads files directly, so that Spark has the metadata of each row's file."""
    try:
        frame.select("_metadata.file_path", "_metadata.file_block_start")
    except AnalysisException:
        return False
    return True
