"""The order of a window: sort keys as places that Python can compare, and timers (S-405, S-505).

A timer says how far the bound of the first sort key must advance before a partition has work to do:
a row gets its final place, is determined, or is evicted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import total_ordering
from typing import Final, TypeAlias

from algebra.expression import SortKey, Value
from algebra.monotonicity.progress import Bound
from algebra.plan import RangeOffset
from algebra.types import INTERVAL, MILLIS_PER_DAY, Kind
from reference.scalar.datetimes import add_months_to_instant, instant_of
from reference.snapshot import stateful
from reference.values import at_distance, integer, is_nan


@stateful
@total_ordering
@dataclass(frozen=True, slots=True)
class Reversed:
    """A value of a descending key that cannot be negated: the greater value is earlier."""

    value: Value

    def __lt__(self, other: "Reversed") -> bool:
        """Whether this value is earlier."""
        return bool(other.value < self.value)  # type: ignore[operator]  # both have one SQL type


#: The place of a sort key's value in the window's order; an earlier place is less.  It is a rank
#: and, for an ordinary value, the value; a DATE is at its midnight.  The rank is 0 or 4 for NULL
#: (first or last), 1 for NaN of a descending key, 2 for an ordinary value, 3 for other NaNs.
Place: TypeAlias = tuple[int, Value | Reversed]
#: The advance of a bound: a place, and whether the bound has passed it (True) or only reached it
#: (False).  A timer is the least advance at which it fires: it fires if ``timer <= advance``.
Timer: TypeAlias = tuple[Place, bool]

# The ranks of the following four are below or above the ranks of all places.
#: A timer that fires at any bound, and one that fires only with the end of the partition.
#: Defines: S-505.f
IMMEDIATE: Final[Timer] = ((-2, None), False)
NEVER: Final[Timer] = ((8, None), True)
#: The advance of a bound that is unknown, and of a complete partition.
UNKNOWN: Final[Timer] = ((-1, None), False)
COMPLETE: Final[Timer] = ((9, None), True)

_NUMBER: Final = 2  # the rank of a place that is neither NULL nor NaN


def axis_of(key: SortKey) -> Callable[[Value], Place]:
    """The function from a value of ``key`` to its place, which is less if it sorts earlier."""
    descending = key.descending
    null: Place = (0 if key.nulls_first else 4, None)
    nan: Place = (1 if descending else 3, None)
    scale = MILLIS_PER_DAY if key.expression.type.kind is Kind.DATE else 1

    def place(value: Value) -> Place:
        if value is None:
            return null
        if isinstance(value, int):
            return _NUMBER, -value * scale if descending else value * scale
        if is_nan(value):
            return nan
        return _NUMBER, _reversed(value) if descending else value

    return place


def _reversed(value: Value) -> Value | Reversed:
    """A value that takes the place of ``value`` in a descending order."""
    match value:
        case Decimal():
            return value.copy_negate()
        case int() | float():
            return -value
        case _:
            return Reversed(value)


def passing(place: Place) -> Timer:
    """The timer that fires when each later row is after ``place``; NEVER for NULL and NaN."""
    return NEVER if place[1] is None else (place, True)


def reaching(place: Place) -> Timer:
    """The timer that fires when no later row is before ``place``; NEVER for NULL and NaN."""
    return NEVER if place[1] is None else (place, False)


def advance_of(limit: Bound | None, axis: Callable[[Value], Place]) -> Timer:
    """How far the bound ``limit`` of a key has advanced on the key's ``axis``.

    UNKNOWN if there is no bound, or if it is NULL.
    """
    if limit is None or limit.value is None:
        return UNKNOWN
    return axis(limit.value), limit.strict


class RangeDistance:
    """The distance of a RANGE frame's end from its row, along the sort key; it is not 0.

    Its results are places on the axis of ``key``. ``clamps``: the end of a later row's frame can be
    before that of an earlier row.
    """

    def __init__(self, offset: RangeOffset, key: SortKey) -> None:
        self.preceding = offset.preceding
        self._descending = key.descending
        self._axis = axis_of(key)
        self._kind = key.expression.type.kind
        self._distance = offset.distance.value
        # Months are added by the calendar, except to another number of months.
        self._months = offset.distance.type.kind is Kind.MONTHS and self._kind is not Kind.MONTHS
        # A timestamp moved by whole months is clamped to the end of the month (S-207).  So of two
        # rows, the later one can end up earlier, if it is earlier in its day.
        self.clamps = self._months and self._kind is not Kind.DATE
        self._measured = offset.distance.type.kind in INTERVAL

    def at(self, value: Value) -> Place:
        """The place at this distance from ``value``; NULL and NaN have their own places.

        Defines: S-506.i
        """
        return self._moved(value, -1 if self.preceding != self._descending else 1)

    def lower_limit(self, value: Value) -> Place:
        """A place at or before the frame ends of ``value`` and of every later value.

        Adding months preserves the order of days, but not the order of times within a day.  So the
        place is the first millisecond of the day of the frame's end (descending: the last one).
        """
        rank, place = self.at(value)
        if not self.clamps or place is None:
            return rank, place
        assert isinstance(place, int), place
        if self._descending:
            return rank, -(-place // MILLIS_PER_DAY + 1) * MILLIS_PER_DAY + 1
        return rank, place // MILLIS_PER_DAY * MILLIS_PER_DAY

    def evicted_at(self, value: Value) -> Timer:
        """The timer that fires when no later row's frame can contain ``value``.

        For months it is exact to the day; for a DOUBLE it is later by the rounding of the sum.
        """
        # The place of a row from which the distance leads exactly to ``value``.
        back = self._moved(value, 1 if self.preceding != self._descending else -1)
        if isinstance(back[1], float):
            return passing((back[0], back[1] + 2 * self._rounding(value, back[1])))
        if not self._months:
            return passing(back)
        assert isinstance(back[1], int), "a key with a place in the order is never NULL"
        # Places of a descending key are negated instants, so days are counted backwards, and each
        # day is entered at its last millisecond.
        step, first, entered_at = (
            (-1, -back[1], MILLIS_PER_DAY - 1) if self._descending else (1, back[1], 0)
        )
        # From the day of ``back`` to the first day on which no later row reaches back to ``value``.
        day = first // MILLIS_PER_DAY
        while True:
            instant = day * MILLIS_PER_DAY + entered_at
            there = instant // MILLIS_PER_DAY if self._kind is Kind.DATE else instant
            if self.lower_limit(there) > self._axis(value):
                return (_NUMBER, -instant if self._descending else instant), False
            day += step

    def _rounding(self, *values: Value) -> float:
        """The greatest distance between neighbouring DOUBLEs near ``values`` and the distance."""
        known = (
            each for each in (*values, self._distance) if isinstance(each, int | float | Decimal)
        )
        return max(math.ulp(float(each)) for each in known)

    def _moved(self, value: Value, sign: int) -> Place:
        """The place at the distance after ``value`` (``sign`` 1) or before it (-1)."""
        if value is None or is_nan(value):
            return self._axis(value)
        start = instant_of(self._kind, integer(value)) if self._measured else value
        distance = self._distance
        moved: Value
        if self._months:
            moved = add_months_to_instant(integer(start), sign * integer(distance))
        elif isinstance(start, int) and isinstance(distance, int):
            moved = start + sign * distance
        else:
            moved = at_distance(start, sign, distance)
        return _NUMBER, _reversed(moved) if self._descending else moved
