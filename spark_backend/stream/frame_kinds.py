"""An OVER with frames of several kinds as one OVER over the other, each with frames of one kind.

Which rows a window retains depends on where its frames start: before the row by a number, by
months, or otherwise.  Frames of different kinds in one OVER become stages of their own.
"""

from enum import Enum, auto
from itertools import accumulate

from algebra.constraints.column_ranges import column_ranges
from algebra.expression import LOOKAHEAD, Literal, WindowCall, WindowFunction
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
    """Where frames start: so far before their rows by a number or by months, or elsewhere."""

    NUMBER = auto()
    MONTHS = auto()
    OTHER = auto()


def one_kind_each(window: Window) -> Project | None:
    """The same rows by windows over one another, each of one kind; None: it is of one already.

    Also None where rows would be emitted later.  Each window waits for its own frames: so all must
    be ordered by one column, only one kind may look at rows that follow, and none may count those.
    """
    kinds: dict[FrameKind, list[int]] = {}
    for place, group in enumerate(window.groups):
        kinds.setdefault(_kind(group), []).append(place)
    ahead = {kind for kind, of in kinds.items() if any(looks_ahead(window.groups[i]) for i in of)}
    counts = any(map(_counts_ahead, window.groups))
    if len(kinds) == 1 or len(ahead) > 1 or counts or not _wait_for_one(window):
        return None
    width = len(row_type(window.input))
    starts = list(accumulate((len(each.calls) for each in window.groups), initial=width))
    plan: Plan = window.input
    found = list(range(len(row_type(window))))
    for kind in sorted(kinds, key=ahead.__contains__):
        if plan != window.input and not _hands_on(plan, window.input):
            return None
        groups = tuple(window.groups[i] for i in kinds[kind])
        own = [place for i in kinds[kind] for place in range(starts[i], starts[i + 1])]
        for at, place in enumerate(own, len(row_type(plan))):
            found[place] = at
        plan = Window(plan, groups, tuple(column_names(window)[place] for place in own))
    made = columns(plan)
    return Project(plan, tuple(made[place] for place in found), column_names(window))


def _kind(group: WindowGroup) -> FrameKind:
    match group.frame.start:
        case RangeOffset(distance, preceding=True) if distance.value != 0:
            if distance.type.kind is Kind.MONTHS:
                return FrameKind.MONTHS
            return FrameKind.NUMBER if distance.type.kind in NUMERIC else FrameKind.OTHER
        case _:
            return FrameKind.OTHER


def _wait_for_one(window: Window) -> bool:
    """Whether all frames wait for one column, by which they are ordered, and for no partition."""
    keys = {group.order[0].expression if group.order else None for group in window.groups}
    orders = column_monotonicity(window.input, OrderOf.BOUNDS)
    ranges = column_ranges(window.input)
    partitions = (each for group in window.groups for each in group.partition)
    ends = any(monotonicity(each, orders, ranges).progresses for each in partitions)
    return len(keys) == 1 and None not in keys and not ends


def looks_ahead(group: WindowGroup) -> bool:
    """Whether a row waits for more than its own time, with its peers, to pass."""
    if any(call.function in LOOKAHEAD for call in group.calls):
        return True
    match group.frame.end:
        case Unbounded():
            return True
        case RowOffset(offset) | GroupOffset(offset):
            return offset > 0
        case RangeOffset(distance, preceding):
            return not preceding and distance.value != 0


def _counts_ahead(group: WindowGroup) -> bool:
    """Whether a row waits for a number of rows or of groups of peers."""
    match group.frame.end:
        case RowOffset(offset) | GroupOffset(offset) if offset > 0:
            return True
        case _:
            return any(call.function is WindowFunction.LEAD for call in group.calls)


def literal_offset(call: WindowCall) -> int | None:
    """How many rows LAG looks back or LEAD looks ahead; None: it differs from row to row."""
    if len(call.arguments) == 1:
        return 1
    offset = call.arguments[1]
    return offset.value if isinstance(offset, Literal) and isinstance(offset.value, int) else None


def _hands_on(window: Plan, input: Plan) -> bool:
    """Whether a window leaves the orders and bounds of its input's columns as they are."""
    width = len(row_type(input))
    return all(
        column_monotonicity(window, of)[:width] == column_monotonicity(input, of) for of in OrderOf
    )
