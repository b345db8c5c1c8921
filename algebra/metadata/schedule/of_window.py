"""The schedule of Window: a row is emitted when all of its frames are complete (S-505)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from algebra.constraints.ranges import value_range
from algebra.expression import (
    HOLISTIC,
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    Parameter,
    SortKey,
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
from algebra.rewrite import subexpressions
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
        """How long a row waits for its frame, for each window of OVER."""
        return [_frame_latency(each, self.plan.input) for each in self.plan.groups]

    def state(self) -> tuple[Retained, ...]:
        """The rows and sums that later frames need, and the rows that wait for their frame."""
        groups = (_retained(each, self.plan.input) for each in self.plan.groups)
        return without_included([each for retained in groups for each in retained])

    def completion(self) -> str:
        """The waits for a row's frames, each once."""
        waits = ", ".join(dict.fromkeys(map(str, self._waits_for_frames())))
        return IMMEDIATELY if waits == str(NONE) else f"a row's frame, after {waits}"

    def reason(self) -> str:
        """The remaining rows of the frames."""
        return "the rest of its frames, peers too (S-505)"

    def state_of_relation(self) -> tuple[Retained, ...]:
        """All rows of the input."""
        return (Retained(StateKind.ROWS, WHOLE),)


# --- how long frames wait -----------------------------------------------------------------------


def _frame_latency(group: WindowGroup, input: Plan) -> Duration:
    """How long until a row's frame is complete (S-505).

    It is complete when its last row has arrived, or before that when its partition is complete.
    """
    return min_of((_frame_end(group, input), _until_partition_complete(group, input)))


def _until_partition_complete(group: WindowGroup, input: Plan) -> Duration:
    """How long until a partition is complete; unbounded without a monotonic partition key."""
    never = unbounded("the partition is never complete")
    return min_of((never, *(until_complete(each, input) for each in group.partition)))


def _frame_end(group: WindowGroup, input: Plan) -> Duration:
    """How long until the last row of a row's frame has arrived, and its peers if they belong to it.

    Below, ``peers`` is the wait for all peers of the row, and ``at_place`` the wait until the row's
    place in the order is known.  A frame that ends before the row's peers is complete when the row
    has its place.

    Defines: S-408.o
    """
    if group.order:
        peers = until_complete(group.order[0].expression, input)
        at_place = NONE if _are_emitted_in_order(group.order, input) else peers
    else:  # all rows of the partition are peers, and a row has its place when it arrives
        peers = unbounded("the rows of OVER are in no order")
        at_place = NONE
    match group.frame.end:
        case Unbounded():
            return unbounded("the frame has no end: UNBOUNDED FOLLOWING")
        case RowOffset(rows):
            return at_place.plus(Duration(rows=max(0, rows)))
        case GroupOffset(groups):
            return at_place if groups < 0 else peers.plus(Duration(groups=groups))
        case RangeOffset(distance, preceding=True) if distance.value:
            return at_place
        case RangeOffset(distance) if distance.value and peers.unbounded is None:
            return _ahead(distance, group.order[0].expression, input)
        case RangeOffset():  # the frame ends at the peers of the row, or at an unknown distance
            return peers


def _are_emitted_in_order(order: Sequence[SortKey], input: Plan) -> bool:
    """Whether the rows of ``input`` arrive in ``order``, so that a row has its place at once."""
    first = Project(input, (order[0].expression,), ("K",))
    return len(order) == 1 and column_monotonicity(first, OrderOf.ROWS)[0].progresses


def _ahead(distance: Literal, order: Expression, input: Plan) -> Duration:
    """How long until the bound of the sort key ``order`` has advanced by more than ``distance``."""
    amount = _in_units_of(order, distance)
    return _data_dependent(order, input) if amount is None else until_beyond(order, input, amount)


def _in_units_of(order: Expression, distance: Literal) -> int | None:
    """The ``distance`` of a frame in the unit of ``order``, the sort key of the frame.

    The unit of a DATE is a day, and the unit of another datetime a millisecond.  For a number, the
    distance is unchanged; None if it is not a whole number.
    """
    if order.type.kind in DATETIME:
        millis = max_millis(distance)
        return millis // MILLIS_PER_DAY if order.type.kind is Kind.DATE else millis
    return distance.value if isinstance(distance.value, int) else None


