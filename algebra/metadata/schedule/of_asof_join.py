"""The schedule of AsofJoin: a left row waits until the right bound has passed its time (S-904)."""

from dataclasses import dataclass

from algebra.metadata.durations import NONE, Duration, max_of, unbounded
from algebra.metadata.runs import until_complete, until_ordered
from algebra.metadata.schedule.of_join import joins_streams, right_side, table_side
from algebra.metadata.schedule.schedule import IMMEDIATELY, Retained, Schedule, StateKind
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, is_streaming
from algebra.spelling import names_of, spelled
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class AsofJoinSchedule(Schedule):
    """The schedule of ``plan``, which joins a stream with another stream or with a table."""

    plan: AsofJoin
    code = Code.NO_LOCK_STEP

    def latency(self) -> Duration:
        """`NONE` with a table; with two streams, until the right bound has passed a left time.

        The last row that contributes to an output row may be from either side, so the longer wait
        counts (S-408.h).  The bounds of both sides are assumed to advance together.
        """
        if not joins_streams(self.plan):
            return NONE
        asof = asof_of(self.plan)
        if not asof.backward:
            return unbounded("the next row of a key may never arrive")
        # If right times must be before the left time (strict), the right bound must only have
        # reached the left time.  If they may be equal, the right bound must have passed it.
        until = until_ordered if asof.strict else until_complete
        sides = (asof.left_time, self.plan.left), (asof.right_time, self.plan.right)
        return max_of(until(time, side) for time, side in sides)

    def state(self) -> tuple[Retained, ...]:
        """The table; with two streams, the pending rows and the nearest right row of each key."""
        if not joins_streams(self.plan):
            return (table_side(self.plan),)
        wait = self.latency()
        return (
            Retained(StateKind.ROWS, wait),
            Retained(StateKind.ROWS, wait, port=1),
            Retained(StateKind.ACCUMULATORS, None, asof_of(self.plan).right_keys, port=1),
        )

    def completion(self) -> str:
        """The advance of the right bound to the time of a left row."""
        if not joins_streams(self.plan):
            return IMMEDIATELY
        asof = asof_of(self.plan)
        if not asof.backward:
            return "never"
        left = spelled(asof.left_time, names_of(self.plan.left))
        right = spelled(asof.right_time, names_of(self.plan.right))
        reached = "has reached" if asof.strict else "has passed"
        return f"a left row, when right {right} {reached} left {left}"

    def reason(self) -> str:
        """The advance of the right bound; empty if the right side does not stream."""
        return "the right bound to pass its time (S-904)" if is_streaming(self.plan.right) else ""

    def state_of_relation(self) -> tuple[Retained, ...]:
        """The rows of the right side."""
        return right_side()
