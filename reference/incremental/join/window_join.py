"""The operator of a join of two streams, over windows or by condition (S-509 to S-511).

Each row has a window: an interval of times u (*base times*) in which it can meet rows of the other
side.  A join by condition, whose two times stay within a fixed distance, is reduced to windows by
`lower_join`.  A train is a batch of rows with the bounds of all later rows.  A port is the number
of an input.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from algebra.monotonicity.join_progress import column_bound, next_pair
from algebra.monotonicity.progress import Bound, Bounds, is_past_all, weaker
from algebra.types import TIMESTAMP
from reference.incremental.join.join_emission import JoinEmissionQueue, Order
from reference.incremental.join.join_side import OPEN, Side, SideRow, SideRows
from reference.incremental.lazy_min_heap import LazyMinHeap
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, Train
from reference.relation import Row
from reference.snapshot import stateful
from reference.values import integer

#: The function from a left row, a right row (one of them may be missing) and their base time u to
#: the output row.
Joined: TypeAlias = Callable[[Row | None, Row | None, int], Row]


@dataclass(frozen=True, slots=True)
class BoundSource:
    """An output column other than u whose bound is requested, and the sources of its values.

    ``sources`` are pairs of a port and a place in the rows of that side.  An output row takes its
    value from the first source whose side is not padded with NULLs.  So a row of the second source
    counts only while it can be emitted unmatched. ``place`` is the column's place in the output.

    Defines: S-511.m, S-511.n
    """

    place: int
    descending: bool
    sources: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RequestedBounds:
    """The output columns whose bounds are requested.

    ``base`` has the columns with u, and ``reported`` the others. ``base`` maps the place of a
    column to its scale: u is the column's value times this scale.  It is empty if rows are emitted
    by rowtime alone, because the least u is then not known.
    """

    base: Mapping[int, int]
    reported: Sequence[BoundSource]


@stateful
@dataclass(frozen=True, slots=True)
class _Unmatched:
    """The owner of a value in a heap that counts only while ``entry`` can be emitted unmatched."""

    entry: SideRow

    @property
    def expired(self) -> bool:
        """Whether the row cannot be emitted unmatched any more, or is evicted."""
        return self.entry.matched or self.entry.expired


@stateful
class WindowJoin:
    """Joins the pairs of rows whose windows have a common time u and that satisfy ``matches``.

    - *Base time.*  The u of a pair is the least common time.  The u of an unmatched row of a
      preserved side is the last time at which the row is in its window.
    - *Determined.*  A pair is determined when both rows have arrived and no later row can end one
      of their windows ROWS n at or before u.  An unmatched row is determined when no later row can
      match it and its window has ended.
    - *Emission.*  Determined rows are emitted in ``order``.
    - *Retention.*  A row is retained until the other side's bound has passed its window.
    - *Bound.*  The output's bound is the least u of the rows that are not determined: pairs of two
      later rows, pairs of a retained and a later row, and unmatched rows of preserved sides.
    """

    def __init__(
        self,
        shape: Shape,
        sides: tuple[SideRows, SideRows],
        matches: Callable[[Row, Row], bool],
        joined: Joined,
        order: Order,
        requested: RequestedBounds,
    ) -> None:
        self.shape = shape
        self._sides = (Side(sides[0]), Side(sides[1]))
        self._matches = matches
        self._joined = joined
        self._order = order
        self._requested = requested
        self._queue = JoinEmissionQueue(shape, order)
        # The rows that wait for `_decide`, as a heap: the first time of the window, a number that
        # decides among equal times, the port, and the row.
        self._undecided: list[tuple[int, int, int, SideRow]] = []
        self._arrival = count()
        # For each requested column its values in retained and in pending rows.
        self._heaps = [LazyMinHeap(each.descending) for each in requested.reported]

    def take(self, train: Train, port: int = 0) -> Train:
        """Take a train of one side; return the determined rows that no later row can precede."""
        side = self._sides[port]
        arrived = [side.entry(row) for row in train.rows]
        side.set_bounds(train.bounds)
        if side.rows_window is not None:
            for entry in arrived:
                side.rows_window.add(entry)
            arrived = list(side.rows_window.place_rows(side.progress.bound))
        decided = self._decide()
        for entry in arrived:
            if not entry.expired:
                self._enter(entry, port, decided)
        self._evict()
        least = self._least()
        return Train(self._release(least), self._bounds(least))

    def determined(self) -> Iterator[Row]:
        """The determined rows that are not emitted yet, in no order."""
        return self._queue.rows()

    def state(self) -> State:
        """The retained rows of both sides, and the pending output rows."""
        left, right = self._sides
        return left.state() + right.state() + self._queue.state()

    # --- pairs ----------------------------------------------------------------------------------

    def _decide(self) -> float:
        """Join the undecided rows whose first time is decided, and return the decided time.

        Before the decided time, the contents of all windows ROWS n are final.  It is ENDED if the
        join has no such window.

        Defines: S-511.h
        """
        decided = min(
            (each.progress.bound for each in self._sides if each.rows_window is not None),
            default=ENDED,
        )
        while self._undecided and self._undecided[0][0] < decided:
            _, _, port, entry = heappop(self._undecided)
            if not entry.expired:
                self._join(entry, port)
                self._sides[port].make_visible(entry)
        return decided

    def _enter(self, entry: SideRow, port: int, decided: float) -> None:
        """Join an arriving row with the visible rows, and retain it if a later row can match it.

        A row whose first time is not before the ``decided`` time waits for `_decide` instead.
        """
        if entry.first >= decided:
            heappush(self._undecided, (entry.first, next(self._arrival), port, entry))
            self._retain(entry, port)
            return
        self._join(entry, port)
        other = self._sides[1 - port]
        if entry.last == OPEN or other.progress.next_meeting(entry.first, entry.last) < ENDED:
            self._retain(entry, port)
            self._sides[port].make_visible(entry)
        else:
            self._emit_unmatched(entry, port)

    def _retain(self, entry: SideRow, port: int) -> None:
        """Retain a row, and add its values to the heaps of the requested columns."""
        self._sides[port].retain(entry)
        for each, heap in zip(self._requested.reported, self._heaps, strict=True):
            for number, (source, place) in enumerate(each.sources):
                if source == port:
                    heap.add(entry.row[place], _Unmatched(entry) if number else entry)

    def _join(self, entry: SideRow, port: int) -> None:
        """Put the pairs of a row with the visible rows of the other side into the queue."""
        for partner in self._sides[1 - port].meeting(entry):
            left, right = (entry, partner) if port == 0 else (partner, entry)
            if self._matches(left.row, right.row):
                entry.matched = partner.matched = True
                base = max(entry.first, partner.first)
                self._queue.put(self._joined(left.row, right.row, base), base)

    # --- rows that can have no partner any more -------------------------------------------------

    def _evict(self) -> None:
        """Evict the rows that no later row can match.

        Defines: S-509.m
        """
        if all(each.bounds.ended for each in self._sides):
            for side in self._sides:
                if side.rows_window is not None:
                    side.rows_window.close(self._greatest())
        for port, side in enumerate(self._sides):
            for entry in [] if side.rows_window is None else side.rows_window.take_evicted():
                self._emit_unmatched(entry, port)
            for entry in side.evict(self._sides[1 - port].progress.next_start):
                self._emit_unmatched(entry, port)

    def _emit_unmatched(self, entry: SideRow, port: int) -> None:
        """Put an unmatched row into the queue, if its side is preserved."""
        if entry.matched or not self._sides[port].spec.preserved:
            return
        # `last` is before `first` if the row was never in its window.
        base = int(max(entry.first, entry.last))
        left, right = (entry.row, None) if port == 0 else (None, entry.row)
        self._queue.put(self._joined(left, right, base), base)

    def _greatest(self) -> float:
        """The greatest time of the rows so far."""
        return max(each.greatest for each in self._sides)

    # --- the bounds of later rows -----------------------------------------------------------------

    def _least(self) -> float:
        """The least u of all rows that are not determined yet.

        Defines: S-511.d
        """
        left, right = self._sides
        return min(
            next_pair(left.progress, right.progress),
            right.progress.next_meeting(left.oldest),
            left.progress.next_meeting(right.oldest),
            self._next_alone(left),
            self._next_alone(right),
        )

    def _next_alone(self, side: Side) -> float:
        """The least u of an unmatched row of ``side``, among the retained and all later rows.

        ENDED if the side is not preserved.

        Defines: S-511.e
        """
        if not side.spec.preserved:
            return ENDED
        if side.rows_window is None:
            return side.progress.next_unmatched()
        return side.progress.next_unmatched_of_rows(
            side.rows_window.oldest_unmatched(), self._greatest()
        )

    def _release(self, least: float) -> list[Row]:
        """Remove and return the rows to emit; ``least`` is the least u of undetermined rows.

        An emitted row leaves the heaps of the requested columns.  This can raise the bound of the
        rowtime, up to which rows are emitted.  Therefore rows are released until no row is left
        that can be emitted.
        """
        rows: list[Row] = []
        while more := self._queue.release(self._time_bound(least), least):
            rows += more
        for result in self._queue.newly_pending():
            for each, heap in zip(self._requested.reported, self._heaps, strict=True):
                heap.add(result.row[each.place], result)
        return rows

    def _time_bound(self, least: float) -> float:
        """The bound of the output's rowtime, up to which rows are emitted.

        It is ``least`` if the rows are in the order of u, or if no row is undetermined.
        """
        if self._order is Order.BASE or least == ENDED:
            return least
        pairs = zip(self._requested.reported, self._heaps, strict=True)
        limit = next(self._limit(*each) for each in pairs if each[0].place == self.shape.time)
        return NOTHING_KNOWN if limit is None else integer(limit.value)

    def _bounds(self, least: float) -> Bounds:
        """The requested bounds of the output; ``least`` is the least u of undetermined rows.

        They count the determined rows in the queue, too.  No row has a u outside the calendar as
        its rowtime (S-509.k).  So the output has ended if the bound of its rowtime is after the
        calendar.

        Defines: S-509.k, S-511.l
        """
        columns: list[Bound | None] = [None] * self.shape.values
        for each, heap in zip(self._requested.reported, self._heaps, strict=True):
            columns[each.place] = self._limit(each, heap)
        for place, scale in self._requested.base.items():
            columns[place] = column_bound(min(least, self._queue.base), scale)
        time = None if self.shape.hidden else columns[self.shape.time]
        beyond = time is not None and is_past_all(TIMESTAMP, time, descending=False)
        return Bounds(tuple(columns), beyond or (least == ENDED and self._queue.empty))

    def _limit(self, reported: BoundSource, heap: LazyMinHeap) -> Bound | None:
        """The bound of an output column over retained, determined and later rows.

        ``heap`` has the column's values in retained and determined rows.  None if a value or the
        bound of a source is unknown or NULL.
        """
        first = heap.first()
        limits: list[Bound | None] = [] if first is None else [first]
        for port, place in reported.sources:
            bounds = self._sides[port].bounds
            if not bounds.ended:
                limits.append(bounds.columns[place])
        if not limits or any(each is None or each.value is None for each in limits):
            return None
        least, *others = limits
        for each in others:
            least = weaker(least, each, reported.descending)
        return least
