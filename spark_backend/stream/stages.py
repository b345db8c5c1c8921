"""Cut a query into stages, so that each stage has one stateful operator.

A query is cut where one stateful operator reads the rows of another.  A stage is a separate query.
Its output rows, in order, arrive in a stream that the next stage reads, and its bounds (S-306) are
the bounds of this stream.  The result is the same because S-305 is defined operator by operator.
The stream refers to the part of the plan that was cut off (`Stream.carries`).  So its columns have
the facts of this part: their orders, which column is the rowtime, their ranges and distances.  The
stream has an implicit rowtime as its last column if no column is a rowtime (S-311).
"""

from dataclasses import dataclass, field
from typing import Final

from algebra.catalog import Column, Ordering, QualifiedName, Stream
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.parts.clock_readings import with_clock_read_first
from algebra.parts.mentions import own_monotonic_calls, reads_clock, streams_read
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Delta,
    Filter,
    Hop,
    Join,
    Joining,
    Plan,
    Project,
    Reads,
    Scan,
    Session,
    SetOp,
    Sort,
    Window,
    WindowJoin,
    column_names,
    columns,
    inputs_of,
    is_streaming,
    nodes,
    row_type,
    with_inputs,
)
from algebra.types import INTEGERS, Kind
from spark_backend.order.implicit_rowtime import with_implicit_rowtime
from spark_backend.order.row_order import has_nothing_to_sort
from spark_backend.order.times import ORDER_KEY, HiddenName
from spark_backend.stream.frame_kinds import split_by_frame_kind
from spark_backend.stream.session_groups import are_of_sessions

#: The name that makes a column a rowtime (S-311).
_ROWTIME: Final = "ROWTIME"
#: The kinds of columns whose differences are integers of one unit.
_WHOLE: Final = INTEGERS | {Kind.TIMESTAMP}


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a query; its rows go ``into`` a stream that a later part reads."""

    query: Delta
    into: Stream


def stages(query: Delta, name: str, before: int = 0) -> tuple[tuple[Stage, ...], Delta]:
    """The stages of a query before the last one, in the order in which they run; and the last one.

    The name of a stage's stream is ``name`` and a number.  The numbers begin after ``before``, the
    number of stages of other queries.
    """
    cutting = _Cutting(name, before)
    last = Delta(cutting.cut(query.input))
    return tuple(cutting.found), last


@dataclass(slots=True)
class _Cutting:
    """The stages that are cut from a query, in the order in which they are ``found``."""

    name: str
    before: int
    found: list[Stage] = field(default_factory=list[Stage])

    def cut(self, plan: Plan) -> Plan:
        """The plan with scans in place of its stages, which are added to ``found``."""
        if isinstance(plan, Window) and (nested := split_by_frame_kind(plan)) is not None:
            return self.cut(nested)
        if isinstance(plan, Aggregate | Session | Sort | Window) and _has_state(plan):
            plan = with_clock_read_first(plan)
        inputs = [self._cut_input(plan, each) for each in inputs_of(plan)]
        if isinstance(plan, Joining):
            left, right = map(streams_read, inputs)
            if left.keys() & right.keys():
                # Each side of a join of a stream with itself retains rows of its own.
                inputs[1] = self._make_stage(plan.right)
        return with_inputs(plan, inputs)

    def _cut_input(self, reader: Plan, plan: Plan) -> Plan:
        """The input ``plan`` of ``reader`` after cutting; it becomes a stage if both have state.

        An input that reads the session's clock becomes a stage, too, so that each row has the value
        of its arrival, and not that of the time at which ``reader`` emits the row (S-106.f).
        """
        if not _has_state(reader) or not _needs_stage(plan):
            return self.cut(plan)
        if isinstance(plan, Filter | Project | Hop) and _has_windows(plan):
            # The rows of a HOP have no order, so a stream cannot hold them: the stage is below HOP.
            return with_inputs(plan, [self._cut_input(reader, plan.input)])
        if isinstance(reader, Aggregate) and are_of_sessions(reader):
            # Groups by session are complete with their sessions: one stage computes both.
            return self.cut(plan)
        return self._make_stage(plan)

    def _make_stage(self, plan: Plan) -> Plan:
        """Make ``plan`` a stage; return the scan of its stream.

        A plan without a rowtime gets an implicit one (S-311).  If it cannot get one, it cannot be a
        stage: it is returned after its own stages are cut.
        """
        place, own = rowtime_column(plan), self.cut(plan)
        # A join may have two columns ROWTIME; only that of the base side is its rowtime.
        names = [
            f"C{i}" if name == _ROWTIME and i != place else name
            for i, name in enumerate(column_names(plan))
        ]
        orders = _orderings(plan)
        if place is None:
            timed = with_implicit_rowtime(own)
            if timed is None:
                return own
            own, names, orders = timed, [*names, ORDER_KEY], [*orders, Ordering()]
        fields = zip(names, row_type(own), orders, strict=True)
        declared = tuple(Column(name, each.type, order) for name, each, order in fields)
        label: QualifiedName = (HiddenName(f"{self.name} {self.before + len(self.found) + 1}"),)
        stream = Stream(label, declared, carries=plan)
        self.found.append(Stage(Delta(own), stream))
        rows = Scan(stream, Reads.STREAM)
        if place is not None:
            return rows
        return Project(rows, columns(rows)[:-1], tuple(names[:-1]))


def _has_state(plan: Plan) -> bool:
    """Whether an operator retains rows of streams."""
    if not is_streaming(plan):
        return False
    match plan:
        case Session() | Aggregate() | Window() | WindowJoin() | SetOp():
            return True
        case Sort():
            return not has_nothing_to_sort(plan)
        case Join(left, right) | AsofJoin(left, right):
            return is_streaming(left) and is_streaming(right)
        case _:
            return bool(own_monotonic_calls(plan))


def _needs_stage(plan: Plan) -> bool:
    """Whether an input of a node with state has state, or reads the session's clock."""
    return _reads_session_clock(plan) or any(map(_has_state, nodes(plan)))


def _reads_session_clock(plan: Plan) -> bool:
    """Whether rows of a stream read the session's clock, at the time of their arrival (S-106)."""
    return is_streaming(plan) and reads_clock(plan)


def _has_windows(plan: Plan) -> bool:
    """Whether a plan is a HOP below filters and projections at most."""
    if isinstance(plan, Filter | Project):
        return _has_windows(plan.input)
    return isinstance(plan, Hop)


def _orderings(plan: Plan) -> list[Ordering | None]:
    """The order of each column that has bounds; punctuated if rows are not in that order."""
    bounds = column_monotonicity(plan, OrderOf.BOUNDS)
    rows = column_monotonicity(plan, OrderOf.ROWS)
    return [
        Ordering(row.descending, row.strict)
        if row.progresses and bound.progresses
        else Ordering(bound.descending, punctuated=True)
        if bound.progresses
        else None
        for bound, row in zip(bounds, rows, strict=True)
    ]
