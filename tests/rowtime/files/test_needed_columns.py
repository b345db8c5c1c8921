"""A value that is not one of its column is refused, also if nothing reads the column (S-613.k)."""

import csv
import json
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from tests.rowtime.files.entrances import REFUSED, command
from tests.rowtime.files.test_kinds import VALUES

pytestmark = pytest.mark.usefixtures("folder")

TIME: Final = "2026-01-01 00:00:00"


def _csv(value: object) -> str:
    with Path("x.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["rowtime", "v"], [TIME, value]])
    return "x.csv"


def _quoted_csv(value: object) -> str:
    field = "" if value is None else f'"{value}"'
    Path("x.csv").write_text(f"rowtime,v\n{TIME},{field}\n")
    return "x.csv"


def _parquet(value: object) -> str:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"rowtime": [TIME], "v": [value]}), "x.parquet")
    return "x.parquet"


def _json(value: object) -> str:
    Path("x.json").write_text(json.dumps({"rowtime": TIME, "v": value}))
    return "x.json"


FILES: Final[dict[str, Callable[[object], str]]] = {
    "csv": _csv,
    "csv with quotes": _quoted_csv,
    "json": _json,
    "parquet": _parquet,
}


def _run(type: str, file: str, columns: str) -> tuple[int, str]:
    Path("x.sql").write_text(f"CREATE STREAM X (rowtime TIMESTAMP(3) ASCENDING, v {type});")
    query = f"SELECT STREAM {columns} FROM X"
    result = command("run", "--ddl", "x.sql", "--data", f"X={file}", query, "--format", "json")
    return result.exit_code, result.stderr


def _pipeline(type: str, file: str, columns: str) -> tuple[int, str]:
    declared = f"(rowtime TIMESTAMP(3) ASCENDING, v {type})"
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {declared} OPTIONS (path '{file}');"
        f"CREATE FOREIGN STREAM Y {declared if columns == '*' else '(rowtime TIMESTAMP ASCENDING)'}"
        " OPTIONS (path 'y.json');"
        f"INSERT INTO Y SELECT STREAM {columns} FROM X;"
    )
    result = command("run", "p.sql", "--once")
    return result.exit_code, result.stderr


@pytest.mark.parametrize(("file", "kind"), list(product(FILES, VALUES)))
def test_a_value_is_refused_whether_or_not_it_is_needed(file: str, kind: str) -> None:
    type, value, expected = VALUES[kind]
    path = FILES[file](value)
    for run in (_run, _pipeline):
        whole, errors = run(type, path, "*")
        assert run(type, path, "rowtime") == (whole, errors)
        assert bool(whole) == (expected == REFUSED)
