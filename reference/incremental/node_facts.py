"""Static facts of a plan node's input: the shape of its rows, and the orders and ranges of columns.

From these facts the lowering decides which expressions have bounds, and how they are computed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.number_range import Range
from algebra.expression import Expression, InputRef
from algebra.monotonicity.columns import OrderOf, Orders, column_monotonicity, rowtime_column
from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress, progress
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.constant_columns import constant_columns
from algebra.plan import Plan, row_type
from reference.environment import Environment
from reference.incremental.train import Shape
from reference.scalar.expression import meaning_of


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a node, as the node reads it.

    Each of the following has an entry for each column. ``moving`` has the order in which the
    column's bound advances, ``emitted`` the order of the column's values from row to row, and
    ``ranges`` the range of its values.
    """

    plan: Plan
    shape: Shape
    moving: Orders
    emitted: Orders
    ranges: tuple[Range, ...]

    def progress(self, expression: Expression, env: Environment) -> ExpressionProgress | None:
        """The function from the columns' bounds to the bound of ``expression`` (S-405).

        None if the expression makes no progress: no bound can pass its values.
        """
        return self._progress(expression, env, constants=False)

    def limit(
        self, expression: Expression, env: Environment
    ) -> Callable[[Bounds], Bound | None] | None:
        """A function from the columns' bounds to the bound of ``expression`` in the output.

        None if the expression never has a bound.  Unlike in `progress`, any column has a bound,
        although it may be unknown, and a constant is its own bound.
        """
        if isinstance(expression, InputRef):
            column = expression.index
            return lambda bounds: bounds.columns[column]
        known = self._progress(expression, env, constants=True)
        return None if known is None else known.bound

    def _progress(
        self, expression: Expression, env: Environment, constants: bool
    ) -> ExpressionProgress | None:
        """As `progress`; if ``constants``, a constant counts too, with its value as its bound."""
        return progress(
            expression,
            self.moving,
            self.ranges,
            lambda each: meaning_of(each, env),
            constants,
            constant_columns(self.plan),
        )

    def bounded_columns(self, columns: Iterable[int]) -> Sequence[tuple[int, bool]]:
        """The ``columns`` that have bounds, each with whether it descends.

        These are the rowtime, constants, and columns whose bounds advance.  An implicit rowtime is
        at place ``width``, after the columns.
        """
        width, time = self.shape.width, self.shape.time

        def has_bounds(column: int) -> bool:
            order = self.moving[column] if column < width else Monotonicity.CONSTANT
            return column == time or order.progresses or order is Monotonicity.CONSTANT

        return [
            (i, i < width and self.moving[i].descending) for i in sorted(columns) if has_bounds(i)
        ]


def shape_of(plan: Plan) -> Shape:
    """The shape of the rows of ``plan`` (S-311).

    Without a rowtime column, the rowtime is the implicit one, at place ``width``.
    """
    width = len(row_type(plan))
    place = rowtime_column(plan)
    return Shape(width, width if place is None else place)


def input_of(plan: Plan) -> Input:
    """The static facts of the input ``plan``."""
    moving = column_monotonicity(plan, OrderOf.BOUNDS)
    emitted = column_monotonicity(plan, OrderOf.ROWS)
    return Input(plan, shape_of(plan), moving, emitted, column_ranges(plan))
