"""Split an OVER with frames of several kinds into nested OVERs with frames of one kind each.

A stage decides in one way which rows it retains, and the way depends on where frames start: at a
numeric distance before the key of the row, months before it, or elsewhere.  So each of the nested
OVERs becomes a stage of its own.  Other modules use the tests on frames at the end of this module.
"""

from enum import Enum, auto
from itertools import accumulate

from algebra.constraints.column_ranges import column_ranges
from algebra.expression import LOOKAHEAD, InputRef, Literal, WindowCall, WindowFunction
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.plan import (
    GroupOffset,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    Unbounded,
    Window,
    WindowGroup,
    column_names,
    columns,
    row_type,
)
from algebra.types import NUMERIC, Kind


class FrameKind(Enum):
    """Where frames start.

    NUMBER: RANGE 5 PRECEDING, or another distance that is a number.  MONTHS: RANGE with an interval
    of months or years.  OTHER: all other frames, such as those of ROWS, or of RANGE with an
    interval of hours.
    """

    NUMBER = auto()
    MONTHS = auto()
    OTHER = auto()


def split_by_frame_kind(window: Window) -> Project | None:
    """Nested OVERs with the same output, each with frames of one kind; None if one kind suffices.

    None also if the nested OVERs would emit rows later.  Each of them waits for its own frames.  So
    three conditions must hold: all frames are ordered by one column, only frames of one kind read
    later rows, and no frame waits for a number of later rows.
    """
    kinds: dict[FrameKind, list[int]] = {}
    for place, group in enumerate(window.groups):
        kinds.setdefault(_kind(group), []).append(place)
    # The kinds with a frame that reads later rows.
    ahead = {
        kind for kind, places in kinds.items() if any(looks_ahead(window.groups[i]) for i in places)
    }
    counts = any(map(_waits_for_count, window.groups))
    if len(kinds) == 1 or len(ahead) > 1 or counts or not _wait_for_one_bound(window):
        return None
    width = len(row_type(window.input))
    # The calls of group i are the columns of ``window`` from starts[i] up to starts[i + 1].
    starts = list(accumulate((len(each.calls) for each in window.groups), initial=width))
    plan: Plan = window.input
    # For each column of ``window``, its place among the columns of the nested OVERs.
    place_of = list(range(len(row_type(window))))
    # The OVER that looks ahead is the last one: an OVER after it would read delayed rows.
    for kind in sorted(kinds, key=ahead.__contains__):
        if plan != window.input and not _preserves_orders(plan, window.input):
            return None
        groups = tuple(window.groups[i] for i in kinds[kind])
        own = [place for i in kinds[kind] for place in range(starts[i], starts[i + 1])]
        for new_place, place in enumerate(own, len(row_type(plan))):
            place_of[place] = new_place
        plan = Window(plan, groups, tuple(column_names(window)[place] for place in own))
    nested = columns(plan)
    return Project(plan, tuple(nested[place] for place in place_of), column_names(window))


def _kind(group: WindowGroup) -> FrameKind:
    """Where the frames of a group start."""
    match group.frame.start:
        case RangeOffset(distance, preceding=True) if distance.value != 0:
            if distance.type.kind is Kind.MONTHS:
                return FrameKind.MONTHS
            return FrameKind.NUMBER if distance.type.kind in NUMERIC else FrameKind.OTHER
        case _:
            return FrameKind.OTHER


def _wait_for_one_bound(window: Window) -> bool:
    """Whether all frames are ordered by one column, and only its bound completes them.

    If a key of a partition makes progress, a frame can also be complete because its partition is
    complete.
    """
    keys = {group.order[0].expression if group.order else None for group in window.groups}
    orders = column_monotonicity(window.input, OrderOf.BOUNDS)
    ranges = column_ranges(window.input)
    partitions = (each for group in window.groups for each in group.partition)
    ends = any(monotonicity(each, orders, ranges).progresses for each in partitions)
    return len(keys) == 1 and None not in keys and not ends


def is_by_time(group: WindowGroup, time: int | None) -> bool:
    """Whether the first key of a window's order is its rowtime, at ``time``, ascending."""
    if not group.order or group.order[0].descending:
        return False
    first = group.order[0].expression
    return isinstance(first, InputRef) and first.index == time


def looks_ahead(group: WindowGroup) -> bool:
    """Whether a row waits for more than the bound to pass its own time and peers."""
    if any(call.function in LOOKAHEAD for call in group.calls):
        return True
    match group.frame.end:
        case Unbounded():
            return True
        case RowOffset(offset) | GroupOffset(offset):
            return offset > 0
        case RangeOffset(distance, preceding):
            return not preceding and distance.value != 0


def _waits_for_count(group: WindowGroup) -> bool:
    """Whether a row waits for a number of later rows, or of later groups of peers."""
    match group.frame.end:
        case RowOffset(offset) | GroupOffset(offset) if offset > 0:
            return True
        case _:
            return any(call.function is WindowFunction.LEAD for call in group.calls)


def literal_offset(call: WindowCall) -> int | None:
    """The number of rows by which LAG looks back or LEAD ahead; None if it is not constant."""
    if len(call.arguments) == 1:
        return 1
    offset = call.arguments[1]
    return offset.value if isinstance(offset, Literal) and isinstance(offset.value, int) else None


def _preserves_orders(window: Plan, input: Plan) -> bool:
    """Whether OVER preserves the orders and bounds of its input's columns."""
    width = len(row_type(input))
    return all(
        column_monotonicity(window, of)[:width] == column_monotonicity(input, of) for of in OrderOf
    )
