"""The accumulators of streaming GROUP BY: aggregates to which rows are added (S-203)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, cast

from algebra.expression import AggregateCall, AggregateFunction, Value
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.incremental.moments import Moments
from reference.relation import Relation, Row, identity_of
from reference.relational.aggregates import (
    Aggregation,
    aggregation,
    of_arguments,
    of_values,
)
from reference.scalar.expression import Meaning, meaning_of, row_of, truth_of
from reference.scalar.sums import RunningSum, new_sum
from reference.snapshot import stateful
from reference.values import integer


class Accumulator(Protocol):
    """One aggregate over the rows of a group so far."""

    def add(self, rows: Relation) -> None:
        """Add rows, in their order of arrival."""
        ...

    def result(self) -> Value:
        """The aggregate over all rows; over none COUNT is 0, the others NULL."""
        ...

    def retained(self) -> Collection[Row]:
        """The rows, or the arguments of rows, that it retains."""
        ...


#: A new accumulator over no rows.
NewAccumulator: TypeAlias = Callable[[], Accumulator]

#: The aggregates that are computed from their value so far and the next values.
FOLDED: Final = frozenset({
    AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE,
    AggregateFunction.EVERY, AggregateFunction.SOME,
})  # fmt: skip


#: Variances and correlations: sums of values, their squares and products.
SPREADS: Final = frozenset({
    AggregateFunction.VAR_POP, AggregateFunction.VAR_SAMP, AggregateFunction.STDDEV_POP,
    AggregateFunction.STDDEV_SAMP, AggregateFunction.COVAR_POP, AggregateFunction.COVAR_SAMP,
    AggregateFunction.CORR,
})  # fmt: skip


def accumulator(call: AggregateCall, env: Environment) -> NewAccumulator:
    """The maker of accumulators for ``call``.

    Their results are those of `relational.aggregates.aggregation`, the definition.  COUNT, SUM,
    AVG, the aggregates of `FOLDED` and those of `SPREADS` retain a few numbers or one value.
    DISTINCT retains the distinct values.  All others are holistic (S-408.i) and retain the rows.
    """
    function = call.function
    chosen = None if call.filter is None else truth_of(call.filter, env)
    gathered = aggregation(call, env)
    # For all calls to which none of the cases below applies.
    new: NewAccumulator = lambda: Gathered(gathered)  # noqa: E731
    if function is AggregateFunction.LITERAL_AGG:
        return lambda: Constant(gathered)
    if call.order:
        return new
    if call.distinct:
        arguments_on = row_of(call.arguments, env)
        return _filtered(lambda: Distinct(call, arguments_on), chosen)
    if function is AggregateFunction.COUNT and not call.arguments:
        return _filtered(Counted, chosen)
    if function in SPREADS:
        return _filtered(lambda: Spread(call, row_of(call.arguments, env)), chosen)
    if function is AggregateFunction.COUNT:
        return _filtered(lambda: CountedValues(row_of(call.arguments, env)), chosen)
    if len(call.arguments) != 1:
        return new
    argument_on = meaning_of(call.arguments[0], env)
    if function in (AggregateFunction.SUM, AggregateFunction.AVG):
        new_of_call = new_sum(call.arguments[0].type, call.type)
        return _filtered(lambda: Summed(call, argument_on, new_of_call()), chosen)
    if function in FOLDED:
        return _filtered(lambda: Folded(call, argument_on), chosen)
    return new


def _filtered(new: NewAccumulator, chosen: Callable[[Row], bool] | None) -> NewAccumulator:
    """The maker of the accumulators of ``new``, over the rows on which ``chosen`` is true.

    ``chosen`` is the condition of FILTER, None without it.
    """
    return new if chosen is None else lambda: Filtered(new(), chosen)


@stateful
@dataclass(slots=True)
class Filtered:
    """FILTER (WHERE …): an aggregate over the rows on which ``chosen`` is true."""

    inner: Accumulator
    chosen: Callable[[Row], bool]

    def add(self, rows: Relation) -> None:
        """Add the rows that FILTER selects."""
        self.inner.add(list(filter(self.chosen, rows)))

    def result(self) -> Value:
        """The result of the aggregate."""
        return self.inner.result()

    def retained(self) -> Collection[Row]:
        """The rows that the aggregate retains."""
        return self.inner.retained()


class _OfNoRow:
    """The common part of accumulators that retain a few values, and no rows."""

    __slots__ = ()

    def retained(self) -> Collection[Row]:
        """No rows."""
        return ()


@stateful
@dataclass(slots=True)
class Counted(_OfNoRow):
    """COUNT(*)."""

    count: int = 0

    def add(self, rows: Relation) -> None:
        """Count the rows."""
        self.count += len(rows)

    def result(self) -> Value:
        """The number of rows counted."""
        return self.count


@stateful
@dataclass(slots=True)
class CountedValues(_OfNoRow):
    """COUNT(x), COUNT(x, y, …): the number of rows in which no value is NULL."""

    arguments_on: Callable[[Row], Row]
    count: int = 0

    def add(self, rows: Relation) -> None:
        """Count the rows."""
        self.count += sum([None not in arguments for arguments in map(self.arguments_on, rows)])

    def result(self) -> Value:
        """The number of rows counted."""
        return self.count


@stateful
@dataclass(slots=True)
class Constant(_OfNoRow):
    """GROUPING and GROUP_ID: a constant of the grouping set."""

    over: Aggregation

    def add(self, rows: Relation) -> None:
        """Do nothing, because the value does not depend on the rows."""

    def result(self) -> Value:
        """The constant."""
        return self.over([])


@stateful
@dataclass(slots=True)
class Spread(_OfNoRow):
    """VAR, STDDEV, COVAR and CORR: exact sums, which only the result rounds (S-203)."""

    call: AggregateCall
    arguments_on: Callable[[Row], Row]
    moments: Moments = field(default_factory=Moments)

    def add(self, rows: Relation) -> None:
        """Add the values, or the pairs, without a NULL."""
        for arguments in map(self.arguments_on, rows):
            if None not in arguments:
                self.moments.add(arguments)

    def result(self) -> Value:
        """The statistic; NULL for too few values."""
        if self.call.function is AggregateFunction.CORR:
            return self.moments.correlation()
        assert isinstance(self.call.function, AggregateFunction), self.call
        return self.moments.spread(self.call.function)


@stateful
@dataclass(slots=True)
class Summed(_OfNoRow):
    """SUM and AVG: an exact sum, which only the result rounds (S-203)."""

    call: AggregateCall
    argument_on: Meaning
    sum: RunningSum

    def add(self, rows: Relation) -> None:
        """Add the values of the rows."""
        values = [value for value in map(self.argument_on, rows) if value is not None]
        # The units of integers are the values themselves, so they are added in one call.
        if self.sum.units is integer:
            whole = cast("list[int]", values)  # its type shows it; checking each value takes time
            self.sum.total += sum(whole)
            self.sum.values += len(values)
        else:
            for each in values:
                self.sum.add(each)

    def result(self) -> Value:
        """The sum or the mean; NULL without values."""
        mean = self.call.function is AggregateFunction.AVG
        try:
            return self.sum.result(mean)
        except SqlError as error:
            raise located(error, self.call.location) from None


@stateful
@dataclass(slots=True)
class Folded(_OfNoRow):
    """MIN, MAX, ANY_VALUE, EVERY, SOME: the aggregate of the value so far and the new values."""

    call: AggregateCall
    argument_on: Meaning
    value: Value = None

    def add(self, rows: Relation) -> None:
        """Compute the value of the value so far and the values on the rows."""
        values = [value for value in map(self.argument_on, rows) if value is not None]
        if self.value is not None:
            values.insert(0, self.value)
        if values:
            assert isinstance(self.call.function, AggregateFunction), self.call
            self.value = of_values(self.call.function, values, self.call.type)

    def result(self) -> Value:
        """The value; NULL without values."""
        return self.value


@stateful
@dataclass(slots=True)
class Distinct:
    """An aggregate over DISTINCT arguments; of equal arguments it retains the first ones."""

    call: AggregateCall
    arguments_on: Callable[[Row], Row]
    first: dict[tuple[object, ...], Row] = field(default_factory=dict[tuple[object, ...], Row])

    def add(self, rows: Relation) -> None:
        """Add the arguments on the rows."""
        for arguments in map(self.arguments_on, rows):
            if None not in arguments:
                self.first.setdefault(identity_of(arguments), arguments)

    def result(self) -> Value:
        """The aggregate over the distinct arguments."""
        if self.call.function is AggregateFunction.COUNT:
            return len(self.first)
        assert isinstance(self.call.function, AggregateFunction), self.call
        arguments = list(self.first.values())
        if not arguments:
            return None
        try:
            return of_arguments(self.call.function, arguments, self.call.type)
        except SqlError as error:
            raise located(error, self.call.location) from None

    def retained(self) -> Collection[Row]:
        """The distinct arguments."""
        return self.first.values()


@stateful
@dataclass(slots=True)
class Gathered:
    """An aggregate that needs all rows: it retains them."""

    over: Aggregation
    rows: list[Row] = field(default_factory=list[Row])

    def add(self, rows: Relation) -> None:
        """Add the rows."""
        self.rows += rows

    def result(self) -> Value:
        """The aggregate over all rows."""
        return self.over(self.rows)

    def retained(self) -> Collection[Row]:
        """The rows."""
        return self.rows
