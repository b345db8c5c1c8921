"""The schedule of Window: a row is emitted when all of its frames are complete (S-505)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from algebra.constraints.ranges import value_range
from algebra.expression import (
    HOLISTIC,
    LOOKAHEAD,
    Expression,
    InputRef,
    Literal,
    Parameter,
    WindowCall,
    WindowFunction,
)
from algebra.functions.datetimes import max_millis
from algebra.metadata.durations import (
    NONE,
    WHOLE,
    BoundAdvance,
    Duration,
    max_of,
    min_of,
    unbounded,
)
from algebra.metadata.runs import age, until_beyond, until_complete
from algebra.metadata.schedule.of_aggregate import without_included
from algebra.metadata.schedule.schedule import IMMEDIATELY, Retained, Schedule, StateKind
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.plan import (
    GroupOffset,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    Unbounded,
    Window,
    WindowGroup,
)
from algebra.rewrite import columns_of, subexpressions
from algebra.spelling import names_of, spelled
from algebra.types import DATETIME, MILLIS_PER_DAY, Kind
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class WindowSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: Window
    code = Code.UNBOUNDED_FRAME

    def latency(self) -> Duration:
        """The longest wait for a frame."""
        return max_of(self._waits_for_frames())

    def _waits_for_frames(self) -> list[Duration]:
        return [_frame_latency(each, self.plan.input) for each in self.plan.groups]

    def state(self) -> tuple[Retained, ...]:
        """The rows and sums that later frames need, and the rows that wait for their frame."""
        groups = (_retained(each, self.plan.input) for each in self.plan.groups)
        return without_included([each for retained in groups for each in retained])

    def completion(self) -> str:
        """The events for which a row's frames wait."""
        each = ", ".join(dict.fromkeys(map(str, self._waits_for_frames())))
        return IMMEDIATELY if each == str(NONE) else f"a row's frame, after {each}"

    def reason(self) -> str:
        """The remaining rows of the frames."""
        return "the rest of its frames, peers too (S-505)"

    def state_of_relation(self) -> tuple[Retained, ...]:
        """All rows."""
        return (Retained(StateKind.ROWS, WHOLE),)


# --- how long frames wait -----------------------------------------------------------------------


def _frame_latency(group: WindowGroup, input: Plan) -> Duration:
    """How long until a row's frame is complete: by time, by rows, or with its partition (S-505)."""
    over = _until_partition_complete(group, input)
    waits = [_frame_end(group, input)]
    waits += [
        _lookahead(call, names_of(input)) for call in group.calls if call.function in LOOKAHEAD
    ]
    return min_of((max_of(waits), over))


def _until_partition_complete(group: WindowGroup, input: Plan) -> Duration:
    """How long until a partition is complete; unbounded without a monotonic partition key."""
    never = unbounded("the partition is never complete")
    return min_of((never, *(until_complete(each, input) for each in group.partition)))


def _frame_end(group: WindowGroup, input: Plan) -> Duration:
    if not group.order:
        never = isinstance(group.frame.end, Unbounded | RangeOffset | GroupOffset)
        return unbounded("the rows of OVER are in no order") if never else NONE
    first = group.order[0].expression
    peers = until_complete(first, input)
    if peers.unbounded is not None:
        return unbounded(f"the frame is never complete: {peers.unbounded}")
    emitted = column_monotonicity(Project(input, (first,), ("K",)), OrderOf.ROWS)[0]
    at_place = NONE if emitted.progresses and len(group.order) == 1 else peers
    match group.frame.end:
        case Unbounded():
            return unbounded("the frame has no end: UNBOUNDED FOLLOWING")
        case RowOffset(rows):
            return at_place.plus(Duration(rows=max(0, rows)))
        case GroupOffset(groups):
            return at_place if groups < 0 else peers.plus(Duration(rows=groups))
        case RangeOffset(distance, preceding):
            if preceding and distance.value:
                return at_place
            return _ahead(distance, first, input) if distance.value else peers


def _ahead(distance: Literal, order: Expression, input: Plan) -> Duration:
    """How long until the bound of ``order`` has advanced beyond a frame's distance."""
    amount = _in_units_of(order, distance)
    return _run(order, input) if amount is None else until_beyond(order, input, amount)


