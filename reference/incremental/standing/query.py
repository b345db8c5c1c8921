"""A streaming query at work: what its inputs' gates let in goes through its network."""

from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Plan
from reference.environment import Environment
from reference.incremental.lowering.lower import Wanted, network
from reference.incremental.train import Train
from reference.ingress import Gate
from reference.relation import Relation, Row


class Flow:
    """The rows of a streaming query, in the order of emission, and its bounds.

    ``wanted`` are columns whose bounds are asked for beside that of the time.

    Raises the run-time errors of its expressions, once the row at fault has come in.
    """

    def __init__(self, query: Plan, env: Environment, wanted: Wanted = frozenset()) -> None:
        self.network = network(query, env, wanted)
        self._came: list[Row] = []

    def enter(self, entry: Gate, rows: Relation) -> Train:
        """Take the rows that a gate has let in, and what it now knows of later ones."""
        train = Train(_stamped(entry, rows), told(entry))
        return self._taken(self.network.push(entry.source.name, train))

    def tick(self) -> Train:
        """Look again: the session's clock has moved."""
        return self._taken(self.network.tick())

    def _taken(self, train: Train) -> Train:
        width = self.network.shape.width
        hidden = self.network.shape.hidden
        self._came += [row[:width] for row in train.rows] if hidden else train.rows
        return train

    def drained(self) -> Relation:
        """The rows since the last call."""
        came, self._came = self._came, []
        return came

    @property
    def clock(self) -> float:
        """The time below which no later row is; infinite before the first bound and at the end."""
        return self.network.shape.clock(self.network.bounds)


def told(entry: Gate) -> Bounds:
    """What a gate knows of all later rows: the bounds of the monotonic columns (S-406)."""
    limits: list[Bound | None] = [None] * len(entry.source.columns)
    if entry.rowtime < 0:
        limits.append(None)
    for place, clock in entry.clocks.items():
        if clock.bound is not None:
            limits[place] = Bound(clock.bound, clock.strict)
    return Bounds(tuple(limits), entry.ended)


def _stamped(entry: Gate, rows: Relation) -> Relation:
    """The rows, with the gate's clock behind them where no column is the rowtime."""
    return [(*row, entry.clock) for row in rows] if entry.rowtime < 0 else rows
