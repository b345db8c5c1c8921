"""The operator of UNION ALL of streams: a merge by rowtime (S-502).

A row is *pending* while a row of another input can still precede it.  A train is a batch of rows
with the bounds of all later rows.  A port is the number of an input.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from algebra.monotonicity.progress import Bound, Bounds, weaker
from reference.incremental.lazy_min_heap import PendingColumns, PendingRow
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train, nothing
from reference.snapshot import stateful

#: The rowtime of a pending row, the number of rows that arrived before the row, and the row.
Pending: TypeAlias = tuple[float, int, PendingRow]


@stateful
@dataclass(slots=True)
class _Input:
    """One input of the merge: its bounds, and its pending rows by rowtime, then by arrival."""

    bounds: Bounds
    pending: list[Pending] = field(default_factory=list[Pending])


@stateful
class MergeUnion:
    """UNION ALL: the rows of all inputs, by rowtime.

    A row at t is emitted when the bound of every *other* input is at or above t.  The rows of one
    output train are in rowtime order, ties by arrival.  The output's bound is the least bound of
    the inputs. ``inputs`` is the number of inputs, which all have the ``shape`` of the output.
    ``requested`` has the columns whose bounds are requested, each with whether it descends.

    Defines: S-502.a
    """

    def __init__(self, shape: Shape, inputs: int, requested: Sequence[tuple[int, bool]]) -> None:
        self.shape = shape
        self._inputs = [_Input(nothing(shape)) for _ in range(inputs)]
        self._requested = requested
        # Rows wait only while the bound of some input is below their time.  The output's bound is
        # the least of the inputs' bounds, so it is below the time of every pending row already.
        self._pending_columns = PendingColumns(
            [each for each in requested if each[0] != shape.time]
        )
        self._arrival = count()

    def take(self, train: Train, port: int = 0) -> Train:
        """Take a train of one input; return the pending rows that no other input can precede."""
        side = self._inputs[port]
        side.bounds = train.bounds
        for row in train.rows:
            pending = PendingRow(row)
            heappush(side.pending, (self.shape.time_of(row), next(self._arrival), pending))
            self._pending_columns.add(pending)
        emitted = sorted(each for side in self._inputs for each in self._emitted(side))
        return Train([pending.row for _, _, pending in emitted], self._bounds())

    def _emitted(self, side: _Input) -> list[Pending]:
        """Remove from ``side`` the rows that no other input can precede, and return them.

        The removed rows are marked as expired, because `PendingColumns` still has their values.

        Defines: S-502.b
        """
        others = [self.shape.time_bound(each.bounds) for each in self._inputs if each is not side]
        limit = min(others)
        emitted: list[Pending] = []
        while side.pending and side.pending[0][0] <= limit:
            emitted.append(heappop(side.pending))
            emitted[-1][2].expired = True
        return emitted

    def _bounds(self) -> Bounds:
        """The output's bounds: the least of the inputs' bounds.

        For a column other than the rowtime, the values of pending rows count, too.

        Defines: S-502.c
        """
        inputs = least([each.bounds for each in self._inputs], self.shape, self._requested)
        columns = [*self._pending_columns.bounds(inputs).columns]
        columns[self.shape.time] = inputs.columns[self.shape.time]
        return Bounds(tuple(columns), inputs.ended)

    def state(self) -> State:
        """The pending rows."""
        pending = [each for side in self._inputs for _, _, each in side.pending]
        return State(len(pending), retained=lambda: [each.row for each in pending])


def least(inputs: Sequence[Bounds], shape: Shape, bounded: Sequence[tuple[int, bool]]) -> Bounds:
    """The weakest bound of each column among the ``inputs`` that have not ended.

    This is the greatest bound for a column that descends, and the least for another column. If all
    inputs have ended, the result has ended. ``bounded`` has the columns that have bounds, each with
    whether it descends.
    """
    still_open = [each for each in inputs if not each.ended]
    columns: list[Bound | None] = [None] * shape.values
    if not still_open:
        return Bounds(tuple(columns), ended=True)
    for column, descending in bounded:
        limit = still_open[0].columns[column]
        for each in still_open[1:]:
            limit = weaker(limit, each.columns[column], descending)
        columns[column] = limit
    return Bounds(tuple(columns))
