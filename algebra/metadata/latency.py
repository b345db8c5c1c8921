"""Latency: how long a row waits in each node of a plan, and whether that always ends (S-408)."""

from collections.abc import Sequence
from functools import partial

from algebra.expression import LOOKAHEAD, Expression, InputRef, Literal, WindowCall, WindowFunction
from algebra.facts import deduced_once
from algebra.functions.datetimes import max_millis
from algebra.metadata.collation import sorted_on
from algebra.metadata.column_origin import column_origins, disorder
from algebra.metadata.durations import (
    INSTANT,
    NONE,
    SKEW,
    WHOLE,
    BoundAdvance,
    Duration,
    max_of,
    min_of,
    unbounded,
)
from algebra.metadata.runs import (
    until_advanced,
    until_beyond,
    until_column_complete,
    until_complete,
    until_ordered,
)
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.monotonicity.window_columns import is_edge
from algebra.parts.asof import asof_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    GroupOffset,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    RowsWindow,
    Scan,
    Session,
    SetOp,
    Side,
    SideWindow,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    gap_of,
    inputs_of,
    is_streaming,
    row_type,
)
from algebra.spelling import names_of, spelled
from algebra.types import Kind
from grammar.tree import SetOperator


@deduced_once
def latency(plan: Plan) -> Duration:
    """How long the topmost node of ``plan`` may delay an output row (S-408).

    Counted from the arrival of the last input row that contributes to it, by the clocks of the
    node's inputs, which are assumed to be in step.  For a plan that does not stream it is `WHOLE`
    if all rows must be read before the first one is emitted, else `NONE`.

    Defines: S-408.c
    """
    if not is_streaming(plan):
        return _finite(plan)
    match plan:
        case Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return NONE
        case Session(input):
            return _session(plan, input)
        case Aggregate(input):
            return _aggregate(plan, input)
        case Window(input, groups):
            return max_of(frame_latency(each, input) for each in groups)
        case Join():
            return _join(plan)
        case WindowJoin():
            return _window_join(plan)
        case AsofJoin():
            return _asof_join(plan)
        case SetOp():
            return _set_operation(plan)
        case Sort(input):
            return _sort(plan, input)


@deduced_once
def total_latency(plan: Plan) -> Duration:
    """How long it may take from the arrival of a row at a stream to the output it contributes to.

    The sum of `latency` along each path, and the maximum over all paths.  A table that a stream is
    joined with is there from the start, so its path does not count.
    """
    streams = is_streaming(plan)
    below = max_of(total_latency(e) for e in inputs_of(plan) if is_streaming(e) or not streams)
    return below.plus(latency(plan))


def _finite(plan: Plan) -> Duration:
    match plan:
        case (
            Session()
            | Aggregate()
            | Window()
            | Join()
            | WindowJoin()
            | AsofJoin()
            | SetOp()
            | Sort()
        ):
            return WHOLE
        case Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return NONE


# --- groups and sorts ---------------------------------------------------------------------------


def _session(plan: Session, input: Plan) -> Duration:
    """From the last row of a session until the bound of the time has reached its end.

    Unbounded if the time does not ascend.

    Defines: S-902.l
    """
    ordered = until_ordered(plan.time, input)
    return ordered if ordered.unbounded is not None else ordered.plus(Duration(gap_of(plan)))


def _aggregate(plan: Aggregate, input: Plan) -> Duration:
    """The maximum over the grouping sets: a group waits for the keys of its own set (S-503)."""
    runs = [until_complete(key, input) for key in plan.keys]
    return max_of(until_group_complete(plan, each, runs) for each in plan.sets)


def until_group_complete(
    plan: Aggregate, grouping_set: tuple[int, ...], runs: list[Duration]
) -> Duration:
    """How long until a group of ``grouping_set`` is complete; ``runs`` has a duration per key."""
    known = [runs[i] for i in grouping_set if runs[i].unbounded is None]
    if not known:
        what = "no key of it is monotonic" if len(plan.sets) == 1 else "a grouping set has no such"
        return unbounded(f"a group is never complete: {what}")
    return min_of(known)


def _sort(plan: Sort, input: Plan) -> Duration:
    """How long until the first key's bound has passed a row; `NONE` if rows come sorted (S-507).

    If it is the only key, its bound need only have reached the row.
    """
    first = plan.keys[0] if plan.keys else None
    if first is None:
        return NONE
    if plan.within is not None:
        slack = Duration(max_millis(plan.within))
        return slack if len(plan.keys) == 1 else slack.plus(INSTANT)
    if sorted_on(input, plan.keys):
        return NONE
    columns = column_monotonicity(Project(input, (first.expression,), ("K",)), OrderOf.BOUNDS)
    if columns[0].progresses and columns[0].descending != first.descending:
        return unbounded("the rows go against the direction of ORDER BY")
    # With further keys, rows of equal first key must all be there to be sorted.
    wait = until_ordered if len(plan.keys) == 1 else until_complete
    return wait(first.expression, input)


def _set_operation(plan: SetOp) -> Duration:
    """UNION ALL waits for the other inputs' clocks, other operations for all equal rows (S-502)."""
    if plan.all and plan.operator is SetOperator.UNION:
        return SKEW
    orders = column_monotonicity(plan, OrderOf.BOUNDS)
    leading = [i for i, each in enumerate(orders) if each.progresses]
    if not leading:
        return unbounded("equal rows are never all there: no column is monotonic in all inputs")
    runs = [[until_column_complete(i, each) for i in leading] for each in plan.inputs]
    return max_of(map(min_of, runs)).plus(SKEW)


