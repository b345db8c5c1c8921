"""The queue of a join of streams: output rows wait until no row can precede them (S-305, S-510).

An output row is in the queue from the moment when it is determined until it is emitted; in this
module, such a row is *pending*.  The base time u of an output row is the time at which its rows
meet, or at which an unmatched row leaves its window.
"""

from collections.abc import Iterator
from enum import Enum
from heapq import heappop, heappush
from itertools import count

from reference.incremental.lazy_min_heap import PendingRow
from reference.incremental.operator import State
from reference.incremental.train import ENDED, Shape
from reference.relation import Row
from reference.snapshot import stateful


@stateful
class Order(Enum):
    """The order in which a join emits its rows.

    The base side of a join is the input whose rows have u as one of their columns.

    Defines: S-510.l
    """

    BASE = "by base time u: it is the rowtime, or no rowtime column sorts the base side's rows"
    TIME = "by rowtime: the base side's rows are not sorted by u"
    BOTH = "by rowtime and by u: the base side's rows are sorted by both"


@stateful
class JoinEmissionQueue:
    """The pending output rows of a join, in its ``order``; ties in the order of `put`.

    ``shape`` is the shape of these rows.

    Defines: S-511.k, S-511.o
    """

    def __init__(self, shape: Shape, order: Order) -> None:
        self._shape = shape
        self._order = order
        self._rows: list[tuple[tuple[float, ...], int, PendingRow]] = []
        self._place = count()
        self._fresh: list[PendingRow] = []  # the rows since the last call of `newly_pending`

    def put(self, row: Row, base: float) -> None:
        """Add a determined row; ``base`` is its base time u."""
        result = PendingRow(row)
        self._fresh.append(result)
        time = base if self._order is Order.BASE else self._shape.time_of(row)
        heappush(self._rows, (self._key(time, base), next(self._place), result))

    def release(self, time: float, base: float) -> list[Row]:
        """Remove and return the pending rows up to ``time`` and ``base``.

        If the order is BASE, only ``base`` counts; if it is TIME, only ``time`` counts.
        """
        limits = self._key(time, base)
        out: list[Row] = []
        while self._rows and all(a <= b for a, b in zip(self._rows[0][0], limits, strict=True)):
            result = heappop(self._rows)[2]
            result.expired = True
            out.append(result.row)
        return out

    def _key(self, time: float, base: float) -> tuple[float, ...]:
        """The values by which the queue is ordered: the rowtime, the base time u, or both."""
        match self._order:
            case Order.BASE:
                return (base,)
            case Order.TIME:
                return (time,)
            case Order.BOTH:
                return (time, base)

    def newly_pending(self) -> Iterator[PendingRow]:
        """The rows that were added since the last call and are still pending."""
        fresh, self._fresh = self._fresh, []
        return (each for each in fresh if not each.expired)

    @property
    def base(self) -> float:
        """The least base time of the pending rows; ENDED (+infinity) if no row is pending.

        It must not be read if the order is TIME.  If it is BOTH, the first row has the least base
        time, too.
        """
        assert self._order is not Order.TIME, "u is in no order"
        return self._rows[0][0][-1] if self._rows else ENDED

    @property
    def empty(self) -> bool:
        """Whether no row is pending."""
        return not self._rows

    def rows(self) -> Iterator[Row]:
        """The pending rows, in no order."""
        return (each.row for _, _, each in self._rows)

    def state(self) -> State:
        """The pending rows."""
        return State(len(self._rows), retained=self.rows)
