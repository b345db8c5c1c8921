"""How far bounds must advance until all rows of a row's run, or before it, have come (S-405)."""

from typing import Final

from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Expression, InputRef
from algebra.metadata.column_origin import column_origins
from algebra.metadata.durations import Duration, max_of, unbounded
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Plan,
    row_type,
)
from algebra.spelling import names_of, spelled

_C: Final = Monotonicity.CONSTANT


def until_complete(key: Expression, input: Plan) -> Duration:
    """How far the bounds must advance from a row until its run of ``key`` is complete.

    From then on no row of ``input`` has the same value of ``key``, nor one before it.  Unbounded
    where ``key`` makes no progress, because it is constant or in no order.
    """
    why = _no_progress(key, input)
    return why or max_of(each.until_complete() for each in column_origins(key, input))


def until_ordered(key: Expression, input: Plan) -> Duration:
    """How far the bounds must advance from a row until no row before it in ``key`` can come.

    Rows with an equal key may still come.  Unbounded as in `until_complete`.
    """
    why = _no_progress(key, input)
    return why or max_of(each.until_ordered() for each in column_origins(key, input))


def _no_progress(key: Expression, input: Plan) -> Duration | None:
    """The unbounded duration of a key that makes no progress, with the reason; None: it does."""
    columns = column_monotonicity(input, OrderOf.BOUNDS)
    order = monotonicity(key, columns, column_ranges(input))
    if order.progresses:
        return None
    what = "is constant" if order is _C else "is in no order"
    return unbounded(f"{spelled(key, names_of(input))} {what}")


def until_column_complete(place: int, input: Plan) -> Duration:
    """`until_complete` of the column at ``place``."""
    return until_complete(InputRef(place, row_type(input)[place].type), input)


def until_advanced(plan: Plan, place: int, amount: int) -> Duration:
    """How long until the bound of the column at ``place`` has advanced by ``amount``.

    ``amount`` is in the column's unit.  The result is in terms of the columns that this one is
    computed from: for ``FLOOR(rowtime TO HOUR)`` it is up to an hour longer.
    """
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.until_advanced(amount) for each in column_origins(column, plan))


def until_beyond(plan: Plan, place: int, amount: int) -> Duration:
    """How long until the bound of the column at ``place`` has advanced by more than ``amount``."""
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.until_beyond(amount) for each in column_origins(column, plan))


def age(plan: Plan, place: int, amount: int) -> Duration:
    """How old a row can be whose column at ``place`` is at most ``amount`` behind its bound."""
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.age(amount) for each in column_origins(column, plan))
