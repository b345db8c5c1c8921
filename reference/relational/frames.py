"""The definition of frames: the rows over which OVER evaluates a call for a row (S-505, S-506).

*Peers* are rows with equal sort keys.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
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
from reference.relation import Row, by_keys, compare_keys
from reference.scalar.datetimes import add_months_to_instant, instant_of
from reference.values import at_distance, integer

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder


@dataclass(frozen=True)
class Partition:
    """The rows of a partition in the order of the window's ORDER BY.

    ``keys`` are the sort keys, and ``orders`` has their values for each row.

    Defines: S-506.f
    """

    rows: tuple[Row, ...]
    orders: tuple[Row, ...]
    keys: tuple[SortKey, ...]

    @cached_property
    def groups(self) -> Sequence[int]:
        """For each row the number of its group of peers, from 0."""
        # Whether a row has other sort keys than the row before it, and so begins a new group.
        ends = (compare_keys(a, b, self.keys) != 0 for a, b in pairwise(self.orders))
        return list(accumulate(ends, initial=0))

    def peers(self, place: int) -> range:
        """The places of the peers of the row at ``place``, and of this row itself."""
        return self._group(self.groups[place])

    def frame(self, place: int, frame: Frame) -> Sequence[int]:
        """The places of the rows in the frame of the row at ``place``, in the window's order."""
        start = max(self._at(place, frame.start).start, 0)
        places = range(start, min(self._at(place, frame.end).stop, len(self.rows)))
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

    def _at(self, place: int, bound: FrameBound) -> range:
        """The range of places that a frame bound means for the row at ``place``.

        A frame begins at the start of its first bound's range, and ends at the stop of its last
        bound's range.  UNBOUNDED is the whole partition.  ROWS is one place, which can be outside
        the partition.  RANGE and GROUPS are the rows at the distance; if there are no such rows, an
        empty range at the place at which they would be.
        """
        match bound:
            case Unbounded():
                return range(len(self.rows))
            case RowOffset(rows):
                return range(place + rows, place + rows + 1)
            case RangeOffset(distance, preceding):
                return self._at_distance(place, distance, preceding)
            case GroupOffset(groups):
                return self._group(self.groups[place] + groups)

    def _group(self, number: int) -> range:
        """The places of the rows of the group of peers with this number.

        If there is no such group, an empty range at the start or the end of the partition.
        """
        return range(bisect_left(self.groups, number), bisect_right(self.groups, number))

    def _at_distance(self, place: int, distance: Literal, preceding: bool) -> range:
        """The places of the rows whose sort key is exactly ``distance`` from the key of the row.

        ``place`` is the place of the row. ``preceding``: the rows are before it.  If there are no
        such rows, an empty range at the place at which they would be.  If the distance is 0, or the
        row's sort key is NULL or NaN, they are the row's peers.  Any other distance is legal only
        with exactly one sort key.

        Defines: S-506.h
        """
        value = self.orders[place][0] if self.keys else None
        if distance.value == 0 or value is None:
            return self.peers(place)
        key = self.keys[0]
        sign = -1 if preceding != key.descending else 1
        kind = key.expression.type.kind
        target = (moved(value, kind, distance, sign),)
        order = by_keys((key,))

        def position(each: Row) -> "SupportsOrder":
            """The sort key of a row, in the form in which ``target`` is compared."""
            return order((None if each[0] is None else axis(each[0], kind, distance),))

        return range(
            bisect_left(self.orders, order(target), key=position),
            bisect_right(self.orders, order(target), key=position),
        )


def axis(value: Value, kind: Kind, distance: Literal) -> Value:
    """The sort key ``value``, not NULL, as a point on the line on which ``distance`` is measured.

    A datetime becomes its instant in milliseconds, so that a DATE can be hours away from another.
    A number or interval stays the same. ``kind`` is the kind of the sort key's type.
    """
    if distance.type.kind in INTERVAL and kind not in INTERVAL:
        return instant_of(kind, integer(value))
    return value


def moved(value: Value, kind: Kind, distance: Literal, sign: int) -> Value:
    """The point ``distance`` after (``sign`` 1) or before (-1) ``value``, on the line of `axis`.

    Months are clamped to the end of the month (S-207).  The point can be outside of the range of
    the type; then all rows are on one side of it.
    """
    start = axis(value, kind, distance)
    if distance.type.kind is Kind.MONTHS and kind is not Kind.MONTHS:
        return add_months_to_instant(integer(start), sign * integer(distance.value))
    return at_distance(start, sign, distance.value)
