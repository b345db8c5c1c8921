"""Summarize the splits of a micro-batch with at most one ordered column, by Spark alone.

A split is a run of rows that Spark reads in order.  `splits` does the same with Python workers for
any number of columns; here no Python worker has to be started.

Only the rows before a row decide whether the row is late, and no function of Spark reads the rows
of a task one after the other.  But Spark can sort the rows of each task by the ordered column, and
number them again.  If the rows of a split keep their order, then their new numbers follow each
other as the old ones did: the sort has moved all rows of the split by the same distance.  So a
split with several distances may have a late row.  It has one for certain if the sort leaves equal
values in their order, as Spark's does while it needs no disk.
"""

# pyright: reportUnknownMemberType=false
# PySpark's columns do not have all types.

from collections.abc import Sequence
from typing import Final, TypeAlias, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import Kind
from spark_backend.made_once import col
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.stream.ingress.splits import OF_TASK, SPLIT, Extent, Order, Split
from spark_backend.stream.ingress.stream_bounds import FLOATS

#: The name of the ordered column, and of the distance by which the sort moves a row.
_VALUE: Final = "v0"
_MOVED: Final = "moved"
#: The split, the number of its first row, the numbers of all rows and of those that are not bad,
#: the least and the greatest value, and whether the sort moves rows by several distances.
_Summed: TypeAlias = tuple[int, int, int, int, int | None, int | None, bool]


def can_be_sorted(orders: Sequence[Order], kinds: Sequence[Kind]) -> bool:
    """Whether `sorted_splits` summarizes splits with these orders, of columns of these kinds.

    Each split would have to be sorted once for each ordered column.  A sort shows neither equal
    values, which are late in a STRICT column, nor how far a value lags.  It has an order of its own
    for -0 and 0.
    """
    return not orders or (
        len(orders) == 1 and not orders[0].strict and not orders[0].slack and kinds[0] not in FLOATS
    )


def sorted_splits(frame: DataFrame, order: Order | None, *, has_split: bool) -> list[Split]:
    """The splits of a frame, in any order; one query.

    The columns of ``frame`` are `ARRIVAL`; ``v0``, integers, NULL in a bad row; and, if
    ``has_split``, `SPLIT`.  Without it each task has one split.  ``order`` is that of ``v0``; None:
    it has no order, so no row is late.
    """
    value: Column = col(_VALUE)
    if order is not None and order.descending:
        value = F.bitwise_not(value)
    split = col(SPLIT) if has_split else F.shiftright(ARRIVAL, OF_TASK)
    rows = frame.select(split.alias(SPLIT), ARRIVAL, value.alias(_VALUE))
    moved = F.lit(0)
    if order is not None and order.moves:
        # The number after the sort depends on the sort, so Spark does not leave it out.
        rows = rows.sortWithinPartitions(*([SPLIT] if has_split else []), _VALUE)
        moved = F.monotonically_increasing_id() - col(ARRIVAL)
    rows = rows.select(SPLIT, ARRIVAL, _VALUE, moved.alias(_MOVED))
    summed = rows.groupBy(SPLIT).agg(
        F.min(ARRIVAL),
        F.count(F.lit(1)),
        F.count(_VALUE),
        F.min(_VALUE),
        F.max(_VALUE),
        F.min(_MOVED) != F.max(_MOVED),
    )
    found: list[Split] = []
    for row in summed.collect():
        key, first, count, sound, least, greatest, is_moved = cast("_Summed", tuple(row))
        extents = () if order is None else (Extent(least, greatest, is_moved),)
        found.append(Split(key if has_split else 0, first, count, count - sound, extents))
    return found
