"""The order in which the rows of a plan are determined, and whether they pass one by one.

These facts decide when a micro-batch can emit a row, and whether it must sort its rows.
"""

from enum import Enum

from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.lockstep import lock_step_of
from algebra.monotonicity.operators import sorted_already
from algebra.plan import (
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Side,
    Sort,
    is_streaming,
)
from grammar.tree import SetOperator
from spark_backend.order.times import bound_column


def is_out_of_order(plan: Plan) -> bool:
    """Whether rows can be determined in another order than that of their time.

    This includes a stream that is not declared in order: each row is determined when it arrives,
    whatever the bound is (S-501, S-502).
    """
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            place = bound_column(stream)
            order = None if place is None else stream.columns[place].ordering
            return order is not None and (
                order.punctuated or order.slack is not None or order.rows is not None
            )
        case Join(left, right) if is_streaming(left) and is_streaming(right):
            return join_order(plan) is JoinOrder.LOCK
        case _:
            # An operator whose rows do not pass one by one has no inputs here.
            return any(is_out_of_order(each) for each in _inputs(plan) if is_streaming(each))


class JoinOrder(Enum):
    """The order in which a join in lock step emits its rows, which is that of its base side.

    Such a join bounds the difference of two columns, one from each side.  A pair is emitted at the
    time of its row from the base side.
    """

    LOCK = "by the column in lock step, and the rowtimes have no order"
    TIME = "by the rowtime, and the column in lock step has no order"
    BOTH = "by both, whose orders agree, or the column in lock step is the rowtime"


def join_order(plan: Join) -> JoinOrder:
    """The order in which the rows of a join of streams are emitted (S-511)."""
    lock = lock_step_of(plan)
    if lock.base is None:
        return JoinOrder.BOTH  # a FULL join, which has no base side
    right = lock.base is Side.RIGHT
    base, place = (plan.right, lock.right) if right else (plan.left, lock.left)
    time = rowtime_column(base)
    if time is None or time == place:
        return JoinOrder.BOTH
    orders = column_monotonicity(base, OrderOf.ROWS)
    if not orders[place].progresses:
        return JoinOrder.TIME
    return JoinOrder.BOTH if orders[time].progresses else JoinOrder.LOCK


def is_per_row(plan: Plan) -> bool:
    """Whether each row is made of one row of a stream, and of tables."""
    if isinstance(plan, Scan):
        return plan.reads is Reads.STREAM
    inputs = [each for each in _inputs(plan) if is_streaming(each)]
    joins = isinstance(plan, Join) and len(inputs) > 1
    return bool(inputs) and not joins and all(is_per_row(each) for each in inputs)


def _inputs(plan: Plan) -> tuple[Plan, ...]:
    """The inputs of an operator that emits rows one by one; none for any other operator."""
    match plan:
        case Filter(input) | Project(input) | Delta(input) | Changes(input):
            return (input,)
        case Join(left, right):
            return (left, right)
        case AsofJoin(left, right) if not is_streaming(right):
            return (left,)
        case SetOp(inputs, SetOperator.UNION, True):
            return inputs
        case _:
            return ()


def has_nothing_to_sort(plan: Sort) -> bool:
    """Whether the rows below an ORDER BY are in its order already (S-507)."""
    ranges = column_ranges(plan.input)
    emitted = column_monotonicity(plan.input, OrderOf.ROWS)
    return plan.within is None and sorted_already(
        plan, lambda key: monotonicity(key, emitted, ranges)
    )


def is_done_at_bound(plan: Plan) -> bool:
    """Whether each row is emitted as soon as the bound is at it, and is not read again."""
    return is_per_row(plan) and not is_out_of_order(plan)


def in_order_of_arrival(plan: Plan) -> bool:
    """Whether the rows are those of one scan, filtered or projected, in the order of arrival."""
    match plan:
        case Scan():
            return True
        case Filter(input) | Project(input):
            return in_order_of_arrival(input)
        case _:
            return False
