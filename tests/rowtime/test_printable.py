"""Texts from outside in messages: no entrance prints one of their control characters.

Such a character could colour or clear a terminal, or hide a part of a name.
"""

import ast
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner

import rowtime
from rowtime.cli import app
from tck.wire.messages import Error

ROOT: Final = Path(__file__).parents[2]
#: Red on a terminal; then the mark that reverses a text.
RED: Final = "\x1b[31m\u202e"
SHOWN: Final = r"\x1b[31m\u202e"

FILES: Final = {
    f"{RED}.csv": "a\n1\n",
    "header.csv": f"a{RED},b\n1,2\n",
    "wrong.csv": f"units\n{RED}\n",
    "option.sql": f"CREATE FOREIGN STREAM s (x INTEGER) OPTIONS (path 'a', format 'c{RED}');",
    "name.sql": f"CREATE FOREIGN STREAM s (x INTEGER) OPTIONS (path 'a.csv', \"b{RED}\" 1);",
    "syntax.sql": f"SELECT STREAM {RED}",
    "wrong.test.yaml": f'tests: [{{name: "a{RED}", sqll: ""}}]'.replace(RED, r"\e[31m\u202e"),
    "failing.test.yaml": r"""
cases:
- {id: a, why: "\e[31m\u202e", sql: "SELECT 1 AS \"\e[31m\0\"", rows: [[2]]}
""",
    f"{RED}.sql": "SELECT STREAM",
    f"{RED}.test.yaml": "[",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", f"SELECT {RED}"],
        ["explain", f'SELECT * FROM "a{RED}"'],
        ["explain", f'SELECT "a{RED}" FROM Orders'],
        ["explain", f"SELECT '{RED}' + 1 FROM Orders"],
        ["explain", f"SELECT '{RED}' AS x FROM Orders"],
        ["explain", "--profile", RED, "SELECT * FROM Orders"],
        ["explain", "--ddl", "name.sql", "SELECT 1"],
        ["run", "option.sql", "--once"],
        ["run", "name.sql", "--once"],
        ["run", "syntax.sql", "--once"],
        ["run", f"{RED}.sql", "--once"],
        ["run", f"no{RED}.sql", "--once"],
        ["run", "option.sql", "--trigger", RED],
        ["run", "option.sql", "--conf", RED],
        ["run", "option.sql", "--root", RED],
        ["run", f"SELECT * FROM '{RED}.csv'"],
        ["run", f"SELECT * FROM 'no{RED}.csv'"],
        ["run", "SELECT * FROM 'header.csv'"],
        ["run", "--data", RED, "SELECT * FROM Orders"],
        ["run", "--data", f"Orders=no{RED}.csv", "SELECT * FROM Orders"],
        ["run", "--data", f"a{RED}=header.csv", "SELECT * FROM Orders"],
        ["run", "--data", f"Orders=header.csv OPTIONS ({RED})", "SELECT * FROM Orders"],
        ["run", "--data", "Products=wrong.csv", "SELECT * FROM Products"],
        ["run", "--now", RED, "SELECT 1"],
        ["run", "--times", RED, "SELECT 1"],
        ["run", "--backend", f"{RED}:X", "SELECT * FROM 'header.csv'"],
        ["run", "--backend", RED, "SELECT * FROM 'header.csv'"],
        ["run", "-o", f"no{RED}/a.csv", "SELECT * FROM 'header.csv'"],
        ["run", f"--{RED}", "SELECT 1"],
        ["run", "SELECT 1", f"a{RED}"],
        ["compare", "--backend", f"{RED}:X", "SELECT * FROM Orders"],
        ["trace", "--case", RED],
        ["trace", "--script", f"no{RED}"],
        ["fmt", f"{RED}.sql", "syntax.sql"],
        ["fmt", f"no{RED}.sql"],
        ["lint", f"{RED}.sql"],
        ["lint", "name.sql"],
        ["test", f"no{RED}"],
        ["test", "."],
        ["test", "failing.test.yaml"],
        ["describe", f"no{RED}.csv"],
        ["sql", f"no{RED}/a.db"],
        ["sql", "-c", f"SELECT {RED}"],
        ["sql", "-c", f"CREATE TABLE {RED}"],
        ["sql", "-c", f'CREATE TABLE T ("a{RED}" INTEGER)', "-c", "SELECT * FROM T", "-c", r"\d T"],
        ["sql", "-c", f'CREATE TABLE "a{RED}" (x INTEGER)', "-c", r"\d"],
        ["sql", "-c", f"\\i no{RED}"],
        ["sql", "-c", f"\\{RED}"],
        ["sql", "-c", f".import no{RED}.csv x"],
        ["sql", "-c", ".import header.csv x"],
        ["sql", "-c", f"VALUES (CAST('{RED}' AS INTEGER))"],
        ["tck", "run", "--backend", RED],
        ["tck", "run", "--backend", f"{RED}:X", "--only", "union/*"],
        ["tck", "run", "--only", RED, "--backend", "reference"],
        ["tck", "list", "--only", RED],
        ["tck", "list", "--cases", RED],
        ["tck", "diff", f"no{RED}", f"no{RED}"],
        ["tck", "report", f"no{RED}", "--output", "pages"],
        ["tck", "badge", f"no{RED}", "--output", "badge.svg"],
        ["tck", "example", RED],
        ["tck", "lint", "--cases", f"no{RED}"],
        ["tck", RED],
        [RED],
    ],
    ids=lambda each: " ".join(each).replace(RED, "~")[:60],
)
def test_no_command_prints_a_control_character_of_its_input(
    arguments: Sequence[str], tmp_path: Path
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    with chdir(tmp_path):
        done = CliRunner().invoke(app, list(arguments), color=True)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert not {each for each in done.output if not each.isprintable()} - {"\n"}, done.output


def test_the_text_is_shown_with_escapes(tmp_path: Path) -> None:
    """No part of a name is dropped, although the output is not a terminal."""
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["fmt", f"no{RED}.sql"])
    assert f"no{SHOWN}.sql: No such file" in done.stderr