# --- windows ------------------------------------------------------------------------------------


def frame_latency(group: WindowGroup, input: Plan) -> Duration:
    """How long until a row's frame is complete: by time, by rows, or with its partition (S-505)."""
    over = until_partition_complete(group, input)
    waits = [_frame_end(group, input)]
    waits += [
        _lookahead(call, names_of(input)) for call in group.calls if call.function in LOOKAHEAD
    ]
    longest = max_of(waits)
    if over.unbounded is not None and longest.unbounded is not None:
        return longest
    return min_of((over, longest))


def until_partition_complete(group: WindowGroup, input: Plan) -> Duration:
    """How long until a partition is complete; unbounded without a monotonic partition key."""
    runs = [until_complete(each, input) for each in group.partition]
    return min_of(runs) if runs else unbounded("the partition is never complete")


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
    times = distance.type.kind in (Kind.MILLIS, Kind.MONTHS)
    amount = max_millis(distance) if times else distance.value
    if isinstance(order, InputRef) and isinstance(amount, int):
        return until_beyond(input, order.index, amount)
    if times and isinstance(amount, int):
        return max_of(each.until_beyond(amount) for each in column_origins(order, input))
    return Duration(advances=(BoundAdvance(spelled(order, names_of(input)), None),))


def _lookahead(call: WindowCall, names: Sequence[str]) -> Duration:
    """How long a function waits beyond its frame: for the rows that LEAD looks at, or for all."""
    if call.function is not WindowFunction.LEAD:
        return unbounded(f"{call.function} needs all rows of the partition")
    offset = call.arguments[1] if len(call.arguments) > 1 else None
    if offset is None:
        return Duration(rows=1)
    if isinstance(offset, Literal) and isinstance(offset.value, int):
        return Duration(rows=offset.value)
    # The offset varies by row, but is always finite.
    return Duration(advances=(BoundAdvance(f"{spelled(offset, names)} rows", None),))


# --- joins --------------------------------------------------------------------------------------


def _join(plan: Join) -> Duration:
    """`NONE` with a table; of two streams, until older base rows can have no partner (S-511)."""
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return NONE
    lock = lockstep(plan)
    if not isinstance(lock, LockStep):
        return unbounded(f"the streams are not in lock step: {lock.reason}")
    if not lock.possible:
        return NONE
    ahead, behind = match_offsets(lock)
    until_left = partial(_until_ahead, plan.left, lock.left)
    until_right = partial(_until_ahead, plan.right, lock.right)
    if is_edge(plan.left, lock.left) and is_edge(plan.right, lock.right):
        # Pairs come in the order of the base's time, and a base row waits until its window ends.
        until_left, until_right = (
            partial(_until_window_ends, side, place)
            for side, place in ((plan.left, lock.left), (plan.right, lock.right))
        )
    waits: list[Duration] = []
    if lock.base is not Side.RIGHT:
        waits.append(until_right(ahead - max(0, -behind)))
    if lock.base is not Side.LEFT:
        waits.append(until_left(behind - max(0, -ahead)))
    if plan.kind.preserves_left:
        waits.append(until_right(ahead + 1))
    if plan.kind.preserves_right:
        waits.append(until_left(behind + 1))
    return max_of(waits)


def _until_ahead(side: Plan, place: int, amount: int) -> Duration:
    """How long until the bound of a side is ``amount`` ahead of a row of the other side."""
    ahead = until_advanced(side, place, max(0, amount))
    return ahead.plus(disorder(side, place))


def _until_window_ends(side: Plan, place: int, _amount: int) -> Duration:
    """How long until no later row of a side is in the window of a row of the other side."""
    return until_complete(InputRef(place, row_type(side)[place].type), side)


def match_offsets(lock: LockStep) -> tuple[int, int]:
    """How far the value of a matching right row may be ahead of a left row's, and how far behind.

    Ahead is in the direction of the bounds: below, where the columns descend.  A negative number is
    a distance that the right row keeps at least on the other side.
    """
    return (-lock.lower, lock.upper) if lock.descending else (lock.upper, -lock.lower)


def _window_join(plan: WindowJoin) -> Duration:
    """How long until no pair of an earlier time can come and padded rows can have no partner.

    A pair has the first time u at which both rows are in their windows.  An earlier pair can come
    until both clocks have passed u by their side's FOLLOWING.
    """
    left, right = before_row(plan.left_window), before_row(plan.right_window)
    longest = max(left, right)
    waits = [Duration(longest - min(left, right))]
    if plan.kind.preserves_left:
        waits.append(after_row(plan.left_window).plus(Duration(max(longest, right + 1))))
    if plan.kind.preserves_right:
        waits.append(after_row(plan.right_window).plus(Duration(max(longest, left + 1))))
    return max_of(waits)


def _asof_join(plan: AsofJoin) -> Duration:
    """`NONE` with a table; of two streams, until the right bound has passed a left row's time."""
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return NONE
    asof = asof_of(plan)
    if not asof.backward:
        return unbounded("the next row of a key may never arrive")
    wait = until_ordered if asof.strict else until_complete
    return max_of((wait(asof.left_time, plan.left), wait(asof.right_time, plan.right)))


def before_row(window: SideWindow) -> int:
    """How long before its own time a row enters its window, in milliseconds."""
    return window.following if isinstance(window, TimeWindow) else 0


def after_row(window: SideWindow) -> Duration:
    """How long after its own time a row stays in its window."""
    match window:
        case TimeWindow(preceding):
            return Duration(preceding)
        case RowsWindow(rows):
            return Duration(rows=rows)
