"""The accumulators of a changelog: rows are added and removed in any order (S-203)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import heapify, heappop, heappush
from typing import Final, Protocol, TypeAlias

from algebra.expression import AggregateCall, AggregateFunction, Value
from algebra.types import DATETIME, EXACT
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Row, identity_of
from reference.scalar.expression import row_of, truth_of
from reference.scalar.sums import RunningSum, new_sum
from reference.snapshot import of_plan, stateful
from reference.values import integer

#: A value of which MIN and MAX retain no rows.
_Number: TypeAlias = int | Decimal
#: So many values without rows may stay in a heap of any size.
_FEW: Final = 32


class Accumulator(Protocol):
    """One aggregate over the rows of a group; NULL arguments do not reach it."""

    def add(self, arguments: Row, weight: int, /) -> None:
        """Add rows with these arguments, or remove them if the weight is negative."""
        ...

    def result(self) -> Value:
        """The value over the rows.  Raises the error of a value that is too great."""
        ...

    @property
    def retained(self) -> int:
        """The number of distinct values that it retains."""
        ...


#: Makes the accumulator of a group without rows.
NewAccumulator: TypeAlias = Callable[[], Accumulator]


def accumulator(call: AggregateCall) -> NewAccumulator | None:
    """The maker of a call's accumulators; None if its group must be evaluated again."""
    inner = _of_rows(call)
    if inner is None or call.order:
        return None
    return (lambda: Distinct(inner())) if call.distinct else inner


def _of_rows(call: AggregateCall) -> NewAccumulator | None:
    arguments = [each.type for each in call.arguments]
    match call.function:
        case AggregateFunction.COUNT:
            return Counted
        case AggregateFunction.SUM:
            new = new_sum(arguments[0], call.type)
            return lambda: Summed(new(), mean=False)
        case AggregateFunction.AVG:
            new = new_sum(arguments[0], call.type)
            return lambda: Summed(new(), mean=True)
        # Equal values of other types can differ, and then the first of them is the extreme.
        case AggregateFunction.MIN if arguments[0].kind in EXACT | DATETIME:
            return lambda: Extreme(greatest=False)
        case AggregateFunction.MAX if arguments[0].kind in EXACT | DATETIME:
            return lambda: Extreme(greatest=True)
        case _:
            return None


@stateful
@dataclass(slots=True)
class Counted:
    """COUNT."""

    rows: int = 0
    retained = 0

    def add(self, _arguments: Row, weight: int) -> None:
        """Count the rows."""
        self.rows += weight

    def result(self) -> Value:
        """The number of rows."""
        return self.rows


@stateful
@dataclass(slots=True)
class Summed:
    """SUM, or AVG (``mean``): an exact sum, which only the result rounds."""

    sum: RunningSum
    mean: bool
    retained = 0

    def add(self, arguments: Row, weight: int) -> None:
        """Add the value ``weight`` times."""
        self.sum.add(arguments[0], weight)

    def result(self) -> Value:
        """The sum or the average; NULL over no rows."""
        return self.sum.result(self.mean)


@stateful
@dataclass(slots=True)
class Extreme:
    """MIN or MAX (``greatest``): the numbers of rows of all distinct values, and a heap of these.

    MAX has the values in its heap with the other sign.  A value that has no rows any more leaves
    the heap when it is on top, or when half of the heap are such values.
    """

    greatest: bool
    numbers: dict[Value, int] = field(default_factory=dict[Value, int])
    heap: list[_Number] = field(default_factory=list[_Number])

    def add(self, arguments: Row, weight: int) -> None:
        """Add the value ``weight`` times; a number is negative only within an event."""
        (value,) = arguments
        before = self.numbers.get(value, 0)
        now = self.numbers[value] = before + weight
        if not now:
            del self.numbers[value]
        elif not before:
            heappush(self.heap, self._turned(value))
            if len(self.heap) > 2 * len(self.numbers) + _FEW:
                self.heap = list(map(self._turned, self.numbers))
                heapify(self.heap)

    def result(self) -> Value:
        """The least or the greatest value; NULL over no rows."""
        while self.heap and self._turned(self.heap[0]) not in self.numbers:
            heappop(self.heap)
        return self._turned(self.heap[0]) if self.heap else None

    def _turned(self, value: Value) -> _Number:
        """The value with the other sign, if the greatest is sought."""
        if isinstance(value, Decimal):
            return value.copy_negate() if self.greatest else value
        return -integer(value) if self.greatest else integer(value)

    @property
    def retained(self) -> int:
        """The distinct values."""
        return len(self.numbers)


@stateful
@dataclass(slots=True)
class Distinct:
    """An aggregate over distinct arguments; ``numbers`` has the number of rows of each."""

    inner: Accumulator
    numbers: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])

    def add(self, arguments: Row, weight: int) -> None:
        """Add arguments with their first row, and remove them with their last row."""
        key: tuple[object, ...] = identity_of(arguments)
        before = self.numbers.get(key, 0)
        now = self.numbers[key] = before + weight
        if not now:
            del self.numbers[key]
        if bool(now) is not bool(before):
            self.inner.add(arguments, 1 if now else -1)

    def result(self) -> Value:
        """The value over the distinct arguments."""
        return self.inner.result()

    @property
    def retained(self) -> int:
        """The distinct arguments."""
        return len(self.numbers)


@of_plan
class Measures:
    """The measures of a group: each call's accumulator, with its filter and arguments."""

    def __init__(self, calls: Sequence[tuple[AggregateCall, NewAccumulator]], env: Environment):
        self._calls = [
            (
                None if call.filter is None else truth_of(call.filter, env),
                row_of(call.arguments, env),
                call,
                new,
            )
            for call, new in calls
        ]

    def new(self) -> list[Accumulator]:
        """The accumulators of a group without rows."""
        return [new() for *_, new in self._calls]

    def add(self, accumulators: Sequence[Accumulator], row: Row, weight: int) -> None:
        """Add a row of the group, or remove it."""
        for (chosen, arguments_on, call, _), each in zip(self._calls, accumulators, strict=True):
            try:
                if chosen is None or chosen(row):
                    arguments = arguments_on(row)
                    if None not in arguments:
                        each.add(arguments, weight)
            except SqlError as error:
                raise located(error, call.location) from None

    def results(self, accumulators: Sequence[Accumulator]) -> Row:
        """The values of the measures."""
        values: list[Value] = []
        for (*_, call, _), each in zip(self._calls, accumulators, strict=True):
            try:
                values.append(each.result())
            except SqlError as error:
                raise located(error, call.location) from None
        return tuple(values)
