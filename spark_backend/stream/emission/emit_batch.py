"""Emit batches: the micro-batch in which a row at the bound is determined and can be emitted.

Below the bound of the output no row can change, so these rows are emitted.  A row *at* the bound
may be determined, too: the row of a filter is determined at once, and no row can be emitted before
it (S-305).  So each row has an *emit batch*, the number of the first micro-batch at whose end the
row is determined.  The emit batch is NULL if the row is only determined when the bound passes it. A
row at the bound is emitted in its emit batch, or when the bound reaches the row, if that is later.

=========================  =========================================================================
rows of                    their emit batch
=========================  =========================================================================
a stream                   the micro-batch in which they arrived
Filter, Project, Hop,      that of their input row; if it is NULL and the rowtime is rounded, the
and a join with a table    micro-batch in which the bound of the input passed the input's rowtime
Sort                       that of their input row, if the sort has one key or its input is sorted;
                           t-sort: the micro-batch in which its bound reached their key
Window                     that of their input row, if frames end with the row; that of the n-th
                           later row, if n rows must follow; if frames end with peers by a key
                           other than the time, the micro-batch in which the key was passed;
                           NULL if frames end with peers by the time, or later
Session                    NULL: the bound of the ends passes the session when it is complete
ASOF join                  that of the left row, or the micro-batch in which the right bound passed
                           its time, if that is later
Join of streams            a pair: that of its later row; an unmatched row: the micro-batch in which
                           the bound of the other side passed its last possible match
Aggregate, and the groups  the micro-batch in which a key other than the time was passed
of a set operation
UNION ALL                  that of their input row, or the micro-batch in which the bound of that
                           input passed its time
=========================  =========================================================================

The position of a bound now and one micro-batch ago shows when it has determined a row: in this
micro-batch, in an earlier one, or not yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from algebra.catalog import Column, Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Case, Expression, InputRef, Literal, SortKey
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.lockstep import lock_step_of
from algebra.monotonicity.progress import Bounds
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.asof import asof_of
from algebra.parts.frames import WHOLE
from algebra.parts.node_expressions import expressions_of, with_expressions
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    GroupOffset,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    RangeOffset,
    Reads,
    Scan,
    SetOp,
    Side,
    Sort,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    columns,
    is_streaming,
    row_type,
)
from algebra.rewrite import columns_of, has_subquery, shifted
from algebra.types import BIGINT
from grammar.tree import JoinKind, SetOperator
from spark_backend.order.implicit_rowtime import with_groups
from spark_backend.order.row_order import (
    JoinOrder,
    has_nothing_to_sort,
    in_order_of_arrival,
    is_out_of_order,
    join_order,
)
from spark_backend.order.times import NEEDED, bound_directions, has_implicit_rowtime, time_place
from spark_backend.stream.bounds.bound_propagation import BoundPropagation, nothing_known
from spark_backend.stream.bounds.distances import at_distance, is_rounded
from spark_backend.stream.bounds.later_rows import lead, rows_that_follow
from spark_backend.stream.emission.emit_batch_columns import (
    EMIT_BATCH,
    NEVER,
    BoundedValue,
    BoundHistory,
    Limit,
    emit_batch_of,
    latest,
    limit_of,
    with_emit_batch,
)
from spark_backend.stream.emission.join_emit_batch import join_with_emit_batch
from spark_backend.stream.frame_kinds import is_by_time, looks_ahead


def with_batch_column(stream: Stream) -> Stream:
    """The stream with one more column at the end: the micro-batch in which a row arrived."""
    return replace(stream, columns=(*stream.columns, Column(EMIT_BATCH, BIGINT.as_nullable(False))))


def has_emit_batches(plan: Plan) -> bool:
    """Whether some rows of a plan have emit batches; this does not depend on any bound."""
    without_bounds = EmitBatches(BoundHistory(0), nothing_known(), lambda _window, wider: wider)
    return without_bounds.of(plan) is not None


@dataclass(slots=True)
class EmitBatches:
    """The emit batches of a plan's rows in the micro-batch of ``history``.

    ``propagation`` has the bounds of plans in this micro-batch.  ``over_retained`` takes a window,
    and the same window with more columns and groups; it returns the second one, rewritten to read
    the retained rows, some of which compaction has replaced.  In the methods, ``below`` is an input
    with its emit batches; None: it has none.
    """

    history: BoundHistory
    propagation: BoundPropagation
    over_retained: Callable[[Window, Window], Plan]

    def of(self, plan: Plan) -> Plan | None:
        """The plan with the emit batch of each row as last column; None if all are NULL."""
        match plan:
            case Scan(Stream() as stream, Reads.STREAM):
                return Scan(with_batch_column(stream), Reads.STREAM)
            case Scan() | Values():
                return None
            case Filter(Aggregate() as groups) if NEEDED in groups.names:  # of a set operation
                below = self._groups(groups, shown=plan)
                return None if below is None else replace(plan, input=below)
            case Project(input, expressions, names):
                below, place = self.of(input), _place_of_merged_times(plan)
                if below is None and place is not None:
                    below = self._with_batches_by_time(input, place)
                if below is None:
                    return None
                return Project(below, (*expressions, emit_batch_of(below)), (*names, EMIT_BATCH))
            case Sort(input, keys):
                below = None
                if len(keys) == 1 or has_nothing_to_sort(plan):
                    below = self.of(input)
                if below is None or plan.within is None:
                    return None if below is None else replace(plan, input=below)
                return self._t_sort(plan, replace(plan, input=below))
            case Passing(input):
                below = self.of(input)
                return None if below is None else replace(plan, input=below)
            case Hop(input):
                below = self.of(input)
                if below is None:
                    return None
                # The emit batch of the input row is before the window's start and end: it moves.
                return with_emit_batch(
                    replace(plan, input=below), emit_batch_of(below), without=[len(row_type(input))]
                )
            case Window():
                return self._window(plan)
            case Aggregate():
                return self._groups(plan, shown=plan)
            case Join() | WindowJoin() if is_streaming(plan.left) and is_streaming(plan.right):
                return self._pairs(plan)
            case Join():
                return self._with_table(plan)
            case AsofJoin():
                return self._asof(plan)
            case SetOp(_, SetOperator.UNION, True):
                return self._union(plan)
            case SetOp():
                return self._set_operation(plan)
            case _:  # all rows wait until the bound has passed them
                return None

    # --- rows that a bound determines -----------------------------------------------------------

    def _groups(self, plan: Aggregate, shown: Plan) -> Plan | None:
        """The groups: a group is complete when a bound has passed one of its keys (S-503).

        A key that is not in the grouping set is NULL, which no bound passes.  A complete group also
        waits for the bound of its implicit rowtime.  ``shown`` is ``plan``, or the Filter on it
        that drops some groups; its bounds are those of the rows that can be emitted.
        """
        fields = row_type(plan)
        known = self.propagation.of_keys(plan)
        time = time_place(plan)
        bounds: list[BoundedValue] = [
            (InputRef(i, fields[i].type), limit_of(known, i), order.descending)
            for i, order in enumerate(_orders(plan.keys, plan))
            if order.progresses and not _passes_with_time(plan, i, time)
        ]
        if not bounds:
            return None
        complete = self.history.emit_batch(*bounds)
        if not has_implicit_rowtime(plan):
            return with_emit_batch(plan, complete)
        rowtime = columns(plan)[-1]
        limit = limit_of(self._known(shown), rowtime.index)
        in_order = self.history.emit_batch((rowtime, limit, False), reaching=True)
        return with_emit_batch(plan, latest(complete, in_order))

    def _t_sort(self, plan: Sort, sorted_rows: Sort) -> Plan | None:
        """A t-sort: a row is determined when the t-sort's bound has reached its key (S-507.g)."""
        key = plan.keys[0].expression
        if not isinstance(key, InputRef):
            return None
        limit = limit_of(self._known(plan), key.index)
        own = emit_batch_of(sorted_rows)
        in_order = self.history.emit_batch((key, limit, False), reaching=True)
        return with_emit_batch(sorted_rows, latest(own, in_order), without=[own.index])

    def _set_operation(self, plan: SetOp) -> Plan | None:
        """A set operation: groups are complete when a column except the time is passed (S-502)."""
        groups = with_groups(plan)
        if groups is None:
            return None
        time, last = time_place(plan), len(row_type(plan))
        orders = bound_directions(groups)
        if not any(each.progresses for place, each in enumerate(orders[:last]) if place != time):
            return None
        below = self.of(groups)
        if below is None:
            return None
        return with_emit_batch(below, emit_batch_of(below), without=[last])

    def _union(self, plan: SetOp) -> Plan | None:
        """UNION ALL: a row determined in its own input waits for the other inputs (S-502)."""
        place = time_place(plan)
        if place is None:
            return None
        sides = [self._input_of_union(each, place) for each in plan.inputs]
        if not is_out_of_order(plan):
            return replace(plan, inputs=tuple(sides))
        bounds = self.propagation.of_inputs(plan)
        for i, side in enumerate(sides):
            # A row waits for the bounds of all inputs, except for that of its own input if this
            # input emits rows out of order, even after its bound.
            is_free = is_out_of_order(plan.inputs[i])
            awaited = [each for j, each in enumerate(bounds) if j != i or not is_free]
            time = InputRef(place, row_type(side)[place].type)
            waits = [self._reached_by(time, each, place) for each in awaited]
            own_batch = emit_batch_of(side)
            sides[i] = with_emit_batch(side, latest(own_batch, *waits), without=[own_batch.index])
        return replace(plan, inputs=tuple(sides))

    def _input_of_union(self, plan: Plan, place: int) -> Plan:
        """An input of UNION ALL, with the emit batches that its rows have in this input alone."""
        below = self.of(plan)
        return self._with_batches_by_time(plan, place) if below is None else below

    def _with_batches_by_time(self, plan: Plan, place: int) -> Plan:
        """A plan without emit batches, with the micro-batch in which its bound passed a row's time.

        ``place`` is the place of the time.
        """
        time = InputRef(place, row_type(plan)[place].type)
        limit = limit_of(self._known(plan), place)
        return with_emit_batch(plan, self.history.emit_batch((time, limit, False)))

    def _reached_by(self, time: InputRef, known: Bounds, place: int) -> Case:
        """The micro-batch in which a bound of an input has reached ``time``, a row's time.

        ``known`` are the bounds of the input, in which the time's bound is at ``place``.
        """
        return self.history.emit_batch((time, limit_of(known, place), False), reaching=True)

    def _known(self, plan: Plan) -> Bounds:
        """The exact bounds of a plan in this micro-batch."""
        return self.propagation.of(plan, exact=True)

    # --- rows that other rows determine ---------------------------------------------------------

    def _window(self, plan: Window) -> Plan | None:
        """OVER: the latest emit batch over all groups of calls; None in three cases.

        1. A row of a group waits for a bound to pass its rowtime.
        2. A group needs the arrival order of ties, and the input has none, such as after HOP.  Rows
           that wait only for their partition do not need one.
        3. A row waits for following rows, and rows out of order may still arrive before these.
        """
        below = self.of(plan.input)
        if below is None:
            return None
        arrived = in_order_of_arrival(plan.input)
        emit_batch, width = emit_batch_of(below), len(row_type(plan.input))
        time = time_place(plan.input)
        leads: list[WindowGroup] = []
        emit_batches: list[Expression] = [emit_batch]
        for group in plan.groups:
            # The number of rows that must follow a row until it is determined.  None: a bound
            # determines the row, either that of a key of its partition, or that of its rowtime.
            rows = rows_that_follow(group, _arrive_in_turn(group, plan, time))
            partition_batch = self._batch_of_partition(plan, group, time) if rows is None else None
            if partition_batch is None and (
                rows is None or not arrived or (rows and is_out_of_order(plan.input))
            ):
                return None
            if rows:
                emit_batches.append(InputRef(width + 1 + len(plan.names) + len(leads), BIGINT))
                leads.append(replace(group, frame=WHOLE, calls=(lead(emit_batch, rows),)))
            elif partition_batch is not None:
                emit_batches.append(partition_batch)
        # A row of ``window`` is: the columns of the input, the emit batch, the values of the calls,
        # and for each of ``leads`` the emit batch of a later row.
        names = (*plan.names, *(f"$LEAD{i}" for i in range(len(leads))))
        window = Window(below, (*plan.groups, *leads), names)
        places = [width, *range(width + 1 + len(plan.names), len(row_type(window)))]
        return with_emit_batch(
            self.over_retained(plan, window), latest(*emit_batches), without=places
        )

    def _batch_of_partition(
        self, plan: Window, group: WindowGroup, time: int | None
    ) -> Case | None:
        """The micro-batch in which a bound has passed a key of a row's partition, or all its peers.

        None if no bound passes one of these keys, except for the bound of the rowtime at ``time``,
        which emits the row in any case.
        """
        progress_of = self.propagation.progress_of(plan)
        bounds: list[BoundedValue] = []
        peers = _peers_by(group)
        orders = _orders(peers, plan)
        ascending = [key for key, order in zip(peers, orders, strict=True) if order.ascending]
        keys = [*group.partition, *ascending]
        for key, order in zip(keys, _orders(keys, plan), strict=True):
            if order.progresses and columns_of(key) != frozenset((time,)):
                found = progress_of(key)  # the bound and its direction, or None
                bounds.append((key, found and found[0], order.descending))
        for key, end, descending in _ends_that_may_round(group):
            (order,) = _orders([key], plan)
            if order.progresses and order.descending == descending:
                found = progress_of(key)
                bounds.append((end, found and found[0], descending))
        return self.history.emit_batch(*bounds) if bounds else None

    def _with_table(self, plan: Join) -> Plan | None:
        """A join with a table: a row of the stream is determined when it arrives (S-508)."""
        if is_streaming(plan.right):
            below = self.of(plan.right)
            return None if below is None else replace(plan, right=below)
        below = self.of(plan.left)
        if below is None or has_subquery(plan.condition):
            return None
        # The emit batch of the left row would be among the columns: it moves to the end.
        width = len(row_type(plan.left))
        joined = replace(plan, left=below, condition=shifted(plan.condition, 1, start=width))
        return with_emit_batch(joined, emit_batch_of(below), without=[width])

    def _asof(self, plan: AsofJoin) -> Plan | None:
        """An ASOF join: a left row is determined when the right bound has passed its time (S-904).

        In a join with a table, it is determined when it arrives.
        """
        below = self.of(plan.left)
        if below is None or any(map(has_subquery, expressions_of(plan))):
            return None
        width = len(row_type(plan.left))
        joined = with_expressions(
            replace(plan, left=below), lambda each: shifted(each, 1, start=width)
        )
        own = emit_batch_of(below)
        if not is_streaming(plan.right):
            return with_emit_batch(joined, own, without=[width])
        asof, known = asof_of(plan), self.propagation.asof_bounds(plan)
        limit: Limit = "end" if known.right_ended else known.right_time
        waits = self.history.emit_batch((asof.left_time, limit, False), reaching=asof.strict)
        return with_emit_batch(joined, latest(own, waits), without=[width])

    def _pairs(self, plan: Join | WindowJoin) -> Plan | None:
        """A join of streams: pairs and unmatched rows (`join_with_emit_batch`)."""
        left, right = self.of(plan.left), self.of(plan.right)
        inner = plan.kind is JoinKind.INNER
        if (left is None and right is None) or (inner and (left is None or right is None)):
            return None
        # An unmatched row is determined even if no row of the other side has an emit batch.
        left = left or with_emit_batch(plan.left, NEVER)
        right = right or with_emit_batch(plan.right, NEVER)
        propagation = self.propagation.join_bounds(plan)
        joined = join_with_emit_batch(plan, (left, right), propagation, self.history)
        if joined is None or isinstance(plan, WindowJoin):
            return joined
        if join_order(plan) is not JoinOrder.LOCK:
            return joined
        # A determined row also waits until no row before it in lock step can follow.
        lock = lock_step_of(plan)
        place = lock.left if lock.base is Side.LEFT else len(row_type(plan.left)) + lock.right
        value, own = columns(joined)[place], emit_batch_of(joined)
        limit = limit_of(self._known(plan), place)
        in_order = self.history.emit_batch((value, limit, lock.descending), reaching=True)
        return with_emit_batch(joined, latest(own, in_order), without=[own.index])


