"""Rows on their way to workers of Python, which compute the frames of windows, and back."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false
# Arrow has no types of its own.

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
from spark_backend.over.sliding import Integers, integers
from spark_backend.over.wide_frames import Found, Task, What, array_of, bounds_of
from spark_backend.over.window_functions import Prepared
from spark_backend.translator import Spans
from spark_backend.types import spark_type
from spark_backend.workarounds.non_inlined_literals import non_inlined

#: So many rows come back at a time.
_BATCH: Final = 100_000
#: The input is read so many times, at most: for more spans it costs less to send rows to them.
_SPANS: Final = 4


@dataclass(frozen=True, slots=True)
class _Journey:
    """``rows`` with the columns ``taken``; a worker's ``task``, and the columns that it gives.

    ``back``: what is made of those.
    """

    rows: DataFrame
    taken: tuple[str, ...]
    task: Task
    given: spark.StructType
    back: tuple[Column, ...]


def by_sliding(
    prepared: Prepared,
    found: Sequence[tuple[str, WindowCall, Found]],
    rows: DataFrame,
    kept: Sequence[str],
    needed: Collection[str],
) -> DataFrame:
    """The rows with ``kept`` columns, and behind them the value of each call by its name.

    A partition of the window goes to a worker at once, sorted.  Of ``kept`` only those ``needed``
    make the journey; the others are NULL.
    """
    journey = _journey(prepared, found, rows, kept, needed)
    task, partition = journey.task, [F.col(each) for each in prepared.partition]
    frame = journey.rows
    frame = frame.repartition(*partition) if partition else frame.repartition(1)
    # Ties in the order of arrival cost a longer sort: only where some part can tell them apart.
    by_place = task.start.rows is not None or task.end.rows is not None
    by_place = by_place or any(part.what is What.NTH for part in task.parts)
    order = prepared.full if by_place else prepared.full[: len(prepared.keys)]
    frame = frame.sortWithinPartitions(*partition, *order).select(*journey.taken)
    result = frame.groupBy(*partition).applyInArrow(lambda table: task(table), journey.given)
    return result.select(*journey.back)


def _journey(
    prepared: Prepared,
    found: Sequence[tuple[str, WindowCall, Found]],
    rows: DataFrame,
    kept: Sequence[str],
    needed: Collection[str],
) -> _Journey:
    all_kept, kept = kept, [each for each in kept if each in needed]
    absent = {name: rows.schema[name].dataType for name in all_kept if name not in needed}
    bounds = bounds_of(prepared)
    assert bounds is not None, "the caller has looked"
    key: str | None = None
    if bounds.keyed:
        key = prepared.peers if bounds.by_peers else prepared.keys[0]
    descending = not bounds.by_peers and bounds.keyed and prepared.group.order[0].descending
    parts = tuple(part for _, _, each in found for part in each.parts)
    new = {name: column for _, _, each in found for name, column in each.columns.items()}
    frame = rows.select("*", *(column.alias(name) for name, column in new.items()))
    taken = [*kept, *prepared.partition, *((key,) if key is not None else ())]
    taken += [name for part in parts for name in part.arguments]
    computed = [spark.StructField(each.name, each.type) for each in parts]
    given = spark.StructType([*(frame.schema[name] for name in kept), *computed])
    task = Task(bounds.start, bounds.end, key, descending, tuple(kept), parts)
    values = [each.value.cast(spark_type(call.type)).alias(name) for name, call, each in found]
    back = [
        F.lit(None).cast(absent[each]).alias(each) if each in absent else F.col(each)
        for each in all_kept
    ]
    return _Journey(frame, tuple(dict.fromkeys(taken)), task, given, (*back, *values))


# --- a stretch of time ----------------------------------------------------------------------------


def in_reach(prepared: Prepared, found: Collection[Found], spans: Spans) -> bool:
    """Whether frames are ranges of time that look back, and not too far for `by_spans`.

    Each span is read with the rows before it that its frames reach back to: in all no more than
    twice as many as there are.
    """
    bounds, (key, *others) = bounds_of(prepared), prepared.group.order
    if bounds is None or bounds.by_peers or others or key.descending or spans.count > _SPANS:
        return False
    start, end = bounds.start.distance, bounds.end.distance
    if start is None or end is None or end > 0 or key.expression.type.nullable:
        return False
    # What Spark takes for equal, Arrow may not; the order of ties is the order of arrival.
    if any(each.type.kind in APPROXIMATE for each in prepared.group.partition):
        return False
    if any(part.what is What.NTH for each in found for part in each.parts):
        return False
    return -start * (spans.count - 1) <= spans.end - spans.start


def by_spans(
    prepared: Prepared,
    found: Sequence[tuple[str, WindowCall, Found]],
    rows: DataFrame,
    kept: Sequence[str],
    needed: Collection[str],
    spans: Spans,
) -> DataFrame:
    """What `by_sliding` gives of the rows asked for, in the order of their time.

    The worker of a span reads its rows, and those before them that its frames reach back to: the
    input is read once for each span, and Spark sends no row to another task, and sorts none.
    """
    journey = _journey(prepared, found, rows, kept, needed)
    key, reach = prepared.keys[0], journey.task.start.distance
    assert reach is not None, "the caller has looked"
    time, parts = F.col(key), list[DataFrame]()
    for number in range(spans.count):
        since = spans.start + number * spans.length
        until = min(since + spans.length, spans.end)
        within = time < non_inlined(until, time)
        unbounded = spans.unbounded and not number
        if not unbounded:
            within &= time >= non_inlined(since + reach, time)
        part = journey.rows.filter(within).select(*journey.taken).coalesce(1)
        span = _Span(journey.task, prepared.partition, key, None if unbounded else since)
        parts.append(part.mapInArrow(span.computed, journey.given))
    return reduce(DataFrame.union, parts).select(*journey.back)


@dataclass(frozen=True, slots=True)
class _Span:
    """What a worker does with a span of time, which begins at ``since``; None: with all before."""

    task: Task
    partition: tuple[str, ...]
    time: str
    since: int | None

    def computed(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Its rows with the values of their frames, by time."""
        found = [each for each in batches if each.num_rows]
        if not found:
            return
        rows = pa.Table.from_batches(found).combine_chunks()
        times, groups = integers(array_of(rows, self.time)), _numbered(rows, self.partition)
        order = np.lexsort((times, groups))
        rows, times, groups = rows.take(pa.array(order)), times[order], groups[order]
        asked = np.ones(len(times), np.bool_) if self.since is None else times >= self.since
        ends = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(groups)]
        parts = [self.task(rows.slice(a, b - a), asked[a:b]) for a, b in pairwise(ends)]
        whole = pa.concat_tables(parts).combine_chunks()
        in_time = np.argsort(times[asked], kind="stable")
        yield from whole.take(pa.array(in_time)).to_batches(max_chunksize=_BATCH)


def _numbered(rows: pa.Table, partition: Sequence[str]) -> Integers:
    """Of each row a number that it shares with the rows of its partition."""
    found = np.zeros(rows.num_rows, np.int64)
    for name in partition:
        told = array_of(rows, name).dictionary_encode(null_encoding="encode")
        both = found * len(told.dictionary) + integers(told.indices)
        _, found = np.unique(both, return_inverse=True)
    return found
