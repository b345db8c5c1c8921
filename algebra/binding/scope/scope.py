"""What an expression may refer to: the seam between binding queries and binding expressions."""

from typing import Protocol

from algebra.catalog import Catalog, Profile
from algebra.expression import Expression
from algebra.plan import Plan
from grammar import tree


class Scope(Protocol):
    """The names in reach of one expression, and what only its clause can decide.

    `algebra.binding.expression.bind_expression` asks; `algebra.binding.query.bind` answers.  All
    methods raise ``SqlError``.
    """

    @property
    def sql(self) -> str:
        """The text that spans count in."""
        ...

    @property
    def catalog(self) -> Catalog:
        """Where user-defined functions are found."""
        ...

    @property
    def profile(self) -> Profile:
        """Which reading of the language holds."""
        ...

    @property
    def streaming(self) -> bool:
        """Whether it is part of a streaming query: the same row must then give the same value."""
        ...

    def column(self, name: tree.Name) -> Expression:
        """The column of that name: an `InputRef`, or an `OuterRef` of an enclosing query."""
        ...

    def subquery(self, query: tree.Query) -> Plan:
        """The plan of a sub-query in an expression; enclosing columns are `OuterRef` in it."""
        ...

    def special(self, node: tree.Expression) -> Expression | None:
        """What this clause makes of a whole expression, asked before anything else is tried.

        A group key after GROUP BY, an aggregate, a window function, TUMBLE_END and kin, a
        parameter of a function's body; None: an ordinary expression.
        """
        ...


class Enclosing(Scope, Protocol):
    """The scope of a query, as its sub-queries see it."""

    def ungrouped(self) -> "Enclosing":
        """The rows that the query is over, before GROUP BY: what its aggregates take."""
        ...
