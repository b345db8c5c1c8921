"""The median of a sliding set of values, by two heaps: logarithmic cost for each change."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush

from algebra.expression import SortKey, Value
from algebra.types import Type
from reference.incremental.over.frame_aggregates import Total
from reference.incremental.over.window_order import Place, axis_of
from reference.relation import Row
from reference.scalar.statistics import percentile_cont
from reference.snapshot import stateful


@stateful
@dataclass(slots=True, eq=False)
class _Entry:
    """A value in one of the heaps; ``low``: in the lower half."""

    place: Place
    value: Value
    low: bool = False
    removed: bool = False


@stateful
@dataclass(slots=True)
class _Heap:
    """One half of the values, the one nearest to the other half on top; removal is lazy."""

    axis: Callable[[Value], Place]
    entries: list[tuple[Place, int, _Entry]] = field(
        default_factory=list[tuple[Place, int, _Entry]]
    )
    size: int = 0
    pushed: int = 0

    def push(self, entry: _Entry) -> None:
        """Add an entry."""
        heappush(self.entries, (self.axis(entry.value), self.pushed, entry))
        self.size += 1
        self.pushed += 1

    def top(self) -> _Entry:
        """The top entry that is not removed; there must be one."""
        while self.entries[0][2].removed:
            heappop(self.entries)
        return self.entries[0][2]

    def pop(self) -> _Entry:
        """Remove and return the top entry."""
        entry = self.top()
        heappop(self.entries)
        self.size -= 1
        return entry

    def drop(self) -> None:
        """Count one entry as removed; if most are, rebuild the heap without them."""
        self.size -= 1
        if len(self.entries) > 2 * self.size + 32:
            self.entries = [each for each in self.entries if not each[2].removed]
            heapify(self.entries)


@stateful
class Median:
    """The values in two halves; the lower half is as large as the upper, or larger by one."""

    full = False

    def __init__(self, ascending: SortKey, descending: SortKey) -> None:
        self._axis = axis_of(ascending)
        self._low, self._high = _Heap(axis_of(descending)), _Heap(self._axis)
        self._entries: dict[Place, list[_Entry]] = {}

    def add(self, arguments: Row) -> None:
        """Add a value."""
        value = arguments[0]
        entry = _Entry(self._axis(value), value)
        self._entries.setdefault(entry.place, []).append(entry)
        entry.low = not self._low.size or entry.place <= self._low.top().place
        (self._low if entry.low else self._high).push(entry)
        self._balance()

    def remove(self, arguments: Row) -> None:
        """Remove a value; of equal values, any one."""
        place = self._axis(arguments[0])
        equal = self._entries[place]
        entry = equal.pop()
        if not equal:
            del self._entries[place]
        entry.removed = True
        (self._low if entry.low else self._high).drop()
        self._balance()

    def _balance(self) -> None:
        if self._low.size > self._high.size + 1:
            self._move(self._low, self._high)
        elif self._low.size < self._high.size:
            self._move(self._high, self._low)

    def _move(self, source: _Heap, target: _Heap) -> None:
        entry = source.pop()
        entry.low = target is self._low
        target.push(entry)

    def middle(self) -> list[Value]:
        """The middle value, or the two middle values; empty without values."""
        if not self._low.size:
            return []
        if self._low.size > self._high.size:
            return [self._low.top().value]
        return [self._low.top().value, self._high.top().value]

    def retained(self) -> Iterable[Row]:
        """The values."""
        return [(each.value,) for equal in self._entries.values() for each in equal]


def median(result: Type) -> Total[Median]:
    """MEDIAN, interpolated between two middle values; several parts are sorted together."""
    half = Fraction(1, 2)

    def total(parts: Sequence[Median], _row: Row) -> Value:
        middle = parts[0].middle()
        if len(parts) > 1:
            middle = [value for each in parts for (value,) in each.retained()]
        return percentile_cont(middle, half, descending=False, type=result) if middle else None

    return total
