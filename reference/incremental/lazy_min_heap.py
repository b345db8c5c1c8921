"""The first value of a column among pending rows, found by a heap.

A pending row is a row that an operator has not emitted yet.  Operators lower the bound of an output
column to the first value of the pending rows.  A value is not removed when its row is emitted, but
when it reaches the top of the heap (lazy removal).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Protocol

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.relation import Row
from reference.snapshot import stateful
from reference.values import compare


class Expiring(Protocol):
    """The owner of a value in a heap."""

    @property
    def expired(self) -> bool:
        """Whether the owner's value does not count any more."""
        ...


@stateful
@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A value with its owner, in the order of the heap: NULL first, then in the direction."""

    value: Value
    owner: Expiring
    descending: bool

    def __lt__(self, other: "_Entry") -> bool:
        if self.value is None or other.value is None:
            return self.value is None and other.value is not None
        order = compare(self.value, other.value)
        return order > 0 if self.descending else order < 0


@stateful
class LazyMinHeap:
    """The values of one column, with the first in its direction on top.

    The first value is the least, or the greatest if ``descending``; NULL is before all values.
    Values whose owner has expired do not count; they are removed when they reach the top.
    """

    def __init__(self, descending: bool) -> None:
        self._descending = descending
        self._heap: list[_Entry] = []

    def add(self, value: Value, owner: Expiring) -> None:
        """Add a value, which counts until ``owner`` has expired."""
        heappush(self._heap, _Entry(value, owner, self._descending))

    def first(self) -> Bound | None:
        """The first value that counts, as a bound: NULL if a value is NULL; None without values."""
        while self._heap and self._heap[0].owner.expired:
            heappop(self._heap)
        return Bound(self._heap[0].value) if self._heap else None


@stateful
@dataclass(slots=True, eq=False)
class PendingRow:
    """A row that an operator retains; ``expired`` once it is emitted."""

    row: Row
    expired: bool = False


@stateful
class PendingColumns:
    """The first value among the pending rows, for each ``requested`` column.

    ``requested`` has the places of the columns, each with whether the column descends.
    """

    def __init__(self, requested: Sequence[tuple[int, bool]]) -> None:
        self._columns = [
            (column, descending, LazyMinHeap(descending)) for column, descending in requested
        ]

    def add(self, pending: PendingRow) -> None:
        """Add a pending row, which counts until it has expired."""
        for column, _, heap in self._columns:
            heap.add(pending.row[column], pending)

    def bounds(self, bounds: Bounds) -> Bounds:
        """The requested ``bounds``, each lowered to the first value among the pending rows.

        A column with a NULL among them has no bound.  After the end of the input, only the pending
        rows count.
        """
        columns: list[Bound | None] = [None] * len(bounds.columns)
        for column, descending, heap in self._columns:
            limit, first = bounds.columns[column], heap.first()
            if first is not None:
                least = None if first.value is None else first
                limit = least if bounds.ended else weaker(limit, least, descending)
            columns[column] = limit
        return Bounds(tuple(columns), bounds.ended)
