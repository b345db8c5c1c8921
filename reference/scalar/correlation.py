"""Correlation: whether a sub-query refers to the row of the query around it."""

from algebra.parts.mentions import references
from algebra.plan import Plan


def depends_on_row(plan: Plan) -> bool:
    """Whether ``plan``, or a query inside it, refers to the row of the nearest enclosing query.

    References to outer queries further out do not count, because those rows do not change
    meanwhile.
    """
    return any(level == 1 for level, _ in references(plan))
