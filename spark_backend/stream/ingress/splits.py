"""The splits of a micro-batch, and whether the values of their ordered columns keep the order.

In the usual case Spark finds this by itself (`sorted_splits`).  In all other cases these functions
run in Spark's Python workers, which read a split as Arrow batches in order.  The values of a
descending column are negated, so that all columns ascend, and a bound is the least value of later
rows.  A value in this form is called *ascending*.

Each new worker imports this module, so it imports few modules, and avoids the Arrow functions that
import pandas: those that convert from Python values, or to NumPy arrays.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow does not have type annotations.

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark import TaskContext

#: An array of 64-bit integers or DOUBLEs.
Numbers: TypeAlias = npt.NDArray[Any]  # of either kind
Flags: TypeAlias = npt.NDArray[np.bool_]
Number: TypeAlias = int | float

#: The names of the columns with the split of a row, and with the code of its fault (0: none).
SPLIT, FAULT = "split", "fault"
#: The fault of a row that is late.
LATE_ROW: Final = -1
#: The number of bits of a row's number that count the rows of a task; the higher bits count tasks.
OF_TASK: Final = 33


@dataclass(frozen=True, slots=True)
class Order:
    """The declared order of a column, if the greatest value so far decides whether a value is late.

    A value may lag the greatest value by ``slack``. ``strict``: a value equal to the greatest is
    late. ``moves``: rows advance the bound; false for punctuated columns.
    """

    descending: bool
    strict: bool
    slack: int
    moves: bool

    def ascending(self, values: Numbers) -> Numbers:
        """The values, negated if they descend.

        An integer ``v`` becomes ``-v - 1``, which always fits.
        """
        if not self.descending:
            return values
        return ~values if values.dtype == np.int64 else -values

    def flipped(self, number: Number) -> Number:
        """The ascending form of one value, or the value that has the ascending form ``number``.

        Both are the same function, because negating twice changes nothing.
        """
        if not self.descending:
            return number
        return ~number if isinstance(number, int) else -number

    def late_mask(self, values: Numbers, tops: Numbers) -> Flags:
        """A mask of the late ascending values; ``tops`` has the greatest value before each one."""
        if not self.moves:
            return np.zeros(len(values), np.bool_)
        if self.strict:
            return values <= tops
        if not self.slack:
            return values < tops
        # The distance of two numbers can need 64 bits without a sign.  Where the value is not below
        # the top, the subtraction can wrap around, but the mask ``ahead`` is false.
        ahead = tops > values
        apart = tops.astype(np.uint64) - values.astype(np.uint64)
        return ahead & (apart > np.uint64(self.slack))

    def is_late(self, least: Number, top: Number) -> bool:
        """Whether the least of some values is late, given the greatest value before them."""
        if not self.moves:
            return False
        return least <= top if self.strict else least < top - self.slack


class Extent(NamedTuple):
    """The least and the greatest ascending value of a column, and whether a value may be late.

    The values are None if there is no sound row.  ``late`` is exact if `summarize_splits` has found
    it; `sorted_splits` can report True although no value is late.
    """

    least: Number | None
    greatest: Number | None
    late: bool


@dataclass(frozen=True, slots=True)
class Split:
    """The summary of a split: rows of one task that are read in order.

    ``key`` identifies the split.  Its rows are numbered from ``first`` on, and ``rows`` is their
    number.  ``faults`` is the number of bad rows, which do not count in the ``extents`` of the
    ordered columns.
    """

    key: int
    first: int
    rows: int
    faults: int
    extents: tuple[Extent, ...]


# --- in the workers -------------------------------------------------------------------------------

#: The rows of one split in a batch: the split's key, the number of the first row, the ordered
#: columns, and a mask of the rows that are not bad.
_Run: TypeAlias = tuple[int, int, list[Numbers], Flags]

#: The schemas, as Spark writes them, of the rows of `summarize_splits` and of `find_late_rows`.
SUMMED: Final = "split string"
LATE_ROWS: Final = "number long, fault int"


@dataclass(slots=True)
class _Summary:
    """The fields of a `Split`, over the batches that have been read so far."""

    key: int
    first: int
    rows: int
    faults: int
    columns: list["_Column"]


@dataclass(slots=True)
class _Column:
    """The `Extent` of an ordered column, of the values that have been added so far."""

    least: Number | None = None
    greatest: Number | None = None
    late: bool = False

    def add(self, order: Order, values: Numbers) -> None:
        """Add ascending values, which follow those that were added before."""
        if not len(values):
            return
        tops = np.maximum.accumulate(values)
        self.late = self.late or bool(order.late_mask(values[1:], tops[:-1]).any())
        least, greatest = values.min().item(), tops[-1].item()
        if self.greatest is not None and self.least is not None:
            self.late = self.late or bool(
                order.late_mask(values, np.full(len(values), self.greatest, values.dtype)).any()
            )
            least, greatest = min(least, self.least), max(greatest, self.greatest)
        self.least, self.greatest = least, greatest


def summarize_splits(
    orders: Sequence[Order], has_split: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """One row for each split of a partition, a text that `read_split` parses.

    The columns of ``batches`` are the split, if ``has_split``, and the ordered columns, or a column
    of any numbers if no column is ordered.  The first of these columns is NULL in a bad row.
    """
    current: _Summary | None = None
    for key, first, columns, sound in _runs(orders, has_split, False, batches):
        if current is None or current.key != key:
            if current is not None:
                yield _written(current)
            current = _Summary(key, first, 0, 0, [_Column() for _ in orders])
        bad = len(sound) - int(np.count_nonzero(sound))
        current.rows += len(sound)
        current.faults += bad
        for order, state, values in zip(orders, current.columns, columns, strict=True):
            state.add(order, values[sound] if bad else values)
    if current is not None:
        yield _written(current)


def find_late_rows(
    order: Order | None,
    bound: Number | None,
    strict: bool,
    tops: Mapping[int, Number | None],
    has_split: bool,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """The numbers of the dropped rows, and their faults, which are `LATE_ROW` for late rows.

    The columns of ``batches`` are the split, if ``has_split``, the ordered columns, and the
    faults, which are 0 in a sound row. ``bound`` is the ascending bound before these rows, None if
    there is none; a row at the bound is late only if ``strict``. ``tops`` has for each split, by
    the number of its first row, the greatest ascending value before the split.  ``order`` is that
    of the ordered column; None: no column is ordered, so no row is late.
    """
    current: int | None = None  # the split of the last run
    top: Number | None = None  # the greatest value so far, in this split and those before it
    orders = [] if order is None else [order]
    for key, first, (*columns, faults), sound in _runs(orders, has_split, True, batches):
        found = faults.astype(np.int32)  # late rows are added below
        if key != current:
            current, top = key, tops[first]
        if order is not None:
            values = columns[0][sound]
            late = np.zeros(len(values), np.bool_)
            if bound is not None:
                late |= values <= bound if strict else values < bound
            if len(values):
                # The first value is compared with ``top``, each other one with the greatest so far.
                greatest = np.maximum.accumulate(values)
                if top is not None:
                    greatest = np.maximum(greatest, np.array(top, values.dtype))
                    late[:1] |= order.late_mask(values[:1], np.array([top], values.dtype))
                late[1:] |= order.late_mask(values[1:], greatest[:-1])
                top = greatest[-1].item()
            found[np.flatnonzero(sound)[late]] = LATE_ROW
        refused = np.flatnonzero(found)
        if len(refused):
            yield pa.RecordBatch.from_pydict(
                {"number": pa.array(first + refused), "fault": pa.array(found[refused])}
            )


def _runs(
    orders: Sequence[Order], has_split: bool, has_faults: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[_Run]:
    """The rows of a partition as runs of one split each, with the ascending values of columns.

    ``has_split``: the first column of ``batches`` has the splits.  ``has_faults``: the last column
    has the faults, which become the last column of each run.
    """
    context = TaskContext.get()
    number = 0 if context is None else context.partitionId() << OF_TASK
    for batch in batches:
        rows, columns = batch.num_rows, list(batch.columns)
        keys = _numbers(columns.pop(0)) if has_split else None
        first, *_ = columns
        sound = np.ones(rows, np.bool_)
        if first.null_count:
            sound = first.is_valid().to_numpy(zero_copy_only=False)
        numbers = [_numbers(each) for each in columns[: len(orders)]]
        ascending = [order.ascending(each) for order, each in zip(orders, numbers, strict=True)]
        if has_faults:
            ascending.append(_numbers(columns[-1]))
        # A run begins where the split is another one than that of the row before.
        begins = [] if keys is None else (np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist()
        for start, end in pairwise([0, *begins, rows]):
            if start < end:
                own = [each[start:end] for each in ascending]
                key = 0 if keys is None else int(keys[start])
                yield key, number + start, own, sound[start:end]
        number += rows


def _numbers(column: pa.Array) -> Numbers:
    """The values of a column, with 0 in place of NULL."""
    if column.null_count:
        values: Numbers = column.fill_null(0).to_numpy(zero_copy_only=False)
        return values
    return np.from_dlpack(column)


def _written(split: _Summary) -> pa.RecordBatch:
    """A split as a row with one text."""
    columns = [(each.least, each.greatest, each.late) for each in split.columns]
    text = json.dumps((split.key, split.first, split.rows, split.faults, columns)).encode()
    buffers = [None, pa.py_buffer(np.array([0, len(text)], np.int32)), pa.py_buffer(text)]
    return pa.RecordBatch.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], ["split"])


def read_split(text: str) -> Split:
    """The split from a text of `summarize_splits`."""
    key, first, rows, faults, columns = json.loads(text)
    return Split(key, first, rows, faults, tuple(Extent(*each) for each in columns))
