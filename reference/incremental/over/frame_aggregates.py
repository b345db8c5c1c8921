"""What slides: aggregates of a part of a frame, which rows enter and leave in order (S-203, S-505).

A frame is in one part, or with EXCLUDE in several; ``total`` is the aggregate over them together.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeAlias, TypeVar

from algebra.expression import Value
from algebra.types import Type
from reference.relation import Row, identity_of
from reference.scalar.sums import RunningSum, running_sum
from reference.values import compare


class SlidingPart(Protocol):
    """An aggregate over the arguments of rows, of which the ones that do not count are not told.

    A part that ``grows`` (which its maker says) only ever gets more rows.
    """

    def add(self, arguments: Row) -> None:
        """One row more, behind the others."""
        ...

    def remove(self, arguments: Row) -> None:
        """One row less: the first that is still there."""
        ...

    @property
    def full(self) -> bool:
        """Whether no row that is added can make a difference any more."""
        ...

    def kept(self) -> Iterable[Row]:
        """The arguments that it keeps."""
        ...


P = TypeVar("P", bound=SlidingPart)
#: The aggregate over several parts, in the window's order, for the row at hand.
Total: TypeAlias = Callable[[Sequence[P], Row], Value]


class Folding:
    """A part that keeps no arguments, and always counts further."""

    __slots__ = ()
    full = False

    def kept(self) -> Iterable[Row]:
        """None."""
        return ()


# --- counts and sums ----------------------------------------------------------------------------


@dataclass(slots=True)
class Counted(Folding):
    """COUNT."""

    rows: int = 0

    def add(self, arguments: Row) -> None:  # noqa: ARG002  # whatever they are
        """One more."""
        self.rows += 1

    def remove(self, arguments: Row) -> None:  # noqa: ARG002  # whatever they are
        """One less."""
        self.rows -= 1


def counted(parts: Sequence[Counted], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """How many."""
    return sum([each.rows for each in parts])


@dataclass(slots=True)
class Summed(Folding):
    """SUM and AVG: exact, rounded in the result alone."""

    sum: RunningSum

    def add(self, arguments: Row) -> None:
        """One value more."""
        self.sum.add(arguments[0])

    def remove(self, arguments: Row) -> None:
        """One value less."""
        self.sum.add(arguments[0], -1)


def summed(of: Type, result: Type, mean: bool) -> Total[Summed]:
    """SUM, or AVG (``mean``), of values of type ``of``; NULL of nothing."""

    def total(parts: Sequence[Summed], row: Row) -> Value:  # noqa: ARG001  # the same for all
        whole = parts[0].sum if len(parts) == 1 else _together(running_sum(of), parts)
        return whole.divided(whole.values if mean else 1, result)

    return total


def _together(whole: RunningSum, parts: Sequence[Summed]) -> RunningSum:
    for each in parts:
        whole.total += each.sum.total
        whole.values += each.sum.values
        whole.nans += each.sum.nans
        whole.infinities += each.sum.infinities
        whole.negative_infinities += each.sum.negative_infinities
    return whole


@dataclass(slots=True)
class Truths(Folding):
    """EVERY and SOME: how many values there are, and how many of them are true."""

    values: int = 0
    true: int = 0

    def add(self, arguments: Row) -> None:
        """One value more."""
        self.values += 1
        self.true += arguments[0] is True

    def remove(self, arguments: Row) -> None:
        """One value less."""
        self.values -= 1
        self.true -= arguments[0] is True


def every_true(parts: Sequence[Truths], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """EVERY; NULL of nothing."""
    values = sum([each.values for each in parts])
    return sum([each.true for each in parts]) == values if values else None


def some_true(parts: Sequence[Truths], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """SOME; NULL of nothing."""
    values = sum([each.values for each in parts])
    return any(each.true for each in parts) if values else None


# --- extremes -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Extreme:
    """MIN (``sign`` 1) or MAX (-1): the values that may still become it.

    Each is with how many came before it, and less than all after it; where nothing leaves, one is.
    """

    sign: int
    grows: bool
    came: int = 0
    gone: int = 0
    chances: deque[tuple[int, Value]] = field(default_factory=deque[tuple[int, Value]])
    full: bool = False

    def add(self, arguments: Row) -> None:
        """One value more: greater ones before it have no chance left."""
        value, chances = arguments[0], self.chances
        while chances and self.sign * compare(chances[-1][1], value) > 0:
            chances.pop()
        if not (self.grows and chances):
            chances.append((self.came, value))
        self.came += 1

    def remove(self, arguments: Row) -> None:  # noqa: ARG002  # it is the first
        """One value less."""
        self.gone += 1
        if self.chances[0][0] < self.gone:
            self.chances.popleft()

    def kept(self) -> Iterable[Row]:
        """The chances."""
        return [(value,) for _, value in self.chances]


def extreme(sign: int) -> Total[Extreme]:
    """MIN or MAX: the first of the least, or greatest; NULL of nothing."""

    def total(parts: Sequence[Extreme], row: Row) -> Value:  # noqa: ARG001  # the same for all
        best: Value = None
        for each in parts:
            if each.chances:
                value = each.chances[0][1]
                if best is None or sign * compare(value, best) < 0:
                    best = value
        return best

    return total


# --- DISTINCT -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Distinct(Generic[P]):
    """An aggregate, ``inner``, of arguments that differ, in whatever order; one of equal ones.

    ``times`` has how often each is there.
    """

    inner: P
    times: dict[tuple[object, ...], tuple[int, Row]] = field(
        default_factory=dict[tuple[object, ...], tuple[int, Row]]
    )
    full: bool = False

    def add(self, arguments: Row) -> None:
        """It counts if there is none like it."""
        key = identity_of(arguments)
        times, first = self.times.get(key, (0, arguments))
        self.times[key] = (times + 1, first)
        if not times:
            self.inner.add(first)

    def remove(self, arguments: Row) -> None:
        """It counts no more if there is no other like it."""
        key = identity_of(arguments)
        times, first = self.times.pop(key)
        if times > 1:
            self.times[key] = (times - 1, first)
        else:
            self.inner.remove(first)

    def kept(self) -> Iterable[Row]:
        """The arguments that differ."""
        return [first for _, first in self.times.values()]


def distinct(fresh: Callable[[], P], inner: Total[P]) -> Total[Distinct[P]]:
    """The ``inner`` aggregate of what differs; of several parts it is gathered anew."""

    def total(parts: Sequence[Distinct[P]], row: Row) -> Value:
        if len(parts) == 1:
            return inner([parts[0].inner], row)
        whole = Distinct(fresh())
        for each in parts:
            for _, first in each.times.values():
                whole.add(first)
        return inner([whole.inner], row)

    return total
