"""OVER: one row out for each row in, once every frame of it is complete (S-505)."""

from collections.abc import Callable, Sequence
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


@dataclass(frozen=True, slots=True)
class Held:
    """A column whose bound is wanted, beside the time: its place in a row, the line it moves on."""

    place: int
    line: Callable[[Value], Place]
    descending: bool


class Over:
    """Each row with the values of all calls behind its columns, group by group.

    A row is determined when it is in every one of ``groups``.  It then waits until no row with a
    smaller time can come, ties leave as they arrived.  The output's bounds are those of the input,
    held back by the rows that have not left.
    """

    def __init__(
        self, shape: Shape, below: Shape, groups: Sequence[Partitions], held: Sequence[Held]
    ) -> None:
        self.shape = shape
        self._below = below
        self._groups = groups
        self._held = held
        self._arrival = count()
        self._undetermined: list[tuple[float, int, Pending]] = []
        self._determined: list[tuple[float, int, Pending]] = []
        self._least: list[list[tuple[Place, int, Pending]]] = [[] for _ in held]

    def take(self, train: Train, port: int = 0) -> Train:  # noqa: ARG002  # there is one port
        """The rows that are determined, and that none can come before."""
        pending = list(map(self._pending, train.rows))
        for group in self._groups:
            for each in group.take(pending, train.bounds):
                each.open -= 1
                if not each.open:
                    heappush(self._determined, (each.time, each.arrival, each))
        clock = min(self._below.clock(train.bounds), self._first_undetermined())
        rows = [self._out(each) for each in self._released(clock)]
        return Train(rows, self._bounds(train.bounds))

    def _pending(self, row: tuple[Value, ...]) -> Pending:
        """A row that has come in."""
        groups = len(self._groups)
        arrival = next(self._arrival)
        pending = Pending(row, self._below.time_of(row), arrival, [()] * groups, groups)
        heappush(self._undetermined, (pending.time, arrival, pending))
        for held, least in zip(self._held, self._least, strict=True):
            heappush(least, (held.line(row[held.place]), arrival, pending))
        return pending

    def _first_undetermined(self) -> float:
        """The least time of the rows that are not determined; infinite if there are none."""
        rows = self._undetermined
        while rows and not rows[0][2].open:
            heappop(rows)
        return rows[0][0] if rows else float("inf")

    def _released(self, clock: float) -> list[Pending]:
        """The determined rows up to ``clock``, by time and then arrival."""
        released: list[Pending] = []
        while self._determined and self._determined[0][0] <= clock:
            _, _, pending = heappop(self._determined)
            pending.left = True
            released.append(pending)
        return released

    def _out(self, pending: Pending) -> tuple[Value, ...]:
        """The row as it leaves; a hidden clock stays behind all columns."""
        width = self._below.width
        row = pending.row
        added = [value for values in pending.values for value in values]
        return (*row[:width], *added, *row[width:])

    def _bounds(self, bounds: Bounds) -> Bounds:
        """The input's bounds, held back by rows that are still here."""
        columns: list[Bound | None] = [None] * self.shape.values
        columns[self.shape.time] = bounds.columns[self._below.time]
        if self._undetermined:
            time = self._undetermined[0][2].row[self._below.time]
            least = None if time is None else Bound(time)
            columns[self.shape.time] = weaker(columns[self.shape.time], least, descending=False)
        for held, rows in zip(self._held, self._least, strict=True):
            while rows and rows[0][2].left:
                heappop(rows)
            limit = bounds.columns[held.place]
            if rows:
                limit = weaker(limit, Bound(rows[0][2].row[held.place]), held.descending)
            columns[held.place] = limit
        return Bounds(tuple(columns), bounds.ended)

    def state(self) -> State:
        """The rows, each once, and the partitions of all groups."""
        rows = {each.arrival: each.row for _, _, each in self._determined}
        rows.update({each.arrival: each.row for group in self._groups for each in group.held()})
        kept = State(len(rows), held=rows.values)
        return sum((group.accumulated() for group in self._groups), kept)
