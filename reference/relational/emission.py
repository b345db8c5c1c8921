"""Emission: the order in which a stream's rows are emitted, and rows that are late in a query.

A row is late at a node of a plan if a MONOTONIC of the node, or its ORDER BY … WITHIN, drops it.
"""

from collections.abc import Iterable

from algebra.expression import Expression, InputRef, Literal, SortKey, Value
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.parts.mentions import monotonic_calls
from algebra.parts.node_expressions import expressions_of, ordered_by
from algebra.plan import (
    Aggregate,
    Filter,
    Hop,
    Plan,
    Project,
    Session,
    SetOp,
    Sort,
    Window,
    row_type,
)
from algebra.types import Kind
from reference.environment import Environment
from reference.relation import Relation, Row
from reference.relational.frames import moved
from reference.scalar.datetimes import instant_of
from reference.scalar.expression import meaning_of, row_of
from reference.values import compare, integer, is_nan


def timed(rows: Relation, plan: Plan, env: Environment) -> list[tuple[Row, Row]]:
    """Pairs of (time, row) of the rows of ``plan``; a time has the values of `emission_keys`."""
    time_of = row_of([key.expression for key in emission_keys(plan)], env)
    return [(time_of(row), row) for row in rows]


def emission_keys(plan: Plan) -> tuple[SortKey, ...]:
    """The columns in whose order rows are emitted: the rowtime, if it progresses (S-303).

    Groups without a rowtime are ordered by their monotonic columns (S-502, S-503).  Empty: rows are
    in order of arrival.
    """
    place = rowtime_column(plan)
    if place is None and not isinstance(plan, Aggregate | SetOp):
        return ()
    fields, orders = row_type(plan), column_monotonicity(plan, OrderOf.ROWS)
    return tuple(
        SortKey(InputRef(each, fields[each].type), orders[each].descending, nulls_first=False)
        for each in (range(len(orders)) if place is None else [place])
        if orders[each].progresses
    )


# --- late inside a query ------------------------------------------------------------------------


def not_late(rows: Relation, plan: Plan, env: Environment) -> Relation:
    """The ``rows`` of the input of ``plan`` that the node does not drop as late (S-407, S-507)."""
    match plan:
        case Filter() | Project() | Hop() | Session():
            return monotonic(rows, expressions_of(plan), env)
        case Aggregate(_, keys):
            return monotonic(rows, keys, env)
        case Window():
            return monotonic(rows, ordered_by(plan), env)
        case Sort(_, keys):
            rows = monotonic(rows, [each.expression for each in keys], env)
            return rows if plan.within is None else within(rows, keys[0], plan.within, env)
        case _:
            return rows


def monotonic(rows: Relation, expressions: Iterable[Expression], env: Environment) -> Relation:
    """The rows in which no MONOTONIC of ``expressions`` is below an earlier value of it (S-407).

    A row in which one of them is NULL or NaN is late, too.

    Defines: S-407.b
    """
    declared = tuple(monotonic_calls(expressions))
    if not declared:
        return rows
    meanings = [meaning_of(each, env) for each in declared]
    punctual: list[Row] = []
    greatest: list[Value] = [None] * len(declared)
    for row in rows:
        values = [each(row) for each in meanings]
        if all(_ascends(a, b) for a, b in zip(greatest, values, strict=True)):
            greatest = values
            punctual.append(row)
    return punctual


def _ascends(before: Value, value: Value) -> bool:
    """Whether ``value`` is not late after ``before``, the earlier value; None: there is none."""
    if value is None or is_nan(value):
        return False
    return before is None or compare(before, value) <= 0


def within(rows: Relation, key: SortKey, slack: Literal, env: Environment) -> Relation:
    """The rows whose sort key lags the greatest key before them by at most ``slack`` (S-507).

    A key lags if it is less than the greatest key before it; a descending key lags if it is greater
    than the least key before it.  A row with a NULL key is left out.

    In the code, ``value`` is the sort key of a row, and ``point`` is the same key on the line on
    which the slack is measured (`reference.relational.frames.axis`): a datetime is an instant.
    ``bound`` is a point on this line, too: the greatest key so far, moved back by the slack.
    """
    kind = key.expression.type.kind
    sign = -1 if key.descending else 1
    punctual: list[Row] = []
    bound: Value = None
    value_on = meaning_of(key.expression, env)
    for row in rows:
        value = value_on(row)
        if value is None:
            continue
        point = instant_of(kind, integer(value)) if slack.type.kind is Kind.MILLIS else value
        if bound is None or sign * compare(point, bound) >= 0:
            punctual.append(row)
            implied = moved(value, kind, slack, -sign)
            further = bound is None or sign * compare(implied, bound) > 0
            bound = implied if further else bound
    return punctual
