"""The way out of an operator: determined rows wait until none with a smaller time can come."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from algebra.monotonicity.progress import Bound, weaker
from reference.incremental.operator import State
from reference.incremental.train import Shape
from reference.relation import Row


class Outlet:
    """Determined rows on their way out (S-305).

    They leave by time, ties in the order in which they were put in.

    Defines: S-305.a
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._rows: list[tuple[float, int, Row]] = []
        self._place = count()

    def put(self, row: Row) -> None:
        """One row more that is determined."""
        heappush(self._rows, (self._shape.time_of(row), next(self._place), row))

    def release(self, clock: float) -> list[Row]:
        """The rows that may leave: no row to come has a time below ``clock``."""
        out: list[Row] = []
        while self._rows and self._rows[0][0] <= clock:
            out.append(heappop(self._rows)[2])
        return out

    @property
    def empty(self) -> bool:
        """Whether no row waits."""
        return not self._rows

    def rows(self) -> Iterator[Row]:
        """The rows that wait, in no order."""
        return (row for _, _, row in self._rows)

    def held(self, column: int, bound: Bound | None, descending: bool) -> Bound | None:
        """``bound``, which is that of rows to be put in, lowered to what waits here."""
        for row in self.rows():
            bound = weaker(Bound(row[column]), bound, descending)
        return bound

    def state(self) -> State:
        """What waits here."""
        return State(len(self._rows), held=self.rows)
