"""Correlation: whether a sub-query refers to the row of the query around it."""

from algebra.parts.mentions import references
from algebra.plan import Plan


def depends_on_row(plan: Plan) -> bool:
    """Whether ``plan``, or a query inside it, refers to the row of the nearest enclosing query.

    References to queries further out do not count, because the rows of those queries stay the same
    while the row of the nearest enclosing query changes.
    """
    return any(level == 1 for level, _ in references(plan))
