"""An operator that ends a stream when no later row can have a value of an expression (S-405).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from algebra.monotonicity.progress import ExpressionProgress
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train


@dataclass(frozen=True, slots=True)
class EndOfValues:
    """Passes all rows; ends when one of ``expressions`` can have no value on a later row.

    The expressions are keys or columns of the operator above, which computes them for each row.  So
    a later row would end the query with an error, for example OVERFLOW.
    """

    shape: Shape
    expressions: Sequence[ExpressionProgress]

    def take(self, train: Train, _port: int = 0) -> Train:
        """``train``, with the end if one of the expressions can have no further value."""
        bounds = train.bounds
        if bounds.ended or not any(each.has_ended(bounds) for each in self.expressions):
            return train
        return Train(train.rows, replace(bounds, ended=True))

    def state(self) -> State:
        """An empty state, because no row is retained."""
        return State()
