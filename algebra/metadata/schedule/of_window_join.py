"""The schedule of WindowJoin: rows wait until both bounds are beyond their windows (S-509)."""

from dataclasses import dataclass

from algebra.functions.datetimes import time_text
from algebra.metadata.durations import Duration, max_of
from algebra.metadata.schedule.of_join import (
    NO_EARLIER_PAIR,
    joins_streams,
    right_side,
    slack_of_sides,
)
from algebra.metadata.schedule.schedule import Retained, Schedule, StateKind
from algebra.plan import RowsWindow, SideWindow, TimeWindow, WindowJoin
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class WindowJoinSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: WindowJoin
    code = Code.NO_LOCK_STEP

    def latency(self) -> Duration:
        """How long until no earlier pair is possible, and no unmatched row can find a partner.

        The time u of a pair is the first time at which both rows are in their windows.  A row
        enters its window FOLLOWING before its own time.  So a row that arrives up to FOLLOWING
        after u can be in a pair with the time u, and a pair must wait until both bounds are the
        greater FOLLOWING (``longest``) beyond u.  The wait counts from the arrival of the pair's
        later row, which is at least the lesser FOLLOWING after u.

        The time u of an unmatched row is its own time plus PRECEDING of its side.  A row of the
        other side can match it if it is at most FOLLOWING of that side after u.
        """
        plan = self.plan
        left, right = _before_row(plan.left_window), _before_row(plan.right_window)
        longest = max(left, right)
        waits = [Duration(longest - min(left, right))]
        if plan.kind.preserves_left:
            waits.append(_after_row(plan.left_window).plus(Duration(max(longest, right + 1))))
        if plan.kind.preserves_right:
            waits.append(_after_row(plan.right_window).plus(Duration(max(longest, left + 1))))
        return max_of(waits).plus(
            slack_of_sides(self.plan, self.plan.left_rowtime, self.plan.right_rowtime)
        )

    def state(self) -> tuple[Retained, ...]:
        """The rows of each side until no later row of the other side can match them."""
        left, right = self.plan.left_window, self.plan.right_window
        of_left = _after_row(left).plus(Duration(_before_row(right)))
        of_right = _after_row(right).plus(Duration(_before_row(left)))
        return Retained(StateKind.ROWS, of_left), Retained(StateKind.ROWS, of_right, port=1)

    def completion(self) -> str:
        """The advance of both bounds beyond the windows of the pair."""
        ahead = max(_before_row(self.plan.left_window), _before_row(self.plan.right_window))
        beyond = f"{time_text(ahead)} beyond its time" if ahead else "at its time"
        return f"a pair, when both bounds are {beyond}"

    def reason(self) -> str:
        """The pairs that are emitted before the row; empty in a join with a table."""
        return NO_EARLIER_PAIR if joins_streams(self.plan) else ""

    def state_of_relation(self) -> tuple[Retained, ...]:
        """The rows of the right side."""
        return right_side()


def _before_row(window: SideWindow) -> int:
    """How long before its own time a row enters its window, in milliseconds."""
    return window.following if isinstance(window, TimeWindow) else 0


def _after_row(window: SideWindow) -> Duration:
    """How long after its own time a row stays in its window."""
    match window:
        case TimeWindow(preceding):
            return Duration(preceding)
        case RowsWindow(rows):
            return Duration(rows=rows)
