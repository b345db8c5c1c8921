"""UNION ALL of streams: a merge by rowtime (S-502)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.incremental.lazy_min_heap import HeldColumns, HeldRow
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train, nothing

#: A row that waits, behind its time and how many rows arrived before it.
Waiting: TypeAlias = tuple[float, int, HeldRow]


@dataclass(slots=True)
class _Input:
    """A side of the merge: its rows that wait, by time and then arrival, and its bounds."""

    bounds: Bounds
    waiting: list[Waiting] = field(default_factory=list[Waiting])


class MergeUnion:
    """The rows of all inputs in one stream.

    A row at t passes when the bound of every *other* input is at or above t; rows that are set free
    together come by time, ties as they arrived.  The output's bound is the least of the inputs'.
    All inputs have one shape; ``wanted`` are the columns whose bounds are, and whether they fall.

    Defines: S-502.a
    """

    def __init__(self, shape: Shape, inputs: int, wanted: Sequence[tuple[int, bool]]) -> None:
        self.shape = shape
        self._inputs = [_Input(nothing(shape)) for _ in range(inputs)]
        self._wanted = wanted
        # A row waits for an input whose bound is below its time: that tells enough of the time.
        self._held = HeldColumns([each for each in wanted if each[0] != shape.time])
        self._arrival = count()

    def take(self, train: Train, port: int = 0) -> Train:
        """The rows that no input can come before any more."""
        side = self._inputs[port]
        side.bounds = train.bounds
        for row in train.rows:
            held = HeldRow(row)
            heappush(side.waiting, (self.shape.time_of(row), next(self._arrival), held))
            self._held.hold(held)
        free = sorted(each for side in self._inputs for each in self._free(side))
        return Train([held.row for _, _, held in free], self._bounds())

    def _free(self, side: _Input) -> list[Waiting]:
        """The rows of ``side`` that wait no longer.

        Defines: S-502.b
        """
        others = [self.shape.clock(each.bounds) for each in self._inputs if each is not side]
        limit = min(others)
        free: list[Waiting] = []
        while side.waiting and side.waiting[0][0] <= limit:
            free.append(heappop(side.waiting))
            free[-1][2].gone = True
        return free

    def _bounds(self) -> Bounds:
        """The least of all inputs' bounds; other columns' are also of the rows that wait.

        Defines: S-502.c
        """
        come = least([each.bounds for each in self._inputs], self.shape, self._wanted)
        columns = [*self._held.bounds(come).columns]
        columns[self.shape.time] = come.columns[self.shape.time]
        return Bounds(tuple(columns), come.ended)

    def state(self) -> State:
        """The rows that wait."""
        waiting = [each for side in self._inputs for each in side.waiting]
        return State(len(waiting), held=lambda: [held.row for _, _, held in waiting])


def least(inputs: Sequence[Bounds], shape: Shape, moving: Sequence[tuple[int, bool]]) -> Bounds:
    """What is known of the rows that are still to come into any of ``inputs``.

    ``moving`` are the columns that have bounds, and whether they fall.
    """
    still_open = [each for each in inputs if not each.ended]
    columns: list[Bound | None] = [None] * shape.values
    if not still_open:
        return Bounds(tuple(columns), ended=True)
    for column, descending in moving:
        limit = still_open[0].columns[column]
        for each in still_open[1:]:
            limit = weaker(limit, each.columns[column], descending)
        columns[column] = limit
    return Bounds(tuple(columns))
