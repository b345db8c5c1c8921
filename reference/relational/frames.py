"""Frames: the rows of a sorted partition that are in the window of a row (S-505, S-506)."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from algebra.expression import Literal, SortKey, Value
from algebra.plan import (
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
)
from algebra.types import INTERVAL, Kind
from reference.relation import Row, by_keys
from reference.scalar.datetimes import add_months_to_instant, instant_of
from reference.values import at_distance, integer, is_nan

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of a partition in window order, and the values of their sort ``keys``.

    Defines: S-506.f
    """

    rows: tuple[Row, ...]
    orders: tuple[Row, ...]
    keys: tuple[SortKey, ...]

    def peers(self, place: int) -> range:
        """The places of the peers of the row at ``place``, which have equal sort keys.

        Itself included.
        """
        return self._between(self.keys, self.orders[place], self.orders[place])

    def frame(self, place: int, frame: Frame) -> Sequence[int]:
        """The places of the rows in the frame of the row at ``place``, in the window's order."""
        start = max(self._start(place, frame.start), 0)
        end = min(self._end(place, frame.end), len(self.rows) - 1)
        places = range(start, end + 1)
        match frame.exclude:
            case Exclude.NO_OTHERS:
                return places
            case Exclude.CURRENT_ROW:
                return [each for each in places if each != place]
            case Exclude.GROUP:
                peers = self.peers(place)
                return [each for each in places if each not in peers]
            case Exclude.TIES:
                peers = self.peers(place)
                return [each for each in places if each == place or each not in peers]

    def _start(self, place: int, bound: FrameBound) -> int:
        """The place of the first row at or after ``bound``; it may lie outside the partition."""
        match bound:
            case Unbounded():
                return 0
            case RowOffset(rows):
                return place + rows
            case RangeOffset(distance, preceding):
                return self._at(place, distance, preceding).start
            case GroupOffset(groups):
                return self._group(place, groups).start

    def _end(self, place: int, bound: FrameBound) -> int:
        """The place of the last row at or before ``bound``; it may lie outside the partition."""
        match bound:
            case Unbounded():
                return len(self.rows) - 1
            case RowOffset(rows):
                return place + rows
            case RangeOffset(distance, preceding):
                return self._at(place, distance, preceding).stop - 1
            case GroupOffset(groups):
                return self._group(place, groups).stop - 1

    def _group(self, place: int, groups: int) -> range:
        """The places of the group of peers ``groups`` groups later, or earlier if negative.

        If there is no such group, an empty range at the end or the start of the partition.
        """
        peers = self.peers(place)
        for _ in range(abs(groups)):
            if groups > 0 and peers.stop == len(self.rows):
                return range(peers.stop, peers.stop)
            if groups < 0 and peers.start == 0:
                return range(0)
            peers = self.peers(peers.stop if groups > 0 else peers.start - 1)
        return peers

    def _at(self, place: int, distance: Literal, preceding: bool) -> range:
        """The places, perhaps none, of the rows exactly ``distance`` from the row at ``place``.

        At distance 0, and from a NULL or NaN, these are its peers; else only the first sort key
        counts.
        """
        if distance.value == 0 or not self.keys:
            return self.peers(place)
        key = self.keys[0]
        value = self.orders[place][0]
        if value is None or is_nan(value):
            return self._between((key,), (value,), (value,))
        sign = -1 if preceding != key.descending else 1
        kind = key.expression.type.kind
        target = (moved(value, kind, distance, sign),)
        order = by_keys((key,))

        def position(each: Row) -> "SupportsOrder":
            return order((None if each[0] is None else axis(each[0], kind, distance),))

        return range(
            bisect_left(self.orders, order(target), key=position),
            bisect_right(self.orders, order(target), key=position),
        )

    def _between(self, keys: tuple[SortKey, ...], low: Row, high: Row) -> range:
        """The places of the rows whose first sort keys lie from ``low`` to ``high``."""
        order = by_keys(keys)
        width = len(keys)
        return range(
            bisect_left(self.orders, order(low), key=lambda each: order(each[:width])),
            bisect_right(self.orders, order(high), key=lambda each: order(each[:width])),
        )


def axis(value: Value, kind: Kind, distance: Literal) -> Value:
    """A sort key, not NULL, as a point on the line on which ``distance`` is measured.

    A datetime is its instant, so that a DATE can be hours away; a number or interval is itself.
    """
    if distance.type.kind in INTERVAL and kind not in INTERVAL:
        return instant_of(kind, integer(value))
    return value


def moved(value: Value, kind: Kind, distance: Literal, sign: int) -> Value:
    """The point ``distance`` after (``sign`` 1) or before (-1) ``value``; months clamp (S-207).

    It may be outside the range of the type; then all rows are on one side of it.
    """
    start = axis(value, kind, distance)
    if distance.type.kind is Kind.MONTHS and kind is not Kind.MONTHS:
        return add_months_to_instant(integer(start), sign * integer(distance.value))
    return at_distance(start, sign, distance.value)
