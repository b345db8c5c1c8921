"""The values of constants in clauses that require one, such as the size of a window."""

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.scope.scope import Scope
from algebra.expression import Literal
from algebra.folding import fold
from grammar import tree


def constant(node: tree.Expression, scope: Scope) -> Literal | None:
    """The value of ``node`` if it is constant, else None; raises `SqlError` if binding fails."""
    return fold(bind_expression(node, scope))


def whole(constant: Literal) -> int:
    """The number that represents a constant integer, TIME or interval, in the unit of its type."""
    assert isinstance(constant.value, int), "these types count whole units"
    return constant.value
