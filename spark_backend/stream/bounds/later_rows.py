"""The later rows for which an OVER call of a row waits (S-505), and the values in their columns."""

from collections.abc import Sequence

from algebra.expression import LOOKAHEAD, InputRef, Literal, SortKey, WindowCall, WindowFunction
from algebra.parts.frames import WHOLE
from algebra.plan import GroupOffset, Plan, RangeOffset, RowOffset, Window, WindowGroup
from algebra.types import BIGINT
from spark_backend.stream.bounds.distances import is_rounded
from spark_backend.stream.frame_kinds import literal_offset


def rows_that_follow(group: WindowGroup, in_turn: bool) -> int | None:
    """The number of rows that must follow a row until its calls in ``group`` are determined.

    None if a number of rows does not determine them, but only a bound.  ``in_turn``: rows arrive in
    the order of the window.
    """
    if not in_turn:
        return None
    rows = 0
    match group.frame.end:
        case RowOffset(offset):
            rows = max(0, offset)
        case RangeOffset(distance, True) if distance.value != 0 and group.order:
            if is_rounded(group.order[0].expression, distance):
                return None  # the end may be the row's own value, which its peers have, too
        case GroupOffset(offset) if offset < 0:
            pass  # the frame ends before the row's own peers
        case _:
            return None  # peers of the row, or rows at a distance, can still arrive
    for call in group.calls:
        if call.function is WindowFunction.LEAD:
            ahead = literal_offset(call)
            if call.ignore_nulls or ahead is None:
                return None
            rows = max(rows, ahead)
        elif call.function in LOOKAHEAD:
            return None
    return rows


def lead(column: InputRef, rows: int) -> WindowCall:
    """A call for the value of ``column`` ``rows`` rows later; NULL if there is no such row."""
    return WindowCall(
        WindowFunction.LEAD, (column, Literal(rows, BIGINT)), column.type.as_nullable()
    )


def with_later(plan: Plan, time: InputRef, columns: Sequence[InputRef], rows: int) -> Window:
    """Each row with the ``columns`` of the row that is ``rows`` rows later, in order of ``time``.

    These columns come last.  They are NULL if there are fewer later rows.
    """
    order = (SortKey(time, descending=False, nulls_first=False),)
    calls = tuple(lead(each, rows) for each in columns)
    names = tuple(f"$LATER{i}" for i in range(len(columns)))
    return Window(plan, (WindowGroup((), order, WHOLE, calls),), names)
