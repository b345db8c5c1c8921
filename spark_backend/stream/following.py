"""The rows behind a row of a window that it waits for, where it waits for rows alone (S-505)."""

from dataclasses import replace

from algebra.emission import WAITING
from algebra.expression import InputRef, Literal, WindowCall, WindowFunction
from algebra.frames import WHOLE
from algebra.plan import GroupOffset, RangeOffset, RowOffset, WindowGroup
from algebra.types import BIGINT


def rows_that_follow(group: WindowGroup, time: int | None) -> int | None:
    """How many rows must follow one for it to be determined; None: a bound must pass something."""
    rows = 0
    if group.order:
        first, *others = group.order
        by_time = isinstance(first.expression, InputRef) and first.expression.index == time
        if others or not by_time or first.descending:
            return None
    match group.frame.end:
        case RowOffset(offset):
            rows = max(0, offset)
        case RangeOffset(distance, True) if distance.value != 0 and group.order:
            pass
        case GroupOffset(offset) if offset < 0:
            pass
        case _:
            return None
    for call in group.calls:
        if call.function is WindowFunction.LEAD:
            behind = call.arguments[1] if len(call.arguments) > 1 else Literal(1, BIGINT)
            if call.ignore_nulls or not isinstance(behind, Literal):
                return None
            assert isinstance(behind.value, int), "an offset counts rows"
            rows = max(rows, behind.value)
        elif call.function in WAITING:
            return None
    return rows


def lead(group: WindowGroup, moment: InputRef, rows: int) -> WindowGroup:
    """The moment of the row that comes so many rows behind, in the order of a group of calls."""
    call = WindowCall(
        WindowFunction.LEAD,
        (moment, Literal(rows, BIGINT)),
        distinct=False,
        filter=None,
        ignore_nulls=False,
        type=BIGINT,
    )
    return replace(group, frame=WHOLE, calls=(call,))
