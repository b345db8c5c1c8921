"""The output order key: the column by which rows are emitted.

A streaming query emits its rows by time (S-303): by the rowtime column, or, if there is none, by
the implicit rowtime (S-311), which is added as a hidden last column.  With ORDER BY another key, it
emits them by that key (S-507).  A join in lock step bounds the difference of two columns, one from
each side.  If these are not the times, a FULL join emits its rows by these columns (S-511).  Rows
out of order are emitted by their time, too, because all rows below the bound have arrived.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.expression import (
    Call,
    Cast,
    Expression,
    InputRef,
    Literal,
    Op,
)
from algebra.monotonicity.columns import is_in_time_order
from algebra.monotonicity.lockstep import lock_step_of
from algebra.plan import (
    Delta,
    Filter,
    Join,
    Plan,
    Project,
    Sort,
    column_names,
    columns,
    is_streaming,
    row_type,
)
from algebra.types import BIGINT, DATETIME, INTEGERS
from grammar.tree import JoinKind
from spark_backend.order.implicit_rowtime import with_implicit_rowtime
from spark_backend.order.times import BASE, ORDER_KEY, time_place


@dataclass(frozen=True, slots=True)
class OutputOrder:
    """A plan whose rows are emitted by the output order key, the column at ``place``.

    The key can be hidden: then it is added after the query's columns.
    ``by_time``: the key is the time of the rows.  ``sorted``: the plan has an ORDER BY with the key
    as first key; if not, the rows must still be sorted by the key.  The key ascends, or descends if
    ``descending``.
    ``emits_at_bound``: one more hidden column, the last of all, has the emit batch of each row, so
    that a row at the bound need not wait for the bound to pass it
    (`spark_backend.stream.emission.emit_batch`).
    ``out_of_order``: rows are emitted when they are determined, wherever the bound is.
    """

    plan: Plan
    place: int
    by_time: bool = True
    sorted: bool = False
    descending: bool = False
    emits_at_bound: bool = False
    out_of_order: bool = False


def output_order(query: Delta, *, batches: bool = True) -> OutputOrder | None:
    """The plan below ``query`` with its output order key.

    ``batches``: there are micro-batches, whose bounds the key is compared with.  None: there is no
    key.  Then all rows of a stream wait for its end, and without micro-batches the rows are emitted
    in the order of the input.
    """
    plan, found = query.input, None
    if not is_in_time_order(plan) or time_place(plan) is None:
        found = _with_key(plan)
    if found is not None and (_is_whole(found) or not batches):
        return found
    timed = with_implicit_rowtime(plan)
    place = None if timed is None else time_place(timed)
    if timed is None or place is None:
        return None
    # Micro-batches cannot compare a bound with a key that is not a whole number, such as a DOUBLE.
    # Then the time decides in which micro-batch a row is emitted, and ORDER BY sorts only the rows
    # of a micro-batch.  The two orders agree, because the first key of ORDER BY over a stream is
    # monotonic in the direction of the sort (S-507): it advances as time does.
    return OutputOrder(timed, place, sorted=found is not None and found.sorted)


# --- other orders than that of time ---------------------------------------------------------------

#: The kinds whose internal values are whole numbers.  A bound of such a column is never strict
#: (S-406).
_WHOLE: Final = INTEGERS | DATETIME


def _with_key(plan: Plan) -> OutputOrder | None:
    """The plan with a hidden last column: an output order key other than the time of the rows.

    None: the plan has no such key.
    """
    match plan:
        case Sort(input, keys):
            fields = row_type(input)
            first = keys[0].expression
            names = tuple(each.name for each in fields)
            below = Project(input, (*columns(input), first), (*names, ORDER_KEY))
            key = replace(keys[0], expression=InputRef(len(fields), first.type))
            keyed = replace(plan, input=below, keys=(key, *keys[1:]))
            return _ordered_by_last(keyed, sorted=True, descending=key.descending)
        case Join(kind=JoinKind.FULL):
            return _by_base_time(plan)
        case Filter(input):
            found = _with_key(input)
            return None if found is None else replace(found, plan=replace(plan, input=found.plan))
        case Project(input, expressions, names):
            found = _with_key(input)
            if found is None:
                return None
            hidden = columns(found.plan)[found.place]
            widened = Project(found.plan, (*expressions, hidden), (*names, ORDER_KEY))
            return replace(found, plan=widened, place=len(expressions))
        case _:
            return None


def _is_whole(order: OutputOrder) -> bool:
    """Whether the values of the key are whole numbers."""
    return row_type(order.plan)[order.place].type.kind in _WHOLE


def _ordered_by_last(plan: Plan, *, sorted: bool, descending: bool) -> OutputOrder:
    """``plan``, whose rows are emitted by its last column."""
    place = len(row_type(plan)) - 1
    return OutputOrder(plan, place, by_time=False, sorted=sorted, descending=descending)


def _by_base_time(plan: Join) -> OutputOrder | None:
    """A FULL join of streams, ordered by its base time u (`_base_time`), if u is not the rowtime.

    None: u is the rowtime, or cannot be computed, or the join is not one of two streams.
    """
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return None
    lock = lock_step_of(plan)
    if (lock.left, lock.right) == (time_place(plan.left), time_place(plan.right)):
        return None
    own = columns(plan)
    left, right = own[lock.left], own[len(row_type(plan.left)) + lock.right]
    u = _base_time(left, right, lock.unmatched_offset)
    if u is None:
        return None
    keyed = Project(plan, (*own, u), (*column_names(plan), BASE))
    return _ordered_by_last(keyed, sorted=False, descending=lock.descending)


def _base_time(left: InputRef, right: InputRef, offset: int) -> Expression | None:
    """The base time u of a row of a FULL join, from the two columns in lock step (S-511).

    It is the left row's value; for an unmatched right row, its value minus ``offset``.  None if the
    two columns have different kinds that are not integers, or if ``offset`` would be subtracted
    from a value that is not an integer.
    """
    kinds = {left.type.kind, right.type.kind}
    if not offset and len(kinds) == 1:
        return Call(Op.COALESCE, (left, right), left.type)
    if not kinds <= INTEGERS:
        return None
    of_left, of_right = (Cast(each, BIGINT) for each in (left, right))
    alone = Call(Op.MINUS, (of_right, Literal(offset, BIGINT)), BIGINT)
    return Call(Op.COALESCE, (of_left, alone), BIGINT)
