"""Trains: a batch of rows, followed by the bounds of all later rows."""

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
    """The shape of a stream's rows: ``width`` columns, and the place of the rowtime (S-311).

    A stream without a rowtime column has an implicit rowtime: its rows have one value more, at
    place ``width``, an integer of milliseconds like a TIMESTAMP, or NULL where the stream has no
    time at all.

    Defines: S-311.b
    """

    width: int
    time: int

    @property
    def hidden(self) -> bool:
        """Whether the rowtime is implicit, behind the last column."""
        return self.time == self.width

    @property
    def values(self) -> int:
        """The number of values in a row."""
        return self.width + self.hidden

    def time_of(self, row: Row) -> float:
        """The rowtime of a row in milliseconds; NULL comes before all others."""
        value = row[self.time]
        return NOTHING_KNOWN if value is None else integer(value)

    def clock(self, bounds: Bounds) -> float:
        """The bound of the rowtime: a whole number of milliseconds, or an infinity."""
        if bounds.ended:
            return ENDED
        limit = bounds.columns[self.time]
        return NOTHING_KNOWN if limit is None else integer(limit.value)


@dataclass(frozen=True, slots=True)
class Train:
    """Rows in order, and the bounds of all rows that follow them (S-104).

    How rows are cut into trains changes only when output rows appear, never which rows and in what
    order. The same is true of a row's bound, whether it comes with the row or after it.

    Defines: S-104.c, S-406.a
    """

    rows: Sequence[Row]
    bounds: Bounds


def nothing(shape: Shape) -> Bounds:
    """The bounds of a stream before its first event: none."""
    return Bounds((None,) * shape.values)
