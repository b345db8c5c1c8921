"""One side (input) of a join of streams: the rows that a later row can still join (S-509, S-511).

A row is in its window for an interval of base times u; two rows join if their windows intersect.
All times in this module are base times u as ascending integers.  The values of a column that
descends, or has a coarser unit, are multiplied by a scale first.
"""

import math
from bisect import bisect_left, bisect_right, insort_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from typing import Final, TypeAlias

from algebra.monotonicity.join_progress import JoinWindow, SideProgress, time_window
from algebra.monotonicity.progress import Bounds
from algebra.plan import RowsWindow
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, nothing
from reference.relation import Row
from reference.snapshot import stateful
from reference.values import integer

#: The ``last`` of a window that is still open.
OPEN: Final = math.inf

#: The window of a side: two distances in time around a row, or ROWS n.
Window: TypeAlias = JoinWindow | RowsWindow


@dataclass(frozen=True, slots=True)
class SideRows:
    """The properties of one side of a join that never change.

    The time r of a row is its value at ``place`` times ``scale``, which is negative for a
    descending column; ``last`` is the greatest r that the column's type allows. ``window`` is
    relative to r.  ``equal`` are the places of the columns that ON equates with columns of the
    other side. ``preserved``: an unmatched row is emitted with NULLs for the other side.
    """

    shape: Shape
    place: int
    window: Window
    equal: Sequence[int]
    preserved: bool
    scale: int = 1
    last: float = math.inf


@stateful
@dataclass(slots=True, eq=False)
class SideRow:
    """A row, and the base times `[first, last]` at which it is in its window, both inclusive.

    The window is empty if ``last`` is less than ``first``. ``equal`` has the values of the columns
    that ON equates; it is None if one of them is NULL, so that the row matches no row. ``expired``:
    no later row can match it.
    """

    row: Row
    equal: Row | None
    first: int
    last: float
    matched: bool = False
    expired: bool = False


