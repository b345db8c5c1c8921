"""The environment in which a query is bound: catalog, dialect, text, enclosing queries, faults."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from algebra.binding.scope.faults import Faults
from algebra.binding.scope.scope import Enclosing
from algebra.catalog import Catalog, Profile
from algebra.plan import Plan
from algebra.types import Type
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.suggestion import SuggestingError, Suggestion

#: The most SELECTs that a statement may have after its views and WITH queries have been expanded.
#: A chain of n views, each of which names the previous one twice, has 2 ** n SELECTs.
#:
#: Defines: S-703.b
MOST_SELECTS: Final = 2_000


class Modality(StrEnum):
    """How a query uses the streams that it names: as streams, or as relations (S-302, S-308)."""

    RELATION = "relation"  # tables, and streams' histories
    STREAM = "stream"  # streams that pass, and tables
    SUBQUERY = "sub-query"  # in an expression of a streaming query: tables and histories
    CHANGES = "changes"  # the rows of streams so far, and tables as they stand: EMIT CHANGES
    DEFINITION = "definition"  # not decided: the body of a view when it is created


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A query's plan and the names of its columns.

    ``rowtime`` is the place of an implicit ROWTIME column, which ``names`` leave out (S-311); None:
    there is none.
    """

    plan: Plan
    names: tuple[str, ...]
    rowtime: int | None = None


class Binder(Protocol):
    """The function that binds one query inside another."""

    def __call__(self, query: tree.QueryBody, environment: "Environment") -> BoundQuery:
        """The plan of ``query``."""
        ...


@dataclass(frozen=True, slots=True)
class CommonQuery:
    """A query of a WITH clause, and the environment in which it is bound."""

    table: tree.CommonTable
    environment: "Environment"


@dataclass(frozen=True, slots=True)
class Environment:
    """The context on which the meaning of a query depends.

    ``sql`` is the text of the query.  ``faults`` collects the errors, of which the first in the
    text is raised.  ``bind`` binds a query inside the query.  ``tables`` has the queries of WITH
    that the query can name.  ``top``: the query is the statement's own query, or a branch of it.
    ``carry``: an implicit ROWTIME is added after the query's columns, for the query or INSERT
    around it.  ``assigned`` has the types of the columns into which an INSERT writes the rows of
    VALUES.  ``outer`` is the scope of the enclosing query of a sub-query in an expression, else
    None; ``depth`` is the number of enclosing queries.  ``query`` is the syntax tree of the whole
    of ``sql``; None if ``sql`` is not a query.
    ``budget`` has an item for each SELECT that may still be bound (at most `MOST_SELECTS`); the
    environments of one statement share it.
    """

    catalog: Catalog
    profile: Profile
    sql: str
    modality: Modality
    faults: Faults
    bind: Binder
    top: bool = True
    carry: bool = False
    assigned: tuple[Type, ...] = ()
    tables: Mapping[str, CommonQuery] = field(default_factory=dict[str, CommonQuery])
    outer: Enclosing | None = None
    depth: int = 0
    query: tree.Query | None = None
    budget: Iterator[int] = field(default_factory=lambda: iter(range(MOST_SELECTS)))

    def error(self, code: Code, message: str, at: Span, hint: str) -> SqlError:
        """The error ``code`` at the place ``at`` of this text; the caller raises it."""
        return SqlError(code, message, self.sql, at, hint)

    def count_select(self, at: Span) -> None:
        """Count a SELECT; NOT_SUPPORTED if the statement has too many."""
        if next(self.budget, None) is None:
            raise self.error(
                Code.NOT_SUPPORTED,
                f"more than {MOST_SELECTS:,} SELECTs, views and WITH queries written out",
                at,
                "name a view or WITH query less often: each mention is bound again",
            )

    def refusal(
        self,
        code: Code,
        message: str,
        at: Span,
        hint: str,
        suggestions: Callable[[], Iterable[Suggestion]],
    ) -> SuggestingError:
        """As `error`, with suggestions; ``hint`` is shown if none makes the statement valid."""
        return SuggestingError(code, message, self.sql, at, hint, suggestions=suggestions)

    def fault(
        self,
        code: Code,
        message: str,
        at: Span,
        hint: str,
        suggestions: Callable[[], Iterable[Suggestion]] = tuple,
    ) -> None:
        """Note the error that `refusal` returns, in place of raising it: binding continues."""
        self.faults.add(self.refusal(code, message, at, hint, suggestions), at)

    def undecided(self) -> "Environment":
        """This environment without the streaming rules, for a query that already has a fault."""
        return replace(self, modality=Modality.DEFINITION)

    def in_from(self) -> "Environment":
        """The environment of a sub-query in this query's FROM."""
        return replace(self, top=False, carry=self.profile is Profile.SQLSTREAM, assigned=())

    def in_expression(self, scope: Enclosing) -> "Environment":
        """The environment of a sub-query in an expression whose scope is ``scope``."""
        modality = Modality.SUBQUERY if self.modality is Modality.STREAM else self.modality
        return replace(
            self,
            top=False,
            carry=False,
            assigned=(),
            modality=modality,
            outer=scope,
            depth=self.depth + 1,
        )
