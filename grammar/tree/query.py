"""Queries: SELECT, VALUES, TABLE, set operations, WITH, LIMIT."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from grammar.source import Span
from grammar.tree.expression import Expression
from grammar.tree.from_item import FromItem
from grammar.tree.name import Identifier, Name
from grammar.tree.window import NamedWindow, SortItem


@dataclass(frozen=True, slots=True)
class SelectItem:
    """One item of a select list."""

    expression: Expression
    alias: Identifier | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroupExpression:
    """A group key, such as a column or TUMBLE; ``within`` is the slack of WITHIN (S-507)."""

    expression: Expression
    within: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroupTuple:
    """``(a, b)`` or ``()`` as an element of GROUP BY: one set of several keys, or of none."""

    items: tuple[GroupExpression, ...]
    span: Span = field(compare=False, repr=False)


class GroupingKind(StrEnum):
    """The elements of GROUP BY that make several sets."""

    GROUPING_SETS = "GROUPING SETS"
    CUBE = "CUBE"
    ROLLUP = "ROLLUP"


@dataclass(frozen=True, slots=True)
class Grouping:
    """``GROUPING SETS (…)``, ``CUBE (…)``, ``ROLLUP (…)``."""

    kind: GroupingKind
    items: tuple["GroupItem", ...]
    span: Span = field(compare=False, repr=False)


GroupItem: TypeAlias = GroupExpression | GroupTuple | Grouping


@dataclass(frozen=True, slots=True)
class GroupBy:
    """The GROUP BY clause; its grouping sets are the product of its elements' sets."""

    items: tuple[GroupItem, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; ``stream_span`` is the place of the word STREAM, None without it."""

    stream: bool
    distinct: bool
    items: tuple[SelectItem, ...]
    from_: FromItem | None
    where: Expression | None
    group_by: GroupBy | None
    having: Expression | None
    windows: tuple[NamedWindow, ...]
    qualify: Expression | None
    stream_span: Span | None = field(compare=False, repr=False)
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Values:
    """``VALUES (1, 'a'), (2, 'b')``: rows of one or more columns each."""

    rows: tuple[tuple[Expression, ...], ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExplicitTable:
    """``TABLE t``: all of its columns and rows."""

    name: Name
    span: Span = field(compare=False, repr=False)


class SetOperator(StrEnum):
    """UNION, INTERSECT, EXCEPT; MINUS is parsed as EXCEPT."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@dataclass(frozen=True, slots=True)
class SetOperation:
    """``left UNION [ALL] right``; INTERSECT binds tighter, and all are left-associative."""

    operator: SetOperator
    all: bool
    left: "QueryBody"
    right: "QueryBody"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CommonTable:
    """``name (columns) AS (query)`` of WITH."""

    name: Identifier
    columns: tuple[Identifier, ...]
    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class With:
    """The WITH clause; ``recursive_span`` is the place of the word RECURSIVE, None without it."""

    recursive: bool
    tables: tuple[CommonTable, ...]
    span: Span = field(compare=False, repr=False)
    recursive_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """LIMIT, OFFSET and FETCH FIRST in any spelling; ``limit`` None: all rows."""

    offset: Expression | None
    limit: Expression | None
    with_ties: bool
    span: Span = field(compare=False, repr=False)


class EmitKind(StrEnum):
    """The output that EMIT requests: every change of the result, or the rows that are final."""

    CHANGES = "CHANGES"
    AFTER_WATERMARK = "AFTER WATERMARK"


@dataclass(frozen=True, slots=True)
class Emit:
    """The EMIT clause, which stands at the end of a whole query (S-1001, S-1006)."""

    kind: EmitKind
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query: WITH, body, ORDER BY, LIMIT, EMIT.

    The body of a query in brackets is again a Query.
    """

    with_: With | None
    body: "QueryBody"
    order_by: tuple[SortItem, ...]
    limit: Limit | None
    span: Span = field(compare=False, repr=False)
    emit: Emit | None = None


QueryBody: TypeAlias = Select | Values | ExplicitTable | SetOperation | Query