@stateful
class RowsWindowState:
    """The rows in the window ROWS n of one side (S-509); ``rows`` is n.

    The n-th row after a row, in rowtime order, removes the row from the window.  So a row enters
    the window only when its place in the rowtime order is final.  `place_rows` then moves it from
    ``_unplaced`` into ``_in_window``.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._in_window: deque[SideRow] = deque()
        self._unmatched: deque[SideRow] = deque()
        self._unplaced: list[tuple[int, int, SideRow]] = []
        self._evicted: list[SideRow] = []
        self._arrival = count()

    def add(self, entry: SideRow) -> None:
        """Add a row whose place in the rowtime order is not final."""
        heappush(self._unplaced, (entry.first, next(self._arrival), entry))

    def place_rows(self, bound: float) -> Iterator[SideRow]:
        """Let the rows whose places are final at ``bound`` enter the window, and yield them.

        Each of them closes the window of the n-th row before it.
        """
        while self._unplaced and self._unplaced[0][0] <= bound:
            entry = heappop(self._unplaced)[2]
            self._in_window.append(entry)
            self._unmatched.append(entry)
            if len(self._in_window) > self._rows:
                self._close(self._in_window.popleft(), entry.first - 1)
            self._drop_matched()
            yield entry

    def _close(self, entry: SideRow, last: int) -> None:
        """Let ``last`` be the last time at which a row is in its window."""
        entry.last = last
        if last < entry.first:
            entry.expired = True
            self._evicted.append(entry)

    def take_evicted(self) -> list[SideRow]:
        """Return the rows that left the window at the time at which they entered it, each once.

        This happens to a row if at least n later rows of its side have the same time.

        Defines: S-511.j
        """
        found, self._evicted = self._evicted, []
        return found

    def close(self, end: float) -> None:
        """Close the open windows at ``end``, the greatest time of all rows, when no more arrive."""
        for entry in self._in_window:
            entry.last = end

    def oldest_unmatched(self) -> int | None:
        """The time of the oldest unmatched row in the window; None if all rows are matched."""
        self._drop_matched()
        return self._unmatched[0].first if self._unmatched else None

    def _drop_matched(self) -> None:
        """Remove matched rows, and rows that left the window, from the front of ``_unmatched``."""
        while self._unmatched and (self._unmatched[0].matched or self._unmatched[0].last < OPEN):
            self._unmatched.popleft()

    @property
    def unplaced(self) -> list[Row]:
        """The rows whose places in the rowtime order are not final."""
        return [entry.row for _, _, entry in self._unplaced]


@stateful
@dataclass(slots=True)
class _Bucket:
    """Rows with equal join values, sorted by ``first``, and therefore by ``last``, too.

    They are sorted by both because the windows of a side have one length, or, for ROWS n, end in
    the order in which they start.  The entries before the place ``start`` are evicted.
    """

    entries: list[SideRow] = field(default_factory=list[SideRow])
    start: int = 0

    def add(self, entry: SideRow) -> None:
        """Add a row, after those with a ``first`` up to its own."""
        insort_right(self.entries, entry, lo=self.start, key=_first)

    def meeting(self, entry: SideRow) -> Sequence[SideRow]:
        """The rows whose windows intersect the window of ``entry``."""
        first: float = entry.first
        end = bisect_right(self.entries, entry.last, self.start, key=_first)
        return self.entries[bisect_left(self.entries, first, self.start, end, key=_last) : end]

    def drop(self, entry: SideRow) -> None:
        """Evict ``entry``, which must be the first row.

        Evicted entries are removed from the list only when they are more than half of it.  So the
        average cost of an eviction does not grow with the number of rows.
        """
        assert self.entries[self.start] is entry, "rows leave by time"
        self.start += 1
        if 2 * self.start > len(self.entries):
            del self.entries[: self.start]
            self.start = 0


def _first(entry: SideRow) -> float:
    return entry.first


def _last(entry: SideRow) -> float:
    return entry.last


@stateful
class Side:
    """The rows of one side that a later row can still match, and the bounds of its later rows.

    ``spec`` has the properties that never change. ``progress`` computes when later rows can meet
    rows of the other side. ``greatest`` is the greatest time of the rows so far.

    Defines: S-511.a
    """

    def __init__(self, spec: SideRows) -> None:
        self.spec = spec
        self.bounds = nothing(spec.shape)
        self.greatest: float = NOTHING_KNOWN
        window = spec.window
        self.rows_window: RowsWindowState | None = None
        if isinstance(window, RowsWindow):
            self.rows_window = RowsWindowState(window.rows)
            window = time_window(window)
        self.progress = SideProgress(NOTHING_KNOWN, window, abs(spec.scale), spec.last)
        self._retained: list[tuple[int, int, SideRow]] = []  # a heap, by ``first``
        self._arrival = count()
        self._by_values: dict[Row | None, _Bucket] = {}

    def entry(self, row: Row) -> SideRow:
        """Make the entry of an arriving row.

        A window in time has both its ends; a window ROWS n is open (its ``last`` is OPEN).
        """
        time = integer(row[self.spec.place]) * self.spec.scale
        self.greatest = max(self.greatest, time)
        equal = tuple([row[place] for place in self.spec.equal])
        window = self.progress.window
        equal_values = None if None in equal else equal
        return SideRow(row, equal_values, time + window.first, time + window.last)

    def set_bounds(self, bounds: Bounds) -> None:
        """Set the bounds of all later rows."""
        self.bounds = bounds
        limit = bounds.columns[self.spec.place]
        if bounds.ended:
            self.progress = replace(self.progress, bound=ENDED)
        elif limit is not None:
            bound = integer(limit.value) * self.spec.scale
            self.progress = replace(self.progress, bound=bound)

    # --- the retained rows ----------------------------------------------------------------------

    def retain(self, entry: SideRow) -> None:
        """Retain a row until `evict` finds that no later row can match it."""
        heappush(self._retained, (entry.first, next(self._arrival), entry))

    def make_visible(self, entry: SideRow) -> None:
        """Make a retained row visible to later rows of the other side."""
        self._by_values.setdefault(entry.equal, _Bucket()).add(entry)

    def meeting(self, entry: SideRow) -> Sequence[SideRow]:
        """The visible rows with the join values of ``entry`` whose windows intersect its window."""
        bucket = None if entry.equal is None else self._by_values.get(entry.equal)
        return () if bucket is None else bucket.meeting(entry)

    def evict(self, limit: float) -> Iterator[SideRow]:
        """Evict the rows whose windows end before ``limit``, and yield them.

        Defines: S-511.b, S-511.c
        """
        while self._retained and (
            self._retained[0][2].expired or self._retained[0][2].last < limit
        ):
            entry = heappop(self._retained)[2]
            if not entry.expired:
                entry.expired = True
                self._hide(entry)
                yield entry

    def _hide(self, entry: SideRow) -> None:
        """Remove a row from those that later rows of the other side can find."""
        bucket = self._by_values[entry.equal]
        bucket.drop(entry)
        if not bucket.entries:
            del self._by_values[entry.equal]

    @property
    def oldest(self) -> float:
        """The least ``first`` of the retained rows; ENDED (+infinity) if there are none."""
        return self._retained[0][0] if self._retained else ENDED

    def state(self) -> State:
        """The retained rows."""
        if self.rows_window is None:
            return State(
                len(self._retained),
                retained=lambda: [each.row for _, _, each in self._retained],
            )
        # A row that left a window ROWS n is expired, but may still be in the heap.
        rows = [
            each.row for _, _, each in self._retained if not each.expired
        ] + self.rows_window.unplaced
        return State(len(rows), retained=lambda: rows)
