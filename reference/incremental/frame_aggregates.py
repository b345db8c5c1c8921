"""What slides: aggregates of a part of a frame, which rows enter and leave in order (S-203, S-505).

A frame is in one part, or with EXCLUDE in several; ``total`` is the aggregate over them together.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from algebra.expression import AggregateFunction, Value
from algebra.types import Type
from reference.relation import Row, identity_of
from reference.statistics import not_finite, square_root
from reference.sums import RunningSum, running_sum
from reference.values import compare, exact, nearest


class Part(Protocol):
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


P = TypeVar("P", bound=Part)
#: The aggregate over several parts, in the window's order, for the row at hand.
Total: TypeAlias = Callable[[Sequence[P], Row], Value]


class _Folding:
    """A part that keeps no arguments, and always counts further."""

    __slots__ = ()
    full = False

    def kept(self) -> Iterable[Row]:
        """None."""
        return ()


# --- counts and sums ----------------------------------------------------------------------------


@dataclass(slots=True)
class Counted(_Folding):
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
class Summed(_Folding):
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
class Truths(_Folding):
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


# --- statistics ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Moments(_Folding):
    """Exact sums of pairs, their squares and products; of one argument both are the same."""

    pairs: int = 0
    special: int = 0  # those with a NaN or infinity, which no sum holds
    x: Fraction = Fraction()
    y: Fraction = Fraction()
    xx: Fraction = Fraction()
    xy: Fraction = Fraction()
    yy: Fraction = Fraction()

    def add(self, arguments: Row) -> None:
        """One pair more."""
        self._count(arguments, 1)

    def remove(self, arguments: Row) -> None:
        """One pair less."""
        self._count(arguments, -1)

    def _count(self, arguments: Row, times: int) -> None:
        self.pairs += times
        if not_finite(arguments):
            self.special += times
            return
        x, y = exact(arguments[0]), exact(arguments[-1])
        self.x += times * x
        self.y += times * y
        self.xx += times * x * x
        self.xy += times * x * y
        self.yy += times * y * y

    def around_means(self) -> tuple[Fraction, Fraction, Fraction]:
        """The sums of squares and products of the distances from the means: xx, xy, yy."""
        n = self.pairs
        return (
            self.xx - self.x * self.x / n,
            self.xy - self.x * self.y / n,
            self.yy - self.y * self.y / n,
        )


#: The functions that are a sum of products over the number of rows, or over one less.
_SAMPLES: Final = frozenset(
    {AggregateFunction.VAR_SAMP, AggregateFunction.STDDEV_SAMP, AggregateFunction.COVAR_SAMP}
)
_ROOTS: Final = frozenset({AggregateFunction.STDDEV_POP, AggregateFunction.STDDEV_SAMP})


def spread(function: AggregateFunction) -> Total[Moments]:
    """VAR, STDDEV and COVAR; NULL of nothing, SAMP of one, too."""
    less, root = int(function in _SAMPLES), function in _ROOTS

    def total(parts: Sequence[Moments], row: Row) -> Value:  # noqa: ARG001  # the same for all
        whole = _all_moments(parts)
        if whole.pairs <= less:
            return None
        if whole.special:
            return float("nan")
        quotient = whole.around_means()[1] / (whole.pairs - less)
        return square_root(quotient) if root else nearest(quotient)

    return total


def correlated(parts: Sequence[Moments], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """CORR; NULL of nothing, and where a variance is 0."""
    whole = _all_moments(parts)
    if not whole.pairs:
        return None
    if whole.special:
        return float("nan")
    xx, xy, yy = whole.around_means()
    if xx * yy == 0:
        return None
    size = square_root(xy * xy / (xx * yy))
    return size if xy >= 0 else -size


def _all_moments(parts: Sequence[Moments]) -> Moments:
    if len(parts) == 1:
        return parts[0]
    return Moments(
        sum(each.pairs for each in parts),
        sum(each.special for each in parts),
        sum((each.x for each in parts), Fraction()),
        sum((each.y for each in parts), Fraction()),
        sum((each.xx for each in parts), Fraction()),
        sum((each.xy for each in parts), Fraction()),
        sum((each.yy for each in parts), Fraction()),
    )


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
