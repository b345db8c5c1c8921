"""The operator of an ASOF join of two streams (S-904).

A left row is *determined* when no later right row can be its partner.  Until then it is retained.
The output row of a determined left row is *emitted* when no output row with a smaller rowtime can
follow.  A train is a batch of rows with the bounds of all later rows.  A port is the number of an
input.
"""

from collections.abc import Callable, Iterator, Sequence

from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress, weaker
from algebra.types import MAX_TIMESTAMP
from reference.incremental.emission_queue import EmissionQueue
from reference.incremental.join.nearest_rows import NearestRows
from reference.incremental.lazy_min_heap import PendingColumns, PendingRow
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.incremental.train import Shape, Train, nothing
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import integer

_LEFT = 0


@stateful
class AsofJoin:
    """Joins each left row with the last right row that has its key and is before it in time.

    - ``shape`` is the shape of the output rows, ``inputs`` are the shapes of the left and the right
      rows.
    - ``key_on`` and ``time_on`` return the key and the time of a left row.
    - ``progress`` computes the bounds of the left and of the right time.
    - ``right`` retains the right rows.
    - ``strict``: a right row at the time of the left row is not before it.
    - ``rowtime`` is the place of the left time if it is the rowtime of the left rows, else None.
    - ``joined`` computes the output row of a left row and its partner; the partner can be None if
      unmatched left rows are ``preserved``.
    - ``places`` has for each output value its place in the left row; None for a value of the right
      row, which has no bound.
    - ``requested`` has the left columns whose bounds are requested, each with whether it descends.

    Defines: S-904.g, S-904.h, S-904.n
    """

    def __init__(
        self,
        shape: Shape,
        inputs: tuple[Shape, Shape],
        key_on: Callable[[Row], Row],
        time_on: Meaning,
        progress: tuple[ExpressionProgress, ExpressionProgress],
        right: NearestRows,
        strict: bool,
        rowtime: int | None,
        joined: Callable[[Row, Row | None], Row],
        preserved: bool,
        places: Sequence[int | None],
        requested: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._key_on = key_on
        self._time_on = time_on
        self._progress = progress
        self._right = right
        self._strict = strict
        self._rowtime = rowtime
        self._joined = joined
        self._preserved = preserved
        self._places = places
        self._columns = PendingColumns(requested)
        self._descending = dict(requested)
        # The left rows that are not determined, by time.
        self._pending: Runs[PendingRow] = Runs(descending=False)
        self._queue = EmissionQueue(shape)
        self._left_bounds, self._right_bounds = (nothing(each) for each in inputs)

    def take(self, train: Train, port: int = 0) -> Train:
        """Take a train of the left or right rows; return the output rows that can be emitted."""
        if port == _LEFT:
            self._left_bounds = train.bounds
            for row in train.rows:
                pending = PendingRow(row)
                self._columns.add(pending)
                self._pending.put(self._time_on(row), pending)
        else:
            self._right_bounds = train.bounds
            for row in train.rows:
                self._right.add(row)
        self._determine()
        self._evict()
        bounds = self._bounds()
        out = self._queue.release(self.shape.time_bound(bounds))
        return Train(out, self._lowered_to_pending(bounds))

    def _determine(self) -> None:
        """Determine left rows, and put their output rows into the queue.

        These are the left rows whose time the right bound has passed.  If the join is ``strict``,
        the bound need only have reached the time.  After the end of the right rows, these are all
        left rows.
        """
        limit = self._progress[1].bound(self._right_bounds)
        if self._right_bounds.ended:
            runs = self._pending.all()
        else:
            runs = self._pending.reached(limit) if self._strict else self._pending.passed(limit)
        for pending in (each for run in runs for each in run):
            pending.expired = True
            row = pending.row
            partner = self._right.before(self._key_on(row), self._time_on(row))
            if partner is not None or self._preserved:
                self._queue.put(self._joined(row, partner))

    def _evict(self) -> None:
        """Evict the right rows that cannot be the partner of an undetermined or later left row."""
        first = self._pending.first()
        if self._left_bounds.ended:
            if first is None:
                self._right.clear()
                return
        else:
            limit = self._progress[0].bound(self._left_bounds)
            first = limit if first is None else weaker(first, limit, descending=False)
        if first is not None:
            self._right.evict(first)

    def _bounds(self) -> Bounds:
        """The output's bounds over the undetermined and the later left rows.

        If unmatched rows are not preserved, only those later left rows count that can have a
        partner.
        """
        later = self._left_bounds
        if not self._preserved and not later.ended:
            later = self._of_matching(later)
        ended = later.ended and not len(self._pending)
        columns = self._columns.bounds(later).columns
        known = [None if each is None else columns[each] for each in self._places]
        return Bounds(tuple(known), ended)

    def _of_matching(self, below: Bounds) -> Bounds:
        """The bounds of the later left rows that can have a partner.

        ``below`` are the bounds of all later left rows.  If `evict` has passed a right row, each of
        them can have a partner.  If not, only a left row whose time is not before the first
        retained or later right row can have one.
        """
        if self._right.has_passed:
            return below
        first = self._right.first()
        if self._right_bounds.ended:
            if first is None:
                return Bounds(below.columns, ended=True)
        else:
            later = self._progress[1].bound(self._right_bounds)
            first = later if first is None else weaker(first, later, descending=False)
        if first is None or self._rowtime is None:
            return below
        # A strict join needs a left row that is later by at least one millisecond.
        place, least = self._rowtime, integer(first.value) + self._strict
        if least > MAX_TIMESTAMP:
            return Bounds(below.columns, ended=True)
        known = below.columns[place]
        if known is None or integer(known.value) < least:
            columns = (*below.columns[:place], Bound(least), *below.columns[place + 1 :])
            return Bounds(columns, below.ended)
        return below

    def _lowered_to_pending(self, bounds: Bounds) -> Bounds:
        """``bounds``, lowered to the output rows in the queue, which are not emitted yet.

        The bound of the output's rowtime is not lowered, because the queue emits by this bound.
        """
        if self._queue.empty:
            return bounds
        columns = [
            limit
            if place is None or place not in self._descending or column == self.shape.time
            else self._queue.lowered(column, limit, self._descending[place])
            for column, (place, limit) in enumerate(zip(self._places, bounds.columns, strict=True))
        ]
        return Bounds(tuple(columns), bounds.ended)

    def determined(self) -> Iterator[Row]:
        """The output rows in the queue, which are determined but not emitted, in no order."""
        return self._queue.rows()

    def state(self) -> State:
        """The undetermined left rows, the output rows in the queue, and the right rows."""
        left_rows = State(
            len(self._pending), retained=lambda: [each.row for each in self._pending.items()]
        )
        return left_rows + self._queue.state() + self._right.state()
