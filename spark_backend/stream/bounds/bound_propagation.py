"""Bound propagation: the bounds of all later rows of each node of a plan (S-306, S-405, S-406).

The bounds of a node's columns are a function of the bounds of its inputs.  If buffered rows also
determine them (pending frames, joins), a relational query over the retained rows finds the first
value of a column among these rows.  The rows are defined by
`spark_backend.stream.retention.pending_frames` and `spark_backend.stream.bounds.join_bounds`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from algebra.build import TRUE, and_, is_not_true, or_
from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import AggregateCall, Call, Expression, InputRef, Op
from algebra.monotonicity.failing_for_good import MeaningOf
from algebra.monotonicity.hop_windows import first_window, no_row_follows
from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress, progress
from algebra.parts.asof import asof_of
from algebra.parts.grouping_sets import common_keys
from algebra.parts.mentions import monotonic_calls
from algebra.parts.node_expressions import expressions_of, ordered_by
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    Reads,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    column_names,
    columns,
    gap_of,
    is_streaming,
    nodes,
    row_type,
)
from algebra.rewrite import has_subquery
from algebra.types import MAX_TIMESTAMP
from spark_backend.order.implicit_rowtime import with_groups
from spark_backend.order.row_order import has_nothing_to_sort
from spark_backend.order.times import (
    BASE,
    KNOWN,
    NEEDED,
    bound_directions,
    has_implicit_rowtime,
    is_counted,
    time_place,
)
from spark_backend.stream.bounds.asof_bounds import AsofBounds
from spark_backend.stream.bounds.constant_bounds import with_constant_bounds
from spark_backend.stream.bounds.first_values import (
    first_among,
    is_reached,
    lower_to_first,
    lowered,
    or_latest,
)
from spark_backend.stream.bounds.join_bounds import JoinBounds
from spark_backend.stream.bounds.required_inputs import required_inputs
from spark_backend.stream.bounds.session_bounds import session_bounds
from spark_backend.stream.bounds.t_sort_bounds import t_sort_bounds
from spark_backend.stream.bounds.union_bounds import union_bounds
from spark_backend.stream.retention.pending_frames import (
    ProgressOf,
    any_has_passed,
    has_passed,
    has_reached,
    key_has_passed,
    not_reached,
    pending_rows,
)
from spark_backend.stream.session_groups import are_of_sessions, are_sessions
from spark_backend.types import Row


@dataclass(frozen=True, slots=True)
class BoundPropagation:
    """The bounds of plans in one micro-batch.

    ``stream_bounds`` returns the bounds of the later rows of a stream, which its ingress knows.
    ``evaluated`` returns the rows of a plan over the retained rows.  ``meaning_of`` returns the
    value of an expression, for `algebra.monotonicity.progress`.  ``_found`` has the bounds that are
    known already.
    """

    stream_bounds: Callable[[Stream], Bounds]
    evaluated: Callable[[Plan], Sequence[Row]]
    meaning_of: MeaningOf
    _found: dict[tuple[Plan, bool], Bounds] = field(
        default_factory=dict[tuple[Plan, bool], Bounds], compare=False
    )

    def of(self, plan: Plan, *, exact: bool) -> Bounds:
        """The bounds of all later rows of ``plan``.

        Without ``exact`` fewer queries over retained rows are needed; then a bound may be below the
        bound of S-306, but no row of ``plan`` is between the two.
        """
        key = (plan, exact)
        if key not in self._found:
            known = self._of(plan, exact)
            self._found[key] = with_constant_bounds(plan, known, self.meaning_of)
        return self._found[key]

    def _of(self, plan: Plan, exact: bool) -> Bounds:
        """`of`, computed for ``plan`` and without the bounds of constant columns."""
        match plan:
            case Scan(Stream() as stream, Reads.STREAM):
                return self.stream_bounds(stream)
            case Scan() | Values():
                return Bounds((None,) * len(row_type(plan)), ended=True)
            case Filter(Aggregate() as groups, condition) if NEEDED in groups.names:
                return self.of_groups(groups, condition, exact=exact)
            case Sort(input, keys):
                known = self._input_bounds(input, [each.expression for each in keys])
                return replace(self._sort(plan, known, exact), declared={})
            case Passing():
                return self.of(plan.input, exact=exact)
            case Project(input, expressions):
                exact = exact or self._need_exact_ends(expressions, input)
                below = self._input_bounds(input, expressions, exact=exact)
                limits = [self._bound_of(each, input, below) for each in expressions]
                if (
                    _ends_with_time_of_full_join(plan)
                    and isinstance(input, Join)
                    and not below.ended
                ):
                    join = self.join_bounds(input)
                    limits[-1] = (
                        join.base_time_bound() if plan.names[-1] is BASE else join.time_bound()
                    )
                return Bounds(tuple(limits), below.ended)
            case Hop(input, time):
                return self._hop(plan, self._input_bounds(input, [time]))
            case Session():
                return self._session(plan, exact)
            case Aggregate():
                return self.of_groups(plan, TRUE, exact=exact)
            case Window(input):
                return self._window(plan, self._input_bounds(input, ordered_by(plan)), exact)
            case Join() | WindowJoin():
                return self._join(plan, exact)
            case AsofJoin():
                open_columns = self._open_columns(plan.left, time_place(plan.left), exact)
                return self.asof_bounds(plan).bounds(open_columns)
            case SetOp():
                return self._set_operation(plan, exact)

    # --- expressions ----------------------------------------------------------------------------

    def _with_declared(
        self, below: Bounds, input: Plan, expressions: Sequence[Expression]
    ) -> Bounds:
        """The input's bounds, ``below``, with the bound that each MONOTONIC declares (S-407)."""
        calls = tuple(dict.fromkeys(monotonic_calls(expressions)))
        if not calls or below.ended or not is_streaming(input):
            return below
        # A row that is late for one call does not advance the bound of another call.  So all calls
        # are in one Project.
        read = (*expressions, *calls)
        monotonic = Project(input, read, ("",) * len(read))
        places = range(len(expressions), len(expressions) + len(calls))
        reached = self._first_values(monotonic, [(each, True) for each in places])
        declared: dict[Expression, Bound] = {
            call: Bound(value)
            for call, value in zip(calls, reached, strict=True)
            if value is not None
        }
        return replace(below, declared=declared)

    def _input_bounds(
        self, input: Plan, expressions: Sequence[Expression], *, exact: bool = True
    ) -> Bounds:
        """The bounds of the input rows over which a node evaluates ``expressions``.

        They include the bounds that MONOTONIC adds (`_with_declared`).  They are the end if one of
        the expressions fails at the bounds (S-405), because a later row would be an error.
        """
        known = self._with_declared(self.of(input, exact=exact), input, expressions)
        advances = (self._progress(each, input) for each in expressions)
        if known.ended or not any(each.has_ended(known) for each in advances if each is not None):
            return known
        return replace(known, ended=True)

    def _progress(self, expression: Expression, input: Plan) -> ExpressionProgress | None:
        """How an expression over rows of ``input`` advances; None if no bound can pass it."""
        return progress(expression, bound_directions(input), column_ranges(input), self.meaning_of)

    def _bound_of(self, expression: Expression, input: Plan, below: Bounds) -> Bound | None:
        """The bound of an expression over input rows; for a column, the column's own bound."""
        if isinstance(expression, InputRef):
            return below.columns[expression.index]
        known = self._progress(expression, input)
        return None if known is None else known.bound(below)

    # --- groups ---------------------------------------------------------------------------------

    def _hop(self, plan: Hop, below: Bounds) -> Bounds:
        """The input's bounds, and the start and end of the first window of a later row."""
        found = self._progress(plan.time, plan.input)
        limit = None if found is None else found.bound(below)
        ends: tuple[int | None, int | None] = (None, None)
        ended = below.ended
        if found is not None and limit is not None and isinstance(limit.value, int):
            ends = first_window(plan, limit.value, found.descending)
            ended = ended or no_row_follows(plan, limit.value, found.descending)
        bounds = (None if each is None else Bound(each) for each in ends)
        return Bounds((*below.columns, *bounds), ended)

    def _session(self, plan: Session, exact: bool) -> Bounds:
        """The bounds of SESSION, by the bound of the sessions' time (`session_bounds`)."""
        reached = self.of_session_time(plan)
        return session_bounds(plan, *reached, self._first_values, exact=exact)

    def of_session_time(self, plan: Session) -> tuple[int | None, bool]:
        """The bound of sessions' rowtimes, if known; and whether no later row can be in one."""
        read = [*plan.keys, plan.time]
        below = self._input_bounds(plan.input, read)
        found = self._progress(plan.time, plan.input)
        limit = None if found is None else found.bound(below)
        if limit is None or not isinstance(limit.value, int):
            return None, below.ended
        beyond = limit.value + gap_of(plan) > MAX_TIMESTAMP
        return limit.value, below.ended or beyond

    def _need_exact_ends(self, expressions: Sequence[Expression], input: Plan) -> bool:
        """Whether an expression over the ends of sessions needs their exact bound.

        FLOOR to the hour, for example, may be greater for the exact bound than for a lower bound.
        """
        if not are_sessions(input):
            return False
        computed = (each for each in expressions if not isinstance(each, InputRef))
        return any(self._progress(each, input) is not None for each in computed)

    def of_groups(self, plan: Aggregate, emitted: Expression, *, exact: bool) -> Bounds:
        """The bounds of the keys: no key of an incomplete group has been passed.

        The implicit rowtime of a group, if the plan has one as its last column, is the greatest
        time of the group's rows.  Its bound is the least time of incomplete groups and of later
        rows.  A complete group waits until this bound has reached the group's own time, and holds
        back the bounds of the keys until then (S-305).  The bounds of a set operation with required
        inputs are the furthest bounds of these inputs, lowered to the incomplete groups that can
        still be emitted, which satisfy the condition ``emitted`` (S-502).
        """
        below = self._grouped_bounds(plan, exact=exact or not are_of_sessions(plan))
        keys = [self._bound_of(key, plan.input, below) for key in plan.keys]
        #: The places of the keys that have bounds, and whether each descends.
        progress_of_keys = ((i, self._progress(key, plan.input)) for i, key in enumerate(plan.keys))
        directions = {i: each.descending for i, each in progress_of_keys if each is not None}
        common = common_keys(plan)
        limits = [limit if i in common else None for i, limit in enumerate(keys)]
        limits += [None] * len(plan.measures)
        if not has_implicit_rowtime(plan) or below.ended:
            return Bounds(tuple(limits), below.ended)

        fields, place = columns(plan), time_place(plan.input)
        moved = [(i, descending) for i, descending in directions.items() if i in common]
        is_complete = key_has_passed(fields, keys, directions)
        own = None if place is None else below.columns[place]
        required = required_inputs(plan, emitted, partial(self.of, exact=True))
        #: The keys whose bounds are lowered to the open groups.
        lowered_keys: list[tuple[int, bool]] = []
        if required.bounds:
            own, lowered_keys = required.furthest(len(fields) - 1, descending=False), moved
            for i, descending in moved:
                limits[i] = required.furthest(i, descending=descending)
        # The condition of a complete group that is emitted; it may wait for the bound of its time.
        is_waiting = and_(is_complete, required.emitted)
        may_wait = exact
        if own is not None or required.ended:
            # A barred group of a set operation cannot be emitted, whichever rows arrive later.
            is_open = is_not_true(or_(is_complete, required.barred(directions)))
            timed = Project(plan, (*fields, required.earliest), (*column_names(plan), "EARLIEST"))
            # One query finds the first keys and the least time of the open groups, and last, if
            # ``exact``, the latest time of the complete groups.
            calls = [first_among(fields[i], descending, is_open) for i, descending in lowered_keys]
            calls.append(first_among(columns(timed)[-1], False, is_open))
            if exact:
                calls.append(first_among(or_latest(fields[-1]), True, is_waiting))
            firsts = self._aggregates(timed, calls)
            if required.ended and firsts[len(lowered_keys)] is None:
                return Bounds((None,) * len(limits), ended=True)  # there is no open group
            limits[-1] = own
            of_open_groups = [*lowered_keys, (len(fields) - 1, False)]
            for (i, descending), first in zip(of_open_groups, firsts, strict=False):
                of_open = lowered(limits[i], first, descending=descending)
                # If no new group can be emitted, the open groups alone determine the bound.
                limits[i] = Bound(first) if required.ended else of_open
            if exact:  # no complete group waits if the bound has reached the latest of them
                may_wait = not is_reached(firsts[-1], limits[-1])
        if may_wait:
            is_released = has_reached(fields[-1], limits[-1], descending=False)
            pending = Filter(plan, and_(is_waiting, is_not_true(is_released)))
            lower_to_first(limits, pending, moved, self._first_values)
        return Bounds(tuple(limits), below.ended)

    def _grouped_bounds(self, plan: Aggregate, *, exact: bool) -> Bounds:
        """The bounds of the rows that ``plan`` groups.

        A set operation groups the rows of its inputs when they arrive, and not when the merge of
        the inputs reaches them.  So rows that wait for the merge do not hold back these bounds.
        """
        if isinstance(plan.input, SetOp):
            known = union_bounds(self.of_inputs(plan.input), bound_directions(plan.input))
            return with_constant_bounds(plan.input, known, self.meaning_of)
        return self._input_bounds(plan.input, plan.keys, exact=exact)

    def of_keys(self, plan: Aggregate) -> Bounds:
        """The bounds of an Aggregate's keys in the grouping sets that have them.

        Complete groups that wait for the bound of their rowtime are ignored.
        """
        below = self._grouped_bounds(plan, exact=True)
        limits = (self._bound_of(key, plan.input, below) for key in plan.keys)
        return Bounds(tuple(limits), below.ended)

    def _set_operation(self, plan: SetOp, exact: bool) -> Bounds:
        """The bounds of groups of equal rows; for UNION ALL the weakest of the inputs (S-502)."""
        groups = None if has_implicit_rowtime(plan) else with_groups(plan)
        if groups is not None:
            known = self.of(groups, exact=exact)
            return replace(known, columns=known.columns[:-1])
        known = union_bounds(self.of_inputs(plan), bound_directions(plan))
        if known.ended or (time := time_place(plan)) is None:
            return known
        limits = list(known.columns)
        # Rows that wait hold back the other columns.
        held_back = self._open_columns(plan, time, exact=True)[1:]
        lower_to_first(limits, not_reached(plan, time, limits[time]), held_back, self._first_values)
        return Bounds(tuple(limits))

    def of_inputs(self, plan: SetOp) -> list[Bounds]:
        """The bounds of each input.

        If micro-batches count the implicit rowtime of one input (`is_counted`), then an input
        without a known bound gets the bound `KNOWN`, which is after all counted rowtimes.
        """
        sides = [self.of(each, exact=True) for each in plan.inputs]
        if not has_implicit_rowtime(plan) or not any(
            is_counted(each.columns[-1]) for each in sides
        ):
            return sides
        time_bounds = [each.columns[-1] or Bound(KNOWN) for each in sides]
        return [
            replace(each, columns=(*each.columns[:-1], time_bound))
            for each, time_bound in zip(sides, time_bounds, strict=True)
        ]

    # --- rows that wait -------------------------------------------------------------------------

    def _window(self, plan: Window, below: Bounds, exact: bool) -> Bounds:
        """The input's bounds, lowered to the rows with pending frames."""
        added = (None,) * len(plan.names)
        time = time_place(plan.input)
        if below.ended:
            return Bounds((*below.columns, *added), ended=True)

        columns = self._open_columns(plan.input, time, exact)
        progress_of = self.progress_at(plan, below)
        rows = pending_rows(plan, time, progress_of, sure=not exact or len(columns) == 1)
        limits = [*below.columns, *added]
        if rows is not None:
            lower_to_first(limits, rows, columns, self._first_values)
        return Bounds(tuple(limits))

    def progress_of(self, plan: Window) -> ProgressOf:
        """`progress_at` the present bounds of the window's input."""
        return self.progress_at(plan, self._input_bounds(plan.input, ordered_by(plan)))

    def progress_at(self, plan: Window, below: Bounds) -> ProgressOf:
        """A function that returns the bound of an expression, and whether the expression descends.

        The expression is over the rows of the window's input, whose bounds are ``below``.
        """

        def progress_of(expression: Expression) -> tuple[Bound | None, bool] | None:
            found = self._progress(expression, plan.input)
            return None if found is None else (found.bound(below), found.descending)

        return progress_of

    def first_of_peers(self, plan: Window, time: int, keys: Sequence[Expression]) -> Bound | None:
        """The least time of an input row to which a later row can be equal in one of ``keys``.

        None if there is no such row.
        """
        progress_of = self.progress_of(plan)
        is_open = or_(*(is_not_true(any_has_passed([each], progress_of)) for each in keys))
        (least,) = self._first_values(Filter(plan.input, is_open), [(time, False)])
        return None if least is None else Bound(least)

    def _sort(self, plan: Sort, below: Bounds, exact: bool) -> Bounds:
        """The input's bounds, lowered to the rows of runs that are not complete."""
        if plan.within is not None:
            return t_sort_bounds(plan, plan.within, below, self._first_values, exact=exact)
        if below.ended or has_nothing_to_sort(plan):
            return below
        first = plan.keys[0].expression
        found = self._progress(first, plan.input)
        time = time_place(plan.input)
        by_time = isinstance(first, InputRef) and first.index == time
        if found is None or (by_time and not exact):
            return below
        limits = list(below.columns)
        # A row at the bound of the only key is emitted (S-507.e).  But if an expression below has a
        # sub-query, the row waits until the bound has passed it.
        is_emitted = has_passed if len(plan.keys) > 1 or _has_subquery(plan.input) else has_reached
        is_open = is_not_true(is_emitted(first, found.bound(below), found.descending))
        columns = self._open_columns(plan.input, time, exact)
        lower_to_first(limits, Filter(plan.input, is_open), columns, self._first_values)
        return replace(below, columns=tuple(limits))

    def _open_columns(self, input: Plan, time: int | None, exact: bool) -> list[tuple[int, bool]]:
        """The columns whose bounds pending rows hold back, and whether each descends."""
        found = [(time, False)] if time is not None else []
        if exact or time is None:
            orders = enumerate(bound_directions(input))
            found += [(i, o.descending) for i, o in orders if o.progresses and i != time]
        return found

    def _first_values(self, rows: Plan, columns: Sequence[tuple[int, bool]]) -> Row:
        """The first value of each column among ``rows``, in its direction; NULL without rows.

        ``columns`` are the places of the columns, and whether each descends.
        """
        fields = row_type(rows)
        calls = [first_among(InputRef(i, fields[i].type), down, None) for i, down in columns]
        return self._aggregates(rows, calls)

    def _aggregates(self, rows: Plan, calls: Sequence[AggregateCall]) -> Row:
        """The aggregates of all rows together."""
        names = tuple(f"V{i}" for i in range(len(calls)))
        (found,) = self.evaluated(Aggregate(rows, (), ((),), tuple(calls), names))
        return found

    # --- joins ----------------------------------------------------------------------------------

    def _join(self, plan: Join | WindowJoin, exact: bool) -> Bounds:
        """The bounds of a join: `JoinBounds` for two streams, else the bounds of the stream."""
        if is_streaming(plan.left) and is_streaming(plan.right):
            return self.join_bounds(plan).bounds(exact)
        if is_streaming(plan.left):
            below = self.of(plan.left, exact=True)
            nothing = (None,) * len(row_type(plan.right))
            return replace(below, columns=(*below.columns, *nothing))
        below = self.of(plan.right, exact=True)
        nothing = (None,) * len(row_type(plan.left))
        return replace(below, columns=(*nothing, *below.columns))

    def asof_bounds(self, plan: AsofJoin) -> AsofBounds:
        """The bounds of an ASOF join."""
        asof = asof_of(plan)
        left, of_left = self._with_time(plan.left, asof.left_time)
        right, of_right = self._with_time(plan.right, asof.right_time)
        return AsofBounds(plan, (left, right), of_left, of_right, self._first_values)

    def _with_time(self, side: Plan, time: Expression) -> tuple[Bounds, Bound | None]:
        """The bounds of a side, and the bound of the expression ``time`` over its rows."""
        known = self._input_bounds(side, [time])
        found = self._progress(time, side)
        return known, None if found is None else found.bound(known)

    def join_bounds(self, plan: Join | WindowJoin) -> JoinBounds:
        """The bounds of a join of two streams."""
        sides = self.of(plan.left, exact=True), self.of(plan.right, exact=True)
        return JoinBounds(plan, sides, self._first_values)


def nothing_known() -> BoundPropagation:
    """The bounds of plans while no stream has a bound and no expression has a known value."""
    return BoundPropagation(
        lambda stream: Bounds((None,) * len(stream.columns)),
        lambda plan: ((None,) * len(row_type(plan)),),
        lambda _expression: lambda _row: None,
    )


def _has_subquery(plan: Plan) -> bool:
    """Whether an expression of ``plan`` has a sub-query."""
    return any(has_subquery(each) for node in nodes(plan) for each in expressions_of(node))


def _ends_with_time_of_full_join(plan: Project) -> bool:
    """Whether the last column is the implicit rowtime, or base time u, of a FULL join below."""
    last = plan.expressions[-1]
    return has_implicit_rowtime(plan) and isinstance(last, Call) and last.op is Op.COALESCE
