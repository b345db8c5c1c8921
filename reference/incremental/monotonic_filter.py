"""MONOTONIC: drops the rows that come behind the last value of a declared expression (S-407)."""

from collections.abc import Mapping
from dataclasses import replace

from algebra.expression import Expression, Value
from algebra.monotonicity.progress import Bound
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.values import compare, is_nan


class MonotonicFilter:
    """The rows on which no ``declared`` expression goes back, with its last value as its bound.

    A row with NULL or NaN there is late, too. The bounds of the columns pass.

    Defines: S-407.a
    """

    def __init__(self, shape: Shape, declared: Mapping[Expression, Meaning]) -> None:
        self.shape = shape
        self._declared = declared
        self._reached: dict[Expression, Value] = {}

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows that are not late."""
        retained = [row for row in train.rows if self._rises(row)]
        reached = {each: Bound(value) for each, value in self._reached.items()}
        return Train(retained, replace(train.bounds, declared=reached))

    def _rises(self, row: Row) -> bool:
        """Whether ``row`` is not late; if so, later rows are measured by its values."""
        values = {each: value_on(row) for each, value_on in self._declared.items()}
        for each, value in values.items():
            before = self._reached.get(each)
            if value is None or is_nan(value):
                return False
            if before is not None and compare(value, before) < 0:
                return False
        self._reached = values
        return True

    def state(self) -> State:
        """Nothing but the last values."""
        return State()
