"""The syntax trees of statements other than queries; some contain a query.

Each class is one statement or a part of one, and its fields are the parts of its text.  A flag is
true if its word is written: ``replace`` for OR REPLACE, ``cascade`` for CASCADE.  A list is empty,
and any other field is None, if its part is not written.  ``span`` is the place in the text; it is
not compared.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from grammar.source import Span
from grammar.tree import Alias, Expression, FromItem, Identifier, Literal, Name, Query, TypeName

# --- CREATE -----------------------------------------------------------------------------------


class Direction(StrEnum):
    """The declared direction of a monotonic column."""

    ASCENDING = "ASCENDING"
    DESCENDING = "DESCENDING"


@dataclass(frozen=True, slots=True)
class Disorder:
    """How far a column's values may be out of order: at most one field is set (S-301).

    ``within`` is the slack of ``WITHIN INTERVAL '10' SECOND``, ``rows`` the number of ``WITHIN 5
    ROWS``; ``punctuated`` stands for PUNCTUATED.
    """

    within: Expression | None
    rows: int | None
    punctuated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColumnOrder:
    """``ASCENDING [STRICT]`` or ``DESCENDING [STRICT]``, and its disorder."""

    direction: Direction
    strict: bool
    disorder: Disorder | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Option:
    """``name 'value'`` of an OPTIONS list."""

    name: Identifier
    value: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColumnDef:
    """A column of CREATE TABLE or STREAM.

    ``path`` is the text after FROM, for example ``'$.user.name'``: where the value stands in a
    record of JSON.  ``options`` say how files write its values.
    """

    name: Identifier
    type: TypeName
    not_null: bool
    primary_key: bool
    order: ColumnOrder | None
    default: Expression | None
    check: Expression | None
    path: Literal | None
    options: tuple[Option, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Watermark:
    """``WATERMARK FOR c AS c - INTERVAL '5' SECOND``: how far ``column`` may be out of order.

    ``bound`` is the expression after AS.
    """

    column: Identifier
    bound: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableConstraint:
    """``PRIMARY KEY (a, b)``, ``PERIOD (a, b)``, ``CHECK (p)`` or ``WATERMARK FOR c AS e``.

    It constrains a whole table.  One field is set, the others are empty or None.
    """

    primary_key: tuple[Identifier, ...]
    period: tuple[Identifier, ...]
    check: Expression | None
    watermark: Watermark | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """CREATE SCHEMA."""

    name: Name
    replace: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class WithChanges:
    """``WITH CHANGES [KEY (k)]``: the rows of the stream can be deleted again (S-1005).

    ``key`` is empty without KEY.
    """

    key: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CreateStream:
    """CREATE [FOREIGN] STREAM.

    ``history``: WITH HISTORY is written.  ``history_length`` is the interval for which a row is
    retained; None: the whole history is retained.  ``changes`` is None if rows are only added.
    """

    name: Name
    replace: bool
    foreign: bool
    columns: tuple[ColumnDef, ...]
    constraints: tuple[TableConstraint, ...]
    history: bool
    history_length: Expression | None
    options: tuple[Option, ...]
    span: Span = field(compare=False, repr=False)
    changes: WithChanges | None = None


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE."""

    name: Name
    replace: bool
    columns: tuple[ColumnDef, ...]
    constraints: tuple[TableConstraint, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW."""

    name: Name
    replace: bool
    columns: tuple[Identifier, ...]
    query: Query
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CreatePump:
    """``CREATE PUMP p [STARTED|STOPPED] AS INSERT …``, or another statement that writes."""

    name: Name
    replace: bool
    started: bool
    statement: "Insert | Update | Delete | Merge"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """One parameter of CREATE FUNCTION."""

    name: Identifier
    type: TypeName
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CreateFunction:
    """``CREATE FUNCTION f (x INTEGER) RETURNS INTEGER RETURN x + 1``."""

    name: Name
    replace: bool
    parameters: tuple[FunctionParameter, ...]
    returns: TypeName
    body: Expression
    span: Span = field(compare=False, repr=False)


class ObjectKind(StrEnum):
    """The kinds of object that DROP and ALTER take."""

    SCHEMA = "SCHEMA"
    STREAM = "STREAM"
    FOREIGN_STREAM = "FOREIGN STREAM"
    TABLE = "TABLE"
    VIEW = "VIEW"
    PUMP = "PUMP"
    FUNCTION = "FUNCTION"


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP kind [IF EXISTS] name [CASCADE]."""

    kind: ObjectKind
    name: Name
    if_exists: bool
    cascade: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AlterPump:
    """ALTER PUMP name START or STOP."""

    name: Name
    start: bool
    span: Span = field(compare=False, repr=False)


# --- DML --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT [EXPEDITED] INTO, or UPSERT INTO."""

    target: Name
    columns: tuple[Identifier, ...]
    source: Query
    upsert: bool
    expedited: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assignment:
    """``column = value`` of SET."""

    column: Identifier
    value: Expression
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE."""

    target: Name
    alias: Alias | None
    assignments: tuple[Assignment, ...]
    where: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE."""

    target: Name
    alias: Alias | None
    where: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MergeClause:
    """``WHEN [NOT] MATCHED [AND p] THEN …``.

    UPDATE has ``assignments``, INSERT has ``values`` and perhaps ``columns``, DELETE has neither.
    """

    matched: bool
    condition: Expression | None
    assignments: tuple[Assignment, ...]
    columns: tuple[Identifier, ...]
    values: tuple[Expression, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Merge:
    """MERGE."""

    target: Name
    alias: Alias | None
    source: FromItem
    on: Expression
    clauses: tuple[MergeClause, ...]
    span: Span = field(compare=False, repr=False)


# --- the rest ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN [PLAN FOR] statement."""

    statement: "Statement"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetOption:
    """``SET name = value``, ``SET SCHEMA 's'``."""

    name: Name
    value: Expression
    span: Span = field(compare=False, repr=False)


class TransactionKind(StrEnum):
    """The statements of transactions, which S-606 refuses."""

    COMMIT = "COMMIT"
    ROLLBACK = "ROLLBACK"
    SAVEPOINT = "SAVEPOINT"


@dataclass(frozen=True, slots=True)
class Transaction:
    """COMMIT, ROLLBACK or SAVEPOINT: parsed so that binding can refuse it (S-606).

    Defines: S-606.a
    """

    kind: TransactionKind
    span: Span = field(compare=False, repr=False)


Statement: TypeAlias = (
    Query
    | CreateSchema
    | CreateStream
    | CreateTable
    | CreateView
    | CreatePump
    | CreateFunction
    | Drop
    | AlterPump
    | Insert
    | Update
    | Delete
    | Merge
    | Explain
    | SetOption
    | Transaction
)
