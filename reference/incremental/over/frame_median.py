"""The median of rows that come and go, at a cost that grows by the logarithm of their number."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush

from algebra.expression import SortKey, Value
from algebra.types import Type
from reference.incremental.over.frame_aggregates import Total
from reference.incremental.over.window_order import Place, line_of
from reference.relation import Row
from reference.scalar.statistics import percentile_cont


@dataclass(slots=True, eq=False)
class _Entry:
    """A value in one of the heaps, with its place in the order of values."""

    place: Place
    value: Value
    low: bool = False
    gone: bool = False


@dataclass(slots=True)
class _Heap:
    """The entries of one half, the one next to the other half on top; some may be gone."""

    line: Callable[[Value], Place]
    entries: list[tuple[Place, int, _Entry]] = field(
        default_factory=list[tuple[Place, int, _Entry]]
    )
    size: int = 0
    pushed: int = 0

    def push(self, entry: _Entry) -> None:
        """One entry more."""
        heappush(self.entries, (self.line(entry.value), self.pushed, entry))
        self.size += 1
        self.pushed += 1

    def top(self) -> _Entry:
        """The first entry that is not gone."""
        while self.entries[0][2].gone:
            heappop(self.entries)
        return self.entries[0][2]

    def pop(self) -> _Entry:
        """The same, taken out."""
        entry = self.top()
        heappop(self.entries)
        self.size -= 1
        return entry

    def lose(self) -> None:
        """One entry is gone; once most of them are, they are cleared out."""
        self.size -= 1
        if len(self.entries) > 2 * self.size + 32:
            self.entries = [each for each in self.entries if not each[2].gone]
            heapify(self.entries)


class Median:
    """The values in two halves: the lower as large as the upper, or by one larger."""

    full = False

    def __init__(self, rising: SortKey, falling: SortKey) -> None:
        self._line = line_of(rising)
        self._low, self._high = _Heap(line_of(falling)), _Heap(self._line)
        self._entries: dict[Place, list[_Entry]] = {}

    def add(self, arguments: Row) -> None:
        """One value more."""
        value = arguments[0]
        entry = _Entry(self._line(value), value)
        self._entries.setdefault(entry.place, []).append(entry)
        entry.low = not self._low.size or entry.place <= self._low.top().place
        (self._low if entry.low else self._high).push(entry)
        self._balance()

    def remove(self, arguments: Row) -> None:
        """One value less, any of equal ones."""
        place = self._line(arguments[0])
        equal = self._entries[place]
        entry = equal.pop()
        if not equal:
            del self._entries[place]
        entry.gone = True
        (self._low if entry.low else self._high).lose()
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
        """The value in the middle, or the two; none of nothing."""
        if not self._low.size:
            return []
        if self._low.size > self._high.size:
            return [self._low.top().value]
        return [self._low.top().value, self._high.top().value]

    def kept(self) -> Iterable[Row]:
        """The values."""
        return [(each.value,) for equal in self._entries.values() for each in equal]


def median(result: Type) -> Total[Median]:
    """MEDIAN, interpolated between the two in the middle; of several parts all are sorted."""
    half = Fraction(1, 2)

    def total(parts: Sequence[Median], row: Row) -> Value:  # noqa: ARG001  # the same for all
        middle = parts[0].middle()
        if len(parts) > 1:
            middle = [value for each in parts for (value,) in each.kept()]
        return percentile_cont(middle, half, descending=False, type=result) if middle else None

    return total
