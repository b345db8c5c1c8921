"""OVER in a stream, which Spark lacks: a join of the stream with itself, grouped by row."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.expression import AggregateFunction, Expression, Literal, WindowCall
from algebra.plan import Exclude, Frame, RangeOffset, Unbounded, Window, WindowGroup
from algebra.types import Kind
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.event_time import MILLI, moved
from engines.sparknative.set_operations import SetPrinter
from engines.sparknative.streams import OFFSET

_NO_OVER: Final = "no OVER in streams, and the join that replaces it cannot express"


@dataclass(frozen=True, slots=True)
class _Reach:
    """The milliseconds, around a row's time, that a frame spans; None: without end."""

    back: int | None
    ahead: int


class MovingWindows(SetPrinter):
    """Prints aggregates over RANGE frames of a stream.

    Each row is joined with the rows of the widest frame, and the pairs are grouped by it; FILTER
    gives each call the rows of its own frame.  Rows are distinguished by their offset in the
    stream.
    """

    def moving_window(self, node: Window, near: Block, outer: Scope) -> Block:
        """The rows of ``near``, each with the value of every call."""
        if near.stage > Stage.WHERE or " JOIN " in near.source or "(" in near.source:
            raise UnsupportedError(f"{_NO_OVER} windows over computed rows, which have no offset")
        self._time(node.groups, near, outer)
        reaches = [_reach(group.frame) for group in node.groups]
        widest = _widest(reaches)
        # The one source is a view, and its alias is the last word.
        offset = f"{near.source.rsplit(' ', 1)[-1]}.{self.identifier(OFFSET)}"
        numbered = replace(near, items=(*near.items, offset), names=(*near.names, OFFSET))
        left, right, on = self._sides(node, numbered, self.block(node.input, outer), outer)
        own, other = (self._time(node.groups, each, outer) for each in (left, right))
        calls: list[str] = []
        for group, reach in zip(node.groups, reaches, strict=True):
            partition = self._equal(group.partition, left, right, outer)
            inside = [each for each in partition if each not in on]
            inside += [] if reach == widest else _conditions(reach, own, other)
            calls += [self._filtered(call, inside, (right.items, *outer)) for call in group.calls]
        on += _conditions(widest, own, other)
        # The event time's own column, by which Spark sees that a group ends; then the offset.
        keys = dict.fromkeys((self.times[own].text, left.items[-1], *left.items))
        return Block(
            (*left.items[:-1], *calls),
            distinct_names((*near.names, *node.names)),
            f"{left.source} JOIN {right.source} ON {' AND '.join(on)}",
            Stage.GROUPED,
            group=", ".join(keys),
        )

    def _sides(
        self, node: Window, near: Block, far: Block, outer: Scope
    ) -> tuple[Block, Block, list[str]]:
        """The rows ``near``, those of their frames, ``far``, and conditions of their join.

        The conditions equate the partition keys that all windows share, or a constant if there are
        none: Spark joins streams only by an equality.
        """
        shared = [
            key
            for key in node.groups[0].partition
            if all(key in group.partition for group in node.groups)
        ]
        if shared:
            left, right = self.around(near), self.around(far)
            return left, right, self._equal(shared, left, right, outer)
        left, right, same = self.with_same(near, far)
        return left, right, [same]

    def _filtered(self, call: WindowCall, inside: list[str], scope: Scope) -> str:
        """The call over the pairs of which all of ``inside`` holds."""
        if not isinstance(call.function, AggregateFunction):
            raise UnsupportedError(f"{_NO_OVER} {call.function}")
        text = self.function(call, [self.expression(each, scope) for each in call.arguments])
        if call.filter is not None:
            inside = [*inside, self.expression(call.filter, scope)]
        return text + (f" FILTER (WHERE {' AND '.join(inside)})" if inside else "")

    def _time(self, groups: tuple[WindowGroup, ...], block: Block, outer: Scope) -> str:
        """The text of the one time by which the rows of all windows are ordered."""
        orders = {
            ""
            if len(group.order) != 1 or group.order[0].descending
            else self.expression(group.order[0].expression, (block.items, *outer))
            for group in groups
        }
        (text,) = orders if len(orders) == 1 else {""}
        if text not in self.times:
            raise UnsupportedError(f"{_NO_OVER} an order that is not the event time's")
        return text

    def _equal(
        self, keys: Sequence[Expression], left: Block, right: Block, outer: Scope
    ) -> list[str]:
        """The conditions that both sides have the same keys."""
        return [
            f"{self.expression(key, (left.items, *outer))}"
            f" <=> {self.expression(key, (right.items, *outer))}"
            for key in keys
        ]


def _reach(frame: Frame) -> _Reach:
    """The reach of a frame of RANGE.  Raises `UnsupportedError` for any other one."""
    match frame.start, frame.end:
        case _ if frame.exclude is not Exclude.NO_OTHERS:
            raise UnsupportedError(f"{_NO_OVER} EXCLUDE")
        case (Unbounded(), RangeOffset() as end):
            return _Reach(None, _ahead(end))
        case (RangeOffset() as start, RangeOffset() as end):
            return _Reach(-_ahead(start), _ahead(end))
        case _:
            raise UnsupportedError(f"{_NO_OVER} a frame of ROWS or a frame without an end")


def _ahead(bound: RangeOffset) -> int:
    """The milliseconds by which the bound is ahead of the row."""
    match bound.distance:
        case Literal(0):
            return 0
        case Literal(int() as millis, type) if type.kind is Kind.MILLIS:
            return -millis if bound.preceding else millis
        case _:
            raise UnsupportedError(f"{_NO_OVER} a distance that is not in days or shorter units")


def _widest(reaches: list[_Reach]) -> _Reach:
    """The reach that includes the others, and the row itself."""
    backs = [each.back for each in reaches]
    known = [each for each in backs if each is not None]
    back = max([0, *known]) if len(known) == len(backs) else None
    return _Reach(back, max([0, *(each.ahead for each in reaches)]))


def _conditions(reach: _Reach, own: str, other: str) -> list[str]:
    """The conditions that a row at the time ``other`` is in the frame of a row at ``own``."""
    found = [f"{other} <= {moved(own, reach.ahead * MILLI)}"]
    if reach.back is not None:
        found.append(f"{other} >= {moved(own, -reach.back * MILLI)}")
    return found
