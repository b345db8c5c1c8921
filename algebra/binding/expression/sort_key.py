"""One item of an ORDER BY, in a query or a window (S-206)."""

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.scope.scope import Scope
from algebra.expression import Expression, SortKey
from grammar import tree


def sort_key(item: tree.SortItem, expression: Expression) -> SortKey:
    """The sort key ``expression`` with the direction of ``item``; NULLs are greatest by default.

    Defines: S-206.a
    """
    nulls_first = item.descending if item.nulls_first is None else item.nulls_first
    return SortKey(expression, item.descending, nulls_first)


def bind_sort_key(item: tree.SortItem, scope: Scope) -> SortKey:
    """The sort key of ``item``, over the row of ``scope``."""
    return sort_key(item, bind_expression(item.expression, scope))
