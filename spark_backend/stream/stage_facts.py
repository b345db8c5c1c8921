"""The facts of a stage (a query with one stateful operator), by which its engine decides.

They are deduced from its plan before the first micro-batch, and never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from algebra.catalog import QualifiedName, Stream
from algebra.metadata.needed_columns import columns_read
from algebra.monotonicity.columns import rowtime_column
from algebra.parts.mentions import scans, streams_read
from algebra.plan import Delta, Plan, Reads, row_type
from algebra.types import Type
from spark_backend.data.ingress import ingress_of
from spark_backend.order.implicit_rowtime import (
    as_declared,
    reading_rowtimes,
    with_implicit_rowtime,
    with_rowtime_column,
)
from spark_backend.order.output_order import OutputOrder, output_order
from spark_backend.order.row_order import is_done_at_bound, is_out_of_order
from spark_backend.order.times import bound_column
from spark_backend.runtime.failure_location import can_fail_at_a_row
from spark_backend.stream.emission.emit_batch import has_emit_batches, with_batch_column
from spark_backend.stream.retention.per_row_retention import RowState, row_state
from spark_backend.stream.retention.retention import has_monotonic


@dataclass(frozen=True, slots=True)
class InputStream:
    """A stream that a stage reads, and the rows that the stage retains of it.

    ``declared`` is the stream without hidden columns.  ``types`` has the types of the retained
    columns: after the declared ones the implicit rowtime, if ``has_implicit_rowtime``, and the emit
    batch, if the stage's rows have one. ``read`` has the places of the columns whose values are
    retained. ``time`` is the place of the rowtime among them; None if the stream has none.
    """

    declared: Stream
    types: tuple[Type, ...]
    read: frozenset[int]
    has_implicit_rowtime: bool
    time: int | None


@dataclass(frozen=True, slots=True)
class StageFacts:
    """The facts of a stage by which its engine decides.

    ``plan`` computes the rows to emit, and ``order`` has the column by which they are emitted; None
    if all rows wait for the end. ``time`` is the place of the query's rowtime column, and
    ``reported`` that of the column whose bound is reported; None if there is none. ``timed`` is the
    plan with its implicit rowtime as last column; None if it has a rowtime column, or no rowtime.

    ``emits_at_bound``: rows at the bound can be emitted.  ``bound_is_done``: all rows at the bound
    have been emitted, and no later row depends on them.  ``out_of_order``: rows are emitted as soon
    as they are determined, even after the bound.  ``can_fail``: an expression can fail on a row.
    ``can_fail_at_edges``: an expression can fail on a row, at least near an end of the calendar.
    ``row_state`` decides which rows are needed if no rowtime does; None if all rows are needed.
    """

    plan: Plan
    order: OutputOrder | None
    streams: Mapping[QualifiedName, InputStream]
    time: int | None
    reported: int | None
    timed: Plan | None
    has_monotonic: bool
    emits_at_bound: bool
    bound_is_done: bool
    out_of_order: bool
    can_fail: bool
    can_fail_at_edges: bool
    row_state: RowState | None

    @property
    def ascending(self) -> int | None:
        """The place of the column by which rows are emitted, if it alone decides which are needed.

        None if it descends, or if a MONOTONIC compares rows with earlier ones.
        """
        if self.order is None or self.order.descending or self.has_monotonic:
            return None
        return self.order.place

    @property
    def in_time(self) -> int | None:
        """The place of the rowtime, if rows are emitted in its order, none below the last bound.

        None if rows are emitted in another order or after the bound, or if the rowtime may be NULL.
        """
        order = self.order
        if order is None or not order.by_time or order.descending:
            return None
        if order.place != self.time or self.out_of_order:
            return None
        return None if row_type(self.plan)[order.place].type.nullable else order.place


def stage_facts(query: Delta, target: Stream | None) -> StageFacts:
    """The facts of the stage ``query``.

    ``target`` is the stream into which a statement writes the rows; then the reported bound is that
    of its rowtime column, if any (S-605.j).
    """
    order, time = output_order(query), rowtime_column(query.input)
    timed = None if order is None or time is not None else _timed(query, order)
    if order is not None and timed is not None and timed is not order.plan:
        order = replace(order, plan=reading_rowtimes(order.plan))
    plan = query.input if order is None else order.plan
    emits_at_bound = order is not None and has_emit_batches(plan)
    by_time = order is not None and order.by_time
    declared = {name: as_declared(each) for name, each in streams_read(query).items()}
    state = None if order is None else row_state(plan, order.place, descending=order.descending)
    return StageFacts(
        plan=plan,
        order=order,
        streams=_streams(declared, plan, timed, emits_at_bound=emits_at_bound),
        time=time,
        reported=time if target is None else bound_column(target),
        timed=timed,
        has_monotonic=has_monotonic(plan),
        emits_at_bound=emits_at_bound,
        bound_is_done=emits_at_bound and is_done_at_bound(plan),
        out_of_order=emits_at_bound and by_time and is_out_of_order(plan),
        can_fail=can_fail_at_a_row(plan, at_edges=False),
        can_fail_at_edges=can_fail_at_a_row(plan, at_edges=True),
        row_state=state,
    )


def _timed(query: Delta, order: OutputOrder) -> Plan | None:
    """The plan of a query without a rowtime column, with its implicit rowtime as last column."""
    return order.plan if order.by_time else with_implicit_rowtime(query.input)


def _streams(
    declared: Mapping[QualifiedName, Stream],
    plan: Plan,
    timed: Plan | None,
    *,
    emits_at_bound: bool,
) -> Mapping[QualifiedName, InputStream]:
    """The streams of a stage: ``plan`` computes its rows, and ``timed`` their implicit rowtime."""
    scanned = [each.source for each in scans(plan)]
    read = {name: set(ingress_of(each).bounds) for name, each in declared.items()}
    for scan, places in columns_read(timed or plan):
        if scan.reads is Reads.STREAM:
            read[scan.source.name] |= places
    found: dict[QualifiedName, InputStream] = {}
    for name, stream in declared.items():
        width = len(stream.columns)
        # The scans read the implicit rowtime as a column after the declared ones.
        has_implicit_rowtime = any(
            each.name == name and len(each.columns) > width for each in scanned
        )
        retained = with_rowtime_column(stream) if has_implicit_rowtime else stream
        retained = with_batch_column(retained) if emits_at_bound else retained
        types = tuple(each.type for each in retained.columns)
        time = width if has_implicit_rowtime else ingress_of(stream).rowtime
        found[name] = InputStream(
            declared=stream,
            types=types,
            read=frozenset(read[name]),
            has_implicit_rowtime=has_implicit_rowtime,
            time=time,
        )
    return found
