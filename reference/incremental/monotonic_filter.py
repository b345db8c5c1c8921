"""The operator of MONOTONIC, which drops the rows whose expression is below its last value (S-407).

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

    ``declared`` has the operand of each MONOTONIC with the function that evaluates it on a row.  A
    row with NULL or NaN in a declared expression is late, too.  The last value of an expression is
    its bound in the output.  The columns have the same bounds as in the input.

    Defines: S-407.a
    """

    def __init__(self, shape: Shape, declared: Mapping[Expression, Meaning]) -> None:
        self.shape = shape
        self._declared = declared
        # The last values, in the order of ``declared``; empty before the first row.
        self._reached: tuple[Value, ...] = ()

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the rows that are not late, and the bounds with those of the expressions."""
        retained = [row for row in train.rows if self._accept(row)]
        known = zip(self._declared, self._reached, strict=False)
        reached = {each: Bound(value) for each, value in known}
        return Train(retained, replace(train.bounds, declared=reached))

    def _accept(self, row: Row) -> bool:
        """Return whether ``row`` is not late; its values then become the bounds of later rows."""
        values = tuple([value_on(row) for value_on in self._declared.values()])
        if any(value is None or is_nan(value) for value in values):
            return False

        for value, before in zip(values, self._reached, strict=False):
            if compare(value, before) < 0:
                return False
        self._reached = values
        return True

    def state(self) -> State:
        """An empty state, because no row is retained, only the last values."""
        return State()
