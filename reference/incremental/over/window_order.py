"""The line that a window is ordered along, and what bounds say of places on it (S-405, S-505)."""

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
from reference.values import at_distance, integer, is_nan


@total_ordering
@dataclass(frozen=True, slots=True)
class Falling:
    """A text or other value under a descending key: the greater is the earlier."""

    value: Value

    def __lt__(self, other: "Falling") -> bool:
        """Whether it is earlier."""
        return bool(other.value < self.value)  # type: ignore[operator]  # both are of one SQL type


#: Where a value of one sort key lies in its order: earlier places are less.  NULLs lie at one end,
#: NaN behind the numbers (before them, if they fall); a DATE lies at its midnight.
Place: TypeAlias = tuple[int, Value | Falling]
#: What a bound must have come to: the place, and whether it must have passed it.  A bound of the
#: same form has come so far if it is not less.
Due: TypeAlias = tuple[Place, bool]

#: What every bound has come to, and what none has before the partition is complete.
#: Defines: S-505.f
AT_ONCE: Final[Due] = ((-2, None), False)
NEVER: Final[Due] = ((8, None), True)
#: The bounds before anything is known, and of a complete partition.
UNKNOWN: Final[Due] = ((-1, None), False)
COMPLETE: Final[Due] = ((9, None), True)

_NUMBER: Final = 2  # the first of a place that is neither NULL nor NaN


def line_of(key: SortKey) -> Callable[[Value], Place]:
    """The place of each value of ``key``."""
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


def _reversed(value: Value) -> Value | Falling:
    match value:
        case Decimal():
            return value.copy_negate()
        case int() | float():
            return -value
        case _:
            return Falling(value)


def passing(place: Place) -> Due:
    """The bound is to have passed ``place``: no row to come lies there; a NULL is never passed."""
    return NEVER if place[1] is None and place[0] in (0, 4) else (place, True)


def reaching(place: Place) -> Due:
    """No row to come lies before ``place``, which NULLs are never sure of."""
    return NEVER if place[1] is None and place[0] in (0, 4) else (place, False)


def come_to(limit: Bound | None, line: Callable[[Value], Place]) -> Due:
    """How far ``limit`` has come, the bound of the key that ``line`` is of."""
    if limit is None or limit.value is None:
        return UNKNOWN
    return line(limit.value), limit.strict


class Reach:
    """Where a distance from a sort key leads: RANGE, not at distance 0, whose line is its key's."""

    def __init__(self, offset: RangeOffset, key: SortKey) -> None:
        self.preceding = offset.preceding
        self._falls = key.descending
        self._line = line_of(key)
        self._kind = key.expression.type.kind
        self._distance = offset.distance.value
        #: Whole months from a datetime, which clamp (S-207): a later row may then reach less far.
        self.clamps = offset.distance.type.kind is Kind.MONTHS and self._kind is not Kind.MONTHS
        self._measured = offset.distance.type.kind in INTERVAL and self._kind not in INTERVAL

    def at(self, value: Value) -> Place:
        """The place at this distance from a row with ``value``; of NULL and NaN that of the row."""
        return self._moved(value, -1 if self.preceding != self._falls else 1)

    def surely(self, value: Value) -> Place:
        """The place before which no row reaches whose value is ``value`` or later.

        Days keep their order when months are added, times of the day do not.
        """
        rank, place = self.at(value)
        if not self.clamps or place is None:
            return rank, place
        assert isinstance(place, int), place
        if self._falls:
            return rank, -(-place // MILLIS_PER_DAY + 1) * MILLIS_PER_DAY
        return rank, place // MILLIS_PER_DAY * MILLIS_PER_DAY

    def released(self, value: Value) -> Due:
        """When no row to come reaches back to a row with ``value``.

        A month's to the day; of a DOUBLE a little later, since what is added and taken is rounded.
        """
        back = self._moved(value, 1 if self.preceding != self._falls else -1)
        if isinstance(back[1], float):
            return passing((back[0], back[1] + 2 * self._rounding(value, back[1])))
        if not self.clamps or back[1] is None:
            return passing(back)
        assert isinstance(back[1], int), back
        step, first, late = (-1, -back[1], MILLIS_PER_DAY - 1) if self._falls else (1, back[1], 0)
        day = first // MILLIS_PER_DAY
        while True:
            instant = day * MILLIS_PER_DAY + late
            there = instant // MILLIS_PER_DAY if self._kind is Kind.DATE else instant
            if self.surely(there) > self._line(value):
                return (_NUMBER, -instant if self._falls else instant), False
            day += step

    def _rounding(self, *values: Value) -> float:
        """The greatest step between the numbers that a sum of such values is rounded to."""
        known = (
            each for each in (*values, self._distance) if isinstance(each, int | float | Decimal)
        )
        return max(math.ulp(float(each)) for each in known)

    def _moved(self, value: Value, sign: int) -> Place:
        if value is None or is_nan(value):
            return self._line(value)
        start = instant_of(self._kind, integer(value)) if self._measured else value
        distance = self._distance
        moved: Value
        if self.clamps:
            moved = add_months_to_instant(integer(start), sign * integer(distance))
        elif isinstance(start, int) and isinstance(distance, int):
            moved = start + sign * distance
        else:
            moved = at_distance(start, sign, distance)
        return _NUMBER, _reversed(moved) if self._falls else moved
