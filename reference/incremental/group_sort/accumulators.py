"""Aggregates that grow row by row: what is kept of a group's rows, and the value of it (S-203)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from algebra.expression import AggregateCall, AggregateFunction, Value
from reference.environment import Environment
from reference.relation import Relation, Row, identity_of
from reference.relational.aggregates import (
    Aggregation,
    aggregation,
    of_arguments,
    of_values,
)
from reference.scalar.expression import Meaning, meaning_of, row_of, truth_of
from reference.scalar.sums import RunningSum, running_sum
from reference.values import integer


class Accumulator(Protocol):
    """One aggregate over the rows of a group that have come so far."""

    def add(self, rows: Relation) -> None:
        """Some rows more, in the order in which they came."""
        ...

    def result(self) -> Value:
        """The aggregate over all of them; over none COUNT is 0, the others NULL."""
        ...

    def kept(self) -> Collection[Row]:
        """The rows, or the arguments of rows, that it has to keep."""
        ...


#: A new accumulator over no rows.
NewAccumulator: TypeAlias = Callable[[], Accumulator]

#: What needs no more than its own value so far, and the next ones.
FOLDED: Final = frozenset({
    AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE,
    AggregateFunction.EVERY, AggregateFunction.SOME,
})  # fmt: skip


def accumulator(call: AggregateCall, env: Environment) -> NewAccumulator:
    """The accumulator of ``call``, which `reference.relational.aggregates.aggregation` defines.

    COUNT, SUM, AVG and those that fold keep one value; DISTINCT the values that differ; all others
    the rows.
    """
    function = call.function
    chosen = None if call.filter is None else truth_of(call.filter, env)
    gathered = aggregation(call, env)
    new: NewAccumulator = lambda: Gathered(gathered)  # noqa: E731  # the default of a choice
    if function is AggregateFunction.LITERAL_AGG or call.order:
        return new
    if call.distinct:
        arguments_on = row_of(call.arguments, env)
        return _filtered(lambda: Distinct(call, arguments_on), chosen)
    if function is AggregateFunction.COUNT and not call.arguments:
        return _filtered(Counted, chosen)
    if len(call.arguments) != 1:
        return new
    argument_on = meaning_of(call.arguments[0], env)
    if function is AggregateFunction.COUNT:
        return _filtered(lambda: CountedValues(argument_on), chosen)
    if function in (AggregateFunction.SUM, AggregateFunction.AVG):
        of = call.arguments[0].type
        return _filtered(lambda: Summed(call, argument_on, running_sum(of)), chosen)
    if function in FOLDED:
        return _filtered(lambda: Folded(call, argument_on), chosen)
    return new


def _filtered(new: NewAccumulator, chosen: Callable[[Row], bool] | None) -> NewAccumulator:
    """Accumulators of the rows that FILTER chooses."""
    return new if chosen is None else lambda: Filtered(new(), chosen)


@dataclass(slots=True)
class Filtered:
    """FILTER (WHERE …): an aggregate of the rows that are ``chosen``."""

    inner: Accumulator
    chosen: Callable[[Row], bool]

    def add(self, rows: Relation) -> None:
        """Those of the rows that are chosen."""
        self.inner.add(list(filter(self.chosen, rows)))

    def result(self) -> Value:
        """The aggregate."""
        return self.inner.result()

    def kept(self) -> Collection[Row]:
        """What the aggregate keeps."""
        return self.inner.kept()


@dataclass(slots=True)
class Counted:
    """COUNT(*)."""

    count: int = 0

    def add(self, rows: Relation) -> None:
        """So many more."""
        self.count += len(rows)

    def result(self) -> Value:
        """How many."""
        return self.count

    def kept(self) -> Collection[Row]:
        """None."""
        return ()


@dataclass(slots=True)
class CountedValues:
    """COUNT(x): NULLs do not count."""

    argument_on: Meaning
    count: int = 0

    def add(self, rows: Relation) -> None:
        """So many more."""
        self.count += sum([value is not None for value in map(self.argument_on, rows)])

    def result(self) -> Value:
        """How many."""
        return self.count

    def kept(self) -> Collection[Row]:
        """None."""
        return ()


@dataclass(slots=True)
class Summed:
    """SUM, or AVG: the exact sum, rounded in the result alone (S-203)."""

    call: AggregateCall
    argument_on: Meaning
    sum: RunningSum

    def add(self, rows: Relation) -> None:
        """The values of these rows."""
        values = [value for value in map(self.argument_on, rows) if value is not None]
        if self.sum.units is integer:
            self.sum.total += sum(map(integer, values))
            self.sum.values += len(values)
        else:
            for each in values:
                self.sum.add(each)

    def result(self) -> Value:
        """The sum, or the mean; NULL of nothing."""
        mean = self.call.function is AggregateFunction.AVG
        return self.sum.divided(self.sum.values if mean else 1, self.call.type)

    def kept(self) -> Collection[Row]:
        """None."""
        return ()


@dataclass(slots=True)
class Folded:
    """MIN, MAX, ANY_VALUE, EVERY, SOME: of the value so far and the next ones, the same again."""

    call: AggregateCall
    argument_on: Meaning
    value: Value = None

    def add(self, rows: Relation) -> None:
        """The values of these rows."""
        values = [value for value in map(self.argument_on, rows) if value is not None]
        if self.value is not None:
            values.insert(0, self.value)
        if values:
            assert isinstance(self.call.function, AggregateFunction), self.call
            self.value = of_values(self.call.function, values, self.call.type)

    def result(self) -> Value:
        """The value; NULL of nothing."""
        return self.value

    def kept(self) -> Collection[Row]:
        """None."""
        return ()


@dataclass(slots=True)
class Distinct:
    """An aggregate of arguments that differ: it keeps the first of equal ones."""

    call: AggregateCall
    arguments_on: Callable[[Row], Row]
    first: dict[tuple[object, ...], Row] = field(default_factory=dict[tuple[object, ...], Row])

    def add(self, rows: Relation) -> None:
        """The arguments on these rows."""
        for arguments in map(self.arguments_on, rows):
            if None not in arguments:
                self.first.setdefault(identity_of(arguments), arguments)

    def result(self) -> Value:
        """The aggregate over the arguments that differ."""
        if self.call.function is AggregateFunction.COUNT:
            return len(self.first)
        assert isinstance(self.call.function, AggregateFunction), self.call
        arguments = list(self.first.values())
        return of_arguments(self.call.function, arguments, self.call.type) if arguments else None

    def kept(self) -> Collection[Row]:
        """The arguments."""
        return self.first.values()


@dataclass(slots=True)
class Gathered:
    """An aggregate that needs all rows: it keeps them."""

    over: Aggregation
    rows: list[Row] = field(default_factory=list[Row])

    def add(self, rows: Relation) -> None:
        """Some rows more."""
        self.rows += rows

    def result(self) -> Value:
        """The aggregate over all rows."""
        return self.over(self.rows)

    def kept(self) -> Collection[Row]:
        """The rows."""
        return self.rows
