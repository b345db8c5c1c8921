"""ORDER BY over a stream: runs of equal first keys, and the t-sort (S-507)."""

from collections.abc import Callable, Sequence

from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress, passed
from reference.incremental.lazy_min_heap import HeldColumns, HeldRow
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.scalar.expression import Meaning


class Sort:
    """Rows of equal first key are held until it is complete; then they come sorted by the rest.

    ``first`` is the first key of a row, ``progress`` how far it has come, ``sorted_run`` a run in
    the order of all keys.  Where there is no other key (``alone``), ties come as they arrived, and
    a row passes at a bound at or beyond its key: it has nothing to wait for.

    Defines: S-507.b, S-507.e
    """

    def __init__(
        self,
        shape: Shape,
        first: Meaning,
        progress: ExpressionProgress,
        sorted_run: Callable[[Relation], Relation],
        alone: bool,
        wanted: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._first = first
        self._progress = progress
        self._sorted_run = sorted_run
        self._alone = alone
        self._columns = HeldColumns(wanted)
        self._runs: Runs[HeldRow] = Runs(progress.descending)

    def take(self, train: Train, port: int = 0) -> Train:  # noqa: ARG002  # there is one port
        """The runs that are complete."""
        for row in train.rows:
            held = HeldRow(row)
            self._columns.hold(held)
            self._runs.put(self._first(row), held)
        if train.bounds.ended:
            runs = self._runs.all()
        elif self._alone:
            runs = self._runs.reached(self._progress.bound(train.bounds))
        else:
            runs = self._runs.passed(self._progress.bound(train.bounds))
        out = [row for run in runs for row in self._sorted_run(left(run))]
        return Train(out, self._columns.bounds(train.bounds))

    def state(self) -> State:
        """The rows held."""
        return State(len(self._runs), held=lambda: [held.row for held in self._runs.things()])


class TSort:
    """Rows sorted by a key that comes at most a slack behind the greatest one seen.

    ``place`` is where a row's key lies on the line that the slack is measured on, ``implied`` the
    bound there that a row's key implies, ``told`` the one that the input's bounds do.  A row behind
    the bound is late, and dropped; one at it or before passes, or, where there are other keys (not
    ``alone``), when the bound has passed it.  NULL is late.

    Defines: S-507.f, S-507.g
    """

    def __init__(
        self,
        shape: Shape,
        place: Callable[[Row], int | None],
        implied: Callable[[Row], int],
        told: Callable[[Bounds], int | None],
        descending: bool,
        sorted_run: Callable[[Relation], Relation],
        alone: bool,
        limits: Callable[[Bounds, int | None], Bounds],
        wanted: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._place = place
        self._implied = implied
        self._told = told
        self._falls = descending
        self._sorted_run = sorted_run
        self._alone = alone
        self._limits = limits
        self._columns = HeldColumns(wanted)
        self._bound: int | None = None
        self._runs: Runs[HeldRow] = Runs(descending)

    def take(self, train: Train, port: int = 0) -> Train:  # noqa: ARG002  # there is one port
        """The rows that none can come before."""
        for row in train.rows:
            place = self._place(row)
            if place is not None and not self._late(place):
                held = HeldRow(row)
                self._columns.hold(held)
                self._runs.put(place, held)
                self._raise(self._implied(row))
        told = self._told(train.bounds)
        if told is not None:
            self._raise(told)
        limit = None if self._bound is None else Bound(self._bound)
        if train.bounds.ended:
            runs = self._runs.all()
        else:
            runs = self._runs.reached(limit) if self._alone else self._runs.passed(limit)
        out = [row for run in runs for row in self._sorted_run(left(run))]
        bounds = self._limits(train.bounds, self._bound)
        return Train(out, self._columns.bounds(bounds))

    def _late(self, place: int) -> bool:
        """Whether the bound has passed a place."""
        return self._bound is not None and passed(place, Bound(self._bound), self._falls)

    def _raise(self, bound: int) -> None:
        """The bound never goes back."""
        if self._bound is None or passed(self._bound, Bound(bound), self._falls):
            self._bound = bound

    def state(self) -> State:
        """The rows held."""
        return State(len(self._runs), held=lambda: [held.row for held in self._runs.things()])


def left(run: Sequence[HeldRow]) -> Relation:
    """The rows of a run that leaves."""
    for held in run:
        held.gone = True
    return [held.row for held in run]