def test_a_failing_test_shows_its_query_with_escapes(tmp_path: Path) -> None:
    (tmp_path / "failing.test.yaml").write_text(FILES["failing.test.yaml"], "utf-8")
    with chdir(tmp_path):
        done = CliRunner().invoke(app, ["test", "failing.test.yaml"])
    assert f"  {SHOWN}\n" in done.output
    assert '  | SELECT 1 AS "\\x1b[31m\\x00"\n' in done.output


def test_an_error_of_the_driver_is_printable(tmp_path: Path) -> None:
    with pytest.raises(rowtime.OperationalError, match="No such file") as of_file:
        rowtime.connect(tmp_path / RED / "a.db")
    assert f"{SHOWN}/a.db" in str(of_file.value)
    with rowtime.connect() as db:
        with pytest.raises(rowtime.ProgrammingError, match="UNKNOWN_OBJECT") as of_name:
            db.execute(f'SELECT * FROM "a{RED}\n"')
        assert rf"'a{SHOWN}\n'" in str(of_name.value)
        with pytest.raises(rowtime.ProgrammingError, match="there is no adapter") as of_adapter:
            db.attach(f"a{RED}", "S")
        assert SHOWN in str(of_adapter.value)


def test_an_error_in_the_protocol_is_printable() -> None:
    """Half of a surrogate pair, of a command line that is not UTF-8, is not JSON either."""
    error = Error("no module \udcff\n", (RED,))
    assert error == Error(r"no module \udcff\n", (SHOWN,))


def test_a_declaration_is_exact_for_programs_and_printable_on_a_terminal(tmp_path: Path) -> None:
    """The declaration that is written to a file names the columns that the file has."""
    (tmp_path / "header.csv").write_text(FILES["header.csv"], "utf-8")
    command = [sys.executable, "-m", "rowtime", "describe", "header.csv"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    piped = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=True, env=environment
    ).stdout.decode()
    assert f'"a{RED}" INTEGER' in piped
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, env=environment) as process:
        os.close(theirs)
        seen = b""
        while process.poll() is None or not seen.endswith(b";\r\n"):
            try:
                seen += os.read(ours, 10_000)
            except OSError:  # all has been read
                break
    os.close(ours)
    assert f'"a{SHOWN}" INTEGER' in seen.decode()


def test_only_one_module_prints_messages() -> None:
    """All others call it, so that no message is forgotten."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("rowtime", "tck")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path != ROOT / "tck" / "terminal" / "messages.py"
        and not path.is_relative_to(ROOT / "tck" / "examples")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and any(
            (each.arg == "err" and ast.unparse(each.value) == "True")
            or (each.arg == "file" and ast.unparse(each.value) == "sys.stderr")
            for each in node.keywords
        )
    ]
    assert found == []


#: A text of 100,000 characters; a message shows only its ends.
LONG: Final = "x" * 100_000


@pytest.mark.parametrize(
    ("name", "text"),
    [("long.csv", f"n\n{LONG}\n"), ("long.json", f'{{"n": "{LONG}"}}\n')],
    ids=["csv", "json"],
)
def test_a_long_value_in_a_file_is_shown_in_part(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "ddl.sql").write_text("CREATE TABLE t (n INTEGER)")
    with chdir(tmp_path):
        arguments = ["run", "SELECT * FROM t", "--ddl", "ddl.sql", "--data", f"t={name}"]
        done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "more characters" in done.output
    assert len(done.output) < 2_000


@pytest.mark.parametrize("value", [LONG, LONG.encode(), [LONG]], ids=["text", "bytes", "list"])
def test_a_long_value_that_a_program_gives_is_shown_in_part(value: Any) -> None:
    with rowtime.connect() as database:
        database.execute("CREATE TABLE t (n INTEGER)")
        with pytest.raises(rowtime.DataError, match="more characters") as caught:
            database.execute("INSERT INTO t VALUES (?)", (value,))
    assert len(str(caught.value)) < 2_000


def test_a_long_text_in_a_cast_is_shown_in_part() -> None:
    with rowtime.connect() as database, pytest.raises(rowtime.Error) as caught:
        database.execute("SELECT CAST(? AS INTEGER)", (LONG,)).fetchall()
    assert len(str(caught.value)) < 3_000
