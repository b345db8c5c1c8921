"""An adapter for Harlequin, the SQL IDE for terminals: `harlequin -a rowtime [FILE.db]`.

rowtime does not depend on Harlequin.  If Harlequin is installed, it finds this module by an entry
point.
"""

# Harlequin is not installed for the type check: there are only our stubs of it, in .ci/stubs.
# pyright: reportMissingModuleSource=false

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from harlequin.adapter import HarlequinAdapter, HarlequinConnection, HarlequinCursor
from harlequin.catalog import Catalog, CatalogItem
from harlequin.exception import (
    HarlequinConfigError,
    HarlequinConnectionError,
    HarlequinQueryError,
)

from algebra.catalog import Column, Function, Pump, QualifiedName, Stream, Table, View
from algebra.types import Kind
from grammar.names import delimited
from rowtime.driver.connection import Connection, connect
from rowtime.driver.cursor import Cursor
from rowtime.driver.errors import Error
from rowtime.driver.values import Python

#: The label that Harlequin shows for a column, by the kind of its type; for all other kinds, the
#: label is that of texts.
_LABELS: Final = {
    Kind.BOOLEAN: "t/f",
    Kind.TINYINT: "#",
    Kind.SMALLINT: "#",
    Kind.INTEGER: "#",
    Kind.BIGINT: "##",
    Kind.DECIMAL: "#.#",
    Kind.REAL: "#.#",
    Kind.DOUBLE: "#.#",
    Kind.DATE: "d",
    Kind.TIME: "t",
    Kind.TIMESTAMP: "ts",
    Kind.MILLIS: "|-|",
    Kind.MONTHS: "|-|",
    Kind.VARBINARY: "b",
}


class RowtimeCursor(HarlequinCursor):
    """The rows of a result.

    A streaming query has no last row.  So the cursor returns the rows that the query has emitted
    when Harlequin fetches the result, and then ends the query.
    """

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._described = cursor.description or ()
        self._limit: int | None = None

    def columns(self) -> list[tuple[str, str]]:
        """The names of the columns, and labels of their types."""
        return [(each[0], _LABELS.get(each[1].kind, "s")) for each in self._described]

    def set_limit(self, limit: int) -> "RowtimeCursor":
        """Limit the number of rows that are shown."""
        self._limit = limit
        return self

    def fetchall(self) -> Sequence[Sequence[Python]] | None:
        """The available rows, at most the limit; None if there are none.  The cursor is closed."""
        cursor = self._cursor
        try:
            rows = cursor.fetch_available() if cursor.is_streaming else cursor.fetchall()
        except Error as error:
            raise HarlequinQueryError(str(error), title="The query has failed") from error
        finally:
            cursor.close()
        return rows[: self._limit] or None


class RowtimeConnection(HarlequinConnection):
    """A connection to a database of streams and tables."""

    def __init__(self, connection: Connection, init_message: str = "") -> None:
        self.init_message = init_message
        self._connection = connection

    def execute(self, query: str) -> RowtimeCursor | None:
        """Execute a statement; return its result, or None if it has none.

        The producer of an INSERT into a stream is closed after the statement.
        """
        try:
            cursor = self._connection.execute(query)
        except Error as error:
            raise HarlequinQueryError(str(error), title="The statement is refused") from error
        if cursor.description is not None:
            return RowtimeCursor(cursor)
        cursor.close()
        return None

    def get_catalog(self) -> Catalog:
        """All objects, sorted by their names; the objects of a schema are its children."""
        schemas: dict[QualifiedName, CatalogItem] = {}
        top: list[CatalogItem] = []
        for name, each in sorted(self._connection.catalog.objects.items()):
            found = _item(name, each)
            if found is None:
                continue
            siblings = top
            for depth in range(1, len(name)):
                schema = name[:depth]
                if schema not in schemas:
                    schemas[schema] = _named(schema, "sch")
                    siblings.append(schemas[schema])
                siblings = schemas[schema].children
            siblings.append(found)
        return Catalog(items=top)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


class RowtimeAdapter(HarlequinAdapter):
    """Databases of streams and tables, in memory or in a file."""

    def __init__(self, conn_str: Sequence[str], **_options: Any) -> None:
        if len(conn_str) > 1:
            raise HarlequinConfigError("rowtime opens one file", title="Too many arguments")
        self._path = Path(conn_str[0]) if conn_str and conn_str[0] != ":memory:" else None

    @property
    def connection_id(self) -> str:
        """A name by which Harlequin remembers the connection; empty for a database in memory."""
        return "" if self._path is None else str(self._path.resolve())

    def connect(self) -> RowtimeConnection:
        """A connection to the file, or to a database in memory."""
        try:
            connection = connect(self._path)
        except Error as error:
            raise HarlequinConnectionError(str(error), title="The file cannot be opened") from error
        return RowtimeConnection(connection)


# --- the catalog --------------------------------------------------------------------------------


def _item(name: QualifiedName, of: object) -> CatalogItem | None:
    """An object of the catalog, with its columns; None for a schema."""
    match of:
        case Stream(_, columns):
            return _named(name, "str", [_column(name, each) for each in columns])
        case Table(_, columns):
            return _named(name, "t", [_column(name, each) for each in columns])
        case View():
            return _named(name, "v")
        case Pump():
            return _named(name, "p")
        case Function():
            return _named(name, "f")
        case _:
            return None


def _named(name: QualifiedName, label: str, children: Sequence[CatalogItem] = ()) -> CatalogItem:
    """The item of a schema or object; ``label`` is the label of its kind."""
    text = ".".join(map(delimited, name))
    return CatalogItem(text, text, name[-1], label, list(children))


def _column(of: QualifiedName, column: Column) -> CatalogItem:
    """The item of a column of the object ``of``."""
    text = ".".join(map(delimited, (*of, column.name)))
    label = _LABELS.get(column.type.kind, "s")
    return CatalogItem(text, delimited(column.name), column.name, label, [], str(column.type))
