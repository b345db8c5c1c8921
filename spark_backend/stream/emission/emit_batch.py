"""When rows are determined whose time is the bound itself: they need not wait for it to pass them.

Below the bound of the output no row can change.  At the bound a row may be determined, too: that of
a filter is as it comes, and nothing can come before it (S-305).  So each row has its *moment*: the
number of the micro-batch by which it was determined, wherever the bound was; NULL: it is when the
bound has passed its time, and not before.  A row at the bound comes out at its moment, or when the
bound gets there, if that is later.

=========================  =========================================================================
of                         the moment of its rows
=========================  =========================================================================
a stream                   the micro-batch in which they came
Filter, Project, Hop,      their row's
and a join with a table
Sort by one key, or of what their row's: there is nothing to wait for
is sorted already
Window                     their row's, where frames end with the row; of n rows that follow, the
                           moment of the n-th; NULL where a frame ends with peers, or later
Join of streams            of a pair, that of its later row; of a row that stays alone, when the
                           other side's bound has left it behind
Aggregate, and the groups  when a key other than the time has been passed
of a set operation
UNION ALL                  their row's, or when its own input's bound has passed its time
=========================  =========================================================================

A moment that a bound tells is told by where it stands now, and by where it stood one micro-batch
ago: this micro-batch, or an earlier one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from algebra.binding.query.frames import WHOLE
from algebra.catalog import Column, Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Case, Expression, InputRef
from algebra.monotonicity.columns import Side
from algebra.monotonicity.context import Context
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.lockstep import lock_step_of
from algebra.monotonicity.progress import Bounds
from algebra.monotonicity.tables import Monotonicity
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
    WindowGroup,
    WindowJoin,
    columns,
    is_streaming,
    row_type,
)
from algebra.rewrite import columns_of, has_subquery, shifted
from algebra.types import BIGINT
from grammar.tree import JoinKind, SetOperator
from spark_backend.stream.bounds.bound_propagation import Limits
from spark_backend.stream.bounds.implicit_rowtime import with_groups
from spark_backend.stream.bounds.later_rows import lead, rows_that_follow
from spark_backend.stream.compaction.compactor import Folding
from spark_backend.stream.emission.emit_batch_columns import (
    MOMENT,
    NEVER,
    History,
    Reached,
    latest,
    moment_of,
    reached_at,
    reached_by,
    with_moment,
    without,
)
from spark_backend.stream.emission.join_emit_batch import pairs
from spark_backend.stream.emission.row_order import (
    Leaving,
    has_nothing_to_sort,
    in_order_of_arrival,
    is_out_of_order,
    leaving,
)
from spark_backend.stream.times import BATCH, is_clocked, moving, time_place


def numbered(stream: Stream) -> Stream:
    """A stream with the micro-batch in which a row came as its last column."""
    return replace(stream, columns=(*stream.columns, Column(MOMENT, BIGINT.as_nullable(False))))


@dataclass(slots=True)
class Moments:
    """The moments of a plan's rows in the micro-batch that ``history`` is about.

    ``limits`` are the bounds now.  ``folding``: windows of which totals stand for old rows.
    """

    history: History
    limits: Limits
    folding: Folding

    def of(self, plan: Plan, context: Context) -> Plan | None:
        """The plan with the moment of each row behind its columns; None: it is NULL in all rows."""
        inputs = context.inputs(plan)
        match plan:
            case Scan(Stream() as stream, Reads.STREAM):
                # Where it is the time, too, it is below the next one in any case.
                counted = stream.columns[-1].name is BATCH
                return None if counted else Scan(numbered(stream), Reads.STREAM)
            case Scan() | Values():
                return None
            case Filter(input) | Delta(input):
                below = self.of(input, inputs[0])
                return None if below is None else replace(plan, input=below)
            case Project(input, expressions, names):
                below = self.of(input, inputs[0])
                if below is None:
                    return None
                return Project(below, (*expressions, moment_of(below)), (*names, MOMENT))
            case Sort(input, keys):
                below = None
                if len(keys) == 1 or has_nothing_to_sort(plan):
                    below = self.of(input, inputs[0])
                return None if below is None else replace(plan, input=below)
            case Hop(input):
                below = self.of(input, inputs[0])
                if below is None:
                    return None
                return without(replace(plan, input=below), [len(row_type(input))], moment_of(below))
            case Window():
                return self._window(plan, inputs[0])
            case Aggregate():
                return self._groups(plan, context)
            case Join() | WindowJoin() if is_streaming(plan.left) and is_streaming(plan.right):
                return self._pairs(plan, context)
            case Join():
                return self._with_table(plan, inputs)
            case SetOp(_, SetOperator.UNION, True):
                return self._union(plan, context)
            case SetOp():
                return self._set_operation(plan, context)
            case WindowJoin():
                return None

    # --- what bounds tell -----------------------------------------------------------------------

    def _groups(self, plan: Aggregate, context: Context) -> Plan | None:
        """A group is complete when any of its keys has been passed (S-503).

        A key that its grouping set leaves out is NULL, which no bound passes.  It waits for its
        hidden clock, too.
        """
        fields = row_type(plan)
        known = self.limits.of_keys(plan, context)
        time = time_place(plan, context.reader)
        reported: list[tuple[Expression, Reached, bool]] = [
            (InputRef(i, fields[i].type), reached_by(known, i), order.descending)
            for i, order in enumerate(_orders(plan.keys, plan))
            if order.progresses and not _passed_with(plan, i, time)
        ]
        if not reported:
            return None
        complete = self.history.passed(*reported)
        if not is_clocked(plan):
            return with_moment(plan, complete)
        clock = columns(plan)[-1]
        reached = reached_by(self._known(plan, context), clock.index)
        return with_moment(
            plan, latest(complete, self.history.passed((clock, reached, False), there=True))
        )

    def _set_operation(self, plan: SetOp, context: Context) -> Plan | None:
        """Equal rows are complete when a column other than the time has been passed (S-502)."""
        groups = with_groups(plan, context)
        if groups is None:
            return None
        time, clock = time_place(plan, context.reader), len(row_type(plan))
        orders = moving(groups, context.reader or plan)
        if not any(each.progresses for place, each in enumerate(orders[:clock]) if place != time):
            return None
        below = self.of(groups, context)
        return None if below is None else without(below, [clock], moment_of(below))

    def _union(self, plan: SetOp, context: Context) -> Plan | None:
        """A row waits for the other inputs alone, once it is determined in its own (S-502)."""
        place = time_place(plan, context.reader)
        if place is None:
            return None
        of_input = context.inputs(plan)
        sides = [self._in_union(*each, place) for each in zip(plan.inputs, of_input, strict=True)]
        if not is_out_of_order(plan, context):
            return replace(plan, inputs=tuple(sides))
        bounds = [self._known(*each) for each in zip(plan.inputs, of_input, strict=True)]
        for i, side in enumerate(sides):
            # The bound of the union is its own input's, too, which a row that strays is beyond.
            own = is_out_of_order(plan.inputs[i], of_input[i])
            requested = [each for j, each in enumerate(bounds) if j != i or not own]
            time = InputRef(place, row_type(side)[place].type)
            waits = [self._has_come(time, each, place) for each in requested]
            own_moment = moment_of(side)
            sides[i] = without(side, [own_moment.index], latest(own_moment, *waits))
        return replace(plan, inputs=tuple(sides))

    def _in_union(self, plan: Plan, of_input: Context, place: int) -> Plan:
        """The rows of an input with the moments that they have in it, or that its bound tells."""
        below = self.of(plan, of_input)
        if below is not None:
            return below
        time = InputRef(place, row_type(plan)[place].type)
        reached = reached_by(self._known(plan, of_input), place)
        return with_moment(plan, self.history.passed((time, reached, False)))

    def _has_come(self, time: InputRef, known: Bounds, place: int) -> Case:
        """When the bound of another input has come to a row's time."""
        return self.history.passed((time, reached_by(known, place), False), there=True)

    def _known(self, plan: Plan, of_input: Context) -> Bounds:
        return self.limits.of(plan, of_input, exact=True)

    # --- what rows tell -------------------------------------------------------------------------

    def _window(self, plan: Window, of_input: Context) -> Plan | None:
        """The greatest over all groups of calls, of rows whose ties come in order of arrival.

        Rows that stray may come between two that are there.
        """
        below = self.of(plan.input, of_input) if in_order_of_arrival(plan.input) else None
        if below is None:
            return None
        moment, width = moment_of(below), len(row_type(plan.input))
        time = time_place(plan.input, plan)
        leads: list[WindowGroup] = []
        moments: list[Expression] = [moment]
        for group in plan.groups:
            rows = rows_that_follow(group, time)
            reported = self._of_partition(plan, group, time) if rows is None else None
            if reported is None and (
                rows is None or (rows and is_out_of_order(plan.input, of_input))
            ):
                return None
            if rows:
                moments.append(InputRef(width + 1 + len(plan.names) + len(leads), BIGINT))
                leads.append(replace(group, frame=WHOLE, calls=(lead(moment, rows),)))
            elif reported is not None:
                moments.append(reported)
        names = (*plan.names, *(f"$LEAD{i}" for i in range(len(leads))))
        window = Window(below, (*plan.groups, *leads), names)
        places = [width, *range(width + 1 + len(plan.names), len(row_type(window)))]
        return without(self.folding.over(plan, window), places, latest(*moments))

    def _of_partition(self, plan: Window, group: WindowGroup, time: int | None) -> Case | None:
        """A row is determined when its partition is complete, by a key other than the time."""
        progress_of = self.limits.progress_of(plan)
        reported: list[tuple[Expression, Reached, bool]] = []
        for key, order in zip(group.partition, _orders(group.partition, plan), strict=True):
            if order.progresses and columns_of(key) != frozenset((time,)):
                found = progress_of(key)
                reported.append((key, reached_at(found[0]) if found else None, order.descending))
        return self.history.passed(*reported) if reported else None

    def _with_table(self, plan: Join, inputs: tuple[Context, ...]) -> Plan | None:
        """A row is joined when it passes (S-508)."""
        if is_streaming(plan.right):
            below = self.of(plan.right, inputs[1])
            return None if below is None else replace(plan, right=below)
        below = self.of(plan.left, inputs[0])
        if below is None or has_subquery(plan.condition):
            return None
        width = len(row_type(plan.left))
        joined = replace(plan, left=below, condition=shifted(plan.condition, 1, start=width))
        return without(joined, [width], moment_of(below))

    def _pairs(self, plan: Join | WindowJoin, context: Context) -> Plan | None:
        of_input = context.inputs(plan)
        left, right = self.of(plan.left, of_input[0]), self.of(plan.right, of_input[1])
        inner = plan.kind is JoinKind.INNER
        if (left is None and right is None) or (inner and (left is None or right is None)):
            return None
        # A row that stays alone is determined though none of the other side ever is at the bound.
        left = left or with_moment(plan.left, NEVER)
        right = right or with_moment(plan.right, NEVER)
        limits = self.limits.join_limits(plan, context)
        found = pairs(plan, (left, right), limits, self.history)
        if found is None or isinstance(plan, WindowJoin):
            return found
        if leaving(plan, context) is not Leaving.LOCK:
            return found
        lock = lock_step_of(plan, context)
        place = lock.left if lock.base is Side.LEFT else len(row_type(plan.left)) + lock.right
        u, own = columns(found)[place], moment_of(found)
        reached = reached_by(self._known(plan, context), place)
        in_turn = self.history.passed((u, reached, lock.descending), there=True)
        return without(found, [own.index], latest(own, in_turn))


def _passed_with(plan: Aggregate, key: int, time: int | None) -> bool:
    """Whether a key is passed when the time of its group is: the start and the end of a window."""
    if time is None or time >= len(plan.keys):
        return False
    windows = [_window_of(each, plan.input) for each in (plan.keys[key], plan.keys[time])]
    return key == time or (windows[0] is not None and windows[0] is windows[1])


def _window_of(expression: Expression, plan: Plan) -> Hop | None:
    """What has put a row into the window whose start or end a column is; None: it is none."""
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


def _orders(expressions: Sequence[Expression], plan: Aggregate | Window) -> list[Monotonicity]:
    """How the bounds of expressions over the input's rows move."""
    orders, ranges = moving(plan.input, plan), column_ranges(plan.input)
    return [monotonicity(each, orders, ranges) for each in expressions]
