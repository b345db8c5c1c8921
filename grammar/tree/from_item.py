"""FROM: tables, sub-queries, functions, joins."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from grammar.source import Span
from grammar.tree.expression import Expression
from grammar.tree.name import Identifier, Name
from grammar.tree.window import SortItem, WindowSpec

if TYPE_CHECKING:
    from grammar.tree.query import ExplicitTable, Query


@dataclass(frozen=True, slots=True)
class Alias:
    """``AS t (a, b)``; ``columns`` is empty without a column list."""

    name: Identifier
    columns: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table, stream or view by name.

    ``system_time``: the instant of FOR SYSTEM_TIME AS OF.  ``over``: the window of a join (S-509).
    Each is None if the text has none.
    """

    name: Name
    system_time: Expression | None
    over: WindowSpec | None
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A sub-query in FROM; ``over`` is the window of a join (S-509), None if the text has none."""

    query: "Query"
    over: WindowSpec | None
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableArgument:
    """An argument of a table function: the rows of a table or query, or an expression.

    ``name`` is the name before ``=>``, None without one.  ``TABLE t`` is an `ExplicitTable`, and a
    query in brackets a `Query`.  ``partition`` and ``order`` are empty without the clauses;
    ``order`` has at most one item.
    """

    name: Identifier | None
    value: "Expression | ExplicitTable | Query"
    partition: tuple[Expression, ...]
    order: tuple[SortItem, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableCall:
    """``f(TABLE t, DESCRIPTOR(c), x)``: the call of a function that gives rows."""

    name: Name
    arguments: tuple[TableArgument, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableFunction:
    """``TABLE(f(…))``: a function in FROM."""

    call: TableCall
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


class JoinKind(StrEnum):
    """The kinds of join."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    CROSS = "CROSS"

    @property
    def preserves_left(self) -> bool:
        """Whether an unmatched left row is emitted, with NULLs for the right side."""
        return self in (JoinKind.LEFT, JoinKind.FULL)

    @property
    def preserves_right(self) -> bool:
        """Whether an unmatched right row is emitted, with NULLs for the left side."""
        return self in (JoinKind.RIGHT, JoinKind.FULL)


@dataclass(frozen=True, slots=True)
class Join:
    """``left JOIN right``: at most one of ``on``, ``using``, ``natural``; a comma is CROSS.

    ``match`` is the condition of MATCH_CONDITION, which an ASOF JOIN has and no other join.
    """

    kind: JoinKind
    left: "FromItem"
    right: "FromItem"
    natural: bool
    on: Expression | None
    using: tuple[Identifier, ...]
    comma: bool
    span: Span = field(compare=False, repr=False)
    match: Expression | None = None


FromItem: TypeAlias = TableRef | DerivedTable | TableFunction | Join
