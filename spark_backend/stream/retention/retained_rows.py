"""Retained rows that no rowtime determines: those of ROWS frames, and of keys other than the time.

`algebra.metadata.history` only finds times, and a ROWS frame does not reach back to a time.  So a
query over the retained rows of a stream decides for each row.  A row is retained if it is not
emitted yet, or if it is one of the last n rows of its partition before the bound, where n is the
number of rows by which a frame starts before its own row.  If a frame starts with its partition,
all rows of the partition are retained until no later row can belong to the partition and all of its
rows have been emitted (S-505).  The same holds for the rows of a group, which is a partition with
one frame (S-503).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from algebra.build import TRUE, and_, at_least, compared, is_not_null, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import (
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
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
from spark_backend.stream.frame_kinds import is_by_time, literal_offset
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
    """A window over the rows of one stream that are only filtered and projected, emitted by time.

    ``time`` is the place of the rowtime among the columns of the window's input. ``back`` has for
    each group of calls the rows, or the distance of a number, by which its frames start before
    their rows; None: they start with the partition.  For an Aggregate the window has its groups as
    partitions, and no calls: a group is emitted at the last time of its rows.  The groups of a set
    operation (S-502) have the streams of all of its inputs.
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

        ``descending``: the column by which rows are emitted descends; then the window has no calls.
        """
        rows = with_place(self.window.input, stream)
        place = len(row_type(rows)) - 1
        time = InputRef(self.time, row_type(rows)[self.time].type)
        limit = Literal(bound, time.type)
        out = compared(Op.GREATER if descending else Op.LESS, time, limit)
        conditions: list[Expression] = [is_not_true(out)]  # NULL is emitted at the end
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
    """The window or the groups at the top of ``plan``, whose rowtime is at ``time``.

    None if there are none, or if a frame reaches back by a time, which
    `spark_backend.stream.retention.retention` handles.
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
            # The groups of a grouping set without the time are emitted at the end, and need all
            # rows.
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
            # The rows of a group include its copies.
            copies = all(each.source.name[-1] is SO_FAR for each in scans(right))
            return retained_rows(left, time) if copies else None
        case _:
            return None


def monotonic_rows(plan: Plan, stream: QualifiedName | None = None) -> Project | None:
    """The rows that MONOTONIC keeps: the values of all its calls, then the row's place.

    The place is that in ``stream``, or NULL for a row of another stream.  None if there is no
    MONOTONIC, or if its input is more than the rows of streams.
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
    """The places of the rows in order that are needed, and of those that define the bounds.

    For each MONOTONIC, the row in order with the greatest value defines the bound.  Late rows are
    evicted, because they would be in order without the row that makes them late.
    """
    *measures, place = columns(rows)
    places = Project(rows, (place,), ("PLACE",))
    retained: list[Plan] = [SetOp((own, places), SetOperator.INTERSECT, all=False)]
    for each in measures:
        greatest = SortKey(each, descending=True, nulls_first=False)
        first = Sort(rows, (greatest,), limit=Literal(1, BIGINT))
        retained.append(Project(first, (place,), ("PLACE",)))
    return union(*retained)


def _back(group: WindowGroup, time: int) -> int | RangeOffset | None:
    """The rows, or the distance, by which frames start before their rows.

    None: with the partition.
    """
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
        elif not call.is_framed:
            return None
    return rows


# --- distances ------------------------------------------------------------------------------------


def _is_reported(group: WindowGroup) -> bool:
    """Whether frames start a distance of a number before their rows, and calls read only them."""
    start, end = group.frame.start, group.frame.end
    if not isinstance(start, RangeOffset) or not isinstance(end, RangeOffset):
        return False
    type = group.order[0].expression.type
    number = type.kind in NUMERIC and not type.nullable
    return number and start.preceding and all(call.is_framed for call in group.calls)


def _seen(key: SortKey, back: RangeOffset, first: Expression) -> Expression:
    """The condition that a row is in the frame of the number ``first``, or of a later number.

    NULL if ``first`` is NULL.
    """
    start = at_distance(first, back.distance, back=not key.descending)
    op = Op.LESS_OR_EQUAL if key.descending else Op.GREATER_OR_EQUAL
    return compared(op, as_type(key.expression, start.type), start)


def _seen_later(key: SortKey, back: RangeOffset, progress_of: ProgressOf) -> Expression:
    """The condition that a later row can have a row in its frame."""
    found = progress_of(key.expression)
    if found is None or found[0] is None or found[1] != key.descending:
        return TRUE
    return _seen(key, back, Literal(found[0].value, key.expression.type))
