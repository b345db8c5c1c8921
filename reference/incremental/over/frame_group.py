"""One group of calls of OVER: its partitions, and the rows that each bound determines.

A group of calls are the calls of a query that have the same window.  In each partition, a row first
gets its final place in the window's order, and is *determined* when its frame is complete.  It is
evicted when no frame needs it any more.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from algebra.expression import Value
from algebra.monotonicity.progress import Bounds, ExpressionProgress
from algebra.plan import Exclude
from grammar.source import Location, SqlError, located
from reference.incremental.operator import State
from reference.incremental.over.frame_edges import Edge, RangeEdge, UnboundedEdge
from reference.incremental.over.frame_partition import FramePart, Member, Partition, Pending
from reference.incremental.over.frame_span import NewColumn
from reference.incremental.over.window_order import (
    COMPLETE,
    NEVER,
    UNKNOWN,
    Place,
    Timer,
    advance_of,
    passing,
    reaching,
)
from reference.relation import Row
from reference.snapshot import of_plan, stateful


@dataclass(frozen=True, slots=True)
class WindowSort:
    """The ORDER BY of a window.

    ``values_on`` returns the values of its keys on a row. ``axes`` has for each key the function
    from a value to its place in the order. ``first`` computes the bound of the first key.  It is
    None if this key makes no progress in its direction; then no row's place in the order is final
    before its partition is complete.

    Defines: S-505.c, S-505.o
    """

    values_on: Callable[[Row], Row]
    axes: Sequence[Callable[[Value], Place]]
    first: ExpressionProgress | None

    def member(self, pending: Pending) -> Member:
        """Make the member of a partition for a row, with the row's places by the sort keys."""
        values = self.values_on(pending.row)
        if not values:
            return Member(pending, (), None)
        places = tuple([axis(value) for axis, value in zip(self.axes, values, strict=True)])
        return Member(pending, places, values[0])

    def places_at(self, orders: tuple[Place, ...]) -> Timer:
        """The timer that fires when a row's place in its partition is final (S-505).

        ``orders`` are the row's places by the sort keys.  With a single key, later rows with an
        equal key come after it, by arrival; with more keys they may come before it.
        """
        if not orders:
            return UNKNOWN  # rows are in the order of arrival
        if self.first is None:
            return NEVER
        return reaching(orders[0]) if len(orders) == 1 else passing(orders[0])


@dataclass(frozen=True, slots=True)
class Completion:
    """A key of PARTITION BY that makes progress: its partitions are complete when it has passed.

    ``place`` is the key's place among the keys. ``axis`` returns the place of a value in the order,
    ``progress`` computes the key's bound.

    Defines: S-505.j
    """

    place: int
    axis: Callable[[Value], Place]
    progress: ExpressionProgress


@of_plan
class Frames:
    """The frames of a group of calls, which are split into parts that slide.

    ``grows`` has for each part whether rows are only added to it, and never removed.
    """

    def __init__(self, start: Edge, end: Edge, exclude: Exclude) -> None:
        self.start = start
        self.end = end
        self._exclude = exclude
        running = isinstance(start, UnboundedEdge)
        #: The frame's end, if it may move backward from row to row while the start is fixed.
        self._receding = None
        if running and isinstance(end, RangeEdge) and end.reach.clamps:
            self._receding = end
        # With EXCLUDE a frame has a part before and a part after the excluded rows, and with TIES
        # the row itself between them.  A receding end splits the first part again.  Only the first
        # part can start with the partition, and then it only grows.
        pieces = {Exclude.NO_OTHERS: 1, Exclude.TIES: 3}.get(exclude, 2)
        pieces += self._receding is not None
        self.grows = [running, *[False] * (pieces - 1)]

    def parts(self, partition: Partition, at: int) -> list[FramePart]:
        """The frame of the row at ``at``, in parts as ``grows`` describes; some can be empty."""
        stop = partition.members.stop
        high = max(min(self.end.stop(partition, at), stop), 0)
        low = min(max(self.start.start(partition, at), 0), high)
        parts = self._without(partition, at, low, high)
        if self._receding is not None:
            # All later frames contain the rows before `least`; the others may leave the frame.
            stop = parts[0][1]
            least = min(self._receding.lower_limit(partition, at), stop)
            parts[:1] = [(0, least), (least, stop)]
        return parts

    def _without(self, partition: Partition, at: int, low: int, high: int) -> list[FramePart]:
        """The frame from ``low`` to ``high`` without the rows that EXCLUDE removes."""
        match self._exclude:
            case Exclude.NO_OTHERS:
                return [(low, high)]
            case Exclude.CURRENT_ROW:
                out = (at, at + 1)
            case Exclude.GROUP | Exclude.TIES:
                out = partition.peers(at)
        before = (low, max(low, min(high, out[0])))
        first_after = max(low, out[1])
        after = (first_after, max(first_after, high))
        if self._exclude is not Exclude.TIES:
            return [before, after]
        return [before, (at, at + 1) if low <= at < high else (at, at), after]


