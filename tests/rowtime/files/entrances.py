"""The entrances at which a value of a user comes in, and the value that a query finds there."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from typer.testing import CliRunner, Result

import rowtime
from reference.backend import ReferenceBackend
from rowtime.cli import app
from tck.protocol import Accepted, End, Load, Open

#: The answer of an entrance that refuses a value.
REFUSED: Final = "refused"


def command(*arguments: str, input: str | None = None) -> Result:
    """The result of a call of the command line, which must not be a traceback."""
    result = CliRunner().invoke(app, arguments, input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def _queried(type: str, *options: str, input: str | None = None) -> str:
    """The value of ``v`` in the only row of the table X, as JSON, or `REFUSED`."""
    Path("x.sql").write_text(f"CREATE TABLE X (v {type});")
    asked = ["run", "--ddl", "x.sql", *options, "--format", "json", "SELECT v FROM X"]
    result = command(*asked, input=input)
    if result.exit_code:
        assert result.exit_code == 1, result.stderr
        return REFUSED
    return shown(json.loads(result.stdout)["V"])


def shown(value: object) -> str:
    """A value on the wire as a text."""
    return json.dumps(value)


def _csv_text(value: object) -> str:
    return f"v\n{_field(value)}\n"


def _field(value: object) -> str:
    return "" if value is None else f'"{value}"'


def of_csv(type: str, value: object) -> str:
    """A field of a CSV file."""
    Path("x.csv").write_text(_csv_text(value))
    return _queried(type, "--data", "X=x.csv")


def of_standard_input(type: str, value: object) -> str:
    """A field of CSV on standard input."""
    return _queried(type, "--data", "X=-", input=_csv_text(value))


def of_json(type: str, value: object) -> str:
    """A member of an object of JSON."""
    Path("x.jsonl").write_text(json.dumps({"v": value}) + "\n")
    return _queried(type, "--data", "X=x.jsonl")


def of_parquet(type: str, value: object) -> str:
    """A value of a Parquet file, of the type that Arrow gives it."""
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"v": [value]}), "x.parquet")
    return _queried(type, "--data", "X=x.parquet")


def of_pipeline(type: str, value: object) -> str:
    """A field of a CSV file that a pipeline reads."""
    Path("x.csv").write_text(f"rowtime,v\n2026-01-01 00:00:00,{_field(value)}\n")
    return _piped(type, "path 'x.csv'")


def of_pipe(type: str, value: object) -> str:
    """A field of CSV in a named pipe, which a pipeline reads while it is written."""
    Path("x").unlink(missing_ok=True)
    os.mkfifo("x")
    text = f"rowtime,v\n2026-01-01 00:00:00,{_field(value)}\n"
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(Path("x").write_text, text)
        found = _piped(type, "path 'x', format 'csv'")
        written.result()
    return found


def _piped(type: str, options: str) -> str:
    """The value of ``v`` in the only row that a pipeline reads, as JSON, or `REFUSED`."""
    columns = f"(rowtime TIMESTAMP(3) ASCENDING, v {type})"
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X {columns} OPTIONS ({options});"
        f"CREATE FOREIGN STREAM Y {columns} OPTIONS (path 'y.json');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )
    result = command("run", "p.sql", "--trigger", "100ms")
    if result.exit_code:
        assert "BAD_ROW" in result.stderr
        return REFUSED
    return shown(json.loads(Path("y.json").read_text())["V"])


def of_import(type: str, value: object) -> str:
    """A field of a CSV file that the shell imports."""
    Path("x.csv").write_text(_csv_text(value))
    text = f"CREATE TABLE X (v {type});\n.import x.csv X\nSELECT v FROM X;\n"
    result = command("sql", "--format", "json", input=text)
    if result.exit_code:
        assert "BAD_ROW" in result.stderr
        return REFUSED
    return shown(json.loads(result.stdout.splitlines()[-1])["V"])


def of_driver(type: str, value: Any) -> str:  # Any: each trial has its own class
    """A parameter of a statement of the embedded engine."""
    with rowtime.connect() as db:
        db.execute(f"CREATE TABLE X (v {type})")
        try:
            db.execute("INSERT INTO X VALUES (?)", (value,))
        except (rowtime.DataError, rowtime.IntegrityError):
            return REFUSED
        ((found,),) = db.execute("SELECT CAST(v AS VARCHAR) FROM X").fetchall()
        return shown(found)


def of_case(type: str, value: Any) -> str:  # Any: each trial has its own class
    """A value of a case file."""
    backend = ReferenceBackend()
    accepted = backend.open(Open(f"CREATE TABLE X (v {type});", "SELECT v FROM X", "calcite"))
    assert isinstance(accepted, Accepted)
    backend.feed(Load("X", ((value,),)))
    backend.feed(End())
    output = backend.poll()
    return REFUSED if output.late else shown(output.rows[0][0])


#: All entrances of a value that is written as a text.
ENTRANCES: Final[dict[str, Callable[[str, Any], str]]] = {
    "csv": of_csv,
    "standard input": of_standard_input,
    "json": of_json,
    "parquet": of_parquet,
    "pipeline": of_pipeline,
    "named pipe": of_pipe,
    "import": of_import,
    "driver": of_driver,
    "case": of_case,
}
