"""Trains: rows that come one after the other, and then what is known of all later ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.monotonicity.progress import Bounds
from reference.relation import Row
from reference.values import integer

#: The clock before anything is known, and after the end.
NOTHING_KNOWN: Final = -math.inf
ENDED: Final = math.inf


@dataclass(frozen=True, slots=True)
class Shape:
    """What a row of a stream looks like: ``width`` columns, and the place of its time.

    The time is the rowtime column (S-311).  A stream without one keeps a hidden clock: its rows
    have one value more, at place ``width``, an integer of milliseconds like a TIMESTAMP, or NULL
    where the stream tells no time at all.

    Defines: S-311.b
    """

    width: int
    time: int

    @property
    def hidden(self) -> bool:
        """Whether the time is behind the last column."""
        return self.time == self.width

    @property
    def values(self) -> int:
        """How many values a row has."""
        return self.width + self.hidden

    def time_of(self, row: Row) -> float:
        """The time of a row, in milliseconds; of NULL the one before all others."""
        value = row[self.time]
        return NOTHING_KNOWN if value is None else integer(value)

    def clock(self, bounds: Bounds) -> float:
        """The time below which no later row is: a whole number, or one of the infinities."""
        if bounds.ended:
            return ENDED
        limit = bounds.columns[self.time]
        return NOTHING_KNOWN if limit is None else integer(limit.value)


@dataclass(frozen=True, slots=True)
class Train:
    """Rows in the order in which they come, and what then is known of all later ones (S-104).

    Where a train is cut, and whether a row's bound is told with it or after it, cannot be seen in
    what comes out, but for when.

    Defines: S-104.c, S-406.a
    """

    rows: Sequence[Row]
    bounds: Bounds


def nothing(shape: Shape) -> Bounds:
    """What is known of a stream before its first event."""
    return Bounds((None,) * shape.values)
