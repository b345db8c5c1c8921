"""The three engines behind one question: the reference, DuckDB, SQLite."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

import duckdb

from algebra.catalog import Profile, Table
from algebra.plan import Plan
from algebra.prepare import prepare
from engines.duckdb.exact import MACROS, ExactDuckdbPrinter
from engines.sqlite.checks import FUNCTIONS
from engines.sqlite.exact import ExactSqlitePrinter
from reference.backend import ReferenceBackend
from tck.protocol import Accepted, Backend, End, Load, Open, Refused, Wire, WireRow
from tests.differential.printer import Printer
from tests.differential.queries import Question
from tests.differential.sqltypes import Kind, SqlType
from tests.differential.tree import types_of

#: A value that is compared: exact ones exactly, floats nearly; times as texts.
Answered = bool | int | float | Decimal | str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows in order; or the code of the error instead, OVERFLOW or DIVISION_BY_ZERO."""

    rows: tuple[tuple[Answered, ...], ...] = ()
    error: str | None = None


class RefusedError(Exception):
    """The reference refuses a query that is legal."""


def ask_reference(question: Question) -> Answer:
    """What the reference says."""
    return ask_backend(question, ReferenceBackend())


def ask_backend(question: Question, backend: Backend) -> Answer:
    """What a backend says; its types are asserted to be those of the tree."""
    printer = Printer()
    ddl = "\n".join(map(printer.ddl, question.tables))
    reply = backend.open(Open(ddl, printer.query(question.query)))
    if isinstance(reply, Refused):
        raise RefusedError(reply.rendered)
    assert isinstance(reply, Accepted), reply
    types = types_of(question.query)
    said = tuple(each.type.removesuffix(" NOT NULL") for each in reply.columns)
    assert tuple(map(plain, said)) == tuple(map(str, types)), (said, tuple(map(str, types)))
    for table in question.tables:
        backend.feed(Load(table.name, table.rows))
    backend.feed(End())
    output = backend.poll()
    backend.close()
    assert not output.late, output.late
    if output.error is not None:
        return Answer(error=output.error.code)
    return Answer(
        tuple(tuple(of_wire(v, t) for v, t in zip(row, types, strict=True)) for row in output.rows)
    )


def plain(type: str) -> str:
    """A type without what the tree does not know: the precision of a time, the length of a text."""
    word = type.partition("(")[0]
    return type if word == "DECIMAL" else word


def of_wire(value: Wire, type: SqlType) -> Answered:
    """A value of the wire as it is compared."""
    if isinstance(value, str):
        match type.kind:
            case Kind.DECIMAL:
                return Decimal(value)
            case Kind.DOUBLE:
                return float(value)
            case _:
                return value
    return value


def bound(question: Question) -> tuple[list[Table], Plan]:
    """The tables and the plan of a question, whose text is bound as the reference binds it."""
    printer = Printer()
    ddl = "\n".join(map(printer.ddl, question.tables))
    prepared = prepare(ddl, printer.query(question.query), Profile.CALCITE)
    assert prepared.query is not None
    tables = [each for each in prepared.catalog.objects.values() if isinstance(each, Table)]
    return tables, prepared.query


# --- DuckDB ---------------------------------------------------------------------------------------


#: What DuckDB says of an invalid input, and what it is.
_REPORTED: Final = {"OVERFLOW": "OVERFLOW", "Division by zero": "DIVISION_BY_ZERO"}


class DuckDB:
    """DuckDB in memory; each question has a schema of its own."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        # D-01: as rowtime has it where a query does not say.
        self.connection.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
        self.connection.execute(MACROS)

    def query(self, question: Question) -> str:
        """The question in DuckDB's dialect."""
        _, plan = bound(question)
        return ExactDuckdbPrinter().query(plan)

    def ask(self, question: Question, *, as_written: bool = False) -> Answer:
        """What DuckDB says; ``as_written``: of the text that rowtime is asked, which it binds."""
        tables, _ = bound(question)
        sql = Printer().query(question.query) if as_written else self.query(question)
        for table, catalogued in zip(question.tables, tables, strict=True):
            ddl = ExactDuckdbPrinter().create_table(catalogued)
            self.connection.execute(ddl.replace("CREATE", "CREATE OR REPLACE"))
            if table.rows:
                places = ", ".join("?" for _ in table.columns)
                self.connection.executemany(
                    f"INSERT INTO {table.name} VALUES ({places})", [list(r) for r in table.rows]
                )
        try:
            rows = self.connection.execute(sql).fetchall()
        except (duckdb.OutOfRangeException, duckdb.ConversionException):
            return Answer(error="OVERFLOW")
        except duckdb.InvalidInputException as error:
            for words, code in _REPORTED.items():
                if words in str(error):
                    return Answer(error=code)
            raise
        return Answer(tuple(tuple(map(of_duckdb, row)) for row in rows))


def of_duckdb(value: object) -> Answered:
    """A value of DuckDB's Python interface as it is compared."""
    if isinstance(value, datetime):
        millis = value.microsecond // 1000
        text = f"{value.year:04}-{value:%m-%d %H:%M:%S}"
        return f"{text}.{millis:03}" if millis else text
    if isinstance(value, date):
        return value.isoformat()
    assert value is None or isinstance(value, bool | int | float | Decimal | str), value
    return value


# --- SQLite ---------------------------------------------------------------------------------------


class SQLite:
    """SQLite in memory."""

    def query(self, question: Question) -> str:
        """The question in SQLite's dialect."""
        _, plan = bound(question)
        return ExactSqlitePrinter().query(plan)

    def ask(self, question: Question) -> Answer:
        """What SQLite says."""
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute("PRAGMA case_sensitive_like = ON")
            for name, width, function in FUNCTIONS:
                connection.create_function(name, width, function)
            tables, _ = bound(question)
            for table, catalogued in zip(question.tables, tables, strict=True):
                connection.execute(ExactSqlitePrinter().create_table(catalogued))
                places = ", ".join("?" for _ in table.columns)
                types = [type for _, type in table.columns]
                connection.executemany(
                    f"INSERT INTO {table.name} VALUES ({places})",
                    [to_sqlite(row, types) for row in table.rows],
                )
            try:
                rows = connection.execute(self.query(question)).fetchall()
            except sqlite3.OperationalError as error:
                text = str(error)
                if text in ("integer overflow", "user-defined function raised exception"):
                    return Answer(error="FAILED")
                raise
            types_ = types_of(question.query)
            return Answer(
                tuple(tuple(of_sqlite(v, t) for v, t in zip(r, types_, strict=True)) for r in rows)
            )
        finally:
            connection.close()


def to_sqlite(row: WireRow, types: Iterable[SqlType]) -> list[int | float | str | None]:
    """A row as SQLite stores it (D-20): a DECIMAL in its last digits, a time as text."""
    found: list[int | float | str | None] = []
    for value, type in zip(row, types, strict=True):
        if isinstance(value, str) and type.kind is Kind.DECIMAL:
            found.append(int(value.replace(".", "")))
        elif isinstance(value, str) and type.kind is Kind.TIMESTAMP:
            found.append(value if "." in value else f"{value}.000")
        else:
            found.append(value)
    return found


def of_sqlite(value: object, type: SqlType) -> Answered:
    """A value of SQLite as it is compared."""
    assert value is None or isinstance(value, int | float | str), value
    match type.kind, value:
        case Kind.BOOLEAN, int():
            return bool(value)
        case Kind.DECIMAL, int():
            return Decimal(value).scaleb(-type.scale)
        case Kind.TIMESTAMP, str():
            return value.removesuffix(".000")
        case _:
            return value
