"""Rows that are held, and of their values the one that comes first in its direction."""

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


class Holder(Protocol):
    """What holds a value, until it is gone."""

    @property
    def gone(self) -> bool:
        """Whether it holds it no longer."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    value: Value
    holder: Holder


class Foremost:
    """Values with their holders; those whose holder is gone do not count.

    The first value is the least; of a column that falls, the greatest.  NULL is before all others.
    """

    def __init__(self, descending: bool) -> None:
        def order(a: Value, b: Value) -> int:
            if a is None or b is None:
                return (b is None) - (a is None)
            return -compare(a, b) if descending else compare(a, b)

        self._order = cmp_to_key(order)
        self._heap: list[tuple[SupportsOrder, int, _Held]] = []
        self._place = count()

    def add(self, value: Value, holder: Holder) -> None:
        """One value more."""
        heappush(self._heap, (self._order(value), next(self._place), _Held(value, holder)))

    def first(self) -> Bound | None:
        """The bound that the values held are of, its value NULL if one is; None: none is held."""
        while self._heap and self._heap[0][2].holder.gone:
            heappop(self._heap)
        return Bound(self._heap[0][2].value) if self._heap else None


@record(slots=True, eq=False)
class HeldRow:
    """A row that is held until it is ``gone``: it has left."""

    row: Row
    gone: bool = False


class HeldColumns:
    """The columns of an operator's rows that bounds are wanted of, and which of them fall."""

    def __init__(self, wanted: Sequence[tuple[int, bool]]) -> None:
        self._columns = [
            (column, descending, Foremost(descending)) for column, descending in wanted
        ]

    def hold(self, held: HeldRow) -> None:
        """One row more that is held."""
        for column, _, foremost in self._columns:
            foremost.add(held.row[column], held)

    def bounds(self, bounds: Bounds) -> Bounds:
        """The bounds of rows to come, lowered to those that are held; of wanted columns alone.

        Where a NULL is held nothing is known.
        """
        columns: list[Bound | None] = [None] * len(bounds.columns)
        for column, descending, foremost in self._columns:
            limit, first = bounds.columns[column], foremost.first()
            if first is not None:
                least = None if first.value is None else first
                limit = weaker(limit, least, descending)
            columns[column] = limit
        return Bounds(tuple(columns), bounds.ended)
