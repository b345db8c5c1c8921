"""chDB as a backend of the kit, in an environment and a process of its own."""

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NotRequired, TypedDict

from algebra.types import Kind, Type
from engines.chdb.gaps import GAPS
from engines.chdb.printer import ChdbPrinter
from engines.dialect.statements import StatementPrinter
from engines.harness.database import Database, DatabaseBackend, DatabaseError, wire_float
from engines.harness.spellings import read_spellings
from tck.protocol import Hello, Wire, WireRow

FOLDER: Final = Path(__file__).parent
PYTHON: Final = FOLDER.parent.parent / "build/engines/chdb/bin/python"
#: The settings by which ClickHouse follows the standard, according to its documentation.
SETTINGS: Final = (
    "SET join_use_nulls = 1, group_by_use_nulls = 1, aggregate_functions_null_for_empty = 1,"
    " union_default_mode = 'DISTINCT', intersect_default_mode = 'DISTINCT',"
    " except_default_mode = 'DISTINCT', transform_null_in = 0, cast_keep_nullable = 1,"
    " data_type_default_nullable = 1, default_table_engine = 'Memory', session_timezone = 'UTC',"
    " prefer_column_name_to_alias = 1, allow_experimental_correlated_subqueries = 1,"
    " enable_positional_arguments = 0, max_threads = 1,"
    " enable_extended_results_for_datetime_functions = 1,"
    " output_format_json_quote_64bit_integers = 0, output_format_json_quote_decimals = 1,"
    " output_format_json_quote_denormals = 1"
)
#: ClickHouse's names of types, without parameters, in the kit's words.
NAMES: Final = {
    "Bool": "BOOLEAN",
    "Float32": "REAL",
    "Float64": "DOUBLE",
    "String": "VARCHAR",
    "Date": "DATE",
    "Date32": "DATE",
    "DateTime": "TIMESTAMP(3)",
    "DateTime64": "TIMESTAMP(3)",
    "Nothing": "ANY",
}


class Answer(TypedDict):
    """An answer of the worker."""

    rows: list[list[Wire]]
    types: list[str]
    error: NotRequired[str]


class ChdbDatabase(Database):
    """The default database of a worker's ClickHouse, emptied for each case."""

    def __init__(self, worker: "subprocess.Popen[str]") -> None:
        self._worker = worker
        self._ask("DROP DATABASE IF EXISTS c", "CREATE DATABASE c", "USE c", SETTINGS)

    def run(self, sql: str) -> None:
        """Run a statement."""
        self._ask(sql)

    def insert(self, sql: str, rows: Sequence[WireRow], types: Sequence[Type]) -> None:
        """Insert rows as constants."""
        into, _, _ = sql.partition(" VALUES ")
        listed = ", ".join(
            f"({', '.join(constant(v, t) for v, t in zip(row, types, strict=True))})"
            for row in rows
        )
        if rows:
            self._ask(f"{into} VALUES {listed}")

    def columns(self, sql: str, types: Sequence[Type]) -> Sequence[str]:
        """The types by DESCRIBE."""
        found = [str(row[1]) for row in self._ask(f"DESCRIBE ({sql})")["rows"]]
        return [type_of(name, type) for name, type in zip(found, types, strict=True)]

    def rows(self, sql: str, types: Sequence[Type]) -> Iterable[Sequence[Wire]]:
        """The rows, which ClickHouse writes as texts."""
        for row in self._ask(sql)["rows"]:
            yield [read_value(value, type) for value, type in zip(row, types, strict=True)]

    def close(self) -> None:
        """Nothing: the next case drops what is there."""

    def _ask(self, *statements: str) -> Answer:
        assert self._worker.stdin is not None, "the worker is asked"
        assert self._worker.stdout is not None, "the worker answers"
        self._worker.stdin.write(json.dumps(statements) + "\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            raise RuntimeError("ClickHouse has ended the process")
        answer: Answer = json.loads(line)
        if "error" in answer:
            message = answer["error"].strip()
            code = message.rpartition("(")[2].rstrip(").") or "ERROR"
            raise DatabaseError(code, message)
        return answer


def constant(value: Wire, type: Type) -> str:
    """A value of the wire in an INSERT."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str() if type.kind is Kind.VARBINARY:
            return f"unhex('{value}')"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case _:
            return str(value)


def type_of(name: str, type: Type) -> str:
    """The kit's name of a type of ClickHouse: Nullable(Decimal(10, 2)) is DECIMAL(10, 2).

    A predicate is a UInt8 there, 0 or 1, and a binary value a text.
    """
    bare = name.removeprefix("Nullable(")
    bare = bare[:-1] if bare != name else bare
    if bare.startswith("Decimal"):
        return bare.upper()
    if bare == "UInt8" and type.kind is Kind.BOOLEAN:
        return "BOOLEAN"
    if type.kind is Kind.VARBINARY:
        return "VARBINARY"
    if bare.lstrip("U").startswith("Int"):
        return "BIGINT"
    return NAMES.get(bare.partition("(")[0], "ANY")


def read_value(value: Wire, type: Type) -> Wire:
    """A value that ClickHouse has written in JSON, by rowtime's type of its column."""
    match value:
        case int() if type.kind is Kind.BOOLEAN:
            return bool(value)
        case float():
            return wire_float(value)
        case str() if type.kind in (Kind.REAL, Kind.DOUBLE):
            return wire_float(float(value))
        case str() if type.kind is Kind.TIMESTAMP:
            return value.removesuffix(".000")
        case _:
            return value


class ChdbBackend(DatabaseBackend):
    """chDB, started once for all cases."""

    def __init__(self) -> None:
        super().__init__(read_spellings(FOLDER / "spellings.yaml"))
        self._worker: subprocess.Popen[str] | None = None

    def start(self) -> Hello:
        """The version that the requirements pin."""
        if not PYTHON.exists():
            raise RuntimeError("chDB has no environment yet: run make tck-chdb")
        self._worker = subprocess.Popen(
            [str(PYTHON), str(FOLDER / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        pin = (FOLDER / "requirements.txt").read_text(encoding="utf-8").strip()
        return Hello("chdb", pin.partition("==")[2], "C++", "final", ("calcite",), GAPS)

    def printer(self) -> StatementPrinter:
        """ClickHouse's."""
        return ChdbPrinter()

    def connect(self) -> Database:
        """The worker's database, emptied."""
        assert self._worker is not None, "started"
        return ChdbDatabase(self._worker)

    def stop(self) -> None:
        """End the worker."""
        super().stop()
        if self._worker is not None and self._worker.stdin is not None:
            self._worker.stdin.close()
            self._worker.wait()
