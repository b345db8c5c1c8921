"""What is fuzzed: functions of bytes, each with seeds, that raise nothing for any bytes.

A target takes the errors that its function documents; any other exception is a finding.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import rowtime
from algebra.catalog import Column, Profile
from algebra.patterns import PatternError, similar_pattern
from algebra.prepare import prepare
from algebra.records.changing.debezium import change_batches
from algebra.records.csv_fields import Dialect, TimeForm
from algebra.records.csv_files import csv_batches
from algebra.records.discovery.declaration import declaration, found_files
from algebra.records.json_lines import json_batches
from algebra.records.opening import FileError
from algebra.records.parquet import parquet_batches
from algebra.types import Kind, Type, decimal
from grammar.formatting.layout import layout
from grammar.parse import parse_expression, parse_script
from grammar.source import SqlError
from reference.scalar.patterns import similar
from rowtime.inputs import connection_to
from spark_backend.stream.codec import decoded, encoded
from spark_backend.stream.state import PipelineState
from tests.fuzz import kit

ROOT: Final = Path(__file__).parents[2]
DDL: Final = """\
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER, b DECIMAL(10, 2), t VARCHAR(20))
  WITH HISTORY;
CREATE TABLE T (a INTEGER, d DATE, x DOUBLE);
"""
COLUMNS: Final = tuple(
    Column(name, type)
    for name, type in (
        ("ROWTIME", Type(Kind.TIMESTAMP, 3)),
        ("A", Type(Kind.INTEGER)),
        ("B", decimal(10, 2)),
        ("T", Type(Kind.VARCHAR)),
        ("X", Type(Kind.DOUBLE)),
        ("F", Type(Kind.BOOLEAN)),
        ("V", Type(Kind.VARBINARY)),
    )
)


@dataclass(frozen=True, slots=True)
class Target:
    """A function of bytes that must raise nothing, and the bytes from which others are made."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


# --- SQL ----------------------------------------------------------------------------------------


def parser(data: bytes) -> None:
    """Lexer and parser, and the layout of what was parsed; other bytes are halves of pairs."""
    text = data.decode("utf-8", "surrogateescape")
    for parse in (parse_script, parse_expression, layout):
        with suppress(SqlError):
            parse(text)


def binder(data: bytes) -> None:
    """Scripts and queries, bound."""
    text = _text(data)
    with suppress(SqlError):
        prepare(DDL, text, Profile.CALCITE)
    with suppress(SqlError):
        prepare(DDL + text, None, Profile.SQLSTREAM)


def patterns(data: bytes) -> None:
    """A pattern of SIMILAR TO, and a text of hundreds of characters for it."""
    text = _text(data)
    with suppress(PatternError):
        similar_pattern(text, "!")
    with suppress(SqlError):
        similar("ab1" * 100 + text, text, "!")


@cache
def _queries() -> Sequence[bytes]:
    """Queries of the kit that stand on a line."""
    texts = [path.read_bytes() for path in sorted((ROOT / "tck/cases").rglob("*.yaml"))]
    return re.findall(rb"^  sql: (SELECT .*)$", b"\n".join(texts), re.MULTILINE)[::4]


# --- files --------------------------------------------------------------------------------------


def _in_file(data: bytes, read: Callable[[Path], object], name: str = "data") -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        read(path)


def csv_file(data: bytes) -> None:
    """A CSV file."""
    dialect = Dialect(data[:1] != b"-", ",", "")
    with suppress(FileError):
        _in_file(data, lambda path: list(csv_batches(path, COLUMNS, dialect, most=100)))


def json_file(data: bytes) -> None:
    """A file with a JSON object a line."""
    with suppress(FileError):
        _in_file(data, lambda path: list(json_batches(path, COLUMNS, most=100)))


def found_file(data: bytes) -> None:
    """A file of CSV or JSON that no declaration describes."""
    name = "data.csv" if data[:1] != b"{" else "data.jsonl"

    def find(path: Path) -> None:
        declaration("T", found_files(connection_to("T", str(path)), {}))

    with suppress(FileError):
        _in_file(data, find, name)


def debezium_file(data: bytes) -> None:
    """A file of changes in the format of Debezium."""
    with suppress(FileError):
        _in_file(data, lambda path: list(change_batches(path, COLUMNS, [1], TimeForm(), 100)))


def parquet_file(data: bytes) -> None:
    """A Parquet file."""
    with suppress(FileError):
        _in_file(data, lambda path: list(parquet_batches(path, COLUMNS)))


def _parquet() -> Sequence[bytes]:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    numbers = [0.5, float("nan"), 1e308]
    table = arrow.table({"a": [1, None, 3], "t": ["x", "", None], "x": numbers})
    with TemporaryDirectory() as folder:
        parquet.write_table(table, f"{folder}/a.parquet")
        return [Path(f"{folder}/a.parquet").read_bytes()]


