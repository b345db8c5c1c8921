"""DuckDB as a backend of the kit."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Final

import duckdb

from algebra.types import Kind, Type
from algebra.wire import from_wire
from engines.dialect.statements import StatementPrinter
from engines.duckdb.gaps import GAPS
from engines.duckdb.printer import DuckdbPrinter
from engines.harness.database import Database, DatabaseBackend, DatabaseError, wire_float
from engines.harness.spellings import read_spellings
from tck.protocol import Hello, Wire, WireRow

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")
#: DuckDB's names of types that the kit calls otherwise; the others are the same.
NAMES: Final = {
    "BLOB": "VARBINARY",
    "FLOAT": "REAL",
    "HUGEINT": "DECIMAL(38, 0)",
    "TIMESTAMP_MS": "TIMESTAMP(3)",
    "TIMESTAMP": "TIMESTAMP(3)",
    "TIMESTAMP_S": "TIMESTAMP(3)",
    '"NULL"': "ANY",
}


class DuckdbDatabase(Database):
    """A database in memory, of one thread, so that a run can be repeated."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(config={"threads": 1})

    def run(self, sql: str) -> None:
        """Run a statement."""
        self._execute(sql)

    def insert(self, sql: str, rows: Sequence[WireRow], types: Sequence[Type]) -> None:
        """Insert rows; DuckDB reads texts by the types of the columns."""
        try:
            for row in rows:
                stored = [stored_value(v, t) for v, t in zip(row, types, strict=True)]
                self._connection.execute(sql, stored)
        except duckdb.Error as error:
            raise failure(error) from error

    def columns(self, sql: str, types: Sequence[Type]) -> Sequence[str]:
        """The types by DESCRIBE."""
        found = [str(row[1]) for row in self._execute(f"DESCRIBE {sql}")]
        return [type_of(name, type) for name, type in zip(found, types, strict=True)]

    def rows(self, sql: str, types: Sequence[Type]) -> Iterable[Sequence[Wire]]:
        """The rows by DuckDB's Python interface."""
        for row in self._execute(sql):
            yield [read_value(value, type) for value, type in zip(row, types, strict=True)]

    def close(self) -> None:
        """Discard the database."""
        self._connection.close()

    def _execute(self, sql: str) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except duckdb.Error as error:
            raise failure(error) from error


def failure(error: duckdb.Error) -> DatabaseError:
    """DuckDB's error with the name of its class, as ``ConversionException``."""
    return DatabaseError(type(error).__name__, str(error))


def type_of(name: str, type: Type) -> str:
    """The kit's name of a type; an INTERVAL, which has no fields, is one of months or seconds."""
    if name == "INTERVAL":
        return "INTERVAL MONTH" if type.kind is Kind.MONTHS else "INTERVAL SECOND"
    if name.startswith("DECIMAL"):
        return name.replace(",", ", ")
    return NAMES.get(name, name)


def stored_value(value: Wire, type: Type) -> object:
    """A value of the wire as DuckDB's Python interface takes it."""
    match type.kind, value:
        case Kind.VARBINARY, str():
            return bytes.fromhex(value)
        case ((Kind.DOUBLE | Kind.REAL), str()):
            return float(value)
        case Kind.MILLIS, str():
            return f"{from_wire(type, value)!s} milliseconds"
        case Kind.MONTHS, str():
            return f"{from_wire(type, value)!s} months"
        case _:
            return value


def read_value(value: object, type: Type) -> Wire:
    """A value of DuckDB's Python interface on the wire; the printer has made intervals numbers."""
    match value:
        case int() if type.kind is Kind.MILLIS:
            return f"{Decimal(value) / 1000:f}"
        case int() if type.kind is Kind.MONTHS:
            return str(value)
        case float():
            return wire_float(value)
        case datetime():
            return f"{value.year:04}-{value:%m-%d %H:%M:%S}{fraction(value.microsecond)}"
        case date():
            return value.isoformat()
        case time():
            return f"{value:%H:%M:%S}{fraction(value.microsecond)}"
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex().upper()
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


def fraction(micros: int) -> str:
    """The milliseconds after a time, if there are any."""
    return f".{micros // 1000:03}" if micros // 1000 else ""


class DuckdbBackend(DatabaseBackend):
    """DuckDB as a library."""

    def __init__(self) -> None:
        super().__init__(read_spellings(SPELLINGS))

    def start(self) -> Hello:
        """The version of the library."""
        return Hello("duckdb", duckdb.__version__, "C++", "final", ("calcite",), GAPS)

    def printer(self) -> StatementPrinter:
        """DuckDB's."""
        return DuckdbPrinter()

    def connect(self) -> Database:
        """A database in memory."""
        return DuckdbDatabase()
