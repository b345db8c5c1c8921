"""The operator of an ASOF join of a stream with a table (S-904).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from algebra.expression import Value
from algebra.monotonicity.progress import Bounds
from reference.incremental.join.nearest_rows import NearestRows
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.scalar.expression import Meaning
from reference.snapshot import of_plan


@of_plan
class NearestTableRows:
    """The present rows of the table's plan, with a search for the nearest row of a key.

    ``query`` evaluates the plan; `refresh` calls it if ``version`` returns another number than
    before.  ``empty`` makes `NearestRows` without rows.  If ``backward``, the nearest row is the
    last one before a time; if not, it is the first one after it.
    """

    def __init__(
        self,
        query: Callable[[], Relation],
        version: Callable[[], int],
        empty: Callable[[], NearestRows],
        backward: bool,
    ) -> None:
        self._query = query
        self._version = version
        self._empty = empty
        self._backward = backward
        self._read: int | None = None  # the version of ``_rows``
        self._rows = empty()

    def refresh(self) -> None:
        """Evaluate the plan, unless the version is the one of the present rows."""
        version = self._version()
        if version == self._read:
            return
        self._rows = self._empty()
        for row in self._query():
            self._rows.add(row)
        self._read = version

    def nearest(self, key: Row, time: Value) -> Row | None:
        """The row of ``key`` nearest to ``time``, as of the last refresh; None if there is none."""
        return (self._rows.before if self._backward else self._rows.after)(key, time)


@dataclass(frozen=True, slots=True)
class TableAsofJoin:
    """Joins each stream row, when it arrives, with the row of the table that is then nearest.

    ``key_on`` and ``time_on`` return the key and the time of a stream row. ``joined`` computes the
    output row; the partner can be None if unmatched stream rows are ``preserved``. ``places`` has
    for each output value its place in the stream's row; None for a value of the table, which has no
    bound.  A column of the stream has the same bound in the output.

    Defines: S-904.p
    """

    shape: Shape
    table: NearestTableRows
    key_on: Callable[[Row], Row]
    time_on: Meaning
    joined: Callable[[Row, Row | None], Row]
    preserved: bool
    places: Sequence[int | None]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the output rows of the train's rows, in their order, and the output's bounds."""
        if train.rows:
            self.table.refresh()
        found = (
            (row, self.table.nearest(self.key_on(row), self.time_on(row))) for row in train.rows
        )
        out = [
            self.joined(row, partner)
            for row, partner in found
            if partner is not None or self.preserved
        ]
        columns = [None if each is None else train.bounds.columns[each] for each in self.places]
        return Train(out, Bounds(tuple(columns), train.bounds.ended))

    def state(self) -> State:
        """An empty state, because the table retains its own rows."""
        return State()