# --- parameters, databases, checkpoints ---------------------------------------------------------


def parameters(data: bytes) -> None:
    """Parameters of statements: JSON values, texts and bytes."""
    text = _text(data)
    values: list[object] = [text, data, text[:3], len(data), float(len(data)) * 1e305]
    with suppress(ValueError, RecursionError):
        values.append(json.loads(text))
    with rowtime.connect() as db:
        db.executescript(DDL)
        for value in values:
            for sql in (
                "INSERT INTO T VALUES (?, NULL, NULL)",
                "INSERT INTO T (d) VALUES (?)",
                "INSERT INTO S VALUES (?, 1, ?, ?)",
                "SELECT CAST(? AS VARCHAR) FROM T",
                text[:200],
            ):
                with suppress(rowtime.Error):
                    db.execute(sql, (value,) * sql.count("?")).fetch_available()  # type: ignore[arg-type]


def database(data: bytes) -> None:
    """A database file: any bytes, and events of any text in a file that is sound."""
    with suppress(rowtime.Error):
        _in_file(data, lambda path: rowtime.connect(path).close())
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sound.db"
        path.write_bytes(_database()[0])
        with closing(sqlite3.connect(path)) as file, file:
            (count,) = file.execute("SELECT COUNT(*) FROM event").fetchone()
            changed = data[0] % count + 1 if data else 1
            sql = "UPDATE event SET body = ? WHERE number = ?"
            file.execute(sql, (_text(data[1:]), changed))
        with suppress(rowtime.Error):
            rowtime.connect(path).close()


@cache
def _database() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        with rowtime.connect(path) as db:
            db.executescript(DDL)
            db.execute("INSERT INTO T VALUES (1, DATE '2026-01-01', 0.5)")
            db.execute("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 00:00:00', 1, 2.5, 'x')")
        return [path.read_bytes()]


def _events() -> Sequence[bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        path.write_bytes(_database()[0])
        with closing(sqlite3.connect(path)) as file:
            bodies = file.execute("SELECT number - 1, body FROM event").fetchall()
    return [bytes([number]) + body.encode() for number, body in bodies] + list(_database())


def checkpoint(data: bytes) -> None:
    """The state of a checkpoint, as it is read once its checksum was right."""
    with suppress(ValueError, RecursionError):  # of which the reader says that it is damaged
        decoded(PipelineState, json.loads(_text(data)))


def _states() -> Sequence[bytes]:
    stored = ROOT / "tests/spark_backend/stream/pipeline/state-of-format-4.json"
    state = decoded(PipelineState, json.loads(stored.read_text("utf-8"))["words"])
    return [json.dumps(encoded(state)).encode()]


TARGETS: Final[dict[str, Target]] = {
    "parser": Target(parser, _queries),
    "binder": Target(binder, _queries),
    "patterns": Target(patterns, lambda: [b"(a|b)*[^a-c]{2,3}", b"%a_![!!", b"[[:ALPHA:]^x]+"]),
    "case_file": Target(kit.case_file, kit.case_files),
    "csv_file": Target(
        csv_file,
        lambda: [b'rowtime,a,b,t,x,f,v\n2026-01-01 00:00:00,1,2.50,"x""y",1e5,true,0A\n'],
    ),
    "json_file": Target(
        json_file,
        lambda: [b'{"rowtime": "2026-01-01 00:00:00", "a": 1, "b": "2.5", "t": "x", "x": 1e5}\n'],
    ),
    "found_file": Target(
        found_file,
        lambda: [
            b'a;b;c\n1;NA;2026-01-01T00:00:00Z\n2;2.5;"x""y"\n',
            b'{"a": 1, "b": "2026-01-01", "c": [1, {"d": null}]}\n{"a": 1e5, "b": true}\n',
        ],
    ),
    "debezium_file": Target(
        debezium_file,
        lambda: [
            b'{"op": "u", "before": {"a": 1, "t": "x"}, "after": {"a": 1, "b": "2.5"}}\n',
            b'{"schema": {}, "payload": {"op": "d", "before": {"a": 1}, "after": null}}\nnull\n',
        ],
    ),
    "parquet_file": Target(parquet_file, _parquet),
    "message": Target(
        kit.message,
        lambda: [
            b'{"seq": 1, "request": "start", "profile": "calcite", "most_rows": 5}',
            b'{"seq": 2, "answer": "output", "rows": [["a", 1, null]], "bound": null}',
        ],
    ),
    "parameters": Target(
        parameters, lambda: [b"2026-01-01", b"1e400", b'[1, "x"]', b"SELECT ? FROM T", b"-0"]
    ),
    "database": Target(database, _events),
    "checkpoint": Target(checkpoint, _states),
    "unit_test": Target(kit.unit_test, kit.unit_tests),
    "run_file": Target(kit.run_file, kit.run_files),
}
