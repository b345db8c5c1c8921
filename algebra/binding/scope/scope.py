"""The interface between the binding of queries and the binding of expressions."""

from typing import Protocol

from algebra.catalog import Catalog, Profile
from algebra.expression import Expression
from algebra.plan import Plan
from grammar import tree


class Scope(Protocol):
    """The names that an expression may use, and the calls to which its clause gives a meaning.

    `algebra.binding.expression` uses it.  The main implementation is `RowScope`, whose subclasses
    are the scopes of single clauses.  All methods can raise ``SqlError``.
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
        """The dialect of the text."""
        ...

    @property
    def streaming(self) -> bool:
        """Whether the expression is in a streaming query; there RAND is refused."""
        ...

    def column(self, name: tree.Name) -> Expression:
        """The column of that name: an `InputRef`, or an `OuterRef` of an enclosing query."""
        ...

    def subquery(self, query: tree.Query) -> Plan:
        """The plan of a sub-query in an expression; enclosing columns are `OuterRef` in it."""
        ...

    def special(self, node: tree.Expression) -> Expression | None:
        """The meaning that this clause gives the whole of ``node``; it is tried first.

        Special nodes are group keys after GROUP BY, aggregates, window functions, and functions
        such as TUMBLE_END.  None: ``node`` is an ordinary expression.
        """
        ...


class Enclosing(Protocol):
    """The scope of a query as its sub-queries see it: only names and aggregates are looked up."""

    def column(self, name: tree.Name) -> Expression:
        """As in `Scope`."""
        ...

    def special(self, node: tree.Expression) -> Expression | None:
        """As in `Scope`, for an aggregate.

        None: ``node`` is not an aggregate.
        """
        ...

    def ungrouped(self) -> "Enclosing":
        """The scope of the rows before GROUP BY: of the arguments of the query's aggregates."""
        ...
