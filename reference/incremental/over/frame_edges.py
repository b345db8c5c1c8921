"""The two ends of a frame: their places, their timers, and the rows that they need (S-505).

Only some methods of an `Edge` are called for the start of a frame, and some only for its end.  A
timer is the advance of the first sort key's bound at which a partition has work to do.
"""

from typing import Protocol

from algebra.expression import SortKey, Value
from algebra.plan import FrameBound, GroupOffset, RangeOffset, RowOffset, Unbounded
from reference.incremental.over.frame_partition import Partition
from reference.incremental.over.window_order import IMMEDIATE, NEVER, RangeDistance, Timer, passing


class Edge(Protocol):
    """One end of a frame, for each row of a partition.

    A place is the number of a row in the window's order, from 0; a result may lie outside the
    partition. ``at`` is the place of a row. ``now`` is the advance of the first sort key's bound,
    ``limit`` the value of that bound.
    """

    def start(self, partition: Partition, at: int, /) -> int:
        """The place of the first row at or after this end of the frame of the row at ``at``."""
        ...

    def stop(self, partition: Partition, at: int, /) -> int:
        """The place after the last row at or before this end of the frame of the row at ``at``."""
        ...

    def fires_at(self, partition: Partition, at: int, /) -> Timer:
        """For the end of a frame: the timer that fires when no later row can be in the frame.

        NEVER if only further rows, or the end of the partition, complete the frame.
        """
        ...

    def needs(self, partition: Partition, now: Timer, limit: Value, /) -> int:
        """For the start of frames: the first place that the frames of undetermined rows need."""
        ...

    def evicted_at(self, partition: Partition, now: Timer, /) -> Timer:
        """For the start of frames: the timer at which the first row can be evicted.

        This is called if all rows are determined.  NEVER if no bound decides.
        """
        ...


def edge_of(bound: FrameBound, order: tuple[SortKey, ...]) -> Edge:
    """The end of a frame that ``bound`` describes."""
    match bound:
        case Unbounded():
            return UnboundedEdge()
        case RowOffset(rows):
            return RowEdge(rows)
        case GroupOffset(groups):
            return GroupEdge(groups)
        case RangeOffset(distance) if distance.value == 0 or not order:
            return GroupEdge(0)
        case RangeOffset():
            return RangeEdge(RangeDistance(bound, order[0]))


class UnboundedEdge:
    """UNBOUNDED PRECEDING or FOLLOWING: the partition's own end."""

    def start(self, _partition: Partition, _at: int) -> int:
        """The first row of the partition."""
        return 0

    def stop(self, partition: Partition, _at: int) -> int:
        """The place after the last row that has arrived."""
        return partition.members.stop

    def fires_at(self, _partition: Partition, _at: int) -> Timer:
        """NEVER: the frame is complete with its partition."""
        return NEVER

    def needs(self, partition: Partition, _now: Timer, _limit: Value) -> int:
        """The place of the first row that a call has not accumulated yet."""
        return min(each.needs(partition) for each in partition.columns)

    def evicted_at(self, _partition: Partition, _now: Timer) -> Timer:
        """NEVER: a frame from UNBOUNDED PRECEDING retains accumulators, not rows."""
        return NEVER


class RowEdge:
    """An end in ROWS: the row that is ``rows`` rows after the row, or before it if negative.

    Defines: S-505.i
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def start(self, _partition: Partition, at: int) -> int:
        """The place of the row at this end."""
        return at + self._rows

    def stop(self, _partition: Partition, at: int) -> int:
        """The place after the row at this end."""
        return at + self._rows + 1

    def fires_at(self, partition: Partition, at: int) -> Timer:
        """IMMEDIATE if the row at this end has its final place; if not, NEVER: no bound decides."""
        return IMMEDIATE if at + self._rows < partition.members.stop else NEVER

    def needs(self, partition: Partition, _now: Timer, _limit: Value) -> int:
        """The place at this edge's distance from the first undetermined row."""
        return partition.next + self._rows

    def evicted_at(self, _partition: Partition, _now: Timer) -> Timer:
        """NEVER: a bound does not determine how many rows follow."""
        return NEVER


