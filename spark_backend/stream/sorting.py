"""The rows of a micro-batch by time, sorted in parts that each hold a span of it."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.relation import Order
from spark_backend.stream.steady import steady


def in_spans(frame: DataFrame, *, order: Sequence[Order], before: int, limit: int) -> DataFrame:
    """The rows in their order, the first key of which is a time from ``before`` up to ``limit``.

    Partitions hold spans of time of one length.  Spark's own sort would compute all rows once more,
    to see where to cut; here both ends are known.
    """
    parts = max(1, frame.sparkSession.sparkContext.defaultParallelism)
    time = F.col(order[0].column)
    length = max(1, -(-(limit - before) // parts))
    span = F.floor((time - steady(before, time)) / steady(length, time)).cast("int")
    frame = frame.repartitionById(parts, F.coalesce(span, F.lit(0)))
    return frame.sortWithinPartitions(*(each.key() for each in order))
