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

    ``strict``: no value occurs twice.  At most one of three options allows values out of order:

    - ``slack``: a value may be below the greatest value before it by at most this amount.  It is in
      the column's unit: milliseconds of a TIMESTAMP, days of a DATE, units of a number.
    - ``rows``: a value may be out of order by at most this number of rows (k-sorted).
    - ``punctuated``: rows imply no bounds; only producers set them.
    """

    descending: bool = False
    strict: bool = False
    slack: int | None = None
    rows: int | None = None
    punctuated: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table or stream, with all that its declaration states.

    ``ordering`` is None if no order is declared.  INSERT evaluates ``default`` for a row that has
    no value for the column; None: no DEFAULT is declared.  An ``implicit`` column is the ROWTIME of
    profile sqlstream: ``*`` and an INSERT without a column list leave it out (S-311, EXT-031).
    ``path`` leads to the column's value in an object of JSON; (): the value is the member that has
    the column's name.  ``time_unit`` is the unit in which a file has the times of a TIMESTAMP
    column as numbers since 1970; '' if the options of the file name the unit, or if it has texts.
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
    """A table, or a stream WITH CHANGES.

    A row for which one of the conditions in ``checks`` is false is refused.  ``primary_key`` has
    the places of the key's columns; () without a key.  ``period`` has the places of the columns for
    the first and the last instant at which a row is valid (S-508); None: the table has no versions.

    ``changing``: this is a stream WITH CHANGES, whose events insert and delete rows (S-1005).  Then
    ``primary_key`` has the columns of its KEY, and ``foreign`` and ``connection`` are as in a
    `Stream`.
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
    """The rows of a stream that relational queries can read after they have arrived.

    They are the rows of the last ``millis`` before the stream's bound; None: all rows.
    """

    millis: int | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream; one with a ``history`` can be read as a table, too.

    A row for which one of ``checks`` is false is bad.  The rows of a ``foreign`` stream are outside
    the database, and ``connection`` locates them (S-607); None if its OPTIONS do not locate them,
    or if the stream is not foreign.

    Two kinds of streams are not objects of the catalog.  If ``call`` is not None, the stream is the
    output of this call of a table function.  If ``carries`` is not None, the stream carries the
    rows of this plan from one part of a query to the next.  The columns of the stream are then
    those of the plan, perhaps with further columns after them.

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


#: The function that a table function applies to each train of rows of its input.  The arguments are
#: the rows, and the bound after them (None: not known).  The result has the rows of the output, and
#: bounds (as integers), in order.
Transform: TypeAlias = Callable[
    [Sequence[tuple[Value, ...]], int | None], Sequence[tuple[Value, ...] | int]
]


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A function of the host language that reads a stream and writes one (S-611).

    ``parameters`` are the parameters after the stream.  ``columns`` and ``start`` take the columns
    of the input and the arguments.  ``columns`` returns the columns of the output, and raises
    `ValueError` for arguments that do not fit together.  ``start`` returns a new transform for one
    query.
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
    """A schema: a namespace, whose name is the beginning of the names of its objects."""

    name: QualifiedName


CatalogObject: TypeAlias = Table | Stream | View | Function | Pump | Schema

#: An object that the engine provides: no statement creates or drops it.
Extension: TypeAlias = ExternalFunction | TableFunction


@dataclass(frozen=True, slots=True)
class Catalog:
    """All objects by full name, in the order of their creation.  It is never changed in place.

    A name without a schema is created in ``schema``, and is looked up there first.  ``extensions``
    have a separate namespace: an object may have the name of an extension.
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
        """This catalog without the object of that full name, if it has one."""
        return replace(self, objects={k: v for k, v in self.objects.items() if k != name})

    def find(self, name: QualifiedName) -> CatalogObject | None:
        """The object called ``name`` in the current schema, else by its full name; None: none."""
        return self.objects.get(self.schema + name) or self.objects.get(name)


def row_type_of(relation: Table | Stream) -> RowType:
    """The columns of a table or stream as a row type."""
    return tuple(Field(each.name, each.type) for each in relation.columns)
