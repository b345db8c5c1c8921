"""Linear operators over weighted rows: each change is mapped by itself, so nothing is retained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.incremental.changes.operator import WeightedRows
from reference.relation import Relation, Row


@dataclass(frozen=True, slots=True)
class Linear:
    """Filter, Project and Hop (DBSP calls such operators linear).

    ``rows_of`` computes the output rows of one input row.
    """

    rows_of: Callable[[Row], Relation]

    @property
    def retained(self) -> int:
        """0, because no row is retained."""
        return 0

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The output rows of each changed row, with the weight of that row."""
        (changed,) = inputs
        return [(out, weight) for row, weight in changed for out in self.rows_of(row)]


@dataclass(frozen=True, slots=True)
class Union:
    """UNION ALL: the changes of all inputs."""

    @property
    def retained(self) -> int:
        """0, because no row is retained."""
        return 0

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The changes of the inputs, one after the other."""
        return [change for changed in inputs for change in changed]
