"""The operator of OVER on a stream: it emits each row once, when its frames are complete (S-505).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.incremental.operator import State
from reference.incremental.over.frame_group import Partitions
from reference.incremental.over.frame_partition import Pending
from reference.incremental.over.window_order import Place
from reference.incremental.train import Shape, Train
from reference.relation import Row
from reference.snapshot import stateful


@dataclass(frozen=True, slots=True)
class BoundColumn:
    """A column, not the rowtime, whose bound is requested.

    ``place`` is its place in a row. ``axis`` returns the place of a value in the column's order.
    """

    place: int
    axis: Callable[[Value], Place]
    descending: bool


@stateful
class Over:
    """Emits each input row with the values of all calls.

    ``groups`` are the groups of calls with the same window.  A row is determined when every group
    of calls has determined it.  It is emitted when no row with a smaller rowtime can follow; ties
    are emitted in order of arrival.  The output's bounds are the input's bounds, lowered to the
    rows that are not emitted.  For each ``required`` column, a heap finds the first value among
    these rows. ``below`` is the shape of the input.
    """

    def __init__(
        self,
        shape: Shape,
        below: Shape,
        groups: Sequence[Partitions],
        required: Sequence[BoundColumn],
    ) -> None:
        self.shape = shape
        self._below = below
        self._groups = groups
        self._required = required
        self._arrival = count()
        self._undetermined: list[tuple[float, int, Pending]] = []
        self._determined: list[tuple[float, int, Pending]] = []
        self._least: list[list[tuple[Place, int, Pending]]] = [[] for _ in required]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Take a train; return the determined rows that no later row can precede, and bounds."""
        pending = list(map(self._pending, train.rows))
        for group in self._groups:
            for each in group.take(pending, train.bounds):
                each.open -= 1
                if not each.open:
                    heappush(self._determined, (each.time, each.arrival, each))
        bound = min(self._below.time_bound(train.bounds), self._first_undetermined())
        rows = [self._out(each) for each in self._emitted(bound)]
        return Train(rows, self._bounds(train.bounds))

    def _pending(self, row: tuple[Value, ...]) -> Pending:
        """Make the record of an arriving row, and add it to the heaps."""
        groups = len(self._groups)
        arrival = next(self._arrival)
        pending = Pending(row, self._below.time_of(row), arrival, [()] * groups, groups)
        heappush(self._undetermined, (pending.time, arrival, pending))
        for column, least in zip(self._required, self._least, strict=True):
            heappush(least, (column.axis(row[column.place]), arrival, pending))
        return pending

    def _first_undetermined(self) -> float:
        """The least rowtime of the rows that are not determined; +infinity if there are none."""
        rows = self._undetermined
        while rows and not rows[0][2].open:
            heappop(rows)
        return rows[0][0] if rows else float("inf")

    def _emitted(self, bound: float) -> list[Pending]:
        """Remove and return the determined rows with a rowtime up to ``bound``.

        They are in the order of their rowtimes, then of their arrival.
        """
        emitted: list[Pending] = []
        while self._determined and self._determined[0][0] <= bound:
            _, _, pending = heappop(self._determined)
            pending.emitted = True
            emitted.append(pending)
        return emitted

    def _out(self, pending: Pending) -> tuple[Value, ...]:
        """The output row: the columns, the values of the calls, and an implicit rowtime last."""
        width = self._below.width
        row = pending.row
        added = [value for values in pending.values for value in values]
        return (*row[:width], *added, *row[width:])

    def _bounds(self, bounds: Bounds) -> Bounds:
        """The output's bounds: those of the input, lowered to the rows that are not emitted.

        `take` must have called `_first_undetermined`.
        """
        columns: list[Bound | None] = [None] * self.shape.values
        columns[self.shape.time] = bounds.columns[self._below.time]
        # `_first_undetermined` has just removed the determined rows from the top of the heap.
        if self._undetermined:
            time = self._undetermined[0][2].row[self._below.time]
            least = None if time is None else Bound(time)
            columns[self.shape.time] = weaker(columns[self.shape.time], least, descending=False)
        for column, rows in zip(self._required, self._least, strict=True):
            while rows and rows[0][2].emitted:
                heappop(rows)
            limit = bounds.columns[column.place]
            if rows:
                limit = weaker(limit, Bound(rows[0][2].row[column.place]), column.descending)
            columns[column.place] = limit
        return Bounds(tuple(columns), bounds.ended)

    def determined(self) -> Iterator[Row]:
        """The determined rows that are not emitted yet, in no order."""
        return (self._out(each) for _, _, each in self._determined)

    def state(self) -> State:
        """The retained rows, each counted once, and the partitions of all groups."""
        rows = {each.arrival: each.row for _, _, each in self._determined}
        rows.update(
            {each.arrival: each.row for group in self._groups for each in group.pending_rows()}
        )
        retained = State(len(rows), retained=rows.values)
        return sum((group.accumulated() for group in self._groups), retained)