def _place_of_merged_times(plan: Project) -> int | None:
    """The place of the input's rowtime, if a projection gives several times the same rowtime.

    Then a row may be determined although the bound is only at its rowtime, and has not passed it.
    None: the projection keeps different times apart.
    """
    place, below = time_place(plan), time_place(plan.input)
    if place is None or below is None:
        return None
    rowtime = plan.expressions[place]
    if isinstance(rowtime, InputRef) or columns_of(rowtime) != frozenset({below}):
        return None
    # If no two input rows had the same rowtime, could two output rows have the same one?
    distinct = list(bound_directions(plan.input))
    distinct[below] = Monotonicity.STRICTLY_INCREASING
    order = monotonicity(rowtime, distinct, column_ranges(plan.input))
    return below if order.ascending and not order.strict else None


def _passes_with_time(plan: Aggregate, key: int, time: int | None) -> bool:
    """Whether the bound that passes a key also passes the group's time, and the reverse.

    ``key`` and ``time`` are places of keys.  They are passed together if they are one column, or
    the two ends of one window that is not cumulative.  False if ``time`` is None or not a key.
    """
    if time is None or time >= len(plan.keys):
        return False
    windows = [_window_of(each, plan.input) for each in (plan.keys[key], plan.keys[time])]
    window = windows[0]
    return key == time or (window is not None and window is windows[1] and not window.cumulative)


