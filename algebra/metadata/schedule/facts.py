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

    The delay counts from the arrival of the last input row that contributes to the output row.  It
    is measured by the bounds of the node's inputs, which are assumed to advance together.  For a
    plan that does not stream it is `WHOLE` if all rows must be read before the first one is
    emitted, else `NONE`.

    Defines: S-408.c
    """
    schedule = schedule_of(plan)
    return schedule.latency() if is_streaming(plan) else schedule.latency_of_relation()


@deduced_once
def total_latency(plan: Plan) -> Duration:
    """The greatest delay from the arrival of a row in a stream to an output row that needs it.

    The latencies of the nodes on each path through the plan are added, and the greatest sum counts.
    If a stream is joined with a table, the table's path does not count, because the table exists
    from the start.
    """
    streams = is_streaming(plan)
    below = max_of(total_latency(e) for e in inputs_of(plan) if is_streaming(e) or not streams)
    return below.plus(latency(plan))


@deduced_once
def state(plan: Plan) -> tuple[Retained, ...]:
    """The rows and accumulators that the topmost node of ``plan`` retains (S-408).

    The age of rows and groups counts from their arrival.  It is measured by the bounds of the
    node's inputs, which are assumed to advance together.  Rows that no rule needs any more are
    evicted.  Bounds are retained, too, but are not listed.

    Defines: S-408.d
    """
    schedule = schedule_of(plan)
    return schedule.state() if is_streaming(plan) else schedule.state_of_relation()


def completion(plan: Plan) -> str:
    """The text of the event that completes a row of the topmost node.

    ``at once`` if the node never waits.  A complete row also waits for rows of an earlier time,
    which wait for the same kind of event (S-305).
    """
    if not is_streaming(plan):
        return "with the whole input" if latency(plan).whole else IMMEDIATELY
    return schedule_of(plan).completion()


def unbounded_node(plan: Plan) -> tuple[Plan, str] | None:
    """The first node whose latency or retained rows may grow for ever, with the reason.

    None: there is no such node.  A streaming plan with such a node is rejected (S-408).  Inputs are
    visited before the nodes that read them, left before right.  Parts that do not stream are always
    bounded.

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
