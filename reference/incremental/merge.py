"""UNION ALL of streams: a merge by rowtime (S-502)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from algebra.progress import Bound, Bounds, weaker
from reference.incremental.operator import State, size_of
from reference.incremental.train import Shape, Train, nothing
from reference.relation import Row


@dataclass(slots=True)
class _Input:
    """A side of the merge: its rows that wait, by time and then arrival, and its bounds."""

    bounds: Bounds
    waiting: list[tuple[float, int, Row]] = field(default_factory=list[tuple[float, int, Row]])


class MergeUnion:
    """The rows of all inputs in one stream.

    A row at t passes when the bound of every *other* input is at or above t; rows that are set free
    together come by time, ties as they arrived.  The output's bound is the least of the inputs'.
    All inputs have one shape; ``wanted`` are the columns whose bounds are, and whether they fall.
    """

    def __init__(self, shape: Shape, inputs: int, wanted: Sequence[tuple[int, bool]]) -> None:
        self.shape = shape
        self._inputs = [_Input(nothing(shape)) for _ in range(inputs)]
        self._wanted = wanted
        self._arrival = count()

    def take(self, train: Train, port: int = 0) -> Train:
        """The rows that no input can come before any more."""
        side = self._inputs[port]
        side.bounds = train.bounds
        for row in train.rows:
            heappush(side.waiting, (self.shape.time_of(row), next(self._arrival), row))
        free = sorted(each for side in self._inputs for each in self._free(side))
        return Train([row for _, _, row in free], self._bounds())

    def _free(self, side: _Input) -> list[tuple[float, int, Row]]:
        """The rows of ``side`` that wait no longer."""
        others = (each for each in self._inputs if each is not side)
        limit = min(self.shape.clock(each.bounds) for each in others)
        free: list[tuple[float, int, Row]] = []
        while side.waiting and side.waiting[0][0] <= limit:
            free.append(heappop(side.waiting))
        return free

    def _bounds(self) -> Bounds:
        """The least of all inputs' bounds; a row that waits is told of, too."""
        columns: list[Bound | None] = [None] * self.shape.values
        for column, falls in self._wanted:
            open_inputs = (each for each in self._inputs if not _over(each))
            told = [self._told(each, column, falls) for each in open_inputs]
            if told:
                least = told[0]
                for each in told[1:]:
                    least = weaker(least, each, falls)
                columns[column] = least
        return Bounds(tuple(columns), all(map(_over, self._inputs)))

    def _told(self, side: _Input, column: int, falls: bool) -> Bound | None:
        """The bound of a column in the rows of ``side`` that wait or are to come."""
        held = [Bound(row[column]) for _, _, row in side.waiting]
        if side.bounds.ended:
            least: Bound | None = held.pop()
        else:
            least = side.bounds.columns[column]
        if column == self.shape.time and not side.bounds.ended:
            return least  # a row that waits is not below the bound of another input
        for each in held:
            least = weaker(least, each, falls)
        return least

    def state(self) -> State:
        """The rows that wait."""
        waiting = [row for side in self._inputs for _, _, row in side.waiting]
        return State(rows=len(waiting), bytes=size_of(waiting))


def _over(side: _Input) -> bool:
    """Whether nothing comes from this side any more."""
    return side.bounds.ended and not side.waiting
