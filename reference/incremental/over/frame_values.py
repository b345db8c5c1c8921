"""What slides by places: the first, the last and the n-th value of a frame (S-203)."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from algebra.expression import Value
from grammar.codes import Code
from reference.incremental.over.frame_aggregates import Total
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.values import failure, integer


def positive(value: Value, function: str) -> int | None:
    """A count that must be positive, or NULL; else INVALID_ARGUMENT."""
    if value is not None and integer(value) <= 0:
        raise failure(Code.INVALID_ARGUMENT, f"{function} of a number that is not positive")
    return None if value is None else integer(value)


@dataclass(slots=True)
class Front:
    """The values from the first one on; where nothing leaves, no more than ``most`` of them."""

    most: int | None = None
    values: deque[Row] = field(default_factory=deque[Row])

    def add(self, arguments: Row) -> None:
        """One value more."""
        self.values.append(arguments)

    def remove(self, arguments: Row) -> None:  # noqa: ARG002  # it is the first
        """One value less."""
        self.values.popleft()

    @property
    def full(self) -> bool:
        """Whether as many are there as are asked for."""
        return self.most is not None and len(self.values) >= self.most

    def kept(self) -> Iterable[Row]:
        """The values."""
        return self.values


def first(parts: Sequence[Front], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """The first value of the first part that has any."""
    return next((value for each in parts for (value,) in islice(each.values, 1)), None)


def nth(n_on: Meaning, function: str) -> Total[Front]:
    """The n-th value of all parts, n as the row at hand says; NULL if there are fewer."""

    def total(parts: Sequence[Front], row: Row) -> Value:
        n = positive(n_on(row), function)
        if n is None:
            return None
        for each in parts:
            if n <= len(each.values):
                return each.values[n - 1][0]
            n -= len(each.values)
        return None

    return total


@dataclass(slots=True)
class Back:
    """The last value alone, for as long as it is there."""

    values: int = 0
    value: Value = None
    full: bool = False

    def add(self, arguments: Row) -> None:
        """One value more, which is the last now."""
        self.values += 1
        self.value = arguments[0]

    def remove(self, arguments: Row) -> None:  # noqa: ARG002  # it is the first
        """One value less; the last is the last to go."""
        self.values -= 1

    def kept(self) -> Iterable[Row]:
        """That value."""
        return [(self.value,)] if self.values else []


def last(parts: Sequence[Back], row: Row) -> Value:  # noqa: ARG001  # the same for all
    """The last value of the last part that has any."""
    return next((each.value for each in reversed(parts) if each.values), None)


@dataclass(slots=True)
class Recent:
    """The last values, no more than ``most`` of them; none leaves otherwise."""

    most: int | None = None
    values: deque[Row] = field(default_factory=deque[Row])
    full: bool = False

    def add(self, arguments: Row) -> None:
        """One value more."""
        self.values.append(arguments)
        if self.most is not None and len(self.values) > self.most:
            self.values.popleft()

    def remove(self, arguments: Row) -> None:
        """Never."""
        raise AssertionError(f"{arguments} leaves what only grows")

    def kept(self) -> Iterable[Row]:
        """The values."""
        return self.values
