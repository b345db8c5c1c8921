"""A side of a join of streams: its rows that a row to come can still meet (S-509, S-511).

All times here are base times u, as whole numbers that rise: a column that falls, or counts in a
coarser unit, is scaled.
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
from reference.values import integer

#: The last time of a window that is not closed yet.
OPEN: Final = math.inf


Window: TypeAlias = JoinWindow | RowsWindow


@dataclass(frozen=True, slots=True)
class SideRows:
    """What a join knows of the rows of one side.

    The time r of a row is the value at ``place`` times ``scale``, which is negative where the
    column falls.  ``equal`` are the places of the values that a partner must have, too;
    ``preserved``: a row without partner comes out with the other side's columns NULL.
    """

    shape: Shape
    place: int
    window: Window
    equal: Sequence[int]
    preserved: bool
    scale: int = 1


@dataclass(slots=True, eq=False)
class Entry:
    """A row, and the times at which it is in its window: from ``first`` to ``last``, both included.

    It is in it at no time if ``last`` is before ``first``.  ``equal`` are the values that a partner
    must have, None if there is a NULL among them; ``gone``: no row to come can meet it.
    """

    row: Row
    equal: Row | None
    first: int
    last: float
    matched: bool = False
    gone: bool = False

    @property
    def empty(self) -> bool:
        """Whether it is never in its window."""
        return self.last < self.first


class Latest:
    """The latest rows of a side whose window is ROWS n: those that have not left it (S-509).

    A row leaves with the n-th after it, in the order of rowtime; so its place must be certain.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._latest: deque[Entry] = deque()
        self._alone: deque[Entry] = deque()
        self._unplaced: list[tuple[int, int, Entry]] = []
        self._pushed_out: list[Entry] = []
        self._arrival = count()

    def arrive(self, entry: Entry) -> None:
        """A row more, the place of which a row to come may push on."""
        heappush(self._unplaced, (entry.first, next(self._arrival), entry))

    def placed(self, bound: float) -> Iterator[Entry]:
        """The rows, in order, before which none will come; each closes the n-th window before."""
        while self._unplaced and self._unplaced[0][0] <= bound:
            entry = heappop(self._unplaced)[2]
            self._latest.append(entry)
            self._alone.append(entry)
            if len(self._latest) > self._rows:
                self._close(self._latest.popleft(), entry.first - 1)
            self.alone()  # which lets go of those that are not
            yield entry

    def _close(self, entry: Entry, last: int) -> None:
        entry.last = last
        if entry.empty:
            entry.gone = True
            self._pushed_out.append(entry)

    def pushed_out(self) -> list[Entry]:
        """The rows that have left as they came, since the last call: n more are of their time.

        Defines: S-511.j
        """
        found, self._pushed_out = self._pushed_out, []
        return found

    def close(self, end: float) -> None:
        """No row comes any more: the windows that are open end at ``end``."""
        for entry in self._latest:
            entry.last = max(entry.first, end)

    def alone(self) -> int | None:
        """The time of the oldest row here that has no partner yet."""
        while self._alone and (self._alone[0].matched or self._alone[0].last < OPEN):
            self._alone.popleft()
        return self._alone[0].first if self._alone else None

    @property
    def unplaced(self) -> list[Row]:
        """The rows whose place is not certain."""
        return [entry.row for _, _, entry in self._unplaced]


@dataclass(slots=True)
class _Bucket:
    """Rows with equal values by the first time of their window, and so by the last, too."""

    entries: list[Entry] = field(default_factory=list[Entry])
    start: int = 0

    def add(self, entry: Entry) -> None:
        if not self.entries or self.entries[-1].first <= entry.first:
            self.entries.append(entry)
        else:
            insort_right(self.entries, entry, lo=self.start, key=_first)

    def meeting(self, entry: Entry) -> Sequence[Entry]:
        """The rows that are in their windows at some time at which ``entry`` is in its own."""
        first: float = entry.first
        end = bisect_right(self.entries, entry.last, self.start, key=_first)
        return self.entries[bisect_left(self.entries, first, self.start, end, key=_last) : end]

    def drop(self, entry: Entry) -> None:
        """Let the first row go."""
        assert self.entries[self.start] is entry, "rows leave by time"
        self.start += 1
        if 2 * self.start > len(self.entries):
            del self.entries[: self.start]
            self.start = 0


