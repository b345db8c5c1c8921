"""The accumulators of a changelog: aggregates to which rows are added and removed (S-203)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from heapq import heapify, heappop, heappush
from typing import Final, Protocol, TypeAlias

from algebra.expression import AggregateCall, AggregateFunction, Value
from algebra.types import DATETIME, EXACT
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Row, identity_of
from reference.scalar.expression import Meaning, meaning_of, row_of, truth_of
from reference.scalar.sums import RunningSum, new_sum
from reference.snapshot import stateful
from reference.values import integer

#: A value of MIN and MAX.  Equal values of these types are identical, so it is enough to count the
#: rows with each value.
_Number: TypeAlias = int | Decimal
#: The number of values without rows that may stay in a heap of any size.
_FEW: Final = 32


class Accumulator(Protocol):
    """One aggregate over the rows of a group."""

    def add(self, row: Row, weight: int, /) -> None:
        """Add ``weight`` rows equal to this one, or remove them if the weight is negative."""
        ...

    def result(self) -> Value:
        """The value over the rows.  Raises OVERFLOW if it is out of the range of its type."""
        ...

    @property
    def retained(self) -> int:
        """The number of distinct values that it retains."""
        ...


#: Makes the accumulator of a group without rows.
NewAccumulator: TypeAlias = Callable[[], Accumulator]


def accumulator(call: AggregateCall, env: Environment) -> NewAccumulator | None:
    """The maker of accumulators for ``call``.

    None if there is no accumulator, so that a changed group must be evaluated again.
    """
    inner = _of_rows(call, env)
    if inner is None or call.order:
        return None
    arguments_on = row_of(call.arguments, env)
    new: NewAccumulator = (lambda: Distinct(inner(), arguments_on)) if call.distinct else inner
    if call.filter is None:
        return new
    chosen = truth_of(call.filter, env)
    return lambda: Filtered(new(), chosen)


def _of_rows(call: AggregateCall, env: Environment) -> NewAccumulator | None:
    """As `accumulator`, but FILTER, DISTINCT and ORDER BY of ``call`` are ignored."""
    match call.function, call.arguments:
        case AggregateFunction.COUNT, ():
            return Counted
        case AggregateFunction.COUNT, arguments:
            arguments_on = row_of(arguments, env)
            return lambda: CountedValues(arguments_on)
        case (AggregateFunction.SUM | AggregateFunction.AVG) as function, (argument,):
            new, value_on = new_sum(argument.type, call.type), meaning_of(argument, env)
            mean = function is AggregateFunction.AVG
            return lambda: Summed(call, value_on, new(), mean)
        # Equal values of other types can differ; then the extreme is the first of them.
        case (
            (AggregateFunction.MIN | AggregateFunction.MAX) as function,
            (argument,),
        ) if argument.type.kind in EXACT | DATETIME:
            value_on = meaning_of(argument, env)
            return lambda: Extreme(value_on, greatest=function is AggregateFunction.MAX)
        case _:
            return None


@stateful
@dataclass(slots=True)
class Filtered:
    """FILTER (WHERE …): an aggregate over the rows on which ``chosen`` is true."""

    inner: Accumulator
    chosen: Callable[[Row], bool]

    def add(self, row: Row, weight: int) -> None:
        """Add the rows if FILTER selects them."""
        if self.chosen(row):
            self.inner.add(row, weight)

    def result(self) -> Value:
        """The value over the rows that FILTER selects."""
        return self.inner.result()

    @property
    def retained(self) -> int:
        """The number of distinct values that the aggregate retains."""
        return self.inner.retained


@stateful
@dataclass(slots=True)
class Counted:
    """COUNT(*)."""

    rows: int = 0
    retained = 0

    def add(self, _row: Row, weight: int) -> None:
        """Count the rows."""
        self.rows += weight

    def result(self) -> Value:
        """The number of rows."""
        return self.rows


@stateful
@dataclass(slots=True)
class CountedValues:
    """COUNT(x), COUNT(x, y, …): the number of rows in which no value is NULL."""

    arguments_on: Callable[[Row], Row]
    rows: int = 0
    retained = 0

    def add(self, row: Row, weight: int) -> None:
        """Count the rows."""
        if None not in self.arguments_on(row):
            self.rows += weight

    def result(self) -> Value:
        """The number of rows."""
        return self.rows


@stateful
@dataclass(slots=True)
class Summed:
    """SUM, or AVG (``mean``): an exact sum, which only the result rounds.

    ``value_on`` returns the argument on a row.
    """

    call: AggregateCall
    value_on: Meaning
    sum: RunningSum
    mean: bool
    retained = 0

    def add(self, row: Row, weight: int) -> None:
        """Add the value ``weight`` times."""
        value = self.value_on(row)
        if value is not None:
            self.sum.add(value, weight)

    def result(self) -> Value:
        """The sum or the average; NULL over no rows."""
        try:
            return self.sum.result(self.mean)
        except SqlError as error:
            raise located(error, self.call.location) from None


@stateful
@dataclass(slots=True)
class Extreme:
    """MIN, or MAX (``greatest``).

    ``numbers`` has the number of rows with each distinct value.  ``heap`` has these values, for MAX
    with the other sign.  A value that no longer has rows stays in the heap, until it is on top or
    about half of the heap are such values.
    """

    value_on: Meaning
    greatest: bool
    numbers: dict[Value, int] = field(default_factory=dict[Value, int])
    heap: list[_Number] = field(default_factory=list[_Number])

    def add(self, row: Row, weight: int) -> None:
        """Add the value ``weight`` times; a number is negative only within an event."""
        value = self.value_on(row)
        if value is None:
            return
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
        """``value`` for MIN, and with the other sign for MAX, because a heap finds the least."""
        if isinstance(value, Decimal):
            return value.copy_negate() if self.greatest else value
        return -integer(value) if self.greatest else integer(value)

    @property
    def retained(self) -> int:
        """The number of distinct values."""
        return len(self.numbers)


@stateful
@dataclass(slots=True)
class Distinct:
    """An aggregate over distinct arguments; ``numbers`` has the number of rows with each."""

    inner: Accumulator
    arguments_on: Callable[[Row], Row]
    numbers: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])

    def add(self, row: Row, weight: int) -> None:
        """Add the arguments when their first row is added; remove them with their last row."""
        arguments = self.arguments_on(row)
        if None in arguments:
            return
        key: tuple[object, ...] = identity_of(arguments)
        before = self.numbers.get(key, 0)
        now = self.numbers[key] = before + weight
        if not now:
            del self.numbers[key]
        # Within an event the number may be negative.  It then counts like a positive one, and is
        # not negative at the end of the event.
        if bool(now) is not bool(before):
            self.inner.add(row, 1 if now else -1)

    def result(self) -> Value:
        """The value over the distinct arguments."""
        return self.inner.result()

    @property
    def retained(self) -> int:
        """The number of distinct arguments."""
        return len(self.numbers)
