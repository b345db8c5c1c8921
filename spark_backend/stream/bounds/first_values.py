"""The first values of columns among pending rows, which hold back the bounds of these columns."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    Literal,
    Op,
    Value,
)
from algebra.monotonicity.progress import Bound, weaker
from algebra.plan import Plan
from algebra.types import MAX_TIMESTAMP
from spark_backend.types import Row

#: A function of a plan and of columns, which are pairs: the place, and whether the column descends.
#: It returns the first value of each column among the rows of the plan, in the column's direction;
#: NULL if there are no rows.
FirstValues: TypeAlias = Callable[[Plan, Sequence[tuple[int, bool]]], Row]


def lowered(limit: Bound | None, least: Value, *, descending: bool) -> Bound | None:
    """The weaker of the bound ``limit`` and of ``least``, the first value among the pending rows.

    ``limit`` None: no bound is known.  ``least`` None: no row is pending.
    """
    return limit if least is None else weaker(limit, Bound(least), descending)


def lower_to_first(
    limits: list[Bound | None],
    rows: Plan,
    columns: Sequence[tuple[int, bool]],
    first_values: FirstValues,
) -> None:
    """Lower the bounds of some columns to their first values among the pending ``rows``.

    ``columns`` has the place of each column, and whether it descends.
    """
    if not columns:
        return
    for (place, descending), least in zip(columns, first_values(rows, columns), strict=True):
        limits[place] = lowered(limits[place], least, descending=descending)


def first_among(value: Expression, descending: bool, among: Expression | None) -> AggregateCall:
    """A call for the first value, in its direction, among the rows for which ``among`` is true.

    ``among`` None: among all rows.
    """
    function = AggregateFunction.MAX if descending else AggregateFunction.MIN
    return AggregateCall(function, (value,), value.type.as_nullable(), filter=among)


def or_latest(time: Expression) -> Expression:
    """``time``, with NULL replaced by the latest timestamp, because no bound reaches NULL."""
    return Call(Op.COALESCE, (time, Literal(MAX_TIMESTAMP, time.type)), time.type)


def is_reached(latest: Value, limit: Bound | None) -> bool:
    """Whether the bound ``limit`` has reached ``latest``, the greatest of some times.

    ``latest`` None: there are no times, so the result is true.
    """
    if latest is None:
        return True
    if limit is None or limit.value is None:
        return False
    assert isinstance(latest, int), "a time is whole inside"
    assert isinstance(limit.value, int), "and so is its bound"
    return latest <= limit.value
