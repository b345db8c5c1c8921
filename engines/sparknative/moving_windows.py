"""OVER in a stream, which Spark has not: a join of the stream with itself, grouped by row."""

from dataclasses import dataclass, replace
from typing import Final

from algebra.expression import AggregateFunction, Literal, WindowCall
from algebra.plan import Exclude, Frame, RangeOffset, Unbounded, Window, WindowGroup
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.event_time import MILLI, moved
from engines.sparknative.joins import JoinPrinter
from engines.sparknative.streams import OFFSET

_NO_OVER: Final = "no OVER in streams, and as a join of the stream with itself"


@dataclass(frozen=True, slots=True)
class _Reach:
    """The milliseconds, around a row's time, that a frame spans; None: without end."""

    back: int | None
    ahead: int


class MovingWindows(JoinPrinter):
    """Prints aggregates over RANGE frames of a stream.

    Each row is joined with the rows of the widest frame, and the pairs are grouped by it; FILTER
    gives each call the rows of its own frame.  Rows are told apart by their offset in the stream.
    """

    def moving_window(self, node: Window, outer: Scope) -> Block:
        """The rows, each with the value of every call."""
        near, far = self.block(node.input, outer), self.block(node.input, outer)
        if near.stage > Stage.WHERE or " JOIN " in near.source or "(" in near.source:
            raise UnsupportedError(f"{_NO_OVER}: rows that are computed have no offset")
        offset = f"{near.source.rsplit(' ', 1)[-1]}.{self.identifier(OFFSET)}"
        numbered = replace(near, items=(*near.items, offset), names=(*near.names, OFFSET))
        self._time(node.groups, near, outer)
        left, right, same = self.with_same(numbered, far)
        own, other = (self._time(node.groups, each, outer) for each in (left, right))
        reaches = [_reach(group.frame) for group in node.groups]
        widest = _widest(reaches)
        partitions = [self._partition(each, left, right, outer) for each in node.groups]
        shared = [each for each in partitions[0] if all(each in other for other in partitions)]
        calls: list[str] = []
        for group, reach, partition in zip(node.groups, reaches, partitions, strict=True):
            inside = [each for each in partition if each not in shared]
            inside += [] if reach == widest else _conditions(reach, own, other)
            calls += [self._filtered(call, inside, (right.items, *outer)) for call in group.calls]
        on = " AND ".join([same, *shared, *_conditions(widest, own, other)])
        keys = dict.fromkeys((self.times[own].text, left.items[-1], *left.items))
        return Block(
            (*left.items[:-1], *calls),
            distinct_names((*near.names, *node.names)),
            f"{left.source} JOIN {right.source} ON {on}",
            Stage.GROUPED,
            group=", ".join(keys),
        )

    def _filtered(self, call: WindowCall, inside: list[str], scope: Scope) -> str:
        """The call over the pairs of which all of ``inside`` holds."""
        if not isinstance(call.function, AggregateFunction):
            raise UnsupportedError(f"{_NO_OVER}, no {call.function}")
        text = self.function(call, [self.expression(each, scope) for each in call.arguments])
        if call.filter is not None:
            inside = [*inside, self.expression(call.filter, scope)]
        return text + (f" FILTER (WHERE {' AND '.join(inside)})" if inside else "")

    def _time(self, groups: tuple[WindowGroup, ...], block: Block, outer: Scope) -> str:
        """The one time by which the rows of all windows are ordered."""
        orders = {
            ""
            if len(group.order) != 1 or group.order[0].descending
            else self.expression(group.order[0].expression, (block.items, *outer))
            for group in groups
        }
        (text,) = orders if len(orders) == 1 else {""}
        if text not in self.times:
            raise UnsupportedError(f"{_NO_OVER}, no other order than the event time's")
        return text

    def _partition(self, group: WindowGroup, left: Block, right: Block, outer: Scope) -> list[str]:
        return [
            f"{self.expression(key, (left.items, *outer))}"
            f" <=> {self.expression(key, (right.items, *outer))}"
            for key in group.partition
        ]


def _reach(frame: Frame) -> _Reach:
    match frame.start, frame.end:
        case _ if frame.exclude is not Exclude.NO_OTHERS:
            raise UnsupportedError(f"{_NO_OVER}, no EXCLUDE")
        case (Unbounded(), RangeOffset(Literal(int() as end), preceding)):
            return _Reach(None, -end if preceding else end)
        case (
            RangeOffset(Literal(int() as start), before),
            RangeOffset(Literal(int() as end), preceding),
        ):
            return _Reach(start if before else -start, -end if preceding else end)
        case _:
            raise UnsupportedError(f"{_NO_OVER}, no frame of rows, and none without end")


def _widest(reaches: list[_Reach]) -> _Reach:
    """The reach that includes the others, and the row itself."""
    backs = [each.back for each in reaches]
    known = [each for each in backs if each is not None]
    back = max(0, *known, 0) if len(known) == len(backs) else None
    return _Reach(back, max(0, *(each.ahead for each in reaches), 0))


def _conditions(reach: _Reach, own: str, other: str) -> list[str]:
    """That the row at ``other`` is in the frame of the row at ``own``."""
    found = [f"{other} <= {moved(own, reach.ahead * MILLI)}"]
    if reach.back is not None:
        found.append(f"{other} >= {moved(own, -reach.back * MILLI)}")
    return found
