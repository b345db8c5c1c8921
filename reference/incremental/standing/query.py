"""A running streaming query: accepted rows pass through its network of operators.

A *train* is a batch of rows with the bounds of all later rows.
"""

from algebra.monotonicity.progress import Bound, Bounds, is_past_all
from algebra.plan import Plan
from reference.environment import Environment
from reference.incremental.lowering.lower import RequestedColumns, network
from reference.incremental.train import Train
from reference.ingress import Ingress
from reference.relation import Relation, Row
from reference.snapshot import stateful


@stateful
class Flow:
    """A running streaming query: it takes the rows of streams, and collects its output rows.

    ``requested`` has the columns whose bounds are requested, besides the rowtime.  `enter` and
    `tick` return the new output, and also collect its rows, until `drained` returns them.  They
    raise the run-time errors of expressions.

    Defines: S-608.l
    """

    def __init__(
        self, query: Plan, env: Environment, requested: RequestedColumns = frozenset()
    ) -> None:
        self.network = network(query, env, requested)
        self._emitted: list[Row] = []

    def enter(self, ingress: Ingress, rows: Relation) -> Train:
        """Take rows that ``ingress`` accepted, and its bounds of later rows; return the output."""
        train = Train(_stamped(ingress, rows), reported_bounds(ingress))
        return self._taken(self.network.push(ingress.source.name, train))

    def tick(self) -> Train:
        """Return the output that a new time of the session's clock causes."""
        return self._taken(self.network.tick())

    def _taken(self, train: Train) -> Train:
        """Collect the rows of an output train, without an implicit rowtime; return the train."""
        width = self.network.shape.width
        hidden = self.network.shape.hidden
        self._emitted += [row[:width] for row in train.rows] if hidden else train.rows
        return train

    def drained(self) -> Relation:
        """Remove and return the collected output rows: those emitted since the last call."""
        emitted, self._emitted = self._emitted, []
        return emitted

    @property
    def bound(self) -> float:
        """The bound of the output: -infinity before the first bound, +infinity at the end.

        Defines: S-306.c
        """
        return self.network.shape.time_bound(self.network.bounds)


def reported_bounds(ingress: Ingress) -> Bounds:
    """The bounds of all rows that ``ingress`` can accept later, by column (S-406).

    A bound above the last value of its column's type is the end: no row can follow.
    """
    columns = ingress.source.columns
    # One more place, the last (-1), is that of an implicit rowtime; no operator reads it if a
    # column is the rowtime.
    limits: list[Bound | None] = [None] * (len(columns) + 1)
    ended = ingress.ended
    for place, known in ingress.bounds.items():
        if known.bound is not None:
            limits[place] = limit = Bound(known.bound, known.strict)
            if place >= 0:  # a row without a rowtime can still follow
                down = known.ordering.descending
                ended = ended or is_past_all(columns[place].type, limit, down)
    return Bounds(tuple(limits), ended)


def _stamped(ingress: Ingress, rows: Relation) -> Relation:
    """The rows; if the rowtime is implicit, each row is followed by it: the stream's bound."""
    return [(*row, ingress.bound) for row in rows] if ingress.rowtime < 0 else rows
