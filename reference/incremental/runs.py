"""Runs: items with equal values of a monotonic expression, retained until a bound passes (S-405).

Operators retain rows in runs, by a value such as a time, and remove them when a bound has passed
the value.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Generic, TypeVar

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, passed
from reference.snapshot import stateful
from reference.values import identity, is_nan

T = TypeVar("T")


@stateful
@dataclass(frozen=True, slots=True)
class _Place:
    """A value with the order of the heap: it is less than the values after it in the direction."""

    value: Value
    descending: bool

    def __lt__(self, other: "_Place") -> bool:
        return passed(self.value, Bound(other.value), self.descending)


@stateful
@dataclass(slots=True)
class Runs(Generic[T]):
    """Items by the value of a monotonic expression; the items of one value are a run.

    Runs are removed in the direction of the expression, their items in the order of arrival.  The
    runs of NULL and NaN are the last ones, and only `all` removes them.
    """

    descending: bool
    _values: list[_Place] = field(default_factory=list[_Place])
    _runs: dict[Value, list[T]] = field(default_factory=dict[Value, list[T]])
    _last: dict[Value | tuple[str], list[T]] = field(
        default_factory=dict[Value | tuple[str], list[T]]
    )

    def put(self, value: Value, item: T) -> None:
        """Add ``item`` to the run of ``value``."""
        if value is None or is_nan(value):
            self._last.setdefault(identity(value), []).append(item)
            return
        run = self._runs.get(value)
        if run is not None:
            run.append(item)
            return
        self._runs[value] = [item]
        heappush(self._values, _Place(value, self.descending))

    def passed(self, limit: Bound | None) -> Iterator[list[T]]:
        """Remove and return the runs that the bound ``limit`` has passed; None: it is unknown."""
        while self._values and passed(self._values[0].value, limit, self.descending):
            yield self._runs.pop(heappop(self._values).value)

    def reached(self, limit: Bound | None) -> Iterator[list[T]]:
        """Remove and return the runs that the bound ``limit`` has passed or reached.

        No later value can precede them, but a later value can be equal.  There are none if
        ``limit`` is None, because then any value can follow.
        """
        if limit is not None:
            yield from self.passed(limit)
            if self._values and self._values[0].value == limit.value:
                yield self._runs.pop(heappop(self._values).value)

    def all(self) -> Iterator[list[T]]:
        """Remove and return all runs, also those of NULL and NaN."""
        while self._values:
            yield self._runs.pop(heappop(self._values).value)
        yield from self._last.values()
        self._last = {}

    def first(self) -> Bound | None:
        """The first value except NULL and NaN, as a bound; None if there is no such value."""
        return Bound(self._values[0].value) if self._values else None

    def items(self) -> Iterator[T]:
        """All items, in no order."""
        return (item for run in (*self._runs.values(), *self._last.values()) for item in run)

    def __len__(self) -> int:
        """The number of items."""
        return sum(map(len, (*self._runs.values(), *self._last.values())))
