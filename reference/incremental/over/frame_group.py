"""One group of calls of a window: its partitions, and when the rows of each are determined."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from algebra.expression import Value
from algebra.monotonicity.progress import Bounds, ExpressionProgress
from algebra.plan import Exclude
from reference.incremental.operator import State
from reference.incremental.over.frame_edges import Edge, RangeEdge, UnboundedEdge
from reference.incremental.over.frame_partition import Member, Part, Partition, Pending
from reference.incremental.over.frame_span import NewColumn
from reference.incremental.over.window_order import (
    COMPLETE,
    NEVER,
    UNKNOWN,
    Due,
    Place,
    come_to,
    passing,
    reaching,
)
from reference.relation import Row


@dataclass(frozen=True, slots=True)
class Order:
    """ORDER BY: the values of the keys on a row, the line of each, the progress of the first.

    ``first`` is None where the first key makes no progress in its direction: then no row has its
    place before the partition is complete.

    Defines: S-505.c
    """

    values_on: Callable[[Row], Row]
    lines: Sequence[Callable[[Value], Place]]
    first: ExpressionProgress | None

    def member(self, pending: Pending) -> Member:
        """A row, and where it lies."""
        values = self.values_on(pending.row)
        if not values:
            return Member(pending, (), None)
        places = tuple([line(value) for line, value in zip(self.lines, values, strict=True)])
        return Member(pending, places, values[0])

    def settles(self, orders: tuple[Place, ...]) -> Due:
        """When no row to come can be before one there (S-505).

        Later rows with the same only key come behind it; with more keys they may come before it.
        """
        if not orders:
            return UNKNOWN  # the order is that of arrival
        if self.first is None:
            return NEVER
        return reaching(orders[0]) if len(orders) == 1 else passing(orders[0])


@dataclass(frozen=True, slots=True)
class Completion:
    """A key of PARTITION BY that makes progress, at ``place`` in the partition's values.

    Defines: S-505.j
    """

    place: int
    line: Callable[[Value], Place]
    progress: ExpressionProgress


class Frames:
    """The frames of a group: both ends, what is excluded, and the parts that they come in.

    ``grows`` says of each part whether rows only ever enter it.
    """

    def __init__(self, start: Edge, end: Edge, exclude: Exclude) -> None:
        self.start = start
        self.end = end
        self._exclude = exclude
        running = isinstance(start, UnboundedEdge)
        #: The end, if it may go back from row to row while no row leaves at the start.
        self._straying = None
        if running and isinstance(end, RangeEdge) and end.reach.clamps:
            self._straying = end
        pieces = {Exclude.NO_OTHERS: 1, Exclude.TIES: 3}.get(exclude, 2)
        pieces += self._straying is not None
        self.grows = [running, *[False] * (pieces - 1)]

    def parts(self, partition: Partition, at: int) -> list[Part]:
        """The frame of the row at ``at``, in the parts that `grows` tells of."""
        stop = partition.members.stop
        high = max(min(self.end.stop(partition, at), stop), 0)
        low = min(max(self.start.start(partition, at), 0), high)
        parts = self._without(partition, at, low, high)
        if self._straying is not None:
            stop = parts[0][1]
            sure = min(self._straying.surely(partition, at), stop)
            parts[:1] = [(0, sure), (sure, stop)]
        return parts

    def _without(self, partition: Partition, at: int, low: int, high: int) -> list[Part]:
        """The frame from ``low`` to ``high``, cut where EXCLUDE takes rows out."""
        match self._exclude:
            case Exclude.NO_OTHERS:
                return [(low, high)]
            case Exclude.CURRENT_ROW:
                out = (at, at + 1)
            case Exclude.GROUP | Exclude.TIES:
                out = partition.peers(at)
        before = (low, max(low, min(high, out[0])))
        behind = max(low, out[1])
        after = (behind, max(behind, high))
        if self._exclude is not Exclude.TIES:
            return [before, after]
        return [before, (at, at + 1) if low <= at < high else (at, at), after]


class Partitions:
    """The partitions of one group of calls; ``slot`` is its place among the groups.

    ``reach_back`` is by how many groups of peers the frames start before their row at most.

    Defines: S-505.l
    """

    def __init__(
        self,
        slot: int,
        key_on: Callable[[Row], Row],
        same: Callable[[Row], tuple[object, ...]],
        order: Order,
        frames: Frames,
        completions: Sequence[Completion],
        calls: Sequence[NewColumn],
        reach_back: int,
    ) -> None:
        self._slot = slot
        self._key_on = key_on
        self._same = same
        self._order = order
        self._frames = frames
        self._completions = completions
        self._calls = calls
        self._reach_back = reach_back
        self._partitions: dict[tuple[object, ...], Partition] = {}
        self._wakes: list[tuple[Due, int, Partition]] = []
        self._closing: list[list[tuple[Place, int]]] = [[] for _ in completions]
        self._open: list[dict[Place, dict[tuple[object, ...], None]]] = [{} for _ in completions]
        self._count = count()
        self._now: Due = UNKNOWN
        self._limit: Value = None

    def take(self, rows: Sequence[Pending], bounds: Bounds) -> list[Pending]:
        """The rows that are now determined here, with their values in place."""
        touched = self._enter(rows)
        first = self._order.first
        limit = None if first is None else first.bound(bounds)
        if limit is not None:
            self._limit, self._now = limit.value, come_to(limit, self._order.lines[0])
        determined: list[Pending] = []
        complete = list(self._partitions.values()) if bounds.ended else self._completed(bounds)
        for partition in complete:
            self._advance(partition, COMPLETE, determined)
            self._drop(partition)
        for partition in touched + self._woken():
            if self._partitions.get(self._same(partition.key)) is partition:
                partition.touched = False
                self._advance(partition, self._now, determined)
                self._free(partition)
        return determined

    def _enter(self, rows: Sequence[Pending]) -> list[Partition]:
        """The partitions that some of the rows are in, after they have come into them."""
        touched: list[Partition] = []
        key_on, same, member = self._key_on, self._same, self._order.member
        for pending in rows:
            key = key_on(pending.row)
            identity = same(key)
            partition = self._partitions.get(identity)
            if partition is None:
                partition = self._begun(key, identity)
            partition.enter(member(pending))
            if not partition.touched:
                partition.touched = True
                touched.append(partition)
        return touched

    def _begun(self, key: Row, identity: tuple[object, ...]) -> Partition:
        """A new partition."""
        partition = Partition(key, [new() for new in self._calls])
        self._partitions[identity] = partition
        for completion, closing, open in zip(
            self._completions, self._closing, self._open, strict=True
        ):
            place = completion.line(key[completion.place])
            if place not in open:
                open[place] = {}
                heappush(closing, (place, next(self._count)))
            open[place][identity] = None
        return partition

    def _completed(self, bounds: Bounds) -> list[Partition]:
        """The partitions that no row to come is in: a key has passed (S-405)."""
        complete: dict[tuple[object, ...], Partition] = {}
        for completion, closing, open in zip(
            self._completions, self._closing, self._open, strict=True
        ):
            now = come_to(completion.progress.bound(bounds), completion.line)
            while closing and passing(closing[0][0]) <= now:
                for identity in open.pop(heappop(closing)[0]):
                    complete[identity] = self._partitions[identity]
        return list(complete.values())

    def _woken(self) -> list[Partition]:
        """The partitions for which the bound has come to where something is to do."""
        woken: list[Partition] = []
        while self._wakes and self._wakes[0][0] <= self._now:
            due, _, partition = heappop(self._wakes)
            if partition.wake == due:
                partition.wake = NEVER
                if not partition.touched:
                    woken.append(partition)
        return woken

    # --- one partition ----------------------------------------------------------------------------

    def _advance(self, partition: Partition, now: Due, determined: list[Pending]) -> None:
        """Determine the rows whose frames are complete, one after the other."""
        unsettled, settles = partition.unsettled, self._order.settles
        while unsettled and settles(unsettled[0][0]) <= now:
            partition.settle()
        members, frames, slot = partition.members, self._frames, self._slot
        while partition.next < members.stop and frames.end.due(partition, partition.next) <= now:
            at = partition.next
            parts = frames.parts(partition, at)
            pending = members[at].pending
            pending.values[slot] = tuple(
                [column.value(partition, at, parts) for column in partition.columns]
            )
            determined.append(pending)
            partition.next += 1

    def _free(self, partition: Partition) -> None:
        """Forget the rows that no frame needs any more, and wait for what comes next."""
        members, frames = partition.members, self._frames
        needs = frames.start.needs(partition, self._now, self._limit)
        members.free(min(needs, partition.next))
        if partition.next < members.stop:
            group = members[partition.next].group
        else:
            group = partition.starts.stop - 1
        partition.starts.free(group - self._reach_back)
        idle = not members and not partition.unsettled
        if idle and not isinstance(frames.start, UnboundedEdge):
            self._drop(partition)
            return
        due = self._due(partition)
        if due < partition.wake:
            partition.wake = due
            heappush(self._wakes, (due, next(self._count), partition))

    def _due(self, partition: Partition) -> Due:
        """The next bound at which there is something to do."""
        due = NEVER
        if partition.unsettled:
            due = min(due, self._order.settles(partition.unsettled[0][0]))
        if partition.next < partition.members.stop:
            return min(due, self._frames.end.due(partition, partition.next))
        return min(due, self._frames.start.released(partition, self._now))

    def _drop(self, partition: Partition) -> None:
        """Forget a partition."""
        identity = self._same(partition.key)
        del self._partitions[identity]
        for completion, open in zip(self._completions, self._open, strict=True):
            partitions = open.get(completion.line(partition.key[completion.place]))
            if partitions is not None:
                partitions.pop(identity, None)

    def held(self) -> Iterator[Pending]:
        """The rows that frames still need, or that wait for theirs."""
        for partition in self._partitions.values():
            members = partition.members
            yield from (members[at].pending for at in range(members.first, members.stop))
            yield from (member.pending for _, _, member in partition.unsettled)

    def accumulated(self) -> State:
        """The partitions, and what they keep beside the rows."""
        return State(groups=len(self._partitions), held=self._accumulated)

    def _accumulated(self) -> Iterator[Row]:
        for partition in self._partitions.values():
            yield partition.key
            for column in partition.columns:
                yield from column.kept()
