"""Trains: batches of rows, each followed by the bounds of all later rows.

Operators receive and return trains (`reference.incremental.operator`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.monotonicity.progress import Bounds
from reference.relation import Row
from reference.values import integer

#: The bound of a rowtime as a number, while no bound is known.
NOTHING_KNOWN: Final = -math.inf
#: The bound of a rowtime as a number, after the end.
ENDED: Final = math.inf


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a stream's rows: ``width`` columns, with the rowtime at place ``time`` (S-311).

    A stream without a rowtime column has an implicit rowtime: its rows have one more value, at
    place ``width``, an integer of milliseconds like a TIMESTAMP, or NULL if the stream has no time
    at all.

    Defines: S-311.b
    """

    width: int
    time: int

    @property
    def hidden(self) -> bool:
        """Whether the rowtime is implicit, after the last column."""
        return self.time == self.width

    @property
    def values(self) -> int:
        """The number of values in a row."""
        return self.width + self.hidden

    def time_of(self, row: Row) -> float:
        """The rowtime of a row in milliseconds; NULL is before all times."""
        value = row[self.time]
        return NOTHING_KNOWN if value is None else integer(value)

    def time_bound(self, bounds: Bounds) -> float:
        """The rowtime's bound in ``bounds``, in milliseconds; `NOTHING_KNOWN`, or `ENDED`."""
        if bounds.ended:
            return ENDED
        limit = bounds.columns[self.time]
        return NOTHING_KNOWN if limit is None else integer(limit.value)


@dataclass(frozen=True, slots=True)
class Train:
    """Rows in order, and the bounds of all rows that follow them (S-104).

    The division of rows into trains determines only when output rows are emitted, never their
    values or order.  The same is true for the bound of a row, which may be in the row's train or a
    later one.

    Defines: S-104.c, S-406.a
    """

    rows: Sequence[Row]
    bounds: Bounds


def nothing(shape: Shape) -> Bounds:
    """The bounds of a stream before its first event: no column has a bound."""
    return Bounds((None,) * shape.values)
