"""The splits of a micro-batch, and whether the values of their ordered columns keep the order.

These functions see a split as Spark's Python workers do: Arrow batches, in the order in which the
split is read.  The values of a descending column are negated, so that all ascend and a bound is a
least value; a value in that form is called risen.

A worker that has just been started imports all this: few modules, therefore, and no pandas, which
Arrow imports to make an array of Python's values, or NumPy's of one of its own.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no types of its own.

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark import TaskContext

#: Whole numbers of 64 bits, or DOUBLEs.
Numbers: TypeAlias = npt.NDArray[Any]  # of either kind
Flags: TypeAlias = npt.NDArray[np.bool_]
Number: TypeAlias = int | float

#: The columns that the workers read before those that are ordered.
SPLIT, FAULT = "split", "fault"
#: How many bits of a row's number count the rows of a task; those above count the tasks.
OF_TASK: Final = 33


@dataclass(frozen=True, slots=True)
class Order:
    """The declared order of a column, if the greatest value so far decides what is late.

    ``slack``: how far behind the greatest a value may be.  ``strict``: a value equal to the
    greatest is late.  ``moves``: rows advance the bound; false for punctuated columns.
    """

    descending: bool
    strict: bool
    slack: int
    moves: bool

    def risen(self, values: Numbers) -> Numbers:
        """The values, negated if they descend: a whole number ``v`` to ``-v - 1``, which exists."""
        if not self.descending:
            return values
        return ~values if values.dtype == np.int64 else -values

    def value(self, risen: Number) -> Number:
        """The value of a risen one."""
        if not self.descending:
            return risen
        return ~risen if isinstance(risen, int) else -risen

    def behind(self, values: Numbers, tops: Numbers) -> Flags:
        """Which values are late, where ``tops`` are the greatest values before each."""
        if not self.moves:
            return np.zeros(len(values), np.bool_)
        if self.strict:
            return values <= tops
        if not self.slack:
            return values < tops
        # A greater number of 64 bits less a smaller one fits in 64 bits without a sign.
        ahead = tops > values
        apart = tops.astype(np.uint64) - values.astype(np.uint64)
        return ahead & (apart > np.uint64(self.slack))

    def any_behind(self, least: Number, top: Number) -> bool:
        """Whether the least of some values is late behind the greatest before them."""
        if not self.moves:
            return False
        return least <= top if self.strict else least < top - self.slack


class Extent(NamedTuple):
    """The least and the greatest risen value of a column, and whether some value is late.

    None: there is no row.
    """

    least: Number | None
    greatest: Number | None
    late: bool


@dataclass(frozen=True, slots=True)
class Split:
    """Rows that are read one after another, numbered from ``first`` on.

    ``faults``: how many are bad; they are in no extent.
    """

    key: int
    first: int
    rows: int
    faults: int
    extents: tuple[Extent, ...]


# --- in the workers -------------------------------------------------------------------------------

#: A batch's rows of one split: its key, the number of the first row, their ordered columns, and
#: whether each is sound.
_Run: TypeAlias = tuple[int, int, list[Numbers], Flags]

SUMMED: Final = "split string"
LATE_ROWS: Final = "number long, fault int"


@dataclass(slots=True)
class _Sum:
    """A split as far as it has been read."""

    key: int
    first: int
    rows: int
    faults: int
    columns: list["_Column"]


@dataclass(slots=True)
class _Column:
    least: Number | None = None
    greatest: Number | None = None
    late: bool = False

    def add(self, order: Order, values: Numbers) -> None:
        if not len(values):
            return
        tops = np.maximum.accumulate(values)
        self.late = self.late or bool(order.behind(values[1:], tops[:-1]).any())
        least, greatest = values.min().item(), tops[-1].item()
        if self.greatest is not None and self.least is not None:
            self.late = self.late or bool(
                order.behind(values, np.full(len(values), self.greatest, values.dtype)).any()
            )
            least, greatest = min(least, self.least), max(greatest, self.greatest)
        self.least, self.greatest = least, greatest


def summed(
    orders: Sequence[Order], split: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """A row for each split of a partition, which `read` reads.

    The columns of ``batches`` are the split, if ``split``, and the ordered columns, or one of any
    numbers if none is ordered; the first of these is NULL in a bad row.
    """
    current: _Sum | None = None
    for key, first, columns, sound in _runs(orders, split, False, batches):
        if current is None or current.key != key:
            if current is not None:
                yield _written(current)
            current = _Sum(key, first, 0, 0, [_Column() for _ in orders])
        bad = len(sound) - int(np.count_nonzero(sound))
        current.rows += len(sound)
        current.faults += bad
        for order, state, values in zip(orders, current.columns, columns, strict=True):
            state.add(order, values[sound] if bad else values)
    if current is not None:
        yield _written(current)


def late_among(
    order: Order | None,
    bound: Number | None,
    strict: bool,
    tops: Mapping[int, Number | None],
    split: bool,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    """The numbers of the refused rows, and their faults: `BEHIND` if they are late.

    Columns: as in `summed`, and last the faults.  ``bound``: the risen bound before these rows; a
    row at the bound is late only if ``strict``.  ``tops``: for each split, by the number of its
    first row, the greatest risen value before it.
    """
    top: Number | None = None
    current: int | None = None
    orders = [] if order is None else [order]
    for key, first, (*columns, faults), sound in _runs(orders, split, True, batches):
        found = faults.astype(np.int32)
        if key != current:
            current, top = key, tops[first]
        if order is not None:
            values = columns[0][sound]
            late = np.zeros(len(values), np.bool_)
            if bound is not None:
                late |= values <= bound if strict else values < bound
            if len(values):
                before = np.maximum.accumulate(values)
                if top is not None:
                    before = np.maximum(before, np.array(top, values.dtype))
                    late[:1] |= order.behind(values[:1], np.array([top], values.dtype))
                late[1:] |= order.behind(values[1:], before[:-1])
                top = before[-1].item()
            found[np.flatnonzero(sound)[late]] = BEHIND
        refused = np.flatnonzero(found)
        if len(refused):
            yield pa.RecordBatch.from_pydict(
                {"number": pa.array(first + refused), "fault": pa.array(found[refused])}
            )


#: The fault of a row that is late.
BEHIND: Final = -1


def _runs(
    orders: Sequence[Order], split: bool, faults: bool, batches: Iterable[pa.RecordBatch]
) -> Iterator[_Run]:
    """The rows of a partition in runs of one split; with ``faults`` these are the last column."""
    context = TaskContext.get()
    number = 0 if context is None else context.partitionId() << OF_TASK
    for batch in batches:
        rows, columns = batch.num_rows, list(batch.columns)
        keys = _numbers(columns.pop(0)) if split else None
        first, *_ = columns
        sound = np.ones(rows, np.bool_)
        if first.null_count:
            sound = first.is_valid().to_numpy(zero_copy_only=False)
        numbers = [_numbers(each) for each in columns[: len(orders)]]
        risen = [order.risen(each) for order, each in zip(orders, numbers, strict=True)]
        if faults:
            risen.append(_numbers(columns[-1]))
        cuts = [0, *([] if keys is None else (np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist())]
        for start, end in pairwise([*cuts, rows]):
            if start < end:
                own = [each[start:end] for each in risen]
                key = 0 if keys is None else int(keys[start])
                yield key, number + start, own, sound[start:end]
        number += rows


def _numbers(column: pa.Array) -> Numbers:
    """The values, 0 in place of NULL."""
    if column.null_count:
        values: Numbers = column.fill_null(0).to_numpy(zero_copy_only=False)
        return values
    return np.from_dlpack(column)


def _written(split: _Sum) -> pa.RecordBatch:
    """A split as a row of one text."""
    columns = [(each.least, each.greatest, each.late) for each in split.columns]
    text = json.dumps((split.key, split.first, split.rows, split.faults, columns)).encode()
    buffers = [None, pa.py_buffer(np.array([0, len(text)], np.int32)), pa.py_buffer(text)]
    return pa.RecordBatch.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], ["split"])


def read(text: str) -> Split:
    """The split of a text of `summed`."""
    key, first, rows, faults, columns = json.loads(text)
    return Split(key, first, rows, faults, tuple(Extent(*each) for each in columns))
