"""How far bounds must advance until no later row has a given key, or an earlier one (S-405).

The functions compute the durations of a key from those of its `ColumnOrigin`s.  If there are
several, in the inputs of a UNION ALL, the longest duration counts.
"""

from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Expression
from algebra.metadata.column_origin import column_origins
from algebra.metadata.durations import Duration, max_of, unbounded
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import Plan
from algebra.spelling import names_of, spelled


def until_complete(key: Expression, input: Plan) -> Duration:
    """How far the bounds must advance after a row until its run of equal ``key`` is complete.

    Then no later row of ``input`` has the same key or a key before it.  The duration is unbounded
    if ``key`` makes no progress, because it is constant or not monotonic.
    """
    never = _no_progress(key, input)
    return never or max_of(each.until_complete() for each in column_origins(key, input))


def until_ordered(key: Expression, input: Plan) -> Duration:
    """How far the bounds must advance after a row until no later row has a ``key`` before its own.

    Later rows may still have an equal key.  Unbounded as in `until_complete`.
    """
    never = _no_progress(key, input)
    return never or max_of(each.until_ordered() for each in column_origins(key, input))


def _no_progress(key: Expression, input: Plan) -> Duration | None:
    """The unbounded duration, with its reason, if ``key`` makes no progress; else None."""
    columns = column_monotonicity(input, OrderOf.BOUNDS)
    order = monotonicity(key, columns, column_ranges(input))
    return None if order.progresses else unbounded(_reason(key, order, input))


def _reason(key: Expression, order: Monotonicity, input: Plan) -> str:
    """The reason that ``key``, which has ``order``, makes no progress."""
    predicate = "is constant" if order is Monotonicity.CONSTANT else "is in no order"
    return f"{spelled(key, names_of(input))} {predicate}"


def until_advanced(key: Expression, input: Plan, amount: int) -> Duration:
    """How long until the bound of ``key`` has advanced by ``amount``, in the unit of ``key``.

    The unit of a DATE is a day, and the unit of another datetime a millisecond.  The result is a
    duration of the columns from which ``key`` is computed.  For ``FLOOR(rowtime TO HOUR)`` it is up
    to an hour longer than ``amount``.
    """
    return max_of(each.until_advanced(amount) for each in column_origins(key, input))


def until_beyond(key: Expression, input: Plan, amount: int) -> Duration:
    """How long until the bound of ``key`` has advanced by more than ``amount``."""
    return max_of(each.until_beyond(amount) for each in column_origins(key, input))


def age(key: Expression, input: Plan, amount: int) -> Duration:
    """The greatest age of a row whose ``key`` is at most ``amount`` before the bound of the key."""
    return max_of(each.age(amount) for each in column_origins(key, input))
