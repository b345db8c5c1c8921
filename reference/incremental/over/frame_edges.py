"""The two ends of a frame: where they are, when they are known, what they still need (S-505)."""

from typing import Protocol

from algebra.expression import SortKey, Value
from algebra.plan import FrameBound, GroupOffset, RangeOffset, RowOffset, Unbounded
from reference.incremental.over.frame_partition import Partition
from reference.incremental.over.window_order import AT_ONCE, NEVER, Due, Reach, passing


class Edge(Protocol):
    """One end of the frames of a partition's rows.

    A place may lie outside the partition.  ``now`` is how far the bound of the first sort key has
    come, ``limit`` its value.
    """

    def start(self, partition: Partition, at: int) -> int:
        """The place of the first row at or after this end, for the row at ``at``."""
        ...

    def stop(self, partition: Partition, at: int) -> int:
        """The place after the last row at or before this end."""
        ...

    def due(self, partition: Partition, at: int) -> Due:
        """As the frame's end: when no row to come can be before it; NEVER: more rows must come."""
        ...

    def needs(self, partition: Partition, now: Due, limit: Value) -> int:
        """As the frame's start: the first place that a row not yet determined may reach."""
        ...

    def released(self, partition: Partition, now: Due) -> Due:
        """When, all rows being determined, the first one there is needed by none to come."""
        ...


def edge_of(bound: FrameBound, order: tuple[SortKey, ...]) -> Edge:
    """The end that ``bound`` says."""
    match bound:
        case Unbounded():
            return UnboundedEdge()
        case RowOffset(rows):
            return RowEdge(rows)
        case GroupOffset(groups):
            return GroupEdge(groups, bool(order))
        case RangeOffset(distance) if distance.value == 0 or not order:
            return GroupEdge(0, bool(order))
        case RangeOffset():
            return RangeEdge(Reach(bound, order[0]))


class UnboundedEdge:
    """The partition's own end."""

    def start(self, partition: Partition, at: int) -> int:  # noqa: ARG002  # the same for all
        """The first row."""
        return 0

    def stop(self, partition: Partition, at: int) -> int:  # noqa: ARG002  # the same for all
        """The last row."""
        return partition.members.stop

    def due(self, partition: Partition, at: int) -> Due:  # noqa: ARG002  # the same for all
        """With the partition."""
        return NEVER

    def needs(self, partition: Partition, now: Due, limit: Value) -> int:  # noqa: ARG002  # nor
        """What the calls have not taken in."""
        return min((each.needs(partition) for each in partition.columns), default=partition.next)

    def released(self, partition: Partition, now: Due) -> Due:  # noqa: ARG002  # the same for all
        """It is what they accumulate that is kept."""
        return NEVER


class RowEdge:
    """``rows`` after the row, before it if negative.

    Defines: S-505.i
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def start(self, partition: Partition, at: int) -> int:  # noqa: ARG002  # places are counted
        """That row."""
        return at + self._rows

    def stop(self, partition: Partition, at: int) -> int:  # noqa: ARG002  # places are counted
        """The place after it."""
        return at + self._rows + 1

    def due(self, partition: Partition, at: int) -> Due:
        """As soon as that row is in its place."""
        return AT_ONCE if at + self._rows < partition.members.stop else NEVER

    def needs(self, partition: Partition, now: Due, limit: Value) -> int:  # noqa: ARG002  # counted
        """So many rows before the next one."""
        return partition.next + self._rows

    def released(self, partition: Partition, now: Due) -> Due:  # noqa: ARG002  # by rows alone
        """No bound says how many rows will come."""
        return NEVER


class GroupEdge:
    """``groups`` groups of peers after the row's own, before it if negative; 0: its peers.

    Without an order (``ordered`` False) all rows of the partition are peers.

    Defines: S-505.g, S-505.m
    """

    def __init__(self, groups: int, ordered: bool) -> None:
        self._groups = groups
        self._ordered = ordered

    def start(self, partition: Partition, at: int) -> int:
        """The first row of that group."""
        return partition.start_of(partition.members[at].group + self._groups)

    def stop(self, partition: Partition, at: int) -> int:
        """The place after its last row."""
        return partition.start_of(partition.members[at].group + self._groups + 1)

    def due(self, partition: Partition, at: int) -> Due:
        """Once that group is there and complete."""
        group = partition.members[at].group + self._groups
        if group < partition.starts.stop - 1:
            return AT_ONCE
        return self._complete(partition) if group == partition.starts.stop - 1 else NEVER

    def needs(self, partition: Partition, now: Due, limit: Value) -> int:  # noqa: ARG002  # by group
        """So many groups before that of the next row."""
        if partition.next < partition.members.stop:
            group = partition.members[partition.next].group
        else:
            group = partition.starts.stop - (self._complete(partition) > now)
        return partition.start_of(group + self._groups)

    def released(self, partition: Partition, now: Due) -> Due:
        """When the last group is complete, one more is before the next row."""
        due = self._complete(partition)
        return due if due > now else NEVER

    def _complete(self, partition: Partition) -> Due:
        """When the last group of peers is complete."""
        return passing(partition.last[0]) if self._ordered and partition.last else NEVER


class RangeEdge:
    """At a distance, not 0, from the first sort key.

    Defines: S-505.h
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach

    def start(self, partition: Partition, at: int) -> int:
        """The first row at that distance or nearer."""
        place = self.reach.at(partition.members[at].value)
        partition.low = partition.not_before(place, partition.low)
        return partition.low

    def stop(self, partition: Partition, at: int) -> int:
        """The place after the last row at that distance or nearer."""
        place = self.reach.at(partition.members[at].value)
        partition.high = partition.behind(place, partition.high)
        return partition.high

    def surely(self, partition: Partition, at: int) -> int:
        """The place before which this end is for no row from ``at`` on."""
        place = self.reach.surely(partition.members[at].value)
        partition.sure = partition.not_before(place, partition.sure)
        return partition.sure

    def due(self, partition: Partition, at: int) -> Due:
        """When the bound has passed it, which behind the row it has."""
        if self.reach.preceding:
            return AT_ONCE
        return passing(self.reach.at(partition.members[at].value))

    def needs(self, partition: Partition, now: Due, limit: Value) -> int:
        """From the row at that distance from the next one, or from the bound."""
        members = partition.members
        if partition.next < members.stop:
            place = self.reach.surely(members[partition.next].value)
        elif limit is None:
            return members.first
        else:
            place = self.reach.surely(limit)
            if now[1]:  # nor will a row be at the bound itself
                return partition.behind(place, members.first)
        return partition.not_before(place, members.first)

    def released(self, partition: Partition, now: Due) -> Due:  # noqa: ARG002  # a value
        """When the bound is further than that from the first row."""
        members = partition.members
        return self.reach.released(members[members.first].value) if members else NEVER
