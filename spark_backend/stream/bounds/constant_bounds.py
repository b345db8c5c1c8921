"""The bounds of columns with only one value: this value is their bound above every operator."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.number_range import Range
from algebra.expression import Expression, InputRef
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.failing_for_good import MeaningOf
from algebra.monotonicity.progress import Bound, Bounds, progress
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    Joining,
    Passing,
    Plan,
    Project,
    Scan,
    Values,
    Widening,
)


def with_constant_bounds(plan: Plan, known: Bounds, meaning_of: MeaningOf) -> Bounds:
    """The bounds of ``plan``, with those of its columns that have only one value.

    Rows that wait do not hold back such a bound, because no row has another value.
    """
    if not any(_are_constant(plan)):
        return known
    constants = _constants(plan, meaning_of)
    pairs = zip(known.columns, constants, strict=True)
    return replace(known, columns=tuple(constant or limit for limit, constant in pairs))


def _are_constant(plan: Plan) -> list[bool]:
    """Whether each column of ``plan`` is CONSTANT."""
    orders = column_monotonicity(plan, OrderOf.BOUNDS)
    return [order is Monotonicity.CONSTANT for order in orders]


def _constants(plan: Plan, meaning_of: MeaningOf) -> list[Bound | None]:
    """The value of each column that is CONSTANT; None for another column, and for NULL."""
    are_constant = _are_constant(plan)
    if not any(are_constant):
        return [None] * len(are_constant)
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:
            found = _constants(carried, meaning_of)
        case Values((row, *_)):
            found = [_value(each, (), (), (), meaning_of) for each in row]
        case Project(input, expressions) | Aggregate(input, expressions):
            below = _constants(input, meaning_of)
            orders, ranges = column_monotonicity(input, OrderOf.BOUNDS), column_ranges(input)
            found = [_value(each, below, orders, ranges, meaning_of) for each in expressions]
        case Passing() | Widening():
            found = _constants(plan.input, meaning_of)
        case Joining(left, right):
            found = [*_constants(left, meaning_of), *_constants(right, meaning_of)]
        case _:
            found = []
    found += [None] * (len(are_constant) - len(found))
    pairs = zip(found, are_constant, strict=True)
    return [each if constant else None for each, constant in pairs]


def _value(
    expression: Expression,
    below: Sequence[Bound | None],
    orders: Sequence[Monotonicity],
    ranges: Sequence[Range],
    meaning_of: MeaningOf,
) -> Bound | None:
    """The value of an expression over columns with the values ``below``; None if it has none."""
    if isinstance(expression, InputRef):
        return below[expression.index]
    found = progress(expression, orders, ranges, meaning_of, constants=True)
    return None if found is None else found.bound(Bounds(tuple(below)))
