"""The first value of a column among pending rows, by a heap with lazy removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import dataclass as record
from functools import cmp_to_key
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Protocol

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.relation import Row
from reference.values import compare

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder


class Expiring(Protocol):
    """The owner of a value in a heap."""

    @property
    def expired(self) -> bool:
        """Whether its value does not count any more."""
        ...


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Value
    owner: Expiring


class LazyMinHeap:
    """The values of one column, the first in its direction on top.

    The first value is the least, or the greatest if ``descending``; NULL comes before all. Values
    whose owner has expired do not count; they are removed when they reach the top.
    """

    def __init__(self, descending: bool) -> None:
        def order(a: Value, b: Value) -> int:
            if a is None or b is None:
                return (b is None) - (a is None)
            return -compare(a, b) if descending else compare(a, b)

        self._order = cmp_to_key(order)
        self._heap: list[tuple[SupportsOrder, int, _Entry]] = []
        self._place = count()

    def add(self, value: Value, owner: Expiring) -> None:
        """Add a value."""
        heappush(self._heap, (self._order(value), next(self._place), _Entry(value, owner)))

    def first(self) -> Bound | None:
        """The bound of the values: the first one; NULL if one is NULL; None without values."""
        while self._heap and self._heap[0][2].owner.expired:
            heappop(self._heap)
        return Bound(self._heap[0][2].value) if self._heap else None


@record(slots=True, eq=False)
class PendingRow:
    """A row that an operator retains; ``expired`` once it is emitted."""

    row: Row
    expired: bool = False


class PendingColumns:
    """The bounds that pending rows allow for each requested column and its direction."""

    def __init__(self, requested: Sequence[tuple[int, bool]]) -> None:
        self._columns = [
            (column, descending, LazyMinHeap(descending)) for column, descending in requested
        ]

    def hold(self, pending: PendingRow) -> None:
        """Add a pending row."""
        for column, _, heap in self._columns:
            heap.add(pending.row[column], pending)

    def bounds(self, bounds: Bounds) -> Bounds:
        """The requested ``bounds``, each lowered to the first value among the pending rows.

        A column with a NULL among them has no bound.
        """
        columns: list[Bound | None] = [None] * len(bounds.columns)
        for column, descending, heap in self._columns:
            limit, first = bounds.columns[column], heap.first()
            if first is not None:
                least = None if first.value is None else first
                limit = weaker(limit, least, descending)
            columns[column] = limit
        return Bounds(tuple(columns), bounds.ended)
