"""Columns of calls whose parts slide with the frame: rows enter and leave in order (S-505).

A *column* computes one call for the rows of one partition.  It has an aggregate for each part of a
frame; frames have several parts with EXCLUDE.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

from algebra.expression import Value
from reference.incremental.over.frame_aggregates import P, Total
from reference.incremental.over.frame_partition import Column, FramePart, Member, Partition, Tail
from reference.relation import Row
from reference.snapshot import stateful

#: Returns the arguments of a call on a row; None if the row does not count.
ReadArguments: TypeAlias = Callable[[Row], Row | None]
#: Makes the column of a call for a new partition.
NewColumn: TypeAlias = Callable[[], Column]
#: Makes a part of an aggregate over no rows.
NewPart: TypeAlias = Callable[[], P]


@stateful
@dataclass(slots=True)
class SlidingRange(Generic[P]):
    """One part of a call's frames, which slides from row to row.

    ``aggregate`` is the aggregate over the rows `[low, high)`, and ``read`` returns the arguments
    of a row. ``fresh`` makes an aggregate over no rows, for a part that moves back. ``grows``: no
    row leaves the part.  If it does not grow, ``inside`` has the places and arguments of its rows,
    which are removed from ``aggregate`` when the rows leave the part.
    """

    fresh: NewPart[P]
    grows: bool
    read: ReadArguments
    aggregate: P
    low: int = 0
    high: int = 0
    inside: deque[tuple[int, Row]] = field(default_factory=deque[tuple[int, Row]])

    def move(self, members: Tail[Member], low: int, high: int) -> None:
        """Slide to the rows `[low, high)`.

        An aggregate that is full takes no further rows, because they cannot change it.
        """
        if low < self.low or high < self.high:
            self.aggregate, self.high = self.fresh(), low
            self.inside.clear()
        inside, aggregate = self.inside, self.aggregate
        while inside and inside[0][0] < low:
            aggregate.remove(inside.popleft()[1])
        for at in range(max(self.high, low), high):
            if aggregate.full:
                break
            arguments = self.read(members[at].pending.row)
            if arguments is not None:
                aggregate.add(arguments)
                if not self.grows:
                    inside.append((at, arguments))
        self.low, self.high = low, high


@stateful
@dataclass(slots=True)
class Accumulated(Generic[P]):
    """The column of a call that slides: ``spans`` are its parts, ``total`` computes its value."""

    spans: list[SlidingRange[P]]
    total: Total[P]

    def value(self, partition: Partition, at: int, parts: list[FramePart]) -> Value:
        """Slide each part to the frame of the row at ``at``, and return the call's value."""
        members = partition.members
        for span, (low, high) in zip(self.spans, parts, strict=True):
            span.move(members, low, high)
        return self.total([each.aggregate for each in self.spans], members[at].pending.row)

    def needs(self, _partition: Partition) -> int:
        """The place after the rows that its first part has accumulated."""
        return self.spans[0].high

    def retained(self) -> list[Row]:
        """The values that the parts that grow retain; other parts only retain partition rows."""
        return [row for each in self.spans if each.grows for row in each.aggregate.retained()]


def accumulated(
    fresh: NewPart[P],
    total: Total[P],
    read: ReadArguments,
    grows: Sequence[bool],
    growing: NewPart[P] | None = None,
) -> NewColumn:
    """The function that makes the column of a call that slides.

    ``fresh`` makes an aggregate over no rows, and ``growing`` one for a part that only grows (None:
    the same). ``grows`` has for each part whether it only grows.
    """

    def part(grown: bool) -> SlidingRange[P]:
        aggregate = growing() if grown and growing is not None else fresh()
        return SlidingRange(fresh, grown, read, aggregate)

    return lambda: Accumulated([part(each) for each in grows], total)
