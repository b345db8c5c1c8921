"""The completeness rule of a join of two streams: the least time of a later pair (S-511).

All times are on one axis that ascends: a time is the value of a column times its factor in
`LockStep.scales`.  The letter r is the time of a row, and u is any point of the axis.  A row with
time r is in its window for ``r + first <= u <= r + last``.  Two rows *meet* at the least u at which
both are in their windows: this is the time at which the pair is emitted.  A join in lock step is
reduced to such a window join (`lock_step_windows`).
"""

import math
from dataclasses import dataclass
from typing import Final

from algebra.monotonicity.lockstep import LockStep
from algebra.monotonicity.progress import Bound, last_value
from algebra.plan import RowsWindow, SideWindow
from algebra.types import Type

#: The bound of a side without a known bound.
NOTHING_KNOWN: Final = -math.inf
#: The bound of a side that has ended, and the time of an event that never happens.
ENDED: Final = math.inf


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """The offsets from a row's time to the first and the last u of its window, both included.

    ``last`` is infinite for a window of ROWS, which is closed by later rows of the same side.
    """

    first: int
    last: float

    @property
    def empty(self) -> bool:
        """Whether a row is never in its window, so that it meets no row."""
        return self.last < self.first

    @property
    def unmatched(self) -> float:
        """The offset from a row's time to the u at which it is emitted unmatched.

        It is the last u of the window, or ``first`` if the window is empty.
        """
        return max(self.first, self.last)


def time_window(window: SideWindow) -> JoinWindow:
    """The window of one side of a window join (S-509); a window of ROWS begins at its row."""
    if isinstance(window, RowsWindow):
        return JoinWindow(0, math.inf)
    return JoinWindow(-window.following, window.preceding)


def lock_step_windows(lock: LockStep) -> tuple[JoinWindow, JoinWindow]:
    """The windows, left and right, by which a join in lock step is a window join (S-510).

    A row of the base side is in its window only at its own time; in a FULL join the left side is
    the base.  If no pair is possible, a row of the other side is never in its window.

    Defines: S-510.i
    """
    if not lock.possible:
        never, once = JoinWindow(0, -1), JoinWindow(0, 0)
        return (never, once) if lock.right_is_base else (once, never)
    lower, upper = (-lock.upper, -lock.lower) if lock.descending else (lock.lower, lock.upper)
    if lock.right_is_base:
        return JoinWindow(lower, upper), JoinWindow(0, 0)
    return JoinWindow(0, 0), JoinWindow(-upper, -lower)


@dataclass(frozen=True, slots=True)
class SideProgress:
    """The progress of one side: no later row of the side has a time r below ``bound``.

    ``bound`` may be `NOTHING_KNOWN` or `ENDED`.  Every r is a multiple of ``step``, which is the
    milliseconds of a day for a DATE that is compared with a TIMESTAMP, and else 1.  ``last`` is the
    greatest r that the type of the column allows.
    """

    bound: float
    window: JoinWindow
    step: int = 1
    last: float = math.inf

    @property
    def next_start(self) -> float:
        """The least u at which a later row can be in its window."""
        return self.bound + self.window.first

    def next_row(self, time: float) -> float:
        """The least r that a row can have at or after ``time``; `ENDED` if it can have none.

        Defines: S-511.p, S-511.q
        """
        if not math.isinf(time):
            time = -(-time // self.step) * self.step  # rounded up to a multiple of the step
        return time if time <= self.last else ENDED

    def next_meeting(self, first: float, last: float = math.inf) -> float:
        """The least u in ``[first, last]`` at which a later row can be in its window.

        At this u it can meet a row of the other side whose window is ``[first, last]``.  `ENDED`:
        no later row can be in its window then.
        """
        if first == ENDED:
            return ENDED
        # The least r of a later row whose window has not ended before `first`.
        row = self.next_row(max(self.bound, first - self.window.last))
        time = max(first, row + self.window.first)
        return time if time <= last and not self.window.empty else ENDED

    def next_unmatched(self) -> float:
        """The least u at which a row without partner can be emitted, for a window of time.

        Defines: S-511.f
        """
        return self.bound + self.window.unmatched

    def next_unmatched_of_rows(self, oldest: float | None, greatest: float) -> float:
        """As `next_unmatched`, for a window of ROWS.

        ``oldest`` is the time of the oldest row without partner whose window is not closed; None:
        there is no such row.  ``greatest`` is the greatest time of all rows of both sides so far.

        Defines: S-511.i
        """
        if oldest is None:
            return self.bound
        # The oldest row is emitted at the last u of its window.  If a later row closes the window,
        # which has a time of at least the bound, this u is just before that row.  If the input ends
        # instead, this u is the greatest time so far.  It is never before the row itself.
        closes_at = max(oldest, min(self.bound - 1, greatest))
        return min(self.bound, closes_at)  # the bound: a later row without partner comes first


def next_pair(left: SideProgress, right: SideProgress) -> float:
    """The least u at which a later row of ``left`` can meet a later row of ``right``.

    `ENDED` if a side has ended, or if the windows allow no pair.

    Defines: S-511.g
    """
    one, other = left.window, right.window
    if ENDED in (left.bound, right.bound) or one.empty or other.empty:
        return ENDED
    # The limits of a right row's time minus a left row's time, if the two rows meet.
    least, most = one.first - other.last, one.last - other.first
    # The least pair has (1) a right row that is not too early for a left row at the bound, (2) the
    # least left row that is not too early for this right row, and (3) the least right row for that
    # left row, which a step of the left side can have moved up.
    right_row = right.next_row(max(right.bound, left.bound + least))
    left_row = left.next_row(max(left.bound, right_row - most))
    right_row = right.next_row(max(right.bound, left_row + least))
    if ENDED in (left_row, right_row):
        return ENDED
    return max(left_row + one.first, right_row + other.first)


def last_time(type: Type, scale: int) -> float:
    """The greatest time r of a column of ``type`` with that scale; infinite if there is none."""
    last = last_value(type, descending=scale < 0)
    return ENDED if last is None else last * scale


def in_column_units(u: float, scale: int) -> float:
    """The first value of a column with that scale whose time is at or after ``u``.

    If ``u`` is infinite, the result is ``u``.
    """
    if math.isinf(u):
        return u
    steps = math.ceil(u / abs(scale))
    return steps if scale > 0 else -steps


def column_bound(least: float, scale: int) -> Bound | None:
    """The bound of a column with that scale whose later times are at least ``least``.

    None: ``least`` is infinite.
    """
    value = in_column_units(least, scale)
    return None if math.isinf(value) else Bound(int(value))
