"""The column by which rows leave: their time, behind the others where the query does not show it.

A streaming query gives its rows by time (S-303): by the rowtime column, else by a hidden clock
(S-311), which is that of the rows they are made of; or, where ORDER BY says another order, by its
first key (S-507).  What is hidden here is one column more in the plan.
Rows that stray come by their time, too: below the bound all have come.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import Column, Ordering, Stream
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
)
from algebra.mentions import scans
from algebra.monotonicity import clock_in_order, is_streaming
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    row_type,
)
from algebra.types import BIGINT, BOOLEAN, DATETIME, INTEGERS, TIMESTAMP
from grammar.tree import JoinKind, SetOperator
from spark_backend.entry import gate_of
from spark_backend.stream.limits import CLOCK, HiddenName, time_place
from spark_backend.stream.moment_columns import columns, shifted

_TIME: Final = TIMESTAMP.as_nullable(False)


@dataclass(frozen=True, slots=True)
class Leading:
    """A plan whose rows leave by the column at ``place``, which may be hidden behind the others.

    ``by_time``: they do so by their time, and are sorted by it; else they come in the plan's order,
    the first key of which ``falls`` or rises.  ``prompt``: the last column is their moment, by
    which they need not wait for the bound to pass them (`spark_backend.stream.moments`).
    ``strays``: they come at their moment, wherever the bound is.
    """

    plan: Plan
    place: int
    by_time: bool = True
    falls: bool = False
    prompt: bool = False
    strays: bool = False


def leading(query: Delta) -> Leading | None:
    """The plan below ``query`` with the column that its rows leave by.

    None: there is none that a micro-batch knows of, so that the rows wait for the end.
    """
    plan = query.input
    if not clock_in_order(plan, query) or time_place(plan, query) is None:
        found = _with_key(plan)
        if found is not None:
            keyed, falls = found
            return Leading(keyed, len(row_type(keyed)) - 1, by_time=False, falls=falls)
    clocks = {gate_of(each).rowtime is None for each in _streams(plan)}
    if time_place(plan, query) is None and len(clocks) > 1:
        return None  # micro-batches count the one clock, milliseconds the other
    timed = with_clock(plan, query)
    place = None if timed is None else time_place(timed, query)
    return None if timed is None or place is None else Leading(timed, place)


def _streams(plan: Plan) -> list[Stream]:
    found = (each.source for each in scans(plan) if each.reads is Reads.STREAM)
    return [each for each in found if isinstance(each, Stream)]


def clocked(stream: Stream) -> Stream:
    """A stream without a rowtime, with the micro-batch in which a row came as its last column."""
    return replace(stream, columns=(*stream.columns, Column(CLOCK, _TIME, Ordering())))


def with_clock(plan: Plan, reader: Plan) -> Plan | None:
    """The plan, with the hidden clock behind its columns if it shows no rowtime; None: unknown."""
    if time_place(plan, reader) is not None:
        return plan
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return Scan(clocked(stream), Reads.STREAM)
        case Scan() | Values():
            return None
        case Filter(input):
            below = with_clock(input, reader)
            return None if below is None else replace(plan, input=below)
        case Sort(input):
            below = with_clock(input, plan)
            return None if below is None else replace(plan, input=below)
        case Delta(input):
            return with_clock(input, plan)
        case Project(input, expressions, names):
            below = with_clock(input, plan)
            time = None if below is None else _time(below, plan)
            if below is None or time is None:
                return None
            return Project(below, (*expressions, time), (*names, CLOCK))
        case Hop(input) | Window(input):
            below = with_clock(input, plan)
            if below is None:
                return None
            return _last(replace(plan, input=below), len(row_type(input)))
        case Aggregate(input):
            below = with_clock(input, plan)
            time = None if below is None else _time(below, plan)
            if below is None or time is None:
                return None
            call = AggregateCall(
                AggregateFunction.MAX, (time,), distinct=False, filter=None, type=TIMESTAMP
            )
            measures = (*plan.measures, call)
            return replace(plan, input=below, measures=measures, names=(*plan.names, CLOCK))
        case Join():
            return _join(plan)
        case SetOp(inputs, SetOperator.UNION, True):
            sides = [_shown_last(each, plan) for each in inputs]
            known = tuple(each for each in sides if each is not None)
            return replace(plan, inputs=known) if len(known) == len(inputs) else None
        case SetOp() | WindowJoin():
            return None


def _time(plan: Plan, reader: Plan) -> InputRef | None:
    place = time_place(plan, reader)
    return None if place is None else InputRef(place, row_type(plan)[place].type)


def _shown_last(plan: Plan, reader: Plan) -> Plan | None:
    """The plan with its time once more behind its columns."""
    below = with_clock(plan, reader)
    if below is None or isinstance(row_type(below)[-1].name, HiddenName):
        return below
    time = _time(below, reader)
    if time is None:
        return None
    names = tuple(each.name for each in row_type(below))
    return Project(below, (*columns(below), time), (*names, CLOCK))


def _last(plan: Plan, place: int) -> Project:
    """The plan with the column at ``place`` behind the others."""
    fields = row_type(plan)
    order = [*(i for i in range(len(fields)) if i != place), place]
    columns = tuple(InputRef(i, fields[i].type) for i in order)
    return Project(plan, columns, tuple(fields[i].name for i in order))


def _join(plan: Join) -> Plan | None:
    """A join with a table, of which the stream's side shows no rowtime; or a FULL one of streams.

    A row of the latter has the time of its left row, or else of its right one (S-510).
    """
    if is_streaming(plan.left) and is_streaming(plan.right):
        return _full(plan)
    if is_streaming(plan.right):
        below = with_clock(plan.right, plan)
        return None if below is None else replace(plan, right=below)
    below = with_clock(plan.left, plan)
    if below is None or plan.kind not in (JoinKind.INNER, JoinKind.LEFT):
        return None
    width = len(row_type(plan.left))
    condition = shifted(plan.condition, width)
    return _last(replace(plan, left=below, condition=condition), width)


def _full(plan: Join) -> Plan | None:
    left, right = _time(plan.left, plan), _time(plan.right, plan)
    if plan.kind is not JoinKind.FULL or left is None or right is None:
        return None
    own = columns(plan)
    times = (own[left.index], own[len(row_type(plan.left)) + right.index])
    names = tuple(each.name for each in row_type(plan))
    return Project(plan, (*own, Call(Op.COALESCE, times, _TIME)), (*names, CLOCK))


# --- the order of ORDER BY ------------------------------------------------------------------------

#: The kinds whose values are whole inside: a bound of these is never strict (S-406).
_WHOLE: Final = INTEGERS | DATETIME


def _with_key(plan: Plan) -> tuple[Plan, bool] | None:
    """The plan with the first key of the ORDER BY at its top behind, and whether that falls."""
    match plan:
        case Sort(input, keys):
            fields = row_type(input)
            first = keys[0].expression
            if first.type.kind not in _WHOLE:
                return None
            names = tuple(each.name for each in fields)
            below = Project(input, (*columns(input), first), (*names, CLOCK))
            key = replace(keys[0], expression=InputRef(len(fields), first.type))
            return replace(plan, input=below, keys=(key, *keys[1:])), key.descending
        case Filter(input):
            found = _with_key(input)
            return None if found is None else (replace(plan, input=found[0]), found[1])
        case Project(input, expressions, names):
            found = _with_key(input)
            if found is None:
                return None
            inner, falls = found
            place = len(row_type(inner)) - 1
            last = InputRef(place, row_type(inner)[place].type)
            return Project(inner, (*expressions, last), (*names, CLOCK)), falls
        case _:
            return None


def by_time(plan: Plan, place: int) -> Plan:
    """The rows sorted by the column at ``place``, ties as they were."""
    time = InputRef(place, row_type(plan)[place].type)
    return Sort(plan, (SortKey(time, descending=False, nulls_first=True),))


def between(leading: Leading, before: int | None, limit: int | None, batch: int) -> Plan:
    """The rows that come out in a micro-batch: ``limit`` has passed them, and ``before`` had not.

    ``before`` None: nothing was known; ``limit`` None: it is the end, which passes NULL, too.  A
    row at the bound itself comes at its moment; one that has come then does not come again.
    """
    plan, falls = leading.plan, leading.falls
    value = InputRef(leading.place, row_type(plan)[leading.place].type)
    op = Op.GREATER if falls else Op.LESS

    def beyond(at: int, determined: Call) -> Expression:
        passed = Call(op, (value, Literal(at, value.type)), BOOLEAN)
        if not leading.prompt:
            return passed
        there = Call(Op.EQUAL, (value, Literal(at, value.type)), BOOLEAN)
        return Call(Op.OR, (passed, Call(Op.AND, (there, determined), BOOLEAN)), BOOLEAN)

    moment, this = InputRef(len(row_type(plan)) - 1, BIGINT), Literal(batch, BIGINT)
    if leading.strays:
        return Filter(plan, Call(Op.EQUAL, (moment, this), BOOLEAN))
    if before is not None:
        given = beyond(before, Call(Op.LESS, (moment, this), BOOLEAN))
        plan = Filter(plan, Call(Op.IS_NOT_TRUE, (given,), BOOLEAN))
    if limit is not None:
        plan = Filter(plan, beyond(limit, Call(Op.IS_NOT_NULL, (moment,), BOOLEAN)))
    return plan
