"""Parts of sliding calls that retain values in order, such as FIRST_VALUE and NTH_VALUE (S-203).

A frame has one part, or several with EXCLUDE.  LAG and LEAD with IGNORE NULLS use them, too.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from algebra.expression import Value
from grammar.codes import Code
from reference.incremental.over.frame_aggregates import Total
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import failure, integer


def positive(value: Value, function: str) -> int | None:
    """``value`` as an integer that is at least 1; None for NULL.

    Raises INVALID_ARGUMENT, with the name of ``function``, for 0 and less.
    """
    if value is not None and integer(value) <= 0:
        raise failure(Code.INVALID_ARGUMENT, f"{function} of a number that is not positive")
    return None if value is None else integer(value)


@stateful
@dataclass(slots=True)
class FirstValues:
    """The first ``most`` values of a part that grows, or all values of a part (``most`` None)."""

    most: int | None = None
    values: deque[Row] = field(default_factory=deque[Row])

    def add(self, arguments: Row) -> None:
        """Add a value after the others."""
        self.values.append(arguments)

    def remove(self, _arguments: Row) -> None:
        """Remove the first value."""
        self.values.popleft()

    @property
    def full(self) -> bool:
        """Whether it has ``most`` values."""
        return self.most is not None and len(self.values) >= self.most

    def retained(self) -> Iterable[Row]:
        """The values."""
        return self.values


def first(parts: Sequence[FirstValues], _row: Row) -> Value:
    """The first value of the first part that has any; NULL for an empty frame."""
    return next((value for each in parts for (value,) in each.values), None)


def nth(n_on: Meaning, function: str) -> Total[FirstValues]:
    """The function that computes NTH_VALUE: the n-th value over all parts; NULL if there are fewer.

    ``n_on`` returns n on the current row. ``function`` is the name for the error message.
    """

    def total(parts: Sequence[FirstValues], row: Row) -> Value:
        n = positive(n_on(row), function)
        if n is None:
            return None
        for each in parts:
            if n <= len(each.values):
                return each.values[n - 1][0]
            n -= len(each.values)
        return None

    return total


@stateful
@dataclass(slots=True)
class LastValue:
    """The last value of a part, and the number of its values."""

    values: int = 0
    value: Value = None
    full: bool = False

    def add(self, arguments: Row) -> None:
        """Add a value, which is now the last."""
        self.values += 1
        self.value = arguments[0]

    def remove(self, _arguments: Row) -> None:
        """Remove the first value; the last one stays until all are removed."""
        self.values -= 1

    def retained(self) -> Iterable[Row]:
        """The last value, if there is one."""
        return [(self.value,)] if self.values else []


def last(parts: Sequence[LastValue], _row: Row) -> Value:
    """The last value of the last part that has any; NULL for an empty frame."""
    return next((each.value for each in reversed(parts) if each.values), None)


@stateful
@dataclass(slots=True)
class LastValues:
    """The last ``most`` values of a part that grows (all, if None)."""

    most: int | None = None
    values: deque[Row] = field(default_factory=deque[Row])
    full: bool = False

    def add(self, arguments: Row) -> None:
        """Add a value after the others."""
        self.values.append(arguments)
        if self.most is not None and len(self.values) > self.most:
            self.values.popleft()

    def remove(self, arguments: Row) -> None:
        """Raise an assertion: no value is removed from a part that grows."""
        raise AssertionError(f"{arguments} leaves a part that grows")

    def retained(self) -> Iterable[Row]:
        """The values."""
        return self.values
