"""Latency, state and completion of each node, as its schedule defines them (S-408)."""

from algebra.facts import deduced_once
from algebra.metadata.durations import Duration, max_of
from algebra.metadata.schedule.of_aggregate import AggregateSchedule
from algebra.metadata.schedule.of_asof_join import AsofJoinSchedule
from algebra.metadata.schedule.of_join import JoinSchedule
from algebra.metadata.schedule.of_session import SessionSchedule
from algebra.metadata.schedule.of_set_operation import SetOperationSchedule
from algebra.metadata.schedule.of_sort import SortSchedule
from algebra.metadata.schedule.of_window import WindowSchedule
from algebra.metadata.schedule.of_window_join import WindowJoinSchedule
from algebra.metadata.schedule.schedule import (
    IMMEDIATELY,
    Immediately,
    Retained,
    Schedule,
    StateKind,
)
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
)


def schedule_of(plan: Plan) -> Schedule:
    """The schedule of the topmost node of ``plan``."""
    match plan:
        case Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return Immediately()
        case Session():
            return SessionSchedule(plan)
        case Aggregate():
            return AggregateSchedule(plan)
        case Window():
            return WindowSchedule(plan)
        case Join():
            return JoinSchedule(plan)
        case WindowJoin():
            return WindowJoinSchedule(plan)
        case AsofJoin():
            return AsofJoinSchedule(plan)
        case SetOp():
            return SetOperationSchedule(plan)
        case Sort():
            return SortSchedule(plan)


@deduced_once
def latency(plan: Plan) -> Duration:
    """How long the topmost node of ``plan`` may delay an output row (S-408).

    The delay is counted from the arrival of the last input row that contributes to the output row,
    by the bounds of the node's inputs, which are assumed to advance together.  For a plan that does
    not stream it is `WHOLE` if all rows must be read before the first one is emitted, else `NONE`.

    Defines: S-408.c
    """
    schedule = schedule_of(plan)
    return schedule.latency() if is_streaming(plan) else schedule.latency_of_relation()


@deduced_once
def total_latency(plan: Plan) -> Duration:
    """The greatest delay from the arrival of a row in a stream to an output row that needs it.

    It is the sum of `latency` along each path, and the maximum over all paths.  A table that a
    stream is joined with exists from the start, so its path does not count.
    """
    streams = is_streaming(plan)
    below = max_of(total_latency(e) for e in inputs_of(plan) if is_streaming(e) or not streams)
    return below.plus(latency(plan))


@deduced_once
def state(plan: Plan) -> tuple[Retained, ...]:
    """The rows and sums that the topmost node of ``plan`` retains (S-408), besides bounds.

    Rows and groups age from their arrival, by the bounds of the node's inputs, which are assumed to
    advance together.  Rows that no rule needs any more are evicted.

    Defines: S-408.d
    """
    schedule = schedule_of(plan)
    return schedule.state() if is_streaming(plan) else schedule.state_of_relation()


def completion(plan: Plan) -> str:
    """The event that completes a row of the topmost node; ``at once`` if the node never waits.

    A complete row also waits for rows of an earlier time, which wait for the same condition
    (S-305).
    """
    if not is_streaming(plan):
        return "with the whole input" if latency(plan).whole else IMMEDIATELY
    return schedule_of(plan).completion()


def unbounded_node(plan: Plan) -> tuple[Plan, str] | None:
    """The first node whose latency or retained rows may grow for ever, and why; else None.

    A streaming plan with such a node is rejected (S-408).  Inputs are visited before the nodes that
    read them, left before right.  Parts that do not stream are always bounded.

    Defines: S-408.f, S-408.l
    """
    if not is_streaming(plan):
        return None
    for input in inputs_of(plan):
        found = unbounded_node(input)
        if found is not None:
            return found
    wait = latency(plan)
    if wait.unbounded is not None:
        return plan, wait.unbounded
    for each in state(plan):
        if each.kind is StateKind.ROWS and (
            each.duration is None or each.duration.unbounded is not None
        ):
            reason = None if each.duration is None else each.duration.unbounded
            return plan, f"rows are kept for ever: {reason}" if reason else "rows are kept for ever"
    return None
