"""How far a plan has come: what is known of all rows that it may still give (S-306, S-405, S-406).

Each node has the bounds of its columns as a function of those of its inputs.  Where they depend on
the rows that are held, too (frames that wait, joins), these are asked by a relational query over
what is retained: `spark_backend.stream.retention.pending_frames` and `join_limits` say which rows
are open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from algebra.build import and_, is_not_true, or_
from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    Value,
)
from algebra.mentions import monotonic_calls
from algebra.monotonicity.context import Context
from algebra.monotonicity.hop_windows import first_window
from algebra.monotonicity.progress import (
    Bound,
    Bounds,
    ExpressionProgress,
    MeaningOf,
    progress,
    weaker,
)
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
    column_names,
    columns,
    is_streaming,
    row_type,
)
from spark_backend.stream.bounds.implicit_rowtime import with_groups
from spark_backend.stream.bounds.join_bounds import JoinLimits
from spark_backend.stream.bounds.required_inputs import required_inputs
from spark_backend.stream.emission.row_order import has_nothing_to_sort
from spark_backend.stream.retention.pending_frames import (
    ProgressOf,
    any_has_passed,
    has_passed,
    has_reached,
    key_has_passed,
    pending_rows,
)
from spark_backend.stream.times import BASE, is_clocked, moving, time_place
from spark_backend.translate import ordered_by
from spark_backend.types import Row

if TYPE_CHECKING:
    from algebra.monotonicity.columns import Orders


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of plans at one moment.

    ``clocks``: what the gate of a stream knows.  ``evaluated``: the rows of a plan over what is
    retained.  ``meaning_of``: the value of an expression, as `algebra.monotonicity.progress` asks
    for it.

    What has been found is not asked again: a query of Spark's may stand behind it.
    """

    clocks: Callable[[Stream], Bounds]
    evaluated: Callable[[Plan], Sequence[Row]]
    meaning_of: MeaningOf
    _found: dict[tuple[Plan, Context, bool], Bounds] = field(
        default_factory=dict[tuple[Plan, Context, bool], Bounds], compare=False
    )

    def of(self, plan: Plan, context: Context, *, exact: bool) -> Bounds:
        """What is known of all later rows of ``plan``.

        Without ``exact`` no rows are asked where that cannot hold back a row of ``plan`` itself:
        the bound may then be below that of S-306, where there is no row between the two.
        """
        key = (plan, context, exact)
        if key not in self._found:
            self._found[key] = self._of(plan, context, exact)
        return self._found[key]

    def _of(self, plan: Plan, context: Context, exact: bool) -> Bounds:
        inputs = context.inputs(plan)
        match plan:
            case Scan(Stream() as stream, Reads.STREAM):
                return self.clocks(stream)
            case Scan() | Values():
                return Bounds((None,) * len(row_type(plan)), ended=True)
            case Filter(input) | Delta(input):
                return self.of(input, inputs[0], exact=exact)
            case Project(input, expressions):
                known = self.of(input, inputs[0], exact=exact)
                below = self._declared(known, input, plan, expressions)
                limits = [self._limit(each, input, plan, below) for each in expressions]
                if _tells_full_join(plan) and isinstance(input, Join) and not below.ended:
                    join = self.join_limits(input, inputs[0])
                    limits[-1] = join.base() if plan.names[-1] is BASE else join.clock()
                return Bounds(tuple(limits), below.ended)
            case Hop(input, time):
                below = self.of(input, inputs[0], exact=True)
                return self._hop(plan, self._declared(below, input, plan, [time]))
            case Aggregate(input, keys):
                below = self.of(input, inputs[0], exact=True)
                known = self._declared(below, input, plan, keys)
                return self._aggregate(plan, context, known, exact)
            case Window(input):
                below = self.of(input, inputs[0], exact=True)
                known = self._declared(below, input, plan, ordered_by(plan))
                return self._window(plan, known, exact)
            case Sort(input, keys):
                below = self.of(input, inputs[0], exact=True)
                known = self._declared(below, input, plan, [each.expression for each in keys])
                return replace(self._sort(plan, known, exact), declared={})
            case Join() | WindowJoin():
                return self._join(plan, context, exact)
            case SetOp():
                return self._set_operation(plan, context, exact)

    # --- expressions ----------------------------------------------------------------------------

    def _declared(
        self, below: Bounds, input: Plan, reader: Plan, expressions: Sequence[Expression]
    ) -> Bounds:
        """The same, with the values that calls of MONOTONIC have reached (S-407)."""
        calls = tuple(dict.fromkeys(monotonic_calls(tuple(expressions))))
        if not calls or below.ended or not is_streaming(input):
            return below
        # Rows that any of the calls says are late move none; they are read as ``reader`` does.
        names = reader.names if isinstance(reader, Project) else ("",) * len(expressions)
        monotonic = Project(input, (*expressions, *calls), (*names, *("",) * len(calls)))
        places = range(len(expressions), len(expressions) + len(calls))
        reached = self._first_values(monotonic, [(each, True) for each in places])
        declared: dict[Expression, Bound] = {
            call: Bound(value)
            for call, value in zip(calls, reached, strict=True)
            if value is not None
        }
        return replace(below, declared=declared)

    def _progress(
        self, expression: Expression, input: Plan, reader: Plan
    ) -> ExpressionProgress | None:
        orders = moving(input, reader)
        return progress(expression, orders, column_ranges(input), self.meaning_of)

    def _limit(
        self, expression: Expression, input: Plan, reader: Plan, below: Bounds
    ) -> Bound | None:
        """The bound of an expression on the input's rows; that of a bare column passes."""
        if isinstance(expression, InputRef):
            return below.columns[expression.index]
        orders, ranges = moving(input, reader), column_ranges(input)
        known = progress(expression, orders, ranges, self.meaning_of, constants=True)
        return None if known is None else known.bound(below)

    # --- groups ---------------------------------------------------------------------------------

    def _hop(self, plan: Hop, below: Bounds) -> Bounds:
        """The input's, and those of the first window that a later row can be in."""
        found = self._progress(plan.time, plan.input, plan)
        limit = None if found is None or found.descending else found.bound(below)
        ends = None
        if limit is not None and isinstance(limit.value, int):
            ends = first_window(plan, limit.value)
        bounds = (None, None) if ends is None else tuple(map(Bound, ends))
        return Bounds((*below.columns, *bounds), below.ended)

    def _aggregate(self, plan: Aggregate, context: Context, below: Bounds, exact: bool) -> Bounds:
        """Those of the keys: a group that is open has none that has passed.

        The hidden clock of a group, if it has one behind its measures, is the greatest time of its
        rows: it is the least of those of open groups and of rows to come.  A group that is complete
        waits until the clock has come to its own, and holds back the bounds of its keys (S-305).
        The bounds of a set operation that requires rows of some inputs are the furthest of those
        inputs', lowered to the open groups that can still come out (S-502).
        """
        keys = self._limits_of_keys(plan, below)
        directions: dict[int, bool] = {}
        for i, key in enumerate(plan.keys):
            found = self._progress(key, plan.input, plan)
            if found is not None:
                directions[i] = found.descending
        everywhere = [all(i in each for each in plan.sets) for i in range(len(plan.keys))]
        limits = [limit if known else None for limit, known in zip(keys, everywhere, strict=True)]
        limits += [None] * len(plan.measures)
        if not is_clocked(plan) or below.ended:
            return Bounds(tuple(limits), below.ended)

        fields, place = columns(plan), time_place(plan.input, plan)
        moved = [(i, descending) for i, descending in directions.items() if everywhere[i]]
        complete = key_has_passed(fields, keys, directions)
        own = None if place is None else below.columns[place]
        required = required_inputs(plan, context, partial(self.of, exact=True))
        lowered: list[tuple[int, bool]] = []
        if required.bounds:
            own, lowered = required.furthest(len(fields) - 1, descending=False), moved
            for i, descending in moved:
                limits[i] = required.furthest(i, descending=descending)
        if own is not None or required.ended:
            open_ = Filter(plan, is_not_true(or_(complete, required.barred(directions))))
            timed = Project(open_, (*fields[:-1], required.earliest), column_names(plan))
            lowered.append((len(fields) - 1, False))
            firsts = self._first_values(timed, lowered)
            if required.ended and firsts[-1] is None:
                return Bounds((None,) * len(limits), ended=True)
            limits[-1] = own
            for (i, descending), first in zip(lowered, firsts, strict=True):
                of_open = _lowered(limits[i], first, descending=descending)
                limits[i] = Bound(first) if required.ended else of_open
        if exact:
            out = has_reached(fields[-1], limits[-1], descending=False)
            # Equal rows of which none comes out wait for nothing.
            pending = Filter(plan, and_(complete, is_not_true(out), required.emitted))
            self._lower(limits, pending, moved)
        return Bounds(tuple(limits), below.ended)

    def of_keys(self, plan: Aggregate, context: Context) -> Bounds:
        """The bounds of an Aggregate's keys in the grouping sets that have them.

        They are told as if no group waited for its time.
        """
        (below_groups,) = context.inputs(plan)
        below = self.of(plan.input, below_groups, exact=True)
        below = self._declared(below, plan.input, plan, plan.keys)
        return Bounds(tuple(self._limits_of_keys(plan, below)), below.ended)

    def _limits_of_keys(self, plan: Aggregate, below: Bounds) -> list[Bound | None]:
        return [self._limit(key, plan.input, plan, below) for key in plan.keys]

    def _set_operation(self, plan: SetOp, context: Context, exact: bool) -> Bounds:
        """Those of the groups of equal rows; of UNION ALL the weakest of its inputs' (S-502)."""
        groups = None if is_clocked(plan) else with_groups(plan, context)
        if groups is not None:
            known = self.of(groups, context, exact=exact)
            return replace(known, columns=known.columns[:-1])
        inputs = zip(plan.inputs, context.inputs(plan), strict=True)
        sides = [self.of(each, below_groups, exact=True) for each, below_groups in inputs]
        going = [each for each in sides if not each.ended]
        if not going:
            return sides[0]
        orders = moving(plan, context.reader or plan)
        first, *others = going
        columns = list(first.columns)
        for other in others:
            columns = [
                weaker(a, b, orders[i].descending)
                for i, (a, b) in enumerate(zip(columns, other.columns, strict=True))
            ]
        return Bounds(tuple(columns))

    # --- rows that wait -------------------------------------------------------------------------

    def _window(self, plan: Window, below: Bounds, exact: bool) -> Bounds:
        """The input's, lowered to the rows whose frames are not complete."""
        added = (None,) * len(plan.names)
        time = time_place(plan.input, plan)
        if below.ended:
            return Bounds((*below.columns, *added), ended=True)

        columns = self._open_columns(plan, time, exact)
        progress_of = self.progress_at(plan, below)
        rows = pending_rows(plan, time, progress_of, sure=not exact or len(columns) == 1)
        limits = [*below.columns, *added]
        if rows is not None:
            self._lower(limits, rows, columns)
        return Bounds(tuple(limits))

    def progress_of(self, plan: Window) -> ProgressOf:
        """How far expressions on the rows of a window's input have come."""
        below = self.of(plan.input, Context(plan), exact=True)
        return self.progress_at(plan, self._declared(below, plan.input, plan, ordered_by(plan)))

    def progress_at(self, plan: Window, below: Bounds) -> ProgressOf:
        """The same, where the columns of the input have come so far."""

        def progress_of(expression: Expression) -> tuple[Bound | None, bool] | None:
            found = self._progress(expression, plan.input, plan)
            return None if found is None else (found.bound(below), found.descending)

        return progress_of

    def first_of_peers(self, plan: Window, time: int, keys: Sequence[Expression]) -> Bound | None:
        """The least time of the input's rows of which later ones can be peers; None: none is.

        ``keys``: by any of these.
        """
        progress_of = self.progress_of(plan)
        open_ = or_(*(is_not_true(any_has_passed([each], progress_of)) for each in keys))
        (least,) = self._first_values(Filter(plan.input, open_), [(time, False)])
        return None if least is None else Bound(least)

    def _sort(self, plan: Sort, below: Bounds, exact: bool) -> Bounds:
        """The input's, lowered to the rows of runs that are not complete."""
        if plan.within is not None:
            return self._t_sort(plan, plan.within, below)
        if below.ended or has_nothing_to_sort(plan):
            return below
        first = plan.keys[0].expression
        found = self._progress(first, plan.input, plan)
        time = time_place(plan.input, plan)
        by_time = isinstance(first, InputRef) and first.index == time
        if found is None or (by_time and not exact):
            return below
        limits = list(below.columns)
        open_ = is_not_true(has_passed(first, found.bound(below), found.descending))
        columns = self._open_columns(plan, time, exact)
        self._lower(limits, Filter(plan.input, open_), columns)
        return replace(below, columns=tuple(limits))

    def _t_sort(self, plan: Sort, slack: Literal, below: Bounds) -> Bounds:
        """That of the key: no row is further behind the greatest time than the slack (S-507).

        Nothing is told of the other columns, which rows that wait hold back.
        """
        if below.ended:
            return below
        columns: list[Bound | None] = [None] * len(row_type(plan))
        key = plan.keys[0].expression
        if isinstance(key, InputRef):
            columns[key.index] = own = below.columns[key.index]
            (greatest,) = self._first_values(plan.input, [(key.index, True)])
            if greatest is not None:
                assert isinstance(greatest, int), "a t-sort goes by a TIMESTAMP"
                assert isinstance(slack.value, int), "an interval is whole inside"
                reached = Bound(greatest - slack.value)
                # Of two bounds the one further on: the other is the weaker.
                further = reached if weaker(own, reached, descending=False) is own else own
                columns[key.index] = reached if own is None else further
        return Bounds(tuple(columns))

    def _open_columns(
        self, plan: Window | Sort, time: int | None, exact: bool
    ) -> list[tuple[int, bool]]:
        """The columns that rows which wait hold back: the time, and those that others ask for."""
        orders: Orders = moving(plan.input, plan)
        found = [(time, False)] if time is not None else []
        if exact or time is None:
            found += [(i, o.descending) for i, o in enumerate(orders) if o.progresses and i != time]
        return found

    def _lower(
        self, limits: list[Bound | None], rows: Plan, columns: Sequence[tuple[int, bool]]
    ) -> None:
        if not columns:
            return
        for (place, descending), least in zip(
            columns, self._first_values(rows, columns), strict=True
        ):
            limits[place] = _lowered(limits[place], least, descending=descending)

    def _first_values(self, rows: Plan, columns: Sequence[tuple[int, bool]]) -> Row:
        """The first value of each column, in its direction, among the rows; NULL of no row."""
        fields = row_type(rows)
        calls = tuple(
            AggregateCall(
                AggregateFunction.MAX if descending else AggregateFunction.MIN,
                (InputRef(place, fields[place].type),),
                fields[place].type.as_nullable(),
            )
            for place, descending in columns
        )
        names = tuple(f"V{i}" for i in range(len(calls)))
        (found,) = self.evaluated(Aggregate(rows, (), ((),), calls, names))
        return found

    # --- joins ----------------------------------------------------------------------------------

    def _join(self, plan: Join | WindowJoin, context: Context, exact: bool) -> Bounds:
        """Of a stream and a table the stream's; of two streams as `JoinLimits` has it."""
        left, right = context.inputs(plan)
        if is_streaming(plan.left) and is_streaming(plan.right):
            return self.join_limits(plan, context).bounds(exact)
        if is_streaming(plan.left):
            below = self.of(plan.left, left, exact=True)
            nothing = (None,) * len(row_type(plan.right))
            return replace(below, columns=(*below.columns, *nothing))
        below = self.of(plan.right, right, exact=True)
        nothing = (None,) * len(row_type(plan.left))
        return replace(below, columns=(*nothing, *below.columns))

    def join_limits(self, plan: Join | WindowJoin, context: Context) -> JoinLimits:
        """How far a join of two streams has come."""
        left, right = context.inputs(plan)
        sides = self.of(plan.left, left, exact=True), self.of(plan.right, right, exact=True)
        return JoinLimits(plan, context, sides, self._first_values)


def nothing_known() -> Limits:
    """The bounds of plans before anything is known of a stream, or of an expression's value."""
    return Limits(
        lambda stream: Bounds((None,) * len(stream.columns)),
        lambda plan: ((None,) * len(row_type(plan)),),
        lambda _expression: lambda _row: None,
    )


def _tells_full_join(plan: Project) -> bool:
    """Whether the last column is the hidden clock, or the u, of a FULL join of streams below."""
    last = plan.expressions[-1]
    return is_clocked(plan) and isinstance(last, Call) and last.op is Op.COALESCE


def _lowered(limit: Bound | None, least: Value, *, descending: bool) -> Bound | None:
    """``limit``, or the value of a row that waits, if that comes before it."""
    return limit if least is None else weaker(limit, Bound(least), descending)
