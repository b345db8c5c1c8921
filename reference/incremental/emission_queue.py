"""The emission queue: rows that are final wait until no row with a smaller rowtime can follow.

An operator uses it if its rows become final in another order than that of their rowtimes.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from algebra.monotonicity.progress import Bound, weaker
from reference.incremental.operator import State
from reference.incremental.train import Shape
from reference.relation import Row
from reference.snapshot import stateful


@stateful
class EmissionQueue:
    """A queue of rows by rowtime; ties are in the order in which they were added (S-305).

    ``shape`` has the place of the rowtime in a row.

    Defines: S-305.a
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._rows: list[tuple[float, int, Row]] = []
        self._place = count()

    def put(self, row: Row) -> None:
        """Add a row that is final (*determined*)."""
        heappush(self._rows, (self._shape.time_of(row), next(self._place), row))

    def release(self, bound: float) -> list[Row]:
        """Remove and return the rows to emit: those whose rowtime is at or below ``bound``.

        A row at the bound is among them, because no row with a smaller rowtime can follow.
        """
        out: list[Row] = []
        while self._rows and self._rows[0][0] <= bound:
            out.append(heappop(self._rows)[2])
        return out

    @property
    def empty(self) -> bool:
        """Whether no row is pending."""
        return not self._rows

    def rows(self) -> Iterator[Row]:
        """The pending rows, in no order."""
        return (row for _, _, row in self._rows)

    def lowered(self, column: int, bound: Bound | None, descending: bool) -> Bound | None:
        """The bound of ``column`` over the pending rows and the rows that are added later.

        ``bound`` is the bound of the rows that are added later; None: no bound is known.  The
        result is at most ``bound`` in an ascending column, and at least ``bound`` in one that is
        ``descending``.
        """
        for row in self.rows():
            bound = weaker(Bound(row[column]), bound, descending)
        return bound

    def state(self) -> State:
        """The size of the queue, and its rows."""
        return State(len(self._rows), retained=self.rows)