@stateful
class Partitions:
    """The partitions of one group of calls; ``slot`` is the place of the group among all groups.

    ``key_on`` returns the values of PARTITION BY on a row, and ``same`` the identity of these
    values, which is equal for rows of one partition.  ``completions`` are the keys that complete
    partitions.  ``locations`` has the places of the calls in their text. ``reach_back`` is the
    greatest number of groups of peers by which a frame starts before its row.

    ``_timers`` is a heap of the timers of the partitions.  For each key that completes partitions,
    ``_open`` has the open partitions by the key's place on its axis, and ``_closing`` is a heap of
    these places.  ``_now`` is the advance of the first sort key's bound, and ``_limit`` the value
    of this bound.

    Defines: S-505.l, S-505.q
    """

    def __init__(
        self,
        slot: int,
        key_on: Callable[[Row], Row],
        same: Callable[[Row], tuple[object, ...]],
        order: WindowSort,
        frames: Frames,
        completions: Sequence[Completion],
        calls: Sequence[NewColumn],
        locations: Sequence[Location | None],
        reach_back: int,
    ) -> None:
        self._slot = slot
        self._key_on = key_on
        self._same = same
        self._order = order
        self._frames = frames
        self._completions = completions
        self._calls = calls
        self._locations = locations
        self._reach_back = reach_back
        self._partitions: dict[tuple[object, ...], Partition] = {}
        self._timers: list[tuple[Timer, int, Partition]] = []
        self._closing: list[list[tuple[Place, int]]] = [[] for _ in completions]
        self._open: list[dict[Place, dict[tuple[object, ...], None]]] = [{} for _ in completions]
        self._count = count()
        self._now: Timer = UNKNOWN
        self._limit: Value = None

    def take(self, rows: Sequence[Pending], bounds: Bounds) -> list[Pending]:
        """Add rows, set the input's bounds, and return the rows that are then determined.

        The values of the calls are stored in the determined rows, at ``slot``.
        """
        touched = self._enter(rows)
        first = self._order.first
        limit = None if first is None else first.bound(bounds)
        if limit is not None:
            self._limit, self._now = limit.value, advance_of(limit, self._order.axes[0])
        determined: list[Pending] = []
        complete = list(self._partitions.values()) if bounds.ended else self._completed(bounds)
        for partition in complete:
            self._advance(partition, COMPLETE, determined)
            self._drop(partition)
        for partition in touched + self._fired():
            # A touched partition that was complete has been removed above.
            if self._partitions.get(self._same(partition.key)) is partition:
                partition.touched = False
                self._advance(partition, self._now, determined)
                self._evict(partition)
        return determined

    def _enter(self, rows: Sequence[Pending]) -> list[Partition]:
        """Add rows to their partitions; return the partitions that have received rows."""
        touched: list[Partition] = []
        key_on, same, member = self._key_on, self._same, self._order.member
        for pending in rows:
            key = key_on(pending.row)
            identity = same(key)
            partition = self._partitions.get(identity)
            if partition is None:
                partition = self._begin(key, identity)
            partition.enter(member(pending))
            if not partition.touched:
                partition.touched = True
                touched.append(partition)
        return touched

    def _begin(self, key: Row, identity: tuple[object, ...]) -> Partition:
        """Begin a partition, with a timer for each key that completes it."""
        partition = self._partition(key)
        self._partitions[identity] = partition
        for completion, closing, open in zip(
            self._completions, self._closing, self._open, strict=True
        ):
            place = completion.axis(key[completion.place])
            if place not in open:
                open[place] = {}
                heappush(closing, (place, next(self._count)))
            open[place][identity] = None
        return partition

    def _partition(self, key: Row) -> Partition:
        """Make an empty partition with a column for each call."""
        return Partition(key, [new() for new in self._calls])

    def fresh_part(self) -> Partition:
        """An empty partition, which a snapshot fills."""
        return self._partition(())

    def _completed(self, bounds: Bounds) -> list[Partition]:
        """The partitions in which no later row can be, because a key has passed (S-405).

        Their keys leave ``_open`` and ``_closing``.
        """
        complete: dict[tuple[object, ...], Partition] = {}
        for completion, closing, open in zip(
            self._completions, self._closing, self._open, strict=True
        ):
            now = advance_of(completion.progress.bound(bounds), completion.axis)
            while closing and passing(closing[0][0]) <= now:
                for identity in open.pop(heappop(closing)[0]):
                    complete[identity] = self._partitions[identity]
        return list(complete.values())

    def _fired(self) -> list[Partition]:
        """Remove the timers that fire at the present bound; return their partitions.

        Partitions that have just received rows are left out.
        """
        fired: list[Partition] = []
        while self._timers and self._timers[0][0] <= self._now:
            timer, _, partition = heappop(self._timers)
            if partition.timer == timer:
                partition.timer = NEVER
                if not partition.touched:
                    fired.append(partition)
        return fired

    # --- one partition ----------------------------------------------------------------------------

    def _advance(self, partition: Partition, now: Timer, determined: list[Pending]) -> None:
        """Place rows, then determine those whose frames are complete: add them to ``determined``.

        ``now`` is the advance of the first sort key's bound; COMPLETE if the partition is complete.
        """
        unplaced, places_at = partition.unplaced, self._order.places_at
        while unplaced and places_at(unplaced[0][0]) <= now:
            partition.place_first()
        members, frames, slot = partition.members, self._frames, self._slot
        while (
            partition.next < members.stop and frames.end.fires_at(partition, partition.next) <= now
        ):
            at = partition.next
            parts = frames.parts(partition, at)
            pending = members[at].pending
            values: list[Value] = []
            try:
                for column in partition.columns:
                    values.append(column.value(partition, at, parts))  # noqa: PERF401  the next line asks how far it came
            except SqlError as error:
                raise located(error, self._locations[len(values)]) from None
            pending.values[slot] = tuple(values)
            determined.append(pending)
            partition.next += 1

    def _evict(self, partition: Partition) -> None:
        """Evict the rows that no frame needs any more, and set the partition's next timer."""
        members, frames = partition.members, self._frames
        needs = frames.start.needs(partition, self._now, self._limit)
        members.evict(min(needs, partition.next))
        if partition.next < members.stop:
            group = members[partition.next].group
        else:
            group = partition.starts.stop - 1
        partition.starts.evict(group - self._reach_back)
        idle = not members and not partition.unplaced
        if idle and not isinstance(frames.start, UnboundedEdge):
            self._drop(partition)
            return
        timer = self._next_timer(partition)
        if timer < partition.timer:
            partition.timer = timer
            heappush(self._timers, (timer, next(self._count), partition))

    def _next_timer(self, partition: Partition) -> Timer:
        """The timer at which a row next gets its place, is determined, or is evicted."""
        timer = NEVER
        if partition.unplaced:
            timer = min(timer, self._order.places_at(partition.unplaced[0][0]))
        if partition.next < partition.members.stop:
            return min(timer, self._frames.end.fires_at(partition, partition.next))
        return min(timer, self._frames.start.evicted_at(partition, self._now))

    def _drop(self, partition: Partition) -> None:
        """Evict a partition, with all its rows."""
        identity = self._same(partition.key)
        del self._partitions[identity]
        for completion, open in zip(self._completions, self._open, strict=True):
            partitions = open.get(completion.axis(partition.key[completion.place]))
            if partitions is not None:
                partitions.pop(identity, None)

    def pending_rows(self) -> Iterator[Pending]:
        """The retained rows: rows that frames still need, and rows without a final place."""
        for partition in self._partitions.values():
            members = partition.members
            yield from (members[at].pending for at in range(members.first, members.stop))
            yield from (member.pending for _, _, member in partition.unplaced)

    def accumulated(self) -> State:
        """The size of the state without the partitions' rows: partitions and accumulators."""
        return State(groups=len(self._partitions), retained=self._accumulated)

    def _accumulated(self) -> Iterator[Row]:
        """The keys of the partitions, and the rows that calls retain besides the partition's."""
        for partition in self._partitions.values():
            yield partition.key
            for column in partition.columns:
                yield from column.retained()
