"""The operator of a join of a stream with a table (S-508).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from algebra.monotonicity.progress import Bounds
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.snapshot import of_plan


@of_plan
class Contents:
    """The present rows of the table's plan, indexed by the values of some columns.

    ``query`` evaluates the plan; `refresh` calls it if ``version`` returns another number than
    before. ``equal`` are the places of these columns, which ON equates with columns of the stream.
    """

    def __init__(
        self, query: Callable[[], Relation], version: Callable[[], int], equal: Sequence[int]
    ) -> None:
        self._query = query
        self._version = version
        self._equal = equal
        self._read: int | None = None  # the version of the indexed rows
        self._by_values: dict[Row, list[Row]] = {}

    def refresh(self) -> None:
        """Evaluate the plan, unless the version is the one of the present rows."""
        version = self._version()
        if version == self._read:
            return
        self._by_values = {}
        for row in self._query():
            values = tuple([row[place] for place in self._equal])
            if None not in values:  # NULL equals nothing
                self._by_values.setdefault(values, []).append(row)
        self._read = version

    def having(self, values: Row) -> Sequence[Row]:
        """The rows with these ``values`` at ``equal``, as of the last refresh, in their order."""
        return self._by_values.get(values, ())


@dataclass(frozen=True, slots=True)
class TableJoin:
    """Joins each stream row, when it arrives, with the rows that the table then has.

    ``values_on`` returns the values of a stream row that ON equates with columns of the table.
    ``matches`` is the whole condition on a stream row and a table row. ``joined`` computes the
    output row; the partner can be None if unmatched stream rows are ``preserved``. ``places`` has
    for each output value its place in the stream's row; None for a value of the table, which has
    no bound.  A column of the stream has the same bound in the output.

    Defines: S-508.a
    """

    shape: Shape
    contents: Contents
    values_on: Callable[[Row], Row]
    matches: Callable[[Row, Row], bool]
    joined: Callable[[Row, Row | None], Row]
    preserved: bool
    places: Sequence[int | None]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the output rows of the train's rows, in their order, and the output's bounds."""
        out: list[Row] = []
        if train.rows:
            self.contents.refresh()
        for row in train.rows:
            found = self.contents.having(self.values_on(row))
            partners = [each for each in found if self.matches(row, each)]
            out += [self.joined(row, each) for each in partners]
            if self.preserved and not partners:
                out.append(self.joined(row, None))
        return Train(out, self._bounds(train.bounds))

    def _bounds(self, bounds: Bounds) -> Bounds:
        """The output's bounds, from the ``bounds`` of the stream."""
        columns = [None if each is None else bounds.columns[each] for each in self.places]
        return Bounds(tuple(columns), bounds.ended)

    def state(self) -> State:
        """An empty state, because the table retains its own rows."""
        return State()
