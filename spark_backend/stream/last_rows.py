"""What is kept whatever its age: by frames of rows, groups and sorts by what is no rowtime.

`algebra.history` reads rowtimes alone, and a frame of rows reaches back to none.  So of a plan
right over a stream it is asked row by row: a row is kept that is still to come out itself, or is
one of the last n of its partition before the bound, n the rows that a frame starts before its own.
Where a frame starts with its partition, all rows of it are kept until no row of it can come, and
all have come out (S-505).  So are those of a group, which is a partition with one frame (S-503).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import QualifiedName
from algebra.expression import (
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.frames import WHOLE
from algebra.mentions import own_monotonic_calls, scans
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
    row_type,
)
from algebra.run import inputs_of
from algebra.types import BIGINT, BOOLEAN
from grammar.tree import SetOperator
from spark_backend.stream.equal_rows import SO_FAR
from spark_backend.stream.groups_of_groups import of_rows
from spark_backend.stream.open_rows import ProgressOf, all_of, any_has_passed, any_of, not_true
from spark_backend.stream.placed_rows import PLACE, is_merged, is_traced, stream_of, with_place
from spark_backend.stream.retention import has_monotonic
from spark_backend.stream.times import is_clocked, time_place

#: Functions that see no more than their frame.
_FRAMED: Final = frozenset(
    {WindowFunction.FIRST_VALUE, WindowFunction.LAST_VALUE, WindowFunction.NTH_VALUE}
)


@dataclass(frozen=True, slots=True)
class LastRows:
    """A window over one stream, merely filtered and projected, whose rows leave by their time.

    ``time`` is its place among the columns of the window's input; ``back`` says of each group by
    how many rows its frames reach back, None: to the partition's beginning.  Of groups the window
    has their partition and no calls: a group leaves by the last time of its rows.  Groups of equal
    rows are over the streams of all inputs of their set operation.
    """

    window: Window
    time: int
    back: Sequence[int | None]

    def kept(
        self, stream: QualifiedName, bound: int, progress_of: ProgressOf, *, falls: bool = False
    ) -> Plan:
        """The places of those to keep when ``bound`` has come, among the kept rows of a stream.

        ``falls``: so does the column that they leave by, of a window without calls.
        """
        rows = with_place(self.window.input, stream)
        place = len(row_type(rows)) - 1
        time = InputRef(self.time, row_type(rows)[self.time].type)
        limit = Literal(bound, time.type)
        out = Call(Op.GREATER if falls else Op.LESS, (time, limit), BOOLEAN)
        conditions: list[Expression] = [not_true(out)]  # NULL comes at the end
        for group, back in zip(self.window.groups, self.back, strict=True):
            if back is None:
                last, rows = _added(rows, group, AggregateFunction.MAX, (time,), None)
                conditions.append(Call(Op.GREATER_OR_EQUAL, (last, limit), BOOLEAN))
                conditions.append(not_true(any_has_passed(group.partition, progress_of)))
            elif back > 0:
                earlier = Call(Op.LESS, (time, limit), BOOLEAN)
                behind, rows = _added(rows, group, AggregateFunction.COUNT, (), earlier)
                conditions.append(Call(Op.LESS, (behind, Literal(back, BIGINT)), BOOLEAN))
        own = InputRef(place, PLACE.as_nullable())
        there = Call(Op.IS_NOT_NULL, (own,), BOOLEAN)
        kept = Filter(rows, all_of([there, any_of(conditions)]))
        return Project(kept, (InputRef(place, PLACE),), ("PLACE",))


def last_rows(plan: Plan, time: int) -> LastRows | None:
    """The window or the groups at the top of ``plan``, whose time is at ``time``; None: none such.

    Also where a frame reaches back by a time, which `spark_backend.stream.retention` knows.
    """
    if is_merged(plan):
        return LastRows(Window(plan, (), ()), time, ())
    match plan:
        case Sort(input) if time < len(row_type(input)):
            return last_rows(input, time)
        case Filter(input):
            return last_rows(input, time)
        case Project(input, expressions):
            column = expressions[time]
            return last_rows(input, column.index) if isinstance(column, InputRef) else None
        case Window(input, groups):
            stream = stream_of(input)
            back = [_back(each, time) for each in groups]
            known = [None if each == -1 else each for each in back if each != _BY_TIME]
            if stream is None or len(known) < len(back) or time >= len(row_type(input)):
                return None
            return LastRows(plan, time, known)
        case Aggregate(input, keys, sets) if time < len(keys):
            # A t-sort below needs the greatest time so far, which is in the last group.
            if not all(time in each for each in sets):
                return None
            return last_rows(Project(input, (keys[time],), ("KEY",)), 0)
        case Aggregate(input, keys, sets, measures):
            flat = of_rows(plan, time)
            if flat is not None:
                return last_rows(flat, len(keys))
            call = measures[time - len(keys)]
            wholes = (WindowGroup(tuple(keys[i] for i in e), (), WHOLE, ()) for e in sets)
            if not _gathers(input) or call.function is not AggregateFunction.MAX or call.filter:
                return None
            (last,) = call.arguments
            if not isinstance(last, InputRef) or last.index != time_place(input, plan):
                return None
            window = Window(input, tuple(wholes), ())
            return LastRows(window, last.index, [None] * len(sets))
        case Join(left, right) if time < len(row_type(left)):
            # The copies of a group are rows of its own.
            copies = all(each.source.name[-1] is SO_FAR for each in scans(right))
            return last_rows(left, time) if copies else None
        case _:
            return None


def on_time_rows(plan: Plan, stream: QualifiedName | None = None) -> Project | None:
    """The rows that no MONOTONIC of one node calls late: its values of each, and last its place.

    The place is that in ``stream``, of rows of others NULL.  None: there is none, they are in
    several nodes, or over more than streams that are put together.
    """
    inputs = inputs_of(plan)
    calls = own_monotonic_calls(plan)
    if not calls:
        found = [on_time_rows(each, stream) for each in inputs]
        known = [each for each in found if each is not None]
        return known[0] if len(known) == 1 else None
    (input,) = inputs
    if has_monotonic(input) or not is_merged(input):
        return None
    rows = with_place(input, stream)
    place = columns(rows)[-1]
    return Project(rows, (*calls, place), (*(f"M{i}" for i in range(len(calls))), "PLACE"))


def kept_on_time(rows: Project, own: Plan) -> SetOp:
    """The places of those of ``own`` that are on time, and of the rows that measure later ones.

    They measure together: of the ``rows`` on time, each MONOTONIC has the greatest of its own.  A
    row that was late must not be asked again, when what it was late by has gone.
    """
    *measures, place = columns(rows)
    places = Project(rows, (place,), ("PLACE",))
    kept: list[Plan] = [SetOp((own, places), SetOperator.INTERSECT, all=False)]
    for each in measures:
        greatest = SortKey(each, descending=True, nulls_first=False)
        first = Sort(rows, (greatest,), limit=Literal(1, BIGINT))
        kept.append(Project(first, (place,), ("PLACE",)))
    return SetOp(tuple(kept), SetOperator.UNION, all=True)


#: Frames that reach back by a time, or in an order other than that of time.
_BY_TIME: Final = -2


def _gathers(input: Plan) -> bool:
    """Whether groups are over one stream or joins of some, or of equal rows over several."""
    if isinstance(input, SetOp) and is_clocked(input):
        return all(stream_of(each) is not None for each in input.inputs)
    return is_traced(input)


def _back(group: WindowGroup, time: int) -> int:
    """By how many rows the frames reach back; -1: to the beginning; `_BY_TIME`: it is not said."""
    first = group.order[0] if group.order else None
    if first is not None:
        by_time = isinstance(first.expression, InputRef) and first.expression.index == time
        if not by_time or first.descending:
            return -1
    rows = 0
    match group.frame.start:
        case RowOffset(offset):
            rows = max(0, -offset)
        case RangeOffset(distance) if distance.value != 0:
            return _BY_TIME
        case _:
            return -1
    for call in group.calls:
        if call.function is WindowFunction.LAG:
            lag = call.arguments[1] if len(call.arguments) > 1 else Literal(1, BIGINT)
            if call.ignore_nulls or not isinstance(lag, Literal):
                return -1
            assert isinstance(lag.value, int), "an offset counts rows"
            rows = max(rows, lag.value)
        elif isinstance(call.function, WindowFunction) and call.function not in _FRAMED:
            return -1
    return rows


def _added(
    rows: Plan,
    group: WindowGroup,
    function: AggregateFunction,
    arguments: tuple[Expression, ...],
    filter: Expression | None,
) -> tuple[InputRef, Plan]:
    """A column more: of a row's partition the greatest value, or the count of the rows behind."""
    type = arguments[0].type.as_nullable() if arguments else PLACE
    whole = Frame(Unbounded() if arguments else RowOffset(1), Unbounded())
    call = WindowCall(
        function, arguments, distinct=False, filter=filter, ignore_nulls=False, type=type
    )
    at = len(row_type(rows))
    added = replace(group, frame=whole, calls=(call,))
    return InputRef(at, type), Window(rows, (added,), (f"$W{at}",))
