"""Emission: the order in which a streaming query's rows come, and which are late inside it."""

from collections.abc import Sequence

from algebra.expression import Expression, InputRef, Literal, SortKey, Value
from algebra.mentions import monotonic_calls
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.plan import Aggregate, Plan, SetOp, row_type
from algebra.types import Kind
from reference.fast.sort_keys import in_order, is_sorted
from reference.relation import Environment, Relation, Row
from reference.relational.frames import moved
from reference.scalar.datetimes import instant_of
from reference.scalar.expression import meaning_of
from reference.values import compare, integer, is_nan


def in_emission_order(rows: Relation, plan: Plan) -> Relation:
    """The rows of ``plan`` by its rowtime, ties as they are (S-303, S-307).

    Groups without one come by their monotonic keys (S-502, S-503).  All others are as they are if
    no rowtime column rises or falls: they then come in order of arrival.
    """
    place = rowtime_column(plan)
    if place is None and not isinstance(plan, Aggregate | SetOp):
        return rows
    orders = column_monotonicity(plan, OrderOf.ROWS)
    places = range(len(orders)) if place is None else [place]
    for each in reversed([i for i in places if orders[i].progresses]):
        rows = _by(rows, each, plan, orders[each].descending)
    return rows


def _by(rows: Relation, place: int, plan: Plan, descending: bool) -> Relation:
    """The rows in the order of one column, ties as they are."""
    if is_sorted([row[place] for row in rows], descending):
        return rows
    column = InputRef(place, row_type(plan)[place].type)
    order = (SortKey(column, descending, nulls_first=False),)
    return [row for _, row in in_order((((row[place],), row) for row in rows), order)]


def on_time(
    rows: Relation, expressions: Expression | Sequence[Expression], env: Environment
) -> Relation:
    """The rows that keep every MONOTONIC in ``expressions`` from falling; the others are late.

    A NULL or NaN there is late, too (S-407).
    """
    declared = tuple(monotonic_calls(expressions))
    if not declared:
        return rows
    meanings = [meaning_of(each, env) for each in declared]
    kept: list[Row] = []
    greatest: list[Value] = [None] * len(declared)
    for row in rows:
        values = [each(row) for each in meanings]
        if all(_rises(a, b) for a, b in zip(greatest, values, strict=True)):
            greatest = values
            kept.append(row)
    return kept


def _rises(before: Value, value: Value) -> bool:
    """Whether ``value`` may follow ``before``; None: nothing was before."""
    if value is None or is_nan(value):
        return False
    return before is None or compare(before, value) <= 0


def within(rows: Relation, key: SortKey, slack: Literal, env: Environment) -> Relation:
    """The rows that a t-sort finds no further than ``slack`` behind the greatest key seen (S-507).

    Behind is before it, or under a descending key above the least one; a NULL key is late.
    """
    kind = key.expression.type.kind
    sign = -1 if key.descending else 1
    kept: list[Row] = []
    bound: Value = None
    place_of = meaning_of(key.expression, env)
    for row in rows:
        value = place_of(row)
        if value is None:
            continue
        place = instant_of(kind, integer(value)) if slack.type.kind is Kind.MILLIS else value
        if bound is None or sign * compare(place, bound) >= 0:
            kept.append(row)
            implied = moved(value, kind, slack, -sign)
            further = bound is None or sign * compare(implied, bound) > 0
            bound = implied if further else bound
    return kept
