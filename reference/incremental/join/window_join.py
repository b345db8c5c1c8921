"""The join of two streams, over windows or by condition (S-509 to S-511)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from algebra.monotonicity.join_progress import column_bound, next_pair
from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.incremental.join.join_emission import Exit, Order
from reference.incremental.join.join_side import OPEN, Entry, Side, SideRows
from reference.incremental.lazy_min_heap import Foremost
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, Train
from reference.relation import Row
from reference.values import integer

#: The output row of a left and a right row, one of which may be missing, that meet first at u.
Joined: TypeAlias = Callable[[Row | None, Row | None, int], Row]


@dataclass(frozen=True, slots=True)
class Told:
    """A value of the output of which the bound is wanted, and that is not u.

    ``sources`` are (port, place in the row of that side); each output row has its value from one.
    """

    place: int
    descending: bool
    sources: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The values of the output whose bounds are wanted.

    ``base`` are the places at which u stands, each with what the value there is scaled by; there
    are none where rows leave in the order of their time alone.
    """

    base: Mapping[int, int]
    told: Sequence[Told]


class WindowJoin:
    """The pairs of rows that are in both windows at some time u, and that ``matches`` accepts.

    u of a pair is the least such time, of an unmatched row of a preserved side its own greatest.  A
    pair is determined when both rows are there and, where a window is ROWS, no row that closes it
    can come at or before u; an unmatched row when no row to come can meet it, and its window is
    closed.  Rows leave in ``order``.

    A row is held until the other side's bound has passed its window.  The output's bound is the
    least u of what is not determined: of two rows to come, or of a row held and one to come; and on
    a preserved side also that which a row has when no partner comes.
    """

    def __init__(
        self,
        shape: Shape,
        sides: tuple[SideRows, SideRows],
        matches: Callable[[Row, Row], bool],
        joined: Joined,
        order: Order,
        wanted: Wanted,
    ) -> None:
        self.shape = shape
        self._sides = (Side(sides[0]), Side(sides[1]))
        self._matches = matches
        self._joined = joined
        self._order = order
        self._wanted = wanted
        self._exit = Exit(shape, order)
        self._undecided: list[tuple[int, int, int, Entry]] = []
        self._arrival = count()
        self._foremost = [Foremost(each.descending) for each in wanted.told]

    def take(self, train: Train, port: int = 0) -> Train:
        """The rows that are determined, and before which none can come."""
        side = self._sides[port]
        come = [side.entry(row) for row in train.rows]
        side.told(train.bounds)
        if side.latest is not None:
            for entry in come:
                side.latest.arrive(entry)
            come = list(side.latest.placed(side.progress.bound))
        decided = self._decide()
        for entry in come:
            if not entry.gone:
                self._enter(entry, port, decided)
        self._part()
        least = self._least()
        return Train(self._released(least), self._bounds(least))

    def state(self) -> State:
        """The rows held of both sides, and the pairs that wait."""
        left, right = self._sides
        return left.state() + right.state() + self._exit.state()

    # --- pairs ----------------------------------------------------------------------------------

    def _decide(self) -> float:
        """The time below which it is known which rows a window of ROWS holds.

        The rows that waited for it, and are in their windows before it, find their partners.

        Defines: S-511.h
        """
        decided = min(
            (each.progress.bound for each in self._sides if each.latest is not None), default=ENDED
        )
        while self._undecided and self._undecided[0][0] < decided:
            _, _, port, entry = heappop(self._undecided)
            if not entry.gone:
                self._meet(entry, port)
                self._sides[port].show(entry)
        return decided

    def _enter(self, entry: Entry, port: int, decided: float) -> None:
        """Find the partners of a row that has come in, and hold it if more can come."""
        if entry.first >= decided:
            heappush(self._undecided, (entry.first, next(self._arrival), port, entry))
            self._hold(entry, port)
            return
        self._meet(entry, port)
        other = self._sides[1 - port]
        if entry.last == OPEN or other.progress.next_meeting(entry.first, entry.last) < ENDED:
            self._hold(entry, port)
            self._sides[port].show(entry)
        else:
            self._leave(entry, port)

    def _hold(self, entry: Entry, port: int) -> None:
        self._sides[port].hold(entry)
        for each, foremost in zip(self._wanted.told, self._foremost, strict=True):
            for source, place in each.sources:
                if source == port:
                    foremost.add(entry.row[place], entry)

    def _meet(self, entry: Entry, port: int) -> None:
        """The pairs of a row with those of the other side that are shown."""
        for partner in self._sides[1 - port].meeting(entry):
            left, right = (entry, partner) if port == 0 else (partner, entry)
            if self._matches(left.row, right.row):
                entry.matched = partner.matched = True
                base = max(entry.first, partner.first)
                self._exit.put(self._joined(left.row, right.row, base), base)

    # --- rows that can have no partner any more -------------------------------------------------

    def _part(self) -> None:
        """Let go the rows that no row to come can meet."""
        if all(each.bounds.ended for each in self._sides):
            for side in self._sides:
                if side.latest is not None:
                    side.latest.close(self._greatest())
        for port, side in enumerate(self._sides):
            for entry in [] if side.latest is None else side.latest.pushed_out():
                self._leave(entry, port)
            for entry in side.freed(self._sides[1 - port].progress.next_start):
                self._leave(entry, port)

    def _leave(self, entry: Entry, port: int) -> None:
        """A row that has had no partner comes out alone, if its side is preserved."""
        if entry.matched or not self._sides[port].given.preserved:
            return
        base = int(max(entry.first, entry.last))
        left, right = (entry.row, None) if port == 0 else (None, entry.row)
        self._exit.put(self._joined(left, right, base), base)

    def _greatest(self) -> float:
        """The greatest time of a row so far."""
        return max(each.greatest for each in self._sides)

    # --- what is to come ------------------------------------------------------------------------

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
        """The least u of a row without partner, of those that wait and those to come.

        Defines: S-511.e
        """
        if not side.given.preserved:
            return ENDED
        if side.latest is None:
            return side.progress.next_alone()
        return side.progress.next_alone_of_rows(side.latest.alone(), self._greatest())

    def _released(self, least: float) -> list[Row]:
        """The rows that may leave."""
        rows: list[Row] = []
        while more := self._exit.release(self._clock(least), least):
            rows += more
        for result in self._exit.stayed():
            for each, foremost in zip(self._wanted.told, self._foremost, strict=True):
                foremost.add(result.row[each.place], result)
        return rows

    def _clock(self, least: float) -> float:
        """The least time of a row to come, where it is not u."""
        if self._order is Order.BASE or least == ENDED:
            return least
        pairs = zip(self._wanted.told, self._foremost, strict=True)
        limit = next(self._limit(*each) for each in pairs if each[0].place == self.shape.time)
        return NOTHING_KNOWN if limit is None else integer(limit.value)

    def _bounds(self, least: float) -> Bounds:
        """The bounds of what is wanted, also of the pairs that wait.

        Defines: S-511.l
        """
        columns: list[Bound | None] = [None] * self.shape.values
        for each, foremost in zip(self._wanted.told, self._foremost, strict=True):
            columns[each.place] = self._limit(each, foremost)
        for place, scale in self._wanted.base.items():
            columns[place] = column_bound(min(least, self._exit.base), scale)
        return Bounds(tuple(columns), least == ENDED and self._exit.empty)

    def _limit(self, told: Told, foremost: Foremost) -> Bound | None:
        """The bound of a value of the rows that are held, wait, or are to come."""
        first = foremost.first()
        limits: list[Bound | None] = [] if first is None else [first]
        for port, place in told.sources:
            side, other = self._sides[port], self._sides[1 - port]
            partners = not other.bounds.ended or other.oldest < ENDED
            if not side.bounds.ended and (partners or side.given.preserved):
                limits.append(side.bounds.columns[place])
        if not limits or any(each is None or each.value is None for each in limits):
            return None
        least, *others = limits
        for each in others:
            least = weaker(least, each, told.descending)
        return least
