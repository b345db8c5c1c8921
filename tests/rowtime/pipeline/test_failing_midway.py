"""What is written of a query that fails in the middle: the same rows in every format."""

import csv
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rowtime.cli import app
from tests.rowtime.pipelines import rowtime

#: The row of this number divides by zero.
_FAULT = 25_000
_COLUMNS = "(rowtime TIMESTAMP(3) NOT NULL ASCENDING, q INTEGER)"
_SINKS = {
    "c": "path 'c.csv'",
    "j": "path 'j.json'",
    "p": "path 'p.parquet'",
    "o": "format 'console'",
}


def _input(folder: Path) -> list[tuple[str, int]]:
    """Write a file of 30,000 rows, of which one makes the query fail; the results before it."""
    times = [f"2026-01-01 10:{n // 3600:02}:{n // 60 % 60:02}" for n in range(30_000)]
    values = [0 if n == _FAULT else n % 9 + 1 for n in range(30_000)]
    lines = [f"{time},{value}\n" for time, value in zip(times, values, strict=True)]
    (folder / "s.csv").write_text("rowtime,a\n" + "".join(lines))
    return [(times[n], 10 // values[n]) for n in range(_FAULT)]


def test_all_sinks_of_a_pipeline_have_the_rows_that_the_message_says(folder: Path) -> None:
    right = _input(folder)
    foreign = "".join(
        f"CREATE FOREIGN STREAM {name} {_COLUMNS} OPTIONS ({options});\n"
        f"INSERT INTO {name} SELECT STREAM rowtime, 10 / a FROM s;\n"
        for name, options in _SINKS.items()
    )
    result = rowtime(
        "CREATE FOREIGN STREAM s (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER) "
        f"OPTIONS (path 's.csv');\n{foreign}",
        "--trigger=1ms",  # a commit after each batch: the file is read in less than a second
    )
    assert result.exit_code == 1
    assert "DIVISION_BY_ZERO: division by zero" in result.stderr
    with (folder / "c.csv").open() as file:
        of_csv = [(time, int(q)) for time, q in list(csv.reader(file))[1:]]
    records = [json.loads(line) for line in (folder / "j.json").read_text().splitlines()]
    of_json = [(record["ROWTIME"], record["Q"]) for record in records]
    arrow: Any = import_module("pyarrow.parquet")  # Any: it has no types
    table: list[dict[str, Any]] = arrow.read_table(folder / "p.parquet").to_pylist()
    of_parquet = [(str(row["ROWTIME"])[:19], row["Q"]) for row in table]
    of_console = [(t, int(q)) for t, q in list(csv.reader(result.stdout.splitlines()))[1:]]
    count = len(of_csv)
    assert 0 < count <= _FAULT
    assert of_csv == of_json == of_parquet == of_console == right[:count]
    files = ("c.csv", "j.json", "p.parquet", "console")
    written = "; ".join(f"{count:,} rows in {name}" for name in files)
    assert result.stderr.splitlines()[-1] == written


@pytest.mark.parametrize("format", ["table", "csv", "json"])
@pytest.mark.parametrize("to_file", [False, True])
def test_a_query_on_files_writes_all_or_nothing(folder: Path, format: str, to_file: bool) -> None:
    _input(folder)
    (folder / "s.sql").write_text(
        "CREATE STREAM s (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)"
    )
    query = "SELECT STREAM rowtime, 10 / a FROM s"
    options = ["--ddl", "s.sql", "--data", "S=s.csv", "--format", format]
    result = CliRunner().invoke(app, ["run", *options, *["-o", "out"] * to_file, query])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "DIVISION_BY_ZERO: division by zero" in result.stderr
    assert not (folder / "out").exists()


@pytest.mark.parametrize("kilobytes", [0, 1])
def test_a_full_disk_leaves_no_file_beside_a_sink(folder: Path, kilobytes: int) -> None:
    """Neither a file that cannot begin nor one that cannot grow, and the message names the sink."""
    lines = [f"2026-01-01 10:{n // 60:02}:{n % 60:02},{n}\n" for n in range(600)]
    (folder / "s.csv").write_text("rowtime,a\n" + "".join(lines))
    sink = "y.parquet"  # Arrow writes it, and names no file in its errors
    (folder / sink).write_text("as it was")
    (folder / "p.sql").write_text(
        f"CREATE FOREIGN STREAM X {_COLUMNS} OPTIONS (path 's.csv');"
        f"CREATE FOREIGN STREAM Y {_COLUMNS} OPTIONS (path '{sink}');"
        "INSERT INTO Y SELECT STREAM rowtime, a AS q FROM X;".replace("q INTEGER", "a INTEGER", 1)
    )
    before = set(folder.iterdir())
    command = f'ulimit -f {2 * kilobytes}; exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-m", "rowtime", "run", "p.sql", "--once"],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # Python would cut its compiled modules
        capture_output=True,
        text=True,
        check=False,
    )
    message = f"{sink}: File too large\nnothing was written\n"
    assert (done.returncode, done.stdout, done.stderr[-len(message) :]) == (1, "", message)
    assert set(folder.iterdir()) == before
    assert (folder / sink).read_text() == "as it was"
