"""The catalog: what names stand for, as CREATE declared it (S-301)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from algebra.expression import Expression
from algebra.foreign import Connection
from algebra.types import Field, RowType, Type
from grammar.statement import CreateFunction, CreatePump, CreateView

#: A qualified name after folding, outermost part first: ``("SALES", "ORDERS")``.
QualifiedName: TypeAlias = tuple[str, ...]


class Profile(StrEnum):
    """The two readings of the language (S-701).

    Defines: S-701.a
    """

    CALCITE = "calcite"
    SQLSTREAM = "sqlstream"


@dataclass(frozen=True, slots=True)
class Ordering:
    """The declared order of a column.

    At most one of ``slack`` (the greatest disorder in the column's own unit: milliseconds of a
    TIMESTAMP, days of a DATE, units of a number), ``rows`` (k-sorted) and ``punctuated`` is set.
    """

    descending: bool = False
    strict: bool = False
    slack: int | None = None
    rows: int | None = None
    punctuated: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column; ``default`` is used by INSERT where no value is given.

    An ``implicit`` one is the ROWTIME of profile sqlstream: ``*`` and an INSERT without a column
    list leave it out (S-311, EXT-031).
    """

    name: str
    type: Type
    ordering: Ordering | None = None
    default: Expression | None = None
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    ``checks`` are conditions over its columns: a row where one is false is refused.  ``period`` are
    the places of the two columns, closed at both ends, in which a row is valid (S-508).
    """

    name: QualifiedName
    columns: tuple[Column, ...]
    primary_key: tuple[int, ...] = ()
    checks: tuple[Expression, ...] = ()
    period: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class History:
    """How much of a stream can be read again: ``millis`` back from its clock, None: all."""

    millis: int | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream; with a ``history`` it is a table, too.

    ``connection``: of a foreign stream whose OPTIONS say where its rows are (S-607).

    Defines: S-301.a
    """

    name: QualifiedName
    columns: tuple[Column, ...]
    checks: tuple[Expression, ...] = ()
    history: History | None = None
    foreign: bool = False
    connection: Connection | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A view: its statement, and the text its spans count in."""

    name: QualifiedName
    statement: CreateView
    sql: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function that stands for an expression."""

    name: QualifiedName
    statement: CreateFunction
    sql: str


@dataclass(frozen=True, slots=True)
class Pump:
    """A named standing statement, started or stopped (S-605).

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


@dataclass(frozen=True, slots=True)
class Catalog:
    """All objects by name, in the order of their creation; a change is a new catalog."""

    objects: Mapping[QualifiedName, CatalogObject] = field(
        default_factory=dict[QualifiedName, CatalogObject]
    )
    schema: QualifiedName = ()

    def with_object(self, each: CatalogObject) -> "Catalog":
        """This catalog, with ``each`` in place of what has its name."""
        return replace(self, objects={**self.objects, each.name: each})

    def without(self, name: QualifiedName) -> "Catalog":
        """This catalog, without the object of that name."""
        return replace(self, objects={k: v for k, v in self.objects.items() if k != name})

    def find(self, name: QualifiedName) -> CatalogObject | None:
        """The object that ``name`` stands for: in the current schema first, then from the root."""
        return self.objects.get(self.schema + name) or self.objects.get(name)


def row_type_of(relation: Table | Stream) -> RowType:
    """The columns of a table or stream as a row type."""
    return tuple(Field(each.name, each.type) for each in relation.columns)
