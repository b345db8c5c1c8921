"""The rows of a micro-batch by time, sorted in parts that each hold a span of it."""

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import Type
from spark_backend.relation import Relation
from spark_backend.store import Store
from spark_backend.stream.steady import steady


def in_spans(rows: Relation, types: tuple[Type, ...], before: int, limit: int) -> Store:
    """The rows in their order, the first key of which is a time from ``before`` up to ``limit``.

    Partitions hold spans of time of one length.  Spark's own sort would compute all rows once more,
    to see where to cut; here both ends are known.  ``types``: of the columns that are shown.
    """
    parts = max(1, rows.frame.sparkSession.sparkContext.defaultParallelism)
    time = F.col(rows.order[0].column)
    length = max(1, -(-(limit - before) // parts))
    span = F.floor((time - steady(before, time)) / steady(length, time)).cast("int")
    keys = [each.key() for each in rows.order]
    frame = rows.frame.repartitionById(parts, F.coalesce(span, F.lit(0)))
    frame = frame.sortWithinPartitions(*keys)
    return Store.of_frame(frame, types, order=rows.order, in_order=True)