def _in_units_of(order: Expression, distance: Literal) -> int | None:
    """A frame's distance in days for a DATE, in milliseconds for other times; of a number its own.

    None if it is not a whole number.
    """
    if order.type.kind in DATETIME:
        millis = max_millis(distance)
        return millis // MILLIS_PER_DAY if order.type.kind is Kind.DATE else millis
    return distance.value if isinstance(distance.value, int) else None


def _run(order: Expression, input: Plan) -> Duration:
    """A wait whose length the data decide."""
    return Duration(advances=(BoundAdvance(spelled(order, names_of(input)), None),))


def _lookahead(call: WindowCall, names: Sequence[str]) -> Duration:
    """How long a function waits beyond its frame: for the rows that LEAD reads, or all rows."""
    if call.function is not WindowFunction.LEAD:
        return unbounded(f"{call.function} needs all rows of the partition")
    offset = call.arguments[1] if len(call.arguments) > 1 else None
    if offset is None:
        return Duration(rows=1)
    if isinstance(offset, Literal) and isinstance(offset.value, int):
        return Duration(rows=offset.value)
    # The offset varies by row, but is always finite.
    return Duration(advances=(BoundAdvance(f"{spelled(offset, names)} rows", None),))


# --- what frames retain -------------------------------------------------------------------------


def _retained(group: WindowGroup, input: Plan) -> tuple[Retained, ...]:
    """The rows and sums that later frames need, and the rows that wait for their frame (S-505)."""
    wait = _frame_latency(group, input)
    over = _until_partition_complete(group, input)
    until = over if over.unbounded is None else None
    retained: list[Retained] = []
    if isinstance(group.frame.start, Unbounded):
        retained.append(Retained(StateKind.ACCUMULATORS, until, group.partition))
        for call in group.calls:
            if call.function in HOLISTIC or offset_depends_on_row(call):
                retained.append(Retained(StateKind.ROWS, over))
            elif call.distinct and call.arguments:
                retained.append(
                    Retained(StateKind.ACCUMULATORS, until, group.partition + call.arguments)
                )
    back = [_back(group, input), *(_lag(call) for call in group.calls)]
    # A row first waits for its own frame, and is then in the frames of later rows.
    ages = [each.plus(wait) for each in back if each != NONE] or [wait]
    rows = (
        Retained(StateKind.ROWS, a, group.partition if a.rows else ()) for a in ages if a != NONE
    )
    return (*retained, *dict.fromkeys(rows))


def _back(group: WindowGroup, input: Plan) -> Duration:
    """How far before its own row a frame starts, or, from UNBOUNDED PRECEDING, ends."""
    start = group.frame.end if isinstance(group.frame.start, Unbounded) else group.frame.start
    match start:
        case RowOffset(rows):
            return Duration(rows=max(0, -rows))
        case GroupOffset(groups):
            return (
                Duration(advances=(BoundAdvance("groups of peers", -groups),))
                if groups < 0
                else NONE
            )
        case RangeOffset(distance, True) if distance.value:
            first = group.order[0].expression
            amount = _in_units_of(first, distance)
            return _run(first, input) if amount is None else age(first, input, amount)
        case RangeOffset() | Unbounded():
            return NONE


def _lag(call: WindowCall) -> Duration:
    """The rows by which LAG reads back; `NONE` if its offset varies by row (see `_retained`)."""
    if call.function is not WindowFunction.LAG or offset_depends_on_row(call):
        return NONE
    offset = value_range(call.arguments[1]).upper if len(call.arguments) > 1 else Fraction(1)
    if offset is None:
        return Duration(advances=(BoundAdvance("LAG's offset", None),))
    return Duration(rows=max(0, int(offset)))


def offset_depends_on_row(call: WindowCall) -> bool:
    """Whether the offset of LAG or NTH_VALUE can differ from row to row.

    A parameter as the offset of LAG counts as such; a parameter of NTH_VALUE is one row for all.
    """
    match call:
        case WindowCall(WindowFunction.NTH_VALUE, (_, number)):
            return bool(columns_of(number))
        case WindowCall(WindowFunction.LAG, (_, offset, *_)):
            return any(isinstance(each, InputRef | Parameter) for each in subexpressions(offset))
        case _:
            return False
