"""SQLite as a backend of the kit."""

import sqlite3
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from algebra.types import Kind, Type
from engines.dialect.statements import StatementPrinter
from engines.harness.database import Database, DatabaseBackend, DatabaseError, wire_float
from engines.harness.spellings import read_spellings
from engines.sqlite.gaps import GAPS
from engines.sqlite.printer import SqlitePrinter, with_millis
from tck.protocol import Hello, Wire, WireRow

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")


class SqliteDatabase(Database):
    """A database in memory."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def run(self, sql: str) -> None:
        """Run a statement."""
        self._execute(sql)

    def insert(self, sql: str, rows: Sequence[WireRow], types: Sequence[Type]) -> None:
        """Insert rows, each value in the form that `stored_value` gives it."""
        stored = [
            tuple(stored_value(value, type) for value, type in zip(row, types, strict=True))
            for row in rows
        ]
        try:
            self._connection.executemany(sql, stored)
        except sqlite3.Error as error:
            raise failure(error) from error

    def columns(self, sql: str, types: Sequence[Type]) -> Sequence[str]:
        """ANY for each: types belong to values."""
        self._execute(f"CREATE TEMP VIEW answer AS {sql}")
        return ["ANY" for _ in self._execute("PRAGMA table_xinfo(answer)")]

    def rows(self, sql: str, types: Sequence[Type]) -> Iterable[Sequence[Wire]]:
        """The rows; a value that SQLite has no type for is read as rowtime's type says."""
        for row in self._execute(sql):
            yield [read_value(value, type) for value, type in zip(row, types, strict=True)]

    def close(self) -> None:
        """Discard the database."""
        self._connection.close()

    def _execute(self, sql: str) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except sqlite3.Error as error:
            raise failure(error) from error


def failure(error: sqlite3.Error) -> DatabaseError:
    """SQLite's error with its name, as ``SQLITE_ERROR``."""
    return DatabaseError(getattr(error, "sqlite_errorname", "SQLITE_ERROR"), str(error))


def stored_value(value: Wire, type: Type) -> Wire | bytes:
    """A value of the wire as it is stored."""
    if type.kind is Kind.VARBINARY and isinstance(value, str):
        return bytes.fromhex(value)
    if type.kind in (Kind.REAL, Kind.DOUBLE) and isinstance(value, str):
        return float(value)  # NaN is stored as NULL
    if type.kind in (Kind.TIME, Kind.TIMESTAMP) and isinstance(value, str):
        return with_millis(value)
    return value


def read_value(value: object, type: Type) -> Wire:
    """A value of SQLite on the wire: a BOOLEAN is 0 or 1 there, an exact number may be a float."""
    match type.kind, value:
        case Kind.BOOLEAN, 0 | 1:
            return bool(value)
        case Kind.DECIMAL, float():
            return format(Decimal(repr(value)), "f")
        case ((Kind.TIME | Kind.TIMESTAMP), str()):
            return value.removesuffix(".000")
        case _, bytes():
            return value.hex().upper()
        case _, float():
            return wire_float(value)
        case _, None | bool() | int() | str():
            return value
        case _:
            raise AssertionError(f"SQLite has no {value!r}")


class SqliteBackend(DatabaseBackend):
    """SQLite of Python's own library."""

    def __init__(self) -> None:
        super().__init__(read_spellings(SPELLINGS))

    def start(self) -> Hello:
        """The version of the library."""
        return Hello("sqlite", sqlite3.sqlite_version, "C", "final", ("calcite",), GAPS)

    def printer(self) -> StatementPrinter:
        """SQLite's."""
        return SqlitePrinter()

    def connect(self) -> Database:
        """A database in memory."""
        return SqliteDatabase()
