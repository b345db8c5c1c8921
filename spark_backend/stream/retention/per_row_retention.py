"""Per-row retention: a query decides which rows are still needed, if no rowtime determines it."""

from collections.abc import Sequence
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.plan import Plan
from algebra.types import Type
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.asof_state import AsofState, asof_state
from spark_backend.stream.retention.join_state import JoinState, join_state
from spark_backend.stream.retention.retained_rows import (
    RetainedRows,
    monotonic_rows,
    retained_monotonic,
    retained_rows,
)
from spark_backend.stream.retention.retention import has_monotonic
from spark_backend.stream.retention.row_places import union
from spark_backend.stream.retention.session_state import SessionState, session_state

#: An object that decides for each row whether it is still needed.
RowState: TypeAlias = RetainedRows | JoinState | AsofState | SessionState


def row_state(plan: Plan, time: int, *, descending: bool) -> RowState | None:
    """The object that finds the rows that a plan needs; None if all rows are retained.

    ``time`` is the place of the plan's output order key; ``descending``: the key descends.
    """
    calls_monotonic = has_monotonic(plan)
    rows = retained_rows(plan, time)
    if rows is None:
        # These states compare ascending times, and do not retain the rows that MONOTONIC needs.
        if descending or calls_monotonic:
            return None
        return join_state(plan, time) or asof_state(plan, time) or session_state(plan, time)
    # With a descending key, the only known condition is that a row is not emitted yet.
    if descending and (rows.back or calls_monotonic):
        return None
    if calls_monotonic and monotonic_rows(plan) is None:
        return None
    return rows


def needed_rows(
    state: RowState,
    plan: Plan,
    stream: QualifiedName,
    bound: int,
    propagation: BoundPropagation,
    *,
    descending: bool,
) -> Plan:
    """A plan of the places of a stream's rows that are still needed.

    ``bound`` is the bound up to which rows have been emitted.  Places count the retained rows from
    0; a place may occur twice. ``state`` is the `row_state` of ``plan`` and ``descending``.
    """
    match state:
        case JoinState() | AsofState() | SessionState():
            return union(*state.retained(stream, bound, propagation))
        case RetainedRows():
            own = state.retained(
                stream, bound, propagation.progress_of(state.window), descending=descending
            )
            monotonic = monotonic_rows(plan, stream)
            return own if monotonic is None else retained_monotonic(monotonic, own)


def whole_rows(
    state: RowState, types: Sequence[Type], bound: int, propagation: BoundPropagation
) -> Plan | None:
    """A plan of the rows of a stream whose places `needed_rows` finds, each once.

    ``types`` are the types of their columns, and ``bound`` is as for `needed_rows`.  None if only
    their places are known: to find the rows costs a join with all retained rows.
    """
    match state:
        case SessionState():
            return state.whole_rows(types, bound, propagation)
        case JoinState() | AsofState() | RetainedRows():
            return None
