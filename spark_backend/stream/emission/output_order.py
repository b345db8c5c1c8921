"""The column by which rows leave: their time, behind the others where the query does not show it.

A streaming query gives its rows by time (S-303): by the rowtime column, else by a hidden clock
(S-311), which is that of the rows they are made of; or, where ORDER BY says another order, by its
first key (S-507); a FULL join by another column than the time, by that column (S-511).  What is
hidden here is one column more in the plan.
Rows that stray come by their time, too: below the bound all have come.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.build import and_, compared, equal, is_not_null, is_not_true, less, or_
from algebra.expression import (
    Call,
    Cast,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
)
from algebra.mentions import streams_read
from algebra.monotonicity.columns import clock_in_order
from algebra.monotonicity.context import Context
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
from spark_backend.data.ingress import ingress_of
from spark_backend.stream.bounds.implicit_rowtime import with_clock
from spark_backend.stream.times import BASE, CLOCK, time_place


@dataclass(frozen=True, slots=True)
class Leading:
    """A plan whose rows leave by the column at ``place``, which may be hidden behind the others.

    ``by_time``: it is their time.  ``sorted``: the plan has an ORDER BY, of which it is the first
    key; else they are sorted by it.  It ascends, or descends if ``descending``.
    ``emits_at_bound``: the last column is the micro-batch that determined a row, so that a row at
    the bound need not wait for the bound to pass it (`spark_backend.stream.emission.emit_batch`).
    ``out_of_order``: rows come when they are determined, wherever the bound is.
    """

    plan: Plan
    place: int
    by_time: bool = True
    sorted: bool = False
    descending: bool = False
    emits_at_bound: bool = False
    out_of_order: bool = False


def leading(query: Delta) -> Leading | None:
    """The plan below ``query`` with the column that its rows leave by.

    None: there is none that a micro-batch knows of, so that the rows wait for the end.
    """
    plan = query.input
    if not clock_in_order(plan, query) or time_place(plan, query) is None:
        found = _with_key(plan, Context(query))
        if found is not None:
            return found
    clocks = {ingress_of(each).rowtime is None for each in streams_read(plan).values()}
    if time_place(plan, query) is None and len(clocks) > 1:
        return None  # micro-batches count the one clock, milliseconds the other
    timed = with_clock(plan, Context(query))
    place = None if timed is None else time_place(timed, query)
    return None if timed is None or place is None else Leading(timed, place)


# --- other orders than that of time ---------------------------------------------------------------

#: The kinds whose values are whole inside: a bound of these is never strict (S-406).
_WHOLE: Final = INTEGERS | DATETIME


def _with_key(plan: Plan, context: Context) -> Leading | None:
    """The plan with a column that is no time, by which its rows leave, behind the others.

    None: there is none, or none whose values are whole.
    """
    match plan:
        case Sort(input, keys):
            fields = row_type(input)
            first = keys[0].expression
            if first.type.kind not in _WHOLE:
                return None
            names = tuple(each.name for each in fields)
            below = Project(input, (*columns(input), first), (*names, CLOCK))
            key = replace(keys[0], expression=InputRef(len(fields), first.type))
            keyed = replace(plan, input=below, keys=(key, *keys[1:]))
            return _leaving_by_last(keyed, sorted=True, descending=key.descending)
        case Join(kind=JoinKind.FULL):
            return _by_number(plan, context)
        case Filter(input):
            found = _with_key(input, *context.inputs(plan))
            return None if found is None else replace(found, plan=replace(plan, input=found.plan))
        case Project(input, expressions, names):
            found = _with_key(input, *context.inputs(plan))
            if found is None:
                return None
            last = columns(found.plan)[found.place]
            above = Project(found.plan, (*expressions, last), (*names, CLOCK))
            return replace(found, plan=above, place=len(expressions))
        case _:
            return None


def _leaving_by_last(plan: Plan, *, sorted: bool, descending: bool) -> Leading:
    place = len(row_type(plan)) - 1
    return Leading(plan, place, by_time=False, sorted=sorted, descending=descending)


def _by_number(plan: Join, context: Context) -> Leading | None:
    """A FULL join of streams, by its u if that is no time; of a right row alone its last u."""
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return None
    lock = lock_step_of(plan, context)
    if (lock.left, lock.right) == (time_place(plan.left, plan), time_place(plan.right, plan)):
        return None
    own = columns(plan)
    left, right = own[lock.left], own[len(row_type(plan.left)) + lock.right]
    u = _of_either(left, right, lock.alone)
    if u is None:
        return None
    keyed = Project(plan, (*own, u), (*column_names(plan), BASE))
    return _leaving_by_last(keyed, sorted=False, descending=lock.descending)


def _of_either(left: InputRef, right: InputRef, offset: int) -> Expression | None:
    """The value of a left row, or else that of a right row less ``offset``; None: not whole."""
    kinds = {left.type.kind, right.type.kind}
    if not offset and len(kinds) == 1 and kinds <= _WHOLE:
        return Call(Op.COALESCE, (left, right), left.type)
    if not kinds <= INTEGERS:
        return None
    of_left, of_right = (Cast(each, BIGINT) for each in (left, right))
    alone = Call(Op.MINUS, (of_right, Literal(offset, BIGINT)), BIGINT)
    return Call(Op.COALESCE, (of_left, alone), BIGINT)


def in_order(leading: Leading, plan: Plan) -> Plan:
    """The rows of ``plan`` in the order of ``leading``, ties as they were."""
    if leading.sorted:
        return plan
    value = InputRef(leading.place, row_type(plan)[leading.place].type)
    return Sort(plan, (SortKey(value, descending=leading.descending, nulls_first=True),))


def between(leading: Leading, before: int | None, limit: int | None, batch: int) -> Plan:
    """The rows that come out in a micro-batch: ``limit`` has passed them, and ``before`` had not.

    ``before`` None: nothing was known; ``limit`` None: it is the end, which passes NULL, too.  A
    row at the bound itself comes at its moment; one that has come then does not come again.
    """
    plan, descending = leading.plan, leading.descending
    value = InputRef(leading.place, row_type(plan)[leading.place].type)
    op = Op.GREATER if descending else Op.LESS

    def beyond(at: int, determined: Call) -> Expression:
        passed = compared(op, value, Literal(at, value.type))
        if not leading.emits_at_bound:
            return passed
        there = equal(value, Literal(at, value.type))
        return or_(passed, and_(there, determined))

    moment, this = InputRef(len(row_type(plan)) - 1, BIGINT), Literal(batch, BIGINT)
    if leading.out_of_order:
        return Filter(plan, equal(moment, this))
    if before is not None:
        emitted = beyond(before, less(moment, this))
        plan = Filter(plan, is_not_true(emitted))
    if limit is not None:
        plan = Filter(plan, beyond(limit, is_not_null(moment)))
    return plan