def _first(entry: Entry) -> float:
    return entry.first


def _last(entry: Entry) -> float:
    return entry.last


class Side:
    """The rows of one side that can still have a partner, and what is known of later ones.

    Defines: S-511.a
    """

    def __init__(self, given: SideRows) -> None:
        self.given = given
        self.bounds = nothing(given.shape)
        self.greatest: float = NOTHING_KNOWN
        window = given.window
        self.latest: Latest | None = None
        if isinstance(window, RowsWindow):
            self.latest = Latest(window.rows)
            window = time_window(window)
        self.progress = SideProgress(NOTHING_KNOWN, window, abs(given.scale))
        self._held: list[tuple[int, int, Entry]] = []
        self._arrival = count()
        self._by_values: dict[Row, _Bucket] = {}

    def entry(self, row: Row) -> Entry:
        """A row that has come in; the window of ROWS is open."""
        time = integer(row[self.given.place]) * self.given.scale
        self.greatest = max(self.greatest, time)
        equal = tuple([row[place] for place in self.given.equal])
        window = self.progress.window
        equal_values = None if None in equal else equal
        return Entry(row, equal_values, time + window.first, time + window.last)

    def told(self, bounds: Bounds) -> None:
        """Take what is known of all later rows."""
        self.bounds = bounds
        limit = bounds.columns[self.given.place]
        if bounds.ended:
            self.progress = replace(self.progress, bound=ENDED)
        elif limit is not None:
            bound = integer(limit.value) * self.given.scale
            self.progress = replace(self.progress, bound=bound)

    # --- the rows that are held -----------------------------------------------------------------

    def hold(self, entry: Entry) -> None:
        """Keep a row until it can have no partner."""
        heappush(self._held, (entry.first, next(self._arrival), entry))

    def show(self, entry: Entry) -> None:
        """Let rows to come find a row that is held."""
        if entry.equal is not None and not entry.empty:
            self._by_values.setdefault(entry.equal, _Bucket()).add(entry)

    def meeting(self, entry: Entry) -> Sequence[Entry]:
        """The rows with the values of ``entry``, of the other side, whose windows its own meets."""
        bucket = None if entry.equal is None else self._by_values.get(entry.equal)
        return () if bucket is None or entry.empty else bucket.meeting(entry)

    def freed(self, limit: float) -> Iterator[Entry]:
        """The rows that are in their windows before ``limit`` only: they go.

        Defines: S-511.b, S-511.c
        """
        while self._held and (self._held[0][2].gone or self._held[0][2].last < limit):
            entry = heappop(self._held)[2]
            if not entry.gone:
                entry.gone = True
                self._hide(entry)
                yield entry

    def _hide(self, entry: Entry) -> None:
        if entry.equal is not None and not entry.empty:
            bucket = self._by_values[entry.equal]
            bucket.drop(entry)
            if not bucket.entries:
                del self._by_values[entry.equal]

    @property
    def oldest(self) -> float:
        """The first time of all held rows; infinite if there is none."""
        return self._held[0][0] if self._held else ENDED

    def state(self) -> State:
        """All rows that are held."""
        if self.latest is None:
            return State(len(self._held), held=lambda: [each.row for _, _, each in self._held])
        # A row that others have pushed out is gone, wherever it stands.
        rows = [each.row for _, _, each in self._held if not each.gone] + self.latest.unplaced
        return State(len(rows), held=lambda: rows)