def _window_of(expression: Expression, plan: Plan) -> Hop | None:
    """The Hop whose window start or end a column is; None if the column is neither."""
    if not isinstance(expression, InputRef):
        return None
    match plan:
        case Hop(input):
            return plan if expression.index >= len(row_type(input)) else None
        case Filter(input):
            return _window_of(expression, input)
        case Project(input, expressions):
            return _window_of(expressions[expression.index], input)
        case _:
            return None


def _arrive_in_turn(group: WindowGroup, plan: Window, time: int | None) -> bool:
    """Whether the rows of a window's input arrive in the order of the window.

    ``time`` is the place of the input's rowtime.
    """
    match group.order:
        case ():
            return True
        case (SortKey(InputRef(place, type), descending),):
            rows = column_monotonicity(plan.input, OrderOf.ROWS)[place]
            follows = rows.descending if descending else rows.ascending
            return is_by_time(group, time) or (follows and not type.nullable)
        case _:
            return False


def _peers_by(group: WindowGroup) -> list[Expression]:
    """The sort key by which frames end with the row's peers, alone; empty for other frames.

    Also empty if the key descends, or if a row waits for more than its peers.
    """
    match group.frame.end:
        case RangeOffset(Literal(0)) | GroupOffset(0) if group.order:
            first = group.order[0]
            return [] if first.descending or looks_ahead(group) else [first.expression]
        case _:
            return []


def _ends_that_may_round(group: WindowGroup) -> list[tuple[Expression, Expression, bool]]:
    """For frames that end a distance before their row, if the end is computed in DOUBLE.

    The end may then be rounded to the row's own key.  The only item has the sort key, the end of
    the frame, and whether the key descends.  Empty for all other frames.
    """
    match group.frame.end:
        case RangeOffset(distance, True) if group.order and distance.value != 0:
            first, descending = group.order[0].expression, group.order[0].descending
            if not is_rounded(first, distance):
                return []
            return [(first, at_distance(first, distance, back=not descending), descending)]
        case _:
            return []


def _orders(expressions: Sequence[Expression], plan: Aggregate | Window) -> list[Monotonicity]:
    """The orders of the bounds of expressions over the input's rows."""
    orders, ranges = bound_directions(plan.input), column_ranges(plan.input)
    return [monotonicity(each, orders, ranges) for each in expressions]
