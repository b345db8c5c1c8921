"""State retention that a rowtime cannot bound: ROWS frames, and groups and sorts by other columns.

`algebra.metadata.history` reads rowtimes alone, and a ROWS frame reaches back to none.  So a query
over the retained rows of a stream decides row by row: a row is retained if it is still to be
emitted itself, or is one of the last n of its partition before the bound, where n is how many rows
a frame starts before its own.  If a frame starts with its partition, all rows of the partition are
retained until no later row can be in it and all have been emitted (S-505).  So are those of a
group, which is a partition with one frame (S-503).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from algebra.build import TRUE, and_, at_least, compared, is_not_null, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import (
    FRAMED,
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.parts.frames import WHOLE
from algebra.parts.mentions import own_monotonic_calls, scans
from algebra.plan import (
    Aggregate,
    Filter,
    Frame,
    Join,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    SetOp,
    Sort,
    Unbounded,
    Window,
    WindowGroup,
    columns,
    inputs_of,
    row_type,
)
from algebra.types import BIGINT, NUMERIC
from grammar.tree import SetOperator
from spark_backend.order.set_operation_groups import SO_FAR
from spark_backend.order.times import time_place
from spark_backend.stream.bounds.distances import as_type, at_distance
from spark_backend.stream.frame_kinds import literal_offset
from spark_backend.stream.retention.pending_frames import ProgressOf, any_has_passed
from spark_backend.stream.retention.row_ids import (
    PLACE,
    is_merged,
    stream_of,
    union,
    with_place,
)
from spark_backend.stream.window_columns import with_count, with_value


@dataclass(frozen=True, slots=True)
class RetainedRows:
    """A window over rows of one stream, only filtered and projected, that are emitted by time.

    ``time``: the place of that among the columns of the window's input.  ``back``: for each group
    of calls how many rows, or what distance of a number, its frames reach back; None: to the start
    of the partition.  For an Aggregate the window has its groups as partitions, and no calls: a
    group is emitted by the last time of its rows.  Groups of equal rows (S-502) are over the
    streams of all inputs of their set operation.
    """

    window: Window
    time: int
    back: Sequence[int | RangeOffset | None]

    def retained(
        self,
        stream: QualifiedName,
        bound: int,
        progress_of: ProgressOf,
        *,
        descending: bool = False,
    ) -> Plan:
        """The places, among the retained rows of a stream, of those still needed at ``bound``.

        ``descending``: so does the column that rows are emitted by; the window then has no calls.
        """
        rows = with_place(self.window.input, stream)
        place = len(row_type(rows)) - 1
        time = InputRef(self.time, row_type(rows)[self.time].type)
        limit = Literal(bound, time.type)
        out = compared(Op.GREATER if descending else Op.LESS, time, limit)
        conditions: list[Expression] = [is_not_true(out)]  # NULL comes at the end
        for group, back in zip(self.window.groups, self.back, strict=True):
            match back:
                case None:
                    last, rows = with_value(rows, group, WHOLE, AggregateFunction.MAX, time)
                    conditions.append(at_least(last, limit))
                    conditions.append(is_not_true(any_has_passed(group.partition, progress_of)))
                case RangeOffset():
                    key = group.order[0]
                    end = AggregateFunction.MAX if key.descending else AggregateFunction.MIN
                    coming = is_not_true(out)
                    first, rows = with_value(rows, group, WHOLE, end, key.expression, filter=coming)
                    conditions.append(_seen(key, back, first))
                    conditions.append(_seen_later(key, back, progress_of))
                case _ if back > 0:
                    frame = Frame(RowOffset(1), Unbounded())
                    behind, rows = with_count(rows, group, frame, filter=out)
                    conditions.append(less(behind, Literal(back, BIGINT)))
                case _:
                    pass
        own = InputRef(place, PLACE.as_nullable())
        there = is_not_null(own)
        retained = Filter(rows, and_(there, or_(*conditions)))
        return Project(retained, (InputRef(place, PLACE),), ("PLACE",))


def retained_rows(plan: Plan, time: int) -> RetainedRows | None:
    """The window or the groups at the top of ``plan``, whose time is at ``time``.

    None: there are none, or a frame reaches back by a time, which is for
    `spark_backend.stream.retention.retention`.
    """
    if is_merged(plan):
        return RetainedRows(Window(plan, (), ()), time, ())
    match plan:
        case Sort(input) if time < len(row_type(input)):
            return retained_rows(input, time)
        case Filter(input):
            return retained_rows(input, time)
        case Project(input, expressions):
            column = expressions[time]
            return retained_rows(input, column.index) if isinstance(column, InputRef) else None
        case Window(input, groups):
            if stream_of(input) is None or time >= len(row_type(input)):
                return None
            back = [_back(each, time) for each in groups]
            far = zip(groups, back, strict=True)
            if any(isinstance(b, RangeOffset) and is_by_time(each, time) for each, b in far):
                return None
            return RetainedRows(plan, time, back)
        case Aggregate(input, keys, sets) if time < len(keys):
            # The groups of a set without the time are emitted at the end, and need all rows.
            if not all(time in each for each in sets):
                return None
            return retained_rows(Project(input, (keys[time],), ("KEY",)), 0)
        case Aggregate(input, keys, sets, measures):
            call = measures[time - len(keys)]
            wholes = (WindowGroup(tuple(keys[i] for i in e), (), WHOLE, ()) for e in sets)
            if not is_merged(input) or call.function is not AggregateFunction.MAX or call.filter:
                return None
            (last,) = call.arguments
            if not isinstance(last, InputRef) or last.index != time_place(input):
                return None
            window = Window(input, tuple(wholes), ())
            return RetainedRows(window, last.index, [None] * len(sets))
        case Join(left, right) if time < len(row_type(left)):
            # The copies of a group are its own rows.
            copies = all(each.source.name[-1] is SO_FAR for each in scans(right))
            return retained_rows(left, time) if copies else None
        case _:
            return None


def monotonic_rows(plan: Plan, stream: QualifiedName | None = None) -> Project | None:
    """The rows that no MONOTONIC drops: the values of all its calls, and last the row's place.

    The place is that in ``stream``, or NULL for a row of another stream.  None: there is no
    MONOTONIC, or it is over more than the rows of streams.
    """
    calls = own_monotonic_calls(plan)
    if not calls:
        found = (monotonic_rows(each, stream) for each in inputs_of(plan))
        return next((each for each in found if each is not None), None)
    (input,) = inputs_of(plan)
    if not is_merged(input):
        return None
    rows = with_place(input, stream)
    place = columns(rows)[-1]
    return Project(rows, (*calls, place), (*(f"M{i}" for i in range(len(calls))), "PLACE"))


def retained_monotonic(rows: Project, own: Plan) -> Plan:
    """The places of the ``own`` rows on time, and of the rows by which later ones are late.

    For each MONOTONIC the latter is the row on time with the greatest value.  Late rows are
    evicted: without the row that they were late by they would be on time.
    """
    *measures, place = columns(rows)
    places = Project(rows, (place,), ("PLACE",))
    retained: list[Plan] = [SetOp((own, places), SetOperator.INTERSECT, all=False)]
    for each in measures:
        greatest = SortKey(each, descending=True, nulls_first=False)
        first = Sort(rows, (greatest,), limit=Literal(1, BIGINT))
        retained.append(Project(first, (place,), ("PLACE",)))
    return union(*retained)


def is_by_time(group: WindowGroup, time: int) -> bool:
    """Whether the rows of a window are ordered by their time, ascending."""
    if not group.order or group.order[0].descending:
        return False
    first = group.order[0].expression
    return isinstance(first, InputRef) and first.index == time


def _back(group: WindowGroup, time: int) -> int | RangeOffset | None:
    """How many rows, or what distance, frames reach back; None: to the partition's start."""
    rows = 0
    match group.frame.start:
        case RowOffset(offset) if not group.order or is_by_time(group, time):
            rows = max(0, -offset)
        case RangeOffset(distance) as start if distance.value != 0:
            return start if is_by_time(group, time) or _is_reported(group) else None
        case _:
            return None
    for call in group.calls:
        if call.function is WindowFunction.LAG:
            lag = literal_offset(call)
            if call.ignore_nulls or lag is None:
                return None
            rows = max(rows, lag)
        elif not is_framed(call):
            return None
    return rows


