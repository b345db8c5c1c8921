"""Per-row retention: for ROWS frames, and for RANGE frames over keys other than the rowtime.

`algebra.metadata.history` finds a time from which rows are retained, but the frames here do not
start at a time.  So a query over the retained rows decides for each row.  The frames of a window
function start in one of three ways:

1. n rows before their own row: a row is retained if its output row is not emitted yet, or if it is
   one of the last n rows of its partition before the bound.
2. A distance of a number before their own row: a row is retained if it is in the frame of a row
   that is not emitted yet, or of a later row.
3. With the partition: all rows of the partition are retained until they have all been emitted and
   no later row can belong to the partition (S-505).  The rows of a group are such a partition
   (S-503).
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
from algebra.parts.grouping_sets import common_keys
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
from spark_backend.stream.retention.row_places import (
    PLACE,
    is_merged,
    stream_of,
    union,
    with_place,
)
from spark_backend.stream.window_columns import with_count, with_value


@dataclass(frozen=True, slots=True)
class RetainedRows:
    """The window whose frames decide which rows of a stream are retained.

    Its input is the rows of a stream, possibly filtered and projected.  Its output rows are emitted
    by the column ``time`` of its input.  ``back`` has, for each group of calls, where frames start:
    a number of rows before their own row; a distance of a number before it; or None, with the
    partition.

    For an Aggregate the groups of calls are its grouping sets, without calls: their partitions are
    the groups, and a group is emitted at the last time of its rows.  The groups of a set operation
    (S-502) have the rows of the streams of all inputs.  For a plan without frames and groups the
    window has no groups of calls, and ``back`` is empty: a row is retained until it is emitted.
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
        """A plan whose rows are the places of the rows of ``stream`` still needed at ``bound``.

        ``descending``: the column by which rows are emitted descends.  Then ``back`` must be empty,
        because its conditions compare ascending times.
        """
        rows = with_place(self.window.input, stream)
        place = len(row_type(rows)) - 1
        time = InputRef(self.time, row_type(rows)[self.time].type)
        limit = Literal(bound, time.type)
        is_emitted = compared(Op.GREATER if descending else Op.LESS, time, limit)
        not_emitted = is_not_true(is_emitted)  # a row with a NULL time is emitted at the end
        # A row is retained if one of these conditions is true.
        conditions: list[Expression] = [not_emitted]
        for group, back in zip(self.window.groups, self.back, strict=True):
            match back:
                case None:
                    last, rows = with_value(rows, group, WHOLE, AggregateFunction.MAX, time)
                    conditions.append(at_least(last, limit))
                    conditions.append(is_not_true(any_has_passed(group.partition, progress_of)))
                case RangeOffset():
                    key = group.order[0]
                    end = AggregateFunction.MAX if key.descending else AggregateFunction.MIN
                    next_key, rows = with_value(
                        rows, group, WHOLE, end, key.expression, filter=not_emitted
                    )
                    conditions.append(_is_not_before_frame_of(key, back, next_key))
                    conditions.append(_can_be_in_later_frame(key, back, progress_of))
                case _ if back > 0:
                    after = Frame(RowOffset(1), Unbounded())
                    emitted_after, rows = with_count(rows, group, after, filter=is_emitted)
                    conditions.append(less(emitted_after, Literal(back, BIGINT)))
                case _:
                    pass
        is_of_stream = is_not_null(InputRef(place, PLACE.as_nullable()))
        retained = Filter(rows, and_(is_of_stream, or_(*conditions)))
        return Project(retained, (InputRef(place, PLACE),), ("PLACE",))


