"""The implicit rowtime of rows without a rowtime column, as a hidden last column (S-311)."""

from dataclasses import replace
from typing import Final

from algebra.catalog import Column, Ordering, Stream
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
)
from algebra.monotonicity.lockstep import lock_step_of
from algebra.parts.node_expressions import with_expressions
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    Reads,
    Scan,
    Session,
    SetOp,
    Side,
    Values,
    Window,
    WindowJoin,
    column_names,
    columns,
    inputs_of,
    is_streaming,
    row_type,
    with_inputs,
)
from algebra.rewrite import shifted
from algebra.types import BIGINT, TIMESTAMP
from grammar.tree import JoinKind, SetOperator
from spark_backend.order.set_operation_groups import set_operation_groups
from spark_backend.order.times import (
    ORDER_KEY,
    HiddenName,
    has_implicit_rowtime,
    time_place,
)

_TIME: Final = TIMESTAMP.as_nullable(False)


def with_rowtime_column(stream: Stream) -> Stream:
    """``stream``, which has no rowtime column, with one more column: the implicit rowtime.

    The implicit rowtime of a row is the stream's bound when the row arrived.  In micro-batches, as
    long as no bound is known, it is `spark_backend.order.times.UNKNOWN` plus the number of the
    micro-batch; this is far below all times.
    """
    return replace(stream, columns=(*stream.columns, Column(ORDER_KEY, _TIME, Ordering())))


def reading_rowtimes(plan: Plan) -> Plan:
    """The plan with the same columns and rows, but its scans read the implicit rowtimes of streams.

    Streams that have a rowtime column are read as before.
    """
    if isinstance(plan, Scan):
        wide = with_implicit_rowtime(plan)
        if wide is None or wide is plan:
            return plan
        return Project(wide, columns(wide)[:-1], column_names(plan))
    return with_inputs(plan, [reading_rowtimes(each) for each in inputs_of(plan)])


def as_declared(stream: Stream) -> Stream:
    """A stream that a query reads, without the column that `with_rowtime_column` has added.

    The stream of a stage (a part of a query that runs as a query of its own) has such a column in
    its declaration, and keeps it.
    """
    of_stage = isinstance(stream.name[0], HiddenName)
    added = stream.columns[-1].name is ORDER_KEY and not of_stage
    return replace(stream, columns=stream.columns[:-1]) if added else stream


def with_implicit_rowtime(plan: Plan) -> Plan | None:
    """The plan, with its implicit rowtime as last column if it has no rowtime column.

    None: the plan has no implicit rowtime either.
    """
    if time_place(plan) is not None:
        return plan
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return Scan(with_rowtime_column(stream), Reads.STREAM)
        case Scan() | Values():
            return None
        case Delta(input) | Changes(input):
            return with_implicit_rowtime(input)
        case Passing():
            below = with_implicit_rowtime(plan.input)
            return None if below is None else replace(plan, input=below)
        case Project(input, expressions, names):
            below = with_implicit_rowtime(input)
            time = None if below is None else _time_column(below)
            if below is None or time is None:
                return None
            return Project(below, (*expressions, time), (*names, ORDER_KEY))
        case Hop(input) | Window(input):
            below = with_implicit_rowtime(input)
            if below is None:
                return None
            # The time is between the columns of the input and those that the node adds.
            return _moved_to_end(replace(plan, input=below), len(row_type(input)))
        case Aggregate(input):
            below = with_implicit_rowtime(input)
            time = None if below is None else _time_column(below)
            if below is None or time is None:
                return None
            call = AggregateCall(AggregateFunction.MAX, (time,), TIMESTAMP)
            measures = (*plan.measures, call)
            return replace(plan, input=below, measures=measures, names=(*plan.names, ORDER_KEY))
        case Join():
            return _join(plan)
        case AsofJoin(left):
            below, width = with_implicit_rowtime(left), len(row_type(left))
            if below is None:
                return None
            wider = replace(plan, left=below)
            # The left side has one column more, so the right columns move by one place.
            return _moved_to_end(
                with_expressions(wider, lambda each: shifted(each, 1, start=width)), width
            )
        case SetOp(_, SetOperator.UNION, True):
            sides = _with_time_last(plan)
            return None if sides is None else replace(plan, inputs=sides)
        case SetOp():
            return with_groups(plan)
        case WindowJoin() | Session():
            # It is never reached: their last column is their rowtime, which `time_place` has found.
            return None


