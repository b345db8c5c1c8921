"""Sliding aggregates: rows enter and leave a part of a frame in order (S-203, S-505).

A frame has one part, or several with EXCLUDE.  Each aggregate has a class, which accumulates the
rows of one part, and a function (a `Total`), which computes the result from all parts of a frame.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from algebra.expression import Value
from reference.relation import Row, identity_of
from reference.scalar.sums import RunningSum, add_up
from reference.snapshot import stateful
from reference.values import compare


class SlidingPart(Protocol):
    """An aggregate over one part of a frame.

    A row is represented by the arguments of the call on it.  Rows that do not count are never
    added.  Some classes are made for a part that only grows, from which no row is removed.
    """

    def add(self, arguments: Row, /) -> None:
        """Add a row after the others."""
        ...

    def remove(self, arguments: Row, /) -> None:
        """Remove the first of the rows."""
        ...

    @property
    def full(self) -> bool:
        """Whether no further row can change the value."""
        ...

    def retained(self) -> Iterable[Row]:
        """The arguments that it retains."""
        ...


P = TypeVar("P", bound=SlidingPart)
#: Computes an aggregate from the parts of a frame, in the window's order.  The last argument is the
#: current row, which only NTH_VALUE reads.
Total: TypeAlias = Callable[[Sequence[P], Row], Value]


class Accumulating:
    """The base of parts that retain only an accumulator, and that every row changes."""

    __slots__ = ()
    full = False

    def retained(self) -> Iterable[Row]:
        """No arguments."""
        return ()


# --- counts and sums ----------------------------------------------------------------------------


@stateful
@dataclass(slots=True)
class Counted(Accumulating):
    """A part of COUNT: the number of its rows."""

    rows: int = 0

    def add(self, _arguments: Row) -> None:
        """Count a row."""
        self.rows += 1

    def remove(self, _arguments: Row) -> None:
        """Do not count a row any more."""
        self.rows -= 1


def counted(parts: Sequence[Counted], _row: Row) -> Value:
    """The number of rows in all parts."""
    return sum([each.rows for each in parts])


@stateful
@dataclass(slots=True)
class Summed(Accumulating):
    """A part of SUM or AVG: the exact sum of its values, which only the result rounds."""

    sum: RunningSum

    def add(self, arguments: Row) -> None:
        """Add a value."""
        self.sum.add(arguments[0])

    def remove(self, arguments: Row) -> None:
        """Remove a value."""
        self.sum.add(arguments[0], -1)


def summed(mean: bool) -> Total[Summed]:
    """The function that computes SUM, or AVG (``mean``); NULL over no rows."""

    def total(parts: Sequence[Summed], _row: Row) -> Value:
        whole = parts[0].sum if len(parts) == 1 else add_up([each.sum for each in parts])
        return whole.result(mean)

    return total


@stateful
@dataclass(slots=True)
class Truths(Accumulating):
    """A part of EVERY or SOME: the number of its values, and of those that are true."""

    values: int = 0
    true: int = 0

    def add(self, arguments: Row) -> None:
        """Add a value."""
        self.values += 1
        self.true += arguments[0] is True

    def remove(self, arguments: Row) -> None:
        """Remove a value."""
        self.values -= 1
        self.true -= arguments[0] is True


def every_true(parts: Sequence[Truths], _row: Row) -> Value:
    """EVERY: whether all values are true; NULL over no rows."""
    values = sum([each.values for each in parts])
    return sum([each.true for each in parts]) == values if values else None


def some_true(parts: Sequence[Truths], _row: Row) -> Value:
    """SOME: whether a value is true; NULL over no rows."""
    values = sum([each.values for each in parts])
    return any(each.true for each in parts) if values else None


# --- extremes -----------------------------------------------------------------------------------


@stateful
@dataclass(slots=True)
class Extreme:
    """A part of MIN (``sign`` 1) or MAX (-1), by a monotonic queue of candidates.

    ``candidates`` are the values that are or can become the extreme, each with the number of rows
    that were added before it.  No candidate is greater than those after it (MAX: less).  A part
    that ``grows`` has only one candidate. ``added`` and ``removed`` count the rows.
    """

    sign: int
    grows: bool
    added: int = 0
    removed: int = 0
    candidates: deque[tuple[int, Value]] = field(default_factory=deque[tuple[int, Value]])
    full: bool = False

    def add(self, arguments: Row) -> None:
        """Add a value, which removes the candidates that it makes impossible."""
        value, candidates = arguments[0], self.candidates
        while candidates and self.sign * compare(candidates[-1][1], value) > 0:
            candidates.pop()
        if not (self.grows and candidates):
            candidates.append((self.added, value))
        self.added += 1

    def remove(self, _arguments: Row) -> None:
        """Remove the first row, and its value if it is a candidate."""
        self.removed += 1
        if self.candidates[0][0] < self.removed:
            self.candidates.popleft()

    def retained(self) -> Iterable[Row]:
        """The candidates."""
        return [(value,) for _, value in self.candidates]


def extreme(sign: int) -> Total[Extreme]:
    """The function that computes MIN or MAX: the first of equal extremes; NULL over no rows."""

    def total(parts: Sequence[Extreme], _row: Row) -> Value:
        best: Value = None
        for each in parts:
            if each.candidates:
                value = each.candidates[0][1]
                if best is None or sign * compare(value, best) < 0:
                    best = value
        return best

    return total


# --- DISTINCT -----------------------------------------------------------------------------------


@stateful
@dataclass(slots=True)
class Distinct(Generic[P]):
    """A part of an aggregate of DISTINCT arguments; ``inner`` must not depend on their order.

    ``times`` has for each distinct value of the arguments the number of its rows, and the arguments
    of the first of these rows.
    """

    inner: P
    times: dict[tuple[object, ...], tuple[int, Row]] = field(
        default_factory=dict[tuple[object, ...], tuple[int, Row]]
    )
    full: bool = False

    def add(self, arguments: Row) -> None:
        """Add a row; its arguments are added to the inner aggregate, unless it has equal ones."""
        key = identity_of(arguments)
        times, first = self.times.get(key, (0, arguments))
        self.times[key] = (times + 1, first)
        if not times:
            self.inner.add(first)

    def remove(self, arguments: Row) -> None:
        """Remove a row; its arguments leave the inner aggregate if no other row has equal ones."""
        key = identity_of(arguments)
        times, first = self.times.pop(key)
        if times > 1:
            self.times[key] = (times - 1, first)
        else:
            self.inner.remove(first)

    def retained(self) -> Iterable[Row]:
        """The distinct arguments."""
        return [first for _, first in self.times.values()]


def distinct(fresh: Callable[[], P], inner: Total[P]) -> Total[Distinct[P]]:
    """The function that computes the ``inner`` aggregate of distinct arguments.

    ``fresh`` makes a part of the inner aggregate.  Parts can have equal arguments; so if there are
    several parts, the distinct arguments of all parts are added to a new one.
    """

    def total(parts: Sequence[Distinct[P]], row: Row) -> Value:
        if len(parts) == 1:
            return inner([parts[0].inner], row)
        whole = Distinct(fresh())
        for each in parts:
            for _, first in each.times.values():
                whole.add(first)
        return inner([whole.inner], row)

    return total
