"""DuckDB as a backend of the kit."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import duckdb

from algebra.types import Kind, Type
from algebra.wire import from_wire
from engines.dialect.statements import StatementPrinter
from engines.duckdb.gaps import GAPS
from engines.duckdb.printer import DuckdbPrinter
from engines.harness.database import Database, DatabaseBackend, DatabaseError
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

    def columns(self, sql: str) -> Sequence[str]:
        """The types by DESCRIBE."""
        return [type_of(str(row[1])) for row in self._execute(f"DESCRIBE {sql}")]

    def rows(self, sql: str, types: Sequence[Type]) -> Iterable[Sequence[Wire]]:
        """The rows by DuckDB's Python interface."""
        del types
        for row in self._execute(sql):
            yield [read_value(value) for value in row]

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


def type_of(name: str) -> str:
    """The kit's name of a type; an INTERVAL, which has no fields, is one of seconds."""
    if name == "INTERVAL":
        return "INTERVAL SECOND"
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
            return timedelta(milliseconds=int(str(from_wire(type, value))))
        case _:
            return value


def read_value(value: object) -> Wire:
    """A value of DuckDB's Python interface on the wire."""
    match value:
        case datetime():
            return f"{value.year:04}-{value:%m-%d %H:%M:%S}{fraction(value.microsecond)}"
        case date():
            return value.isoformat()
        case time():
            return f"{value:%H:%M:%S}{fraction(value.microsecond)}"
        case timedelta():
            return f"{value / timedelta(seconds=1):.3f}".removesuffix(".000")
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex().upper()
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)


def fraction(micros: int) -> str:
    """The milliseconds behind a time, if there are any."""
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