def _time_column(plan: Plan) -> InputRef | None:
    """A reference to the rowtime column of ``plan``, implicit or explicit; None: it has none."""
    place = time_place(plan)
    return None if place is None else InputRef(place, row_type(plan)[place].type)


def with_groups(plan: SetOp) -> Plan | None:
    """A set operation as groups of equal rows, with their time as last column.

    None: the operation is UNION ALL, which has no groups, or one of the inputs has no time.
    """
    if plan.operator is SetOperator.UNION and plan.all:
        return None
    sides = _with_time_last(plan)
    return None if sides is None else set_operation_groups(plan, sides)


def _with_time_last(plan: SetOp) -> tuple[Plan, ...] | None:
    """The inputs of a set operation, each with its time as last column; None: one has no time."""
    sides = [_shown_last(each) for each in plan.inputs]
    known = tuple(each for each in sides if each is not None)
    return known if len(known) == len(sides) else None


def _shown_last(plan: Plan) -> Plan | None:
    """The plan with its time as last column: its implicit rowtime, or a copy of its rowtime column.

    None: the plan has no time.
    """
    below = with_implicit_rowtime(plan)
    if below is None or has_implicit_rowtime(below):
        return below
    time = _time_column(below)
    if time is None:
        return None
    return Project(below, (*columns(below), time), (*column_names(below), ORDER_KEY))


def _moved_to_end(plan: Plan, place: int) -> Project:
    """The plan with the column at ``place`` moved to the end."""
    fields = row_type(plan)
    order = [*(i for i in range(len(fields)) if i != place), place]
    columns = tuple(InputRef(i, fields[i].type) for i in order)
    return Project(plan, columns, tuple(fields[i].name for i in order))


def _join(plan: Join) -> Plan | None:
    """A join whose rowtime is the implicit rowtime of one of its sides.

    In a join with a table this side is the stream, in a join of two streams it is the base side.
    None if the rows of the other side are preserved, because such a row alone has no time.  A FULL
    join of streams is the exception (`_full`).

    The time of the right side is the last column already.  That of the left side is between the
    columns of both sides.
    """
    streams = is_streaming(plan.left), is_streaming(plan.right)
    on_left = streams[0]
    if all(streams):
        if plan.kind is JoinKind.FULL:
            return _full(plan)
        on_left = lock_step_of(plan).base is Side.LEFT
    if not on_left:
        below = with_implicit_rowtime(plan.right)
        known = not plan.kind.preserves_left
        return replace(plan, right=below) if below is not None and known else None
    below = with_implicit_rowtime(plan.left)
    if below is None or plan.kind.preserves_right:
        return None
    width = len(row_type(plan.left))
    condition = shifted(plan.condition, 1, start=width)
    joined = replace(plan, left=below, condition=condition)
    return _moved_to_end(joined, width)


def _full(plan: Join) -> Plan | None:
    """A FULL join of streams with its time as last column; None: a side has no rowtime column.

    A row that has a left row gets the left row's time.  An unmatched right row gets its own time if
    the join is in lock step by other columns than the rowtimes (S-510.n).  If the join is in lock
    step by the rowtimes, an unmatched right row gets the least time after which no left row can
    match it: its own time minus the ``unmatched_offset`` (S-510.l).  The offset is a distance in
    milliseconds of either sign.
    """
    left, right = _time_column(plan.left), _time_column(plan.right)
    if left is None or right is None:
        return None
    own, lock = columns(plan), lock_step_of(plan)
    alone: Expression = own[len(row_type(plan.left)) + right.index]
    if (lock.left, lock.right) == (left.index, right.index) and lock.unmatched_offset:
        # The time is computed as a number, because it may be outside the calendar.
        alone = Call(Op.PLUS, (alone, Literal(-lock.unmatched_offset, BIGINT)), alone.type)
    times = (own[left.index], alone)
    time = Call(Op.COALESCE, times, _TIME)
    return Project(plan, (*own, time), (*column_names(plan), ORDER_KEY))
