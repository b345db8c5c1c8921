"""MEDIAN over sliding frames, by a sorted list of the frame's values.

A frame has several parts if EXCLUDE removes rows from its middle; each part has a list of its own.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction

from algebra.expression import SortKey, Value
from algebra.types import Type
from reference.incremental.over.frame_aggregates import Total
from reference.incremental.over.window_order import Place, axis_of
from reference.relation import Row
from reference.scalar.statistics import percentile_cont
from reference.snapshot import stateful


@stateful
class Median:
    """The values of one part of a frame, in ascending order.

    ``_places`` has the sort key of each value, by which the list is searched: a `Place` is a form
    of the value that Python can compare.  It is not an index.
    """

    # A part is full if no further row can change its value, for example a FIRST_VALUE that has its
    # row.  A median is never full.
    full = False

    def __init__(self, ascending: SortKey) -> None:
        self._axis = axis_of(ascending)
        self._places: list[Place] = []
        self._values: list[Value] = []

    def add(self, arguments: Row) -> None:
        """Add a value."""
        place = self._axis(arguments[0])
        at = bisect_right(self._places, place)
        self._places.insert(at, place)
        self._values.insert(at, arguments[0])

    def remove(self, arguments: Row) -> None:
        """Remove a value; of equal values, any one."""
        at = bisect_left(self._places, self._axis(arguments[0]))
        del self._places[at], self._values[at]

    def middle(self) -> Sequence[Value]:
        """The middle value, or the two middle values; empty without values."""
        count = len(self._values)
        return self._values[(count - 1) // 2 : count // 2 + 1] if count else ()

    def retained(self) -> Iterable[Row]:
        """The values."""
        return [(each,) for each in self._values]


def median(result: Type) -> Total[Median]:
    """The function that computes MEDIAN as the type ``result``, from the parts of a frame.

    It interpolates between two middle values.  Several parts are sorted together.  NULL over no
    rows.
    """
    half = Fraction(1, 2)

    def total(parts: Sequence[Median], _row: Row) -> Value:
        middle = parts[0].middle()
        if len(parts) > 1:
            middle = [value for each in parts for (value,) in each.retained()]
        return percentile_cont(middle, half, descending=False, type=result) if middle else None

    return total