# --- distances ------------------------------------------------------------------------------------


def is_framed(call: WindowCall) -> bool:
    """Whether a call sees its frame alone."""
    return isinstance(call.function, AggregateFunction) or call.function in FRAMED


def _is_reported(group: WindowGroup) -> bool:
    """Whether frames start a distance of a number before their rows, and calls see them alone."""
    start, end = group.frame.start, group.frame.end
    if not isinstance(start, RangeOffset) or not isinstance(end, RangeOffset):
        return False
    type = group.order[0].expression.type
    number = type.kind in NUMERIC and not type.nullable
    return number and start.preceding and all(map(is_framed, group.calls))


def _seen(key: SortKey, back: RangeOffset, first: Expression) -> Expression:
    """Whether the frame of the ``first`` number, or of a later one, starts at or before a row.

    NULL if there is no first number.
    """
    start = at_distance(first, back.distance, back=not key.descending)
    op = Op.LESS_OR_EQUAL if key.descending else Op.GREATER_OR_EQUAL
    return compared(op, as_type(key.expression, start.type), start)


def _seen_later(key: SortKey, back: RangeOffset, progress_of: ProgressOf) -> Expression:
    """Whether a later row can have a row in its frame."""
    found = progress_of(key.expression)
    if found is None or found[0] is None or found[1] != key.descending:
        return TRUE
    return _seen(key, back, Literal(found[0].value, key.expression.type))
