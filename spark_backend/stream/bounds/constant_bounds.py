"""The bounds of columns with only one value: this value is their bound, whatever the inputs are."""

from dataclasses import replace

from algebra.expression import Expression
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.failing_for_good import MeaningOf
from algebra.monotonicity.progress import Bound, Bounds, progress
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.constant_columns import constant_columns
from algebra.plan import Plan


def with_constant_bounds(plan: Plan, known: Bounds, meaning_of: MeaningOf) -> Bounds:
    """``known``, the bounds of ``plan``, but a column with only one value has this value as bound.

    Rows that wait do not hold back such a bound, because no row has another value.
    """
    columns = zip(
        known.columns,
        constant_columns(plan),
        column_monotonicity(plan, OrderOf.BOUNDS),
        strict=True,
    )
    bounds = (
        limit
        if constant is None or order is not Monotonicity.CONSTANT
        else _value(constant, meaning_of) or limit
        for limit, constant, order in columns
    )
    return replace(known, columns=tuple(bounds))


def _value(constant: Expression, meaning_of: MeaningOf) -> Bound | None:
    """The value of an expression without columns; None if it is NULL, or fails."""
    found = progress(constant, (), (), meaning_of, constants=True)
    return None if found is None else found.bound(Bounds(()))
