"""The exchange of rows with Python workers, which evaluate frames by `wide_frames`.

A worker gets whole partitions of a window (`by_partition`), or all rows of some interval of time
(`by_time_span`).
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false
# Arrow does not have type annotations.

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.expression import WindowCall
from algebra.types import APPROXIMATE
from spark_backend.made_once import col
from spark_backend.over.sliding import Integers, integers
from spark_backend.over.wide_frames import (
    FrameValue,
    PartitionTask,
    SlidingCall,
    frame_ends,
    whole_column,
)
from spark_backend.over.window_functions import PreparedGroup
from spark_backend.translator import Spans
from spark_backend.types import type_name
from spark_backend.workarounds.non_inlined_literals import non_inlined

#: The number of rows in a batch that a worker sends back.
_BATCH: Final = 100_000
#: The greatest number of spans of `by_time_span`, each of which reads the input: with more spans, a
#: shuffle costs less.
_SPANS: Final = 4


@dataclass(frozen=True, slots=True)
class _Exchange:
    """The columns that workers get and return.

    ``sent``: the columns of ``rows`` that are sent.  ``returned``: the schema of the task's result.
    ``result``: the columns of the whole result, as expressions over ``returned``.
    """

    rows: DataFrame
    sent: tuple[str, ...]
    task: PartitionTask
    returned: spark.StructType
    result: tuple[Column, ...]


def by_partition(
    prepared: PreparedGroup,
    calls: Sequence[tuple[str, WindowCall, SlidingCall]],
    rows: DataFrame,
    columns: Sequence[str],
    needed: Collection[str],
) -> DataFrame:
    """The rows' ``columns``, followed by the value of each of ``calls`` under its name.

    Each partition of the window is sorted, and one worker gets the whole partition.  Of ``columns``
    only the ``needed`` ones are sent; the others are NULL in the result.
    """
    exchange = _exchange(prepared, calls, rows, columns, needed)
    task, partition = exchange.task, [col(each) for each in prepared.partition]
    frame = exchange.rows
    frame = frame.repartition(*partition) if partition else frame.repartition(1)
    # The order of ties adds columns to the sort.  It matters only for frames of a number of rows,
    # and for NTH.
    by_place = task.start.rows is not None or task.end.rows is not None
    by_place = by_place or any(part.what is FrameValue.NTH for part in task.parts)
    order = prepared.full if by_place else prepared.full[: len(prepared.keys)]
    frame = frame.sortWithinPartitions(*partition, *order).select(*exchange.sent)
    result = frame.groupBy(*partition).applyInArrow(lambda table: task(table), exchange.returned)
    return result.select(*exchange.result)


def _exchange(
    prepared: PreparedGroup,
    calls: Sequence[tuple[str, WindowCall, SlidingCall]],
    rows: DataFrame,
    columns: Sequence[str],
    needed: Collection[str],
) -> _Exchange:
    """The exchange for `by_partition` and `by_time_span`, whose parameters it has."""
    carried = [each for each in columns if each in needed]
    absent = {name: rows.schema[name].dataType for name in columns if name not in needed}
    ends = frame_ends(prepared)
    assert ends is not None, "callers have checked the frame"
    key: str | None = None
    if ends.keyed:
        key = prepared.peers if ends.by_peers else prepared.keys[0]
    descending = not ends.by_peers and ends.keyed and prepared.group.order[0].descending
    parts = tuple(part for _, _, each in calls for part in each.parts)
    # The arguments that must be computed before rows are sent.
    new = {name: column for _, _, each in calls for name, column in each.columns.items()}
    frame = rows.select("*", *(column.alias(name) for name, column in new.items()))
    sent = [*carried, *prepared.partition, *((key,) if key is not None else ())]
    sent += [name for part in parts for name in part.arguments]
    computed = [spark.StructField(each.name, each.type) for each in parts]
    returned = spark.StructType([*(frame.schema[name] for name in carried), *computed])
    task = PartitionTask(
        start=ends.start,
        end=ends.end,
        key=key,
        descending=descending,
        carried=tuple(carried),
        parts=parts,
    )
    values = [each.value.cast(type_name(call.type)).alias(name) for name, call, each in calls]
    result = [
        F.lit(None).cast(absent[each]).alias(each) if each in absent else col(each)
        for each in columns
    ]
    return _Exchange(frame, tuple(dict.fromkeys(sent)), task, returned, (*result, *values))


# --- a span of time -------------------------------------------------------------------------------


def fits_spans(prepared: PreparedGroup, calls: Collection[SlidingCall], spans: Spans) -> bool:
    """Whether `by_time_span` can evaluate the calls, and costs less than `by_partition`.

    The frames must be ranges of time without rows after the current one.  The worker of a span also
    reads the earlier rows in its frames.  So each span after the first reads again a time as long
    as a frame.  These times together must not be longer than the requested time.
    """
    ends, (key, *others) = frame_ends(prepared), prepared.group.order
    if ends is None or ends.by_peers or others or key.descending or spans.count > _SPANS:
        return False
    start, end = ends.start.distance, ends.end.distance  # below 0: before the current row
    if start is None or end is None or end > 0 or key.expression.type.nullable:
        return False
    # Spark and Arrow differ on which DOUBLEs are equal; NTH needs ties in order of arrival.
    if any(each.type.kind in APPROXIMATE for each in prepared.group.partition):
        return False
    if any(part.what is FrameValue.NTH for each in calls for part in each.parts):
        return False
    return -start * (spans.count - 1) <= spans.end - spans.start


def by_time_span(
    prepared: PreparedGroup,
    calls: Sequence[tuple[str, WindowCall, SlidingCall]],
    rows: DataFrame,
    columns: Sequence[str],
    needed: Collection[str],
    spans: Spans,
) -> DataFrame:
    """The result of `by_partition` for only the requested ``spans``, in the order of their time.

    The worker of a span reads its rows, and the earlier rows in their frames.  So the input is read
    once for each span, and Spark neither shuffles nor sorts.
    """
    exchange = _exchange(prepared, calls, rows, columns, needed)
    key, reach = prepared.keys[0], exchange.task.start.distance
    assert reach is not None, "callers have checked the frame"
    time, parts = col(key), list[DataFrame]()
    for number in range(spans.count):
        since = spans.start + number * spans.length
        until = min(since + spans.length, spans.end)
        within = time < non_inlined(until, time)
        unbounded = spans.unbounded and not number
        if not unbounded:
            within &= time >= non_inlined(since + reach, time)
        part = exchange.rows.filter(within).select(*exchange.sent).coalesce(1)
        span = _Span(exchange.task, prepared.partition, key, None if unbounded else since)
        parts.append(part.mapInArrow(span.compute, exchange.returned))
    return reduce(DataFrame.union, parts).select(*exchange.result)


@dataclass(frozen=True, slots=True)
class _Span:
    """The work of a worker on one interval of time.

    ``task`` is done for each value of the columns ``partition``, and ``time`` is the column of the
    time.  ``since``: the start of the span, in milliseconds; earlier rows are read for frames only.
    None: the span has all earlier rows, too.
    """

    task: PartitionTask
    partition: tuple[str, ...]
    time: str
    since: int | None

    def compute(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the span with the values of their frames, sorted by time."""
        found = [each for each in batches if each.num_rows]
        if not found:
            return
        rows = pa.Table.from_batches(found).combine_chunks()
        times = integers(whole_column(rows, self.time))
        groups = _partition_numbers(rows, self.partition)
        order = np.lexsort((times, groups))
        rows, times, groups = rows.take(pa.array(order)), times[order], groups[order]
        requested = np.ones(len(times), np.bool_) if self.since is None else times >= self.since
        ends = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(groups)]
        parts = [self.task(rows.slice(a, b - a), requested[a:b]) for a, b in pairwise(ends)]
        whole = pa.concat_tables(parts).combine_chunks()
        in_time = np.argsort(times[requested], kind="stable")
        yield from whole.take(pa.array(in_time)).to_batches(max_chunksize=_BATCH)


def _partition_numbers(rows: pa.Table, partition: Sequence[str]) -> Integers:
    """For each row a number: rows have the same number if they agree in all columns ``partition``.

    The numbers count from 0.
    """
    found = np.zeros(rows.num_rows, np.int64)
    for name in partition:
        encoded = whole_column(rows, name).dictionary_encode(null_encoding="encode")
        # One number for each pair of a number so far and a value of this column.
        both = found * len(encoded.dictionary) + integers(encoded.indices)
        _, found = np.unique(both, return_inverse=True)
    return found
