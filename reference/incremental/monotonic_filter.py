"""MONOTONIC: drops the rows whose declared expression is below its last value (S-407).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Mapping
from dataclasses import replace

from algebra.expression import Expression, Value
from algebra.monotonicity.progress import Bound
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import compare, is_nan


@stateful
class MonotonicFilter:
    """Drops late rows: those on which a ``declared`` expression is below its last value.

    A row with NULL or NaN in a declared expression is late, too.  The last value of an expression
    is its bound in the output; the bounds of the columns pass.

    Defines: S-407.a
    """

    def __init__(self, shape: Shape, declared: Mapping[Expression, Meaning]) -> None:
        self.shape = shape
        self._declared = declared
        self._reached: tuple[Value, ...] = ()  # in the order of ``declared``

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows that are not late."""
        retained = [row for row in train.rows if self._accept(row)]
        known = zip(self._declared, self._reached, strict=False)  # empty at the start
        reached = {each: Bound(value) for each, value in known}
        return Train(retained, replace(train.bounds, declared=reached))

    def _accept(self, row: Row) -> bool:
        """Return whether ``row`` is not late; its values then become the bounds of later rows."""
        values = tuple([value_on(row) for value_on in self._declared.values()])
        if any(value is None or is_nan(value) for value in values):
            return False
        # Before the first row, the tuple of reached values is empty.
        for value, before in zip(values, self._reached, strict=False):
            if compare(value, before) < 0:
                return False
        self._reached = values
        return True

    def state(self) -> State:
        """No rows: only the last values are retained."""
        return State()