class GroupEdge:
    """An end in GROUPS, or in RANGE at distance 0: a group of peers (rows with equal sort keys).

    The group is ``groups`` groups after the row's own group, or before it if negative.
    Without ORDER BY all rows of the partition are peers, and their sort keys are ``()``.

    Defines: S-505.g, S-505.m, S-505.r, S-505.s
    """

    def __init__(self, groups: int) -> None:
        self._groups = groups

    def start(self, partition: Partition, at: int) -> int:
        """The place of the first row of the group at this end."""
        return partition.start_of(partition.members[at].group + self._groups)

    def stop(self, partition: Partition, at: int) -> int:
        """The place after the last row of the group at this end."""
        return partition.start_of(partition.members[at].group + self._groups + 1)

    def fires_at(self, partition: Partition, at: int) -> Timer:
        """The timer that fires when the group at this end is complete.

        NEVER if no row of the group has arrived.
        """
        group = partition.members[at].group + self._groups
        if group < partition.starts.stop - 1:
            return IMMEDIATE
        return self._complete(partition) if group == partition.starts.stop - 1 else NEVER

    def needs(self, partition: Partition, now: Timer, _limit: Value) -> int:
        """The first row of the group at this edge's distance from the first undetermined row."""
        if partition.next < partition.members.stop:
            group = partition.members[partition.next].group
        else:
            # The next row opens a new group, or belongs to the last one if that is not complete.
            group = partition.starts.stop - (self._complete(partition) > now)
        return partition.start_of(group + self._groups)

    def evicted_at(self, partition: Partition, now: Timer) -> Timer:
        """The timer of the last group's completion; NEVER if it is complete."""
        due = self._complete(partition)
        return due if due > now else NEVER

    def _complete(self, partition: Partition) -> Timer:
        """The timer that fires when no later row can be in the last group of peers."""
        return passing(partition.last[0]) if partition.last else NEVER


class RangeEdge:
    """An end in RANGE at a distance that is not 0: a value of the first sort key, not a row.

    Defines: S-505.h
    """

    def __init__(self, reach: RangeDistance) -> None:
        self.reach = reach

    def start(self, partition: Partition, at: int) -> int:
        """The place of the first row at or after the value at this end."""
        return partition.first_not_before(self.reach.at(partition.members[at].value))

    def stop(self, partition: Partition, at: int) -> int:
        """The place after the last row at or before the value at this end."""
        return partition.first_after(self.reach.at(partition.members[at].value))

    def lower_limit(self, partition: Partition, at: int) -> int:
        """A place at or before this end of the frames of the row at ``at`` and of later rows."""
        return partition.first_not_before(self.reach.lower_limit(partition.members[at].value))

    def fires_at(self, partition: Partition, at: int) -> Timer:
        """The timer that fires when the bound has passed this end.

        If this end is before the row itself, the bound has usually passed it already.  But in
        DOUBLE, a small distance can end at the row's own value, whose peers can still arrive.
        """
        return passing(self.reach.at(partition.members[at].value))

    def needs(self, partition: Partition, now: Timer, limit: Value) -> int:
        """The first place in the frame of the first undetermined row.

        If all rows are determined, it is the first place in the frame of a row at the bound.
        """
        members = partition.members
        if partition.next < members.stop:
            place = self.reach.lower_limit(members[partition.next].value)
        elif limit is None:
            return members.first
        else:
            place = self.reach.lower_limit(limit)
            if now[1]:  # no row will be at the bound
                return partition.first_after(place)
        return partition.first_not_before(place)

    def evicted_at(self, partition: Partition, _now: Timer) -> Timer:
        """The timer that fires once no later row's frame reaches back to the first row."""
        members = partition.members
        return self.reach.evicted_at(members[members.first].value) if members else NEVER
