"""The completeness rule of a join of two streams: the least time of a later pair (S-511).

All times here are base times u, integers that never decrease when bounds advance: the value of a
column times its factor in `LockStep.scales`.  A row with time r is in its window for ``r + first <=
u <= r + last``; two rows *meet* at the least u at which both are in their windows.
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
#: The bound of a side that has ended; the time of an event that never happens.
ENDED: Final = math.inf


@dataclass(frozen=True, slots=True)
class JoinWindow:
    """The offsets from a row's time to the first and the last u of its window, both included.

    ``last`` is infinite for a window of ROWS, which later rows of the same side close.
    """

    first: int
    last: float

    @property
    def empty(self) -> bool:
        """Whether a row is never in its window, and so meets no row."""
        return self.last < self.first

    @property
    def unmatched(self) -> float:
        """The offset from a row's time to the u at which it is emitted unmatched.

        It is the last u of the window, or ``first`` if the window is empty.
        """
        return max(self.first, self.last)


def time_window(window: SideWindow) -> JoinWindow:
    """The window of one side of a window join (S-509); one of ROWS begins at its row."""
    if isinstance(window, RowsWindow):
        return JoinWindow(0, math.inf)
    return JoinWindow(-window.following, window.preceding)


def lock_step_windows(lock: LockStep) -> tuple[JoinWindow, JoinWindow]:
    """The windows, left and right, by which a join in lock step is a window join (S-510).

    A base row is in its window at its own time alone; in a FULL join the left side is the base.  A
    row of the other side is never in its window where no pair is possible.

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
    """The progress of one side: no later row of it has a time r below ``bound``.

    ``bound`` may be `NOTHING_KNOWN` or `ENDED`.  Every r is a multiple of ``step``: of the
    milliseconds of a day, if a DATE is compared with a TIMESTAMP.  ``last`` is the last r that the
    type of the column has.
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
            time = -(-time // self.step) * self.step
        return time if time <= self.last else ENDED

    def next_meeting(self, first: float, last: float = math.inf) -> float:
        """The least u in ``[first, last]`` at which a later row can be in its window.

        That is when it can meet a row of the other side whose window is ``[first, last]``.
        `ENDED`: no later row can.
        """
        if first == ENDED:
            return ENDED
        start, end = self.window.first, self.window.last
        time = max(first, self.next_row(max(self.bound, first - end)) + start)
        return time if time <= last and not self.window.empty else ENDED

    def next_unmatched(self) -> float:
        """The least u of a later or pending row without partner, for a window of time.

        Defines: S-511.f
        """
        return self.bound + self.window.unmatched

    def next_unmatched_of_rows(self, oldest: float | None, greatest: float) -> float:
        """As `next_unmatched` for a window ROWS n: the least u of a row without partner.

        ``oldest`` is the time of the oldest row without partner whose window no row has closed yet,
        None if there is none; ``greatest`` is the greatest time of all rows of both sides so far.
        A later row is at ``bound`` at the earliest.  If it closes the window of the oldest row, the
        last u of that window is before it.  If instead the input ends, that u is ``greatest``.

        Defines: S-511.i
        """
        if oldest is None:
            return self.bound
        return min(self.bound, max(oldest, min(self.bound - 1, greatest)))


def next_pair(left: SideProgress, right: SideProgress) -> float:
    """The least u at which a later row of ``left`` can meet a later row of ``right``.

    `ENDED` if a side has ended, or if the windows allow no pair.

    Defines: S-511.g
    """
    one, other = left.window, right.window
    if ENDED in (left.bound, right.bound) or one.empty or other.empty:
        return ENDED
    least, most = one.first - other.last, one.last - other.first  # of the right r - the left r
    # The least partner of a left row at the bound.  The left row that matches it can be later, and
    # then its least partner can be later, too.
    partner = right.next_row(max(right.bound, left.bound + least))
    row = left.next_row(max(left.bound, partner - most))
    partner = right.next_row(max(right.bound, row + least))
    if ENDED in (row, partner):
        return ENDED
    return max(row + one.first, partner + other.first)


def last_time(type: Type, scale: int) -> float:
    """The last time r of a column of ``type`` with that scale; infinite for a type without end."""
    last = last_value(type, descending=scale < 0)
    return ENDED if last is None else last * scale


def in_column_units(u: float, scale: int) -> float:
    """The first value at or after the time ``u`` of a column with that scale; infinite as u is."""
    if math.isinf(u):
        return u
    steps = math.ceil(u / abs(scale))
    return steps if scale > 0 else -steps


def column_bound(least: float, scale: int) -> Bound | None:
    """The bound of a column that holds u divided by ``scale``; None: ``least`` is infinite."""
    value = in_column_units(least, scale)
    return None if math.isinf(value) else Bound(int(value))