def retained_rows(plan: Plan, time: int) -> RetainedRows | None:
    """The retained rows for a plan with a window or with groups at its top, or that `is_merged`.

    ``time`` is the place of the plan's rowtime.  None for any other plan.  None also if a frame
    starts a time before its row: `spark_backend.stream.retention.retention` handles these windows.

    A plan `is_merged` if its rows are rows of streams, filtered, projected, sorted, joined with
    tables, or merged by UNION ALL.  Then each row is computed from one row of a stream, and that
    row is retained until its output row is emitted: the window of the result has no groups of
    calls.  `stream_of` is narrower: it allows no UNION ALL.
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
            if any(_starts_at_time(each, time) for each in groups):
                return None
            return RetainedRows(plan, time, [_back(each, time) for each in groups])
        case Aggregate(input, keys) if time < len(keys):
            # The groups of a grouping set without the time are emitted at the end, and need all
            # rows.
            if time not in common_keys(plan):
                return None
            # A group is emitted by the key that is its rowtime, and its rows are retained until
            # then.  The Project has this key of each row as its only column.
            return retained_rows(Project(input, (keys[time],), ("KEY",)), 0)
        case Aggregate(input, keys, sets, measures):
            # Another rowtime than a key: it must be MAX of the input's rowtime.  The window has a
            # partition for each group, which needs the rows of streams as its input.
            call = measures[time - len(keys)]
            if not is_merged(input) or call.function is not AggregateFunction.MAX or call.filter:
                return None
            (last,) = call.arguments
            if not isinstance(last, InputRef) or last.index != time_place(input):
                return None
            of_sets = (WindowGroup(tuple(keys[i] for i in each), (), WHOLE, ()) for each in sets)
            window = Window(input, tuple(of_sets), ())
            return RetainedRows(window, last.index, [None] * len(sets))
        case Join(left, right) if time < len(row_type(left)):
            # The join by which a set operation with ALL repeats each group (on its left side) as
            # often as the result has it (`spark_backend.order.set_operation_groups`).  Its right
            # side reads rows of the same group, from the retained rows of the streams (`SO_FAR`).
            # So it needs no other rows than the left side.
            repeats = all(each.source.name[-1] is SO_FAR for each in scans(right))
            return retained_rows(left, time) if repeats else None
        case _:
            return None


def monotonic_rows(plan: Plan, stream: QualifiedName | None = None) -> Project | None:
    """A plan of the rows from which MONOTONIC drops late ones: the values of its calls, and PLACE.

    PLACE is the row's place in ``stream``; NULL for a row of another stream.  None if ``plan`` has
    no MONOTONIC, or if its input has other rows than those of streams.
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


def retained_monotonic(rows: Project, needed: Plan) -> Plan:
    """The places of the rows that are needed and not late, and of those that define the bounds.

    ``rows`` is the plan of `monotonic_rows`, ``needed`` has the places of the rows that are needed
    for other reasons.  For each MONOTONIC, the row with the greatest value defines the bound.  Late
    rows are evicted, because after the eviction of the row that made it late, a late row would be
    in order.
    """
    *measures, place = columns(rows)
    places = Project(rows, (place,), ("PLACE",))
    retained: list[Plan] = [SetOp((needed, places), SetOperator.INTERSECT, all=False)]
    for each in measures:
        greatest = SortKey(each, descending=True, nulls_first=False)
        first = Sort(rows, (greatest,), limit=Literal(1, BIGINT))
        retained.append(Project(first, (place,), ("PLACE",)))
    return union(*retained)


def _back(group: WindowGroup, time: int) -> int | RangeOffset | None:
    """The number of rows, or the distance, from a row back to the start of its frame.

    None if there is no limit, and the frame starts with the partition.  None also if
    calls need rows before the frame, or if nothing is known about the frame: then all rows of the
    partition are retained, as if frames started with it.  The frames of ``group`` must not start at
    a time (`_starts_at_time`).
    """
    rows = 0
    match group.frame.start:
        case RowOffset(offset) if not group.order or is_by_time(group, time):
            rows = max(0, -offset)
        case RangeOffset(distance) as start if distance.value != 0:
            return start if _starts_before_its_row(group) else None
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


def _starts_at_time(group: WindowGroup, time: int) -> bool:
    """Whether frames start a distance of time before or after the rowtime of their own row."""
    match group.frame.start:
        case RangeOffset(distance) if distance.value != 0:
            return is_by_time(group, time)
        case _:
            return False


def _starts_before_its_row(group: WindowGroup) -> bool:
    """Whether frames start a distance of a number before their rows, and calls read only frames.

    The number cannot be NULL.
    """
    start, end = group.frame.start, group.frame.end
    if not isinstance(start, RangeOffset) or not isinstance(end, RangeOffset):
        return False
    type = group.order[0].expression.type
    is_number = type.kind in NUMERIC and not type.nullable
    return is_number and start.preceding and all(call.is_framed for call in group.calls)


def _is_not_before_frame_of(key: SortKey, back: RangeOffset, number: Expression) -> Expression:
    """The condition that a row is not before the frame of a row whose key is ``number``.

    Then it can be in this frame, or in that of a later row.  ``key`` is the sort key of the rows,
    and frames start at the distance ``back``.  NULL if ``number`` is NULL.
    """
    start = at_distance(number, back.distance, back=not key.descending)
    op = Op.LESS_OR_EQUAL if key.descending else Op.GREATER_OR_EQUAL
    return compared(op, as_type(key.expression, start.type), start)


def _can_be_in_later_frame(key: SortKey, back: RangeOffset, progress_of: ProgressOf) -> Expression:
    """The condition that a row can be in the frame of a row that has not arrived yet."""
    progress = progress_of(key.expression)
    if progress is None:
        return TRUE
    bound, descending = progress
    if bound is None or descending != key.descending:
        return TRUE
    return _is_not_before_frame_of(key, back, Literal(bound.value, key.expression.type))
