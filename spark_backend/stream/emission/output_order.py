"""The column by which rows leave: their time, behind the others where the query does not show it.

A streaming query gives its rows by time (S-303): by the rowtime column, else by a hidden clock
(S-311), which is that of the rows they are made of; or, where ORDER BY says another order, by its
first key (S-507).  What is hidden here is one column more in the plan.
Rows that stray come by their time, too: below the bound all have come.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.build import and_, compared, equal, is_not_null, is_not_true, less, or_
from algebra.catalog import Stream
from algebra.expression import (
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
)
from algebra.mentions import scans
from algebra.monotonicity.columns import clock_in_order
from algebra.monotonicity.context import Context
from algebra.plan import Delta, Filter, Plan, Project, Reads, Sort, columns, row_type
from algebra.types import BIGINT, DATETIME, INTEGERS
from spark_backend.data.ingress import ingress_of
from spark_backend.stream.bounds.implicit_rowtime import with_clock, with_implicit_rowtimes
from spark_backend.stream.times import CLOCK, time_place


@dataclass(frozen=True, slots=True)
class Leading:
    """A plan whose rows leave by the column at ``place``, which may be hidden behind the others.

    ``by_time``: it is their time, by which they are sorted; else it is the first key of the plan's
    order, which ascends, or descends if ``descending``.  ``emits_at_bound``: the last column is the
    micro-batch that determined a row, so that a row at the bound need not wait for the bound to
    pass it (`spark_backend.stream.emission.emit_batch`).  ``out_of_order``: rows come when they are
    determined, wherever the bound is.
    """

    plan: Plan
    place: int
    by_time: bool = True
    descending: bool = False
    emits_at_bound: bool = False
    out_of_order: bool = False


def leading(query: Delta) -> Leading | None:
    """The plan below ``query`` with the column that its rows leave by.

    None: there is none that a micro-batch knows of, so that the rows wait for the end.
    """
    plan = with_implicit_rowtimes(query.input, Context(query))
    if not clock_in_order(plan, query) or time_place(plan, query) is None:
        found = _with_key(plan)
        if found is not None:
            keyed, descending = found
            return Leading(keyed, len(row_type(keyed)) - 1, by_time=False, descending=descending)
    clocks = {ingress_of(each).rowtime is None for each in _streams(plan)}
    if time_place(plan, query) is None and len(clocks) > 1:
        return None  # micro-batches count the one clock, milliseconds the other
    timed = with_clock(plan, Context(query))
    place = None if timed is None else time_place(timed, query)
    return None if timed is None or place is None else Leading(timed, place)


def _streams(plan: Plan) -> list[Stream]:
    found = (each.source for each in scans(plan) if each.reads is Reads.STREAM)
    return [each for each in found if isinstance(each, Stream)]


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
            inner, descending = found
            place = len(row_type(inner)) - 1
            last = InputRef(place, row_type(inner)[place].type)
            return Project(inner, (*expressions, last), (*names, CLOCK)), descending
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
