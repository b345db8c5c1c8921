"""Of the values that are held, the one that comes first in its direction."""

from functools import cmp_to_key
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Protocol

from algebra.expression import Value
from algebra.progress import Bound
from grammar.frozen import dataclass
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

    def __init__(self, falls: bool) -> None:
        def order(a: Value, b: Value) -> int:
            if a is None or b is None:
                return (b is None) - (a is None)
            return -compare(a, b) if falls else compare(a, b)

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
