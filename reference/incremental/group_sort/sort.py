"""ORDER BY over a stream: runs of equal first keys, and the t-sort (S-507)."""

from collections.abc import Callable, Sequence

from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress, passed
from reference.incremental.lazy_min_heap import PendingColumns, PendingRow
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful


@stateful
class Sort:
    """ORDER BY: rows with an equal first key wait until it is passed, and are emitted in order.

    ``first`` returns the first key of a row, ``progress`` is its progress, ``sorted_run`` sorts a
    run by all keys.  With a single key (``only_key``) ties keep their order of arrival, and a row
    is emitted when the bound has reached its key.

    Defines: S-507.b, S-507.e
    """

    def __init__(
        self,
        shape: Shape,
        first: Meaning,
        progress: ExpressionProgress,
        sorted_run: Callable[[Relation], Relation],
        only_key: bool,
        requested: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._first = first
        self._progress = progress
        self._sorted_run = sorted_run
        self._only_key = only_key
        self._columns = PendingColumns(requested)
        self._runs: Runs[PendingRow] = Runs(progress.descending)

    def take(self, train: Train, _port: int = 0) -> Train:
        """The complete runs, sorted."""
        for row in train.rows:
            pending = PendingRow(row)
            self._columns.hold(pending)
            self._runs.put(self._first(row), pending)
        if train.bounds.ended:
            runs = self._runs.all()
        elif self._only_key:
            runs = self._runs.reached(self._progress.bound(train.bounds))
        else:
            runs = self._runs.passed(self._progress.bound(train.bounds))
        out = [row for run in runs for row in self._sorted_run(expire_rows(run))]
        return Train(out, self._columns.bounds(train.bounds))

    def state(self) -> State:
        """The pending rows."""
        return State(
            len(self._runs), retained=lambda: [pending.row for pending in self._runs.things()]
        )


@stateful
class TSort:
    """ORDER BY … WITHIN: sorts rows whose key lags the greatest key so far by at most a slack.

    ``place`` maps a row to its key as an integer in the unit of the slack, ``implied`` to the bound
    that its key implies, and ``reported`` maps the input's bounds to a bound in that unit.  A row
    below the bound is late and dropped; so is NULL.  A row at or below the bound is emitted; with
    further keys (not ``only_key``), only when the bound has passed it.

    Defines: S-507.f, S-507.g
    """

    def __init__(
        self,
        shape: Shape,
        place: Callable[[Row], int | None],
        implied: Callable[[Row], int],
        reported: Callable[[Bounds], int | None],
        descending: bool,
        sorted_run: Callable[[Relation], Relation],
        only_key: bool,
        limits: Callable[[Bounds, int | None], Bounds],
        requested: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._place = place
        self._implied = implied
        self._reported = reported
        self._descending = descending
        self._sorted_run = sorted_run
        self._only_key = only_key
        self._limits = limits
        self._columns = PendingColumns(requested)
        self._bound: int | None = None
        self._runs: Runs[PendingRow] = Runs(descending)

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows that no later row can precede."""
        for row in train.rows:
            place = self._place(row)
            if place is not None and not self._late(place):
                pending = PendingRow(row)
                self._columns.hold(pending)
                self._runs.put(place, pending)
                self._raise(self._implied(row))
        reported = self._reported(train.bounds)
        if reported is not None:
            self._raise(reported)
        limit = None if self._bound is None else Bound(self._bound)
        if train.bounds.ended:
            runs = self._runs.all()
        else:
            runs = self._runs.reached(limit) if self._only_key else self._runs.passed(limit)
        out = [row for run in runs for row in self._sorted_run(expire_rows(run))]
        bounds = self._limits(train.bounds, self._bound)
        return Train(out, self._columns.bounds(bounds))

    def _late(self, place: int) -> bool:
        """Whether the bound has passed ``place``."""
        return self._bound is not None and passed(place, Bound(self._bound), self._descending)

    def _raise(self, bound: int) -> None:
        """Advance the bound, which never decreases."""
        if self._bound is None or passed(self._bound, Bound(bound), self._descending):
            self._bound = bound

    def state(self) -> State:
        """The pending rows."""
        return State(
            len(self._runs), retained=lambda: [pending.row for pending in self._runs.things()]
        )


def expire_rows(run: Sequence[PendingRow]) -> Relation:
    """Mark the rows of a run as expired, and return them."""
    for pending in run:
        pending.expired = True
    return [pending.row for pending in run]
