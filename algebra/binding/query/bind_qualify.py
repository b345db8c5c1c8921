"""QUALIFY: the filter of a SELECT over its window functions (S-905)."""

from collections.abc import Sequence

from algebra.binding.expression.bind_expression import bind_condition
from algebra.binding.over.bind_window import ItemScope
from algebra.binding.query.bind_order import Output
from algebra.binding.scope.environment import Environment
from algebra.expression import Expression
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


def bind_qualify(
    node: tree.Expression,
    outputs: Sequence[Output],
    scope: ItemScope,
    environment: Environment,
) -> Expression:
    """The condition of QUALIFY, in which window functions are provisional columns of ``scope``.

    BAD_WINDOW if neither the condition nor the select list has a window function.

    Defines: S-905.a, S-905.c
    """
    bound = bind_condition(node, _QualifyScope(scope, outputs))
    if not scope.windows.calls:
        raise environment.error(
            Code.BAD_WINDOW,
            "QUALIFY filters by window functions, and this SELECT has none",
            node.span,
            "write the condition in WHERE, or in HAVING after GROUP BY",
        )
    return bound


class _QualifyScope(ItemScope):
    """The scope of the select list; names that it does not have can be aliases of ``outputs``.

    Defines: S-905.b
    """

    def __init__(self, items: ItemScope, outputs: Sequence[Output]) -> None:
        super().__init__(items.inner, items.windows)
        self.outputs = outputs

    def column(self, name: tree.Name) -> Expression:
        """The column of that name; else the output of that name, if there is exactly one."""
        try:
            return super().column(name)
        except SqlError as error:
            named = [o for o in self.outputs if o.written == name.parts[-1].name]
            if error.code is not Code.UNKNOWN_COLUMN or len(name.parts) > 1 or len(named) != 1:
                raise
            return named[0].expression