def _data_dependent(order: Expression, input: Plan) -> Duration:
    """A wait for the bound of ``order`` whose length only the data decide."""
    return Duration(advances=(BoundAdvance(spelled(order, names_of(input)), None),))


# --- what frames retain -------------------------------------------------------------------------


def _retained(group: WindowGroup, input: Plan) -> tuple[Retained, ...]:
    """The state of one window of OVER (S-505).

    It has the rows and accumulators that later frames need, and the rows that wait for their frame.
    """
    wait = _frame_latency(group, input)
    partition_complete = _until_partition_complete(group, input)
    # An accumulator may be retained for ever (None), because it does not grow.
    until = partition_complete if partition_complete.unbounded is None else None
    retained: list[Retained] = []
    if isinstance(group.frame.start, Unbounded):
        retained.append(Retained(StateKind.ACCUMULATORS, until, group.partition))
        for call in group.calls:
            if call.function in HOLISTIC or offset_depends_on_row(call):
                retained.append(Retained(StateKind.ROWS, partition_complete))
            elif call.distinct:
                retained.append(
                    Retained(StateKind.ACCUMULATORS, until, group.partition + call.arguments)
                )
    # How far the frames, and LAG, of later rows read back.
    back = [_back(group, input), *(_lag(call) for call in group.calls)]
    # A row first waits for its own frame.  Then it is in the frames of later rows, unless its
    # partition is complete.
    later = [] if wait == partition_complete else [each.plus(wait) for each in back if each != NONE]
    rows = (
        Retained(
            # Rows and groups are counted in each partition; time is the same for all partitions.
            StateKind.ROWS,
            duration,
            group.partition if duration.rows or duration.groups else (),
        )
        for duration in later or [wait]
        if duration != NONE
    )
    return (*retained, *dict.fromkeys(rows))


def _back(group: WindowGroup, input: Plan) -> Duration:
    """How far before its row a frame starts; for UNBOUNDED PRECEDING, how far before it ends.

    A frame from UNBOUNDED PRECEDING has an accumulator for its rows.  So only the rows between the
    end of the frame and the row to which the frame belongs are retained.
    """
    start = group.frame.end if isinstance(group.frame.start, Unbounded) else group.frame.start
    match start:
        case RowOffset(rows):
            return Duration(rows=max(0, -rows))
        case GroupOffset(groups):
            return Duration(groups=max(0, -groups))
        case RangeOffset(distance, preceding=True) if distance.value:
            first = group.order[0].expression
            amount = _in_units_of(first, distance)
            return _data_dependent(first, input) if amount is None else age(first, input, amount)
        case RangeOffset() | Unbounded():
            return NONE


def _lag(call: WindowCall) -> Duration:
    """The rows by which LAG reads back; `NONE` for other functions.

    `NONE` also if the offset differs from row to row, because `_retained` then retains all rows of
    the partition.
    """
    if call.function is not WindowFunction.LAG or offset_depends_on_row(call):
        return NONE
    offset = value_range(call.arguments[1]).upper if len(call.arguments) > 1 else 1
    return Duration(rows=int(offset or 0))


#: The functions whose second argument is an offset.  For each function, the classes of expressions
#: that let the offset differ from row to row.  A parameter has one value for all rows; but for LAG
#: it counts as such an expression, because its value is not known when the plan is made.
_CHOOSES: Final[Mapping[AggregateFunction | WindowFunction, tuple[type[Expression], ...]]] = {
    WindowFunction.LAG: (InputRef, Parameter),
    WindowFunction.NTH_VALUE: (InputRef,),
}


def offset_depends_on_row(call: WindowCall) -> bool:
    """Whether the offset of LAG or NTH_VALUE can differ from row to row."""
    chosen_by = _CHOOSES.get(call.function, ())
    inside = (each for offset in call.arguments[1:2] for each in subexpressions(offset))
    return any(isinstance(each, chosen_by) for each in inside)
