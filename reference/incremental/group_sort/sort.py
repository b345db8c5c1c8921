"""ORDER BY over a stream, without and with WITHIN (S-507).

A train is a batch of rows with the bounds of all later rows.  A run is a list of rows with an equal
first key.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from algebra.monotonicity.progress import Bound, ExpressionProgress, passed
from reference.incremental.lazy_min_heap import PendingColumns, PendingRow
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.incremental.train import Shape, Train
from reference.relation import Relation
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import integer


@stateful
class Sort:
    """ORDER BY: rows with an equal first key wait until it is passed, and are emitted in order.

    ``first`` returns the first key of a row, and ``progress`` computes the bound of this key.
    ``sorted_run`` sorts a run by all keys.  With a single key (``only_key``) ties keep their order
    of arrival, so a row is emitted already when the bound has reached its key.  ``requested`` has
    the columns whose bounds are requested, each with whether it descends.

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
        """The rows of the runs that are now complete, sorted."""
        for row in train.rows:
            pending = PendingRow(row)
            self._columns.add(pending)
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
            len(self._runs), retained=lambda: [pending.row for pending in self._runs.items()]
        )


@stateful
class TSort:
    """ORDER BY … WITHIN: sorts rows whose time lags the greatest time so far by at most ``slack``.

    The time is the TIMESTAMP at ``column``.  The sort has a bound of its own: the greatest time so
    far, less ``slack``.  If the column ascends in the input (``rises``), the input's bound of the
    column is a bound of the sort, too.  A row whose time is NULL or below the bound is dropped.
    With a single key (``only_key``), a row is emitted when the bound has reached its time; with
    further keys, when the bound has passed its time.  ``sorted_run`` and ``requested`` are those of
    `Sort`.

    Defines: S-507.f, S-507.g
    """

    def __init__(
        self,
        shape: Shape,
        column: int,
        rises: bool,
        slack: int,
        sorted_run: Callable[[Relation], Relation],
        only_key: bool,
        requested: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._column = column
        self._rises = rises
        self._slack = slack
        self._sorted_run = sorted_run
        self._only_key = only_key
        self._columns = PendingColumns(requested)
        self._bound: Bound | None = None
        self._runs: Runs[PendingRow] = Runs(descending=False)

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows of ``train`` and before that are now emitted, sorted."""
        for row in train.rows:
            time = row[self._column]
            if time is not None and not passed(time, self._bound, descending=False):
                pending = PendingRow(row)
                self._columns.add(pending)
                self._runs.put(time, pending)
                self._advance(Bound(integer(time) - self._slack))
        columns = train.bounds.columns
        if self._rises:
            self._advance(columns[self._column])
        if train.bounds.ended:
            runs = self._runs.all()
        else:
            complete_runs = self._runs.reached if self._only_key else self._runs.passed
            runs = complete_runs(self._bound)
        out = [row for run in runs for row in self._sorted_run(expire_rows(run))]
        known = (*columns[: self._column], self._bound, *columns[self._column + 1 :])
        return Train(out, self._columns.bounds(replace(train.bounds, columns=known)))

    def _advance(self, bound: Bound | None) -> None:
        """Advance the bound to ``bound``, if that is greater."""
        if self._bound is None or passed(self._bound.value, bound, descending=False):
            self._bound = bound

    def state(self) -> State:
        """The pending rows."""
        return State(
            len(self._runs), retained=lambda: [pending.row for pending in self._runs.items()]
        )


def expire_rows(run: Sequence[PendingRow]) -> Relation:
    """Mark the rows of a run as expired, and return them."""
    for pending in run:
        pending.expired = True
    return [pending.row for pending in run]
