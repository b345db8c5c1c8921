"""The catalog: tables, streams, views, functions and pumps by name, as declared (S-301)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from algebra.expression import Expression, Value
from algebra.outside.foreign import Connection
from algebra.outside.json_path import JsonPath
from algebra.types import Field, RowType, Type
from grammar.statement import CreateFunction, CreatePump, CreateView

if TYPE_CHECKING:
    from algebra.plan import Plan

#: A qualified name after folding, outermost part first: ``("SALES", "ORDERS")``.
QualifiedName: TypeAlias = tuple[str, ...]


class Profile(StrEnum):
    """The dialect in which a text is written (S-701).

    Defines: S-701.a
    """

    CALCITE = "calcite"
    SQLSTREAM = "sqlstream"


@dataclass(frozen=True, slots=True)
class Ordering:
    """The declared order of a column: ascending unless ``descending``.

    ``strict``: no value occurs twice.  At most one of three options weakens it: ``slack`` (the
    amount by which a value may lag the greatest value before it, in the column's unit: milliseconds
    of a TIMESTAMP, days of a DATE, units of a number), ``rows`` (k-sorted: the number of rows),
    ``punctuated`` (only bounds from outside advance).
    """

    descending: bool = False
    strict: bool = False
    slack: int | None = None
    rows: int | None = None
    punctuated: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column.

    ``ordering`` is None if no order is declared.  INSERT evaluates ``default`` for a row that has
    no value for the column; None: no DEFAULT is declared.  An ``implicit`` column is the ROWTIME of
    profile sqlstream: ``*`` and an INSERT without a column list leave it out (S-311, EXT-031).
    ``path`` leads to the column's value in an object of JSON; (): the value is the member that has
    the column's name.  ``time_unit`` is the unit in which the numbers of a TIMESTAMP column in
    files count the time since 1970; '' if the options of the files name it, or if there are no such
    numbers.
    """

    name: str
    type: Type
    ordering: Ordering | None = None
    default: Expression | None = None
    implicit: bool = False
    path: JsonPath = ()
    time_unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    A row for which one of the conditions in ``checks`` is false is refused.  ``primary_key`` holds
    the places of its columns, () without a key.  ``period`` holds the places of the columns for the
    first and the last instant at which a row is valid (S-508); None: the table has no versions.
    ``changing``: it is a stream WITH CHANGES, whose events insert and delete rows (S-1005); the
    columns of its KEY are then its ``primary_key``, and ``foreign`` and ``connection`` are as those
    of a `Stream`.
    """

    name: QualifiedName
    columns: tuple[Column, ...]
    primary_key: tuple[int, ...] = ()
    checks: tuple[Expression, ...] = ()
    period: tuple[int, int] | None = None
    changing: bool = False
    foreign: bool = False
    connection: Connection | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The part of a stream that queries can read again: the last ``millis`` before its bound.

    None: all rows.
    """

    millis: int | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream; one with a ``history`` can be read as a table, too.

    A row for which one of ``checks`` is false is bad.  ``connection`` locates the rows of a foreign
    stream (S-607); None if its OPTIONS do not locate them, or if the stream is not foreign.
    ``call`` is the call of the table function whose output the stream is; None for an object of the
    catalog.  ``carries`` is the plan whose rows the stream carries from one part of a query to the
    next; None for an object of the catalog.  Each fact of the plan's columns is a fact of the
    stream's columns, which can be followed by further columns.

    Defines: S-301.a
    """

    name: QualifiedName
    columns: tuple[Column, ...]
    checks: tuple[Expression, ...] = ()
    history: History | None = None
    foreign: bool = False
    connection: Connection | None = None
    call: "TableCall | None" = None
    carries: "Plan | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class View:
    """A view: its statement, and the text to which the statement's spans refer."""

    name: QualifiedName
    statement: CreateView
    sql: str


@dataclass(frozen=True, slots=True)
class Function:
    """A user-defined function, whose body is an expression: its statement and its text."""

    name: QualifiedName
    statement: CreateFunction
    sql: str


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """A scalar function of the host language; its result is NULL if an argument is (S-611).

    ``call`` returns a value of type ``returns`` for values of the parameters' types, none of them
    NULL, and raises `SqlError` (EXTERNAL_ROUTINE).
    """

    name: QualifiedName
    parameters: tuple[Field, ...]
    returns: Type
    call: Callable[..., Value]


#: A function from rows of a table function's input, and the bound after them (None: not known), to
#: rows and bounds of its output, in order.
Transform: TypeAlias = Callable[
    [Sequence[tuple[Value, ...]], int | None], Sequence[tuple[Value, ...] | int]
]


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A function of the host language that reads a stream and writes one (S-611).

    ``parameters`` are the parameters after the stream. ``columns`` returns the columns of the
    output, for the columns of the input and the arguments; it raises `ValueError` for arguments
    that do not fit together. ``start`` returns the transform of one query.
    """

    name: QualifiedName
    parameters: tuple[Field, ...]
    columns: Callable[[Sequence[Column], Sequence[Value]], tuple[Column, ...]]
    start: Callable[[Sequence[Column], Sequence[Value]], Transform]


@dataclass(frozen=True, slots=True)
class TableCall:
    """``TABLE(f(stream, arguments))``: a call of a table function, with constant arguments."""

    function: TableFunction
    input: Stream
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Pump:
    """A named standing statement; it runs while ``started`` (S-605).

    Defines: S-605.d
    """

    name: QualifiedName
    statement: CreatePump
    sql: str
    started: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema."""

    name: QualifiedName


CatalogObject: TypeAlias = Table | Stream | View | Function | Pump | Schema

#: An object that the engine provides: no statement creates or drops it.
Extension: TypeAlias = ExternalFunction | TableFunction


@dataclass(frozen=True, slots=True)
class Catalog:
    """All objects by name, in the order of their creation; never changed in place.

    An object without a schema in its name is created in ``schema``, and is looked up there first.
    ``extensions`` have a separate namespace: an object may have the name of an extension.
    """

    objects: Mapping[QualifiedName, CatalogObject] = field(
        default_factory=dict[QualifiedName, CatalogObject]
    )
    schema: QualifiedName = ()
    extensions: Mapping[QualifiedName, Extension] = field(
        default_factory=dict[QualifiedName, Extension]
    )

    def with_object(self, each: CatalogObject) -> "Catalog":
        """This catalog with ``each`` added; it replaces an object of the same name."""
        return replace(self, objects={**self.objects, each.name: each})

    def without(self, name: QualifiedName) -> "Catalog":
        """This catalog, without the object of that name."""
        return replace(self, objects={k: v for k, v in self.objects.items() if k != name})

    def find(self, name: QualifiedName) -> CatalogObject | None:
        """The object called ``name`` in the current schema, else from the root; None: none."""
        return self.objects.get(self.schema + name) or self.objects.get(name)


def row_type_of(relation: Table | Stream) -> RowType:
    """The columns of a table or stream as a row type."""
    return tuple(Field(each.name, each.type) for each in relation.columns)
