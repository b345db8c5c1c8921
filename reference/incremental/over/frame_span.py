"""What slides with a frame: the parts of a call, which rows enter and leave in order (S-505)."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

from algebra.expression import Value
from reference.incremental.over.frame_aggregates import P, Total
from reference.incremental.over.frame_partition import Column, Member, Part, Partition, Run
from reference.relation import Row

#: The arguments of a call on a row; None: the row does not count.
Reading: TypeAlias = Callable[[Row], Row | None]
#: A call before the first row of a partition.
NewColumn: TypeAlias = Callable[[], Column]
#: A part of an aggregate over no rows.
Fresh: TypeAlias = Callable[[], P]


@dataclass(slots=True)
class Span(Generic[P]):
    """A part of the frames that slides from row to row; should it move back, it starts anew."""

    fresh: Fresh[P]
    grows: bool
    read: Reading
    held: P
    low: int = 0
    high: int = 0
    inside: deque[tuple[int, Row]] = field(default_factory=deque[tuple[int, Row]])

    def move(self, members: Run[Member], low: int, high: int) -> None:
        """Hold the rows from ``low`` until, not including, ``high``."""
        if low < self.low or high < self.high:
            self.held, self.low, self.high = self.fresh(), low, low
            self.inside.clear()
        inside, held = self.inside, self.held
        while inside and inside[0][0] < low:
            held.remove(inside.popleft()[1])
        for at in range(max(self.high, low), high):
            if held.full:
                break
            arguments = self.read(members[at].pending.row)
            if arguments is not None:
                held.add(arguments)
                if not self.grows:
                    inside.append((at, arguments))
        self.low, self.high = low, high


@dataclass(slots=True)
class Accumulated(Generic[P]):
    """A call that slides: its parts, and the value of them together."""

    spans: list[Span[P]]
    total: Total[P]

    def value(self, partition: Partition, at: int, parts: list[Part]) -> Value:
        """The value once every part is where the frame is."""
        members = partition.members
        for span, (low, high) in zip(self.spans, parts, strict=True):
            span.move(members, low, high)
        return self.total([each.held for each in self.spans], members[at].pending.row)

    def needs(self, partition: Partition) -> int:  # noqa: ARG002  # what it has not taken in
        """Rows behind those that its first part has taken in."""
        return self.spans[0].high

    def kept(self) -> list[Row]:
        """What the parts that grow keep; the rows of others are there."""
        return [row for each in self.spans if each.grows for row in each.held.kept()]


def accumulated(
    fresh: Fresh[P],
    total: Total[P],
    read: Reading,
    grows: Sequence[bool],
    growing: Fresh[P] | None = None,
) -> NewColumn:
    """A call over frames in parts; ``growing`` makes those that rows only enter, if it differs."""

    def part(grown: bool) -> Span[P]:
        held = growing() if grown and growing is not None else fresh()
        return Span(fresh, grown, read, held)

    return lambda: Accumulated([part(each) for each in grows], total)
