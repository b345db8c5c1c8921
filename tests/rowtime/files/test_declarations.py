"""A declared table or stream has rows, or is refused with a hint (S-607)."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pandas
import pytest

import rowtime
from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")

COLUMNS = "(rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER)"
FOREIGN = f"CREATE FOREIGN STREAM F {COLUMNS} OPTIONS (path 'orders.csv');"
ALL = "SELECT STREAM units FROM F"


def queried(ddl: str, query: str, *options: str) -> tuple[int, str, str]:
    """The exit code of a query on a script, its rows as CSV, and its message."""
    Path("d.sql").write_text(ddl)
    result = command("run", "--ddl", "d.sql", *options, "--format", "csv", query)
    return result.exit_code, result.stdout, result.stderr


def test_a_query_reads_the_foreign_streams_that_it_names() -> None:
    """S-607.h."""
    assert queried(FOREIGN, ALL) == (0, "UNITS\n4\n1\n6\n", "")
    relational = FOREIGN.replace(";", " ").replace("OPTIONS", "WITH HISTORY OPTIONS")
    code, rows, _ = queried(relational, "SELECT SUM(units) AS s FROM F")
    assert (code, rows) == (0, "S\n11\n")


def test_data_replaces_the_path_of_a_foreign_stream_and_keeps_its_options() -> None:
    Path("other.txt").write_text("2026-01-01 00:00:00;1;2\n")
    ddl = FOREIGN.replace("path 'orders.csv'", "path 'x.csv', delimiter ';', header FALSE")
    assert queried(ddl, ALL, "--data", "F=other.txt") == (0, "UNITS\n2\n", "")


@pytest.mark.parametrize(
    ("ddl", "query", "message"),
    [
        (FOREIGN.replace("orders", "gone"), ALL, "gone.csv: No such file or directory"),
        (FOREIGN.replace("path 'orders.csv'", "format 'rate'"), ALL, "rowtime run FILE.sql"),
        (f"CREATE FOREIGN STREAM F {COLUMNS};", ALL, "rowtime run FILE.sql; or --data F=FILE"),
        (f"CREATE STREAM F {COLUMNS};", ALL, "NO_STREAMING_INPUT: nothing feeds the stream F"),
        ("CREATE TABLE T (a INTEGER);", "SELECT * FROM T", "nothing fills the table T\n  hint: "),
        (
            f"{FOREIGN} CREATE TABLE T (units INTEGER);",
            f"{ALL} JOIN T USING (units)",
            "nothing fills the table T",
        ),
        (
            (
                f"{FOREIGN} CREATE FOREIGN STREAM G {COLUMNS} OPTIONS (path 'g.csv');"
                "INSERT INTO G SELECT STREAM * FROM F;"
            ),
            ALL,
            "NOT_SUPPORTED: a query does not write into the foreign stream G",
        ),
    ],
)
def test_what_a_query_cannot_read_or_write_is_refused(ddl: str, query: str, message: str) -> None:
    """S-607.h, S-607.i."""
    code, rows, found = queried(ddl, query)
    assert (code, rows) == (1, "")
    assert message in found
    assert not Path("g.csv").exists()
    compared = command("compare", "--backend", "sqlite", "--ddl", "d.sql", query)
    assert compared.exit_code == 2
    assert message in compared.stderr


def test_a_table_is_filled_by_a_file_a_statement_or_a_file_without_rows() -> None:
    """S-607.i."""
    Path("empty.csv").write_text("a\n")
    ddl = "CREATE TABLE T (a INTEGER);"
    assert queried(ddl, "SELECT * FROM T", "--data", "T=empty.csv") == (0, "A\n", "")
    assert queried(f"{ddl} INSERT INTO T VALUES (7);", "SELECT * FROM T") == (0, "A\n7\n", "")


def test_a_pipeline_that_reads_a_table_without_rows_is_refused() -> None:
    """S-607.i."""
    Path("p.sql").write_text(
        f"{FOREIGN} CREATE TABLE T (units INTEGER);"
        "CREATE FOREIGN STREAM G (rowtime TIMESTAMP(3) ASCENDING) OPTIONS (path 'g.csv');"
        "INSERT INTO G SELECT STREAM F.rowtime FROM F JOIN T ON F.units = T.units;"
    )
    result = command("run", "p.sql")
    assert result.exit_code == 1
    assert "nothing fills the table T" in result.stderr


def test_a_database_has_no_foreign_streams() -> None:
    """S-607.j: the driver and the shell refuse the declaration, so that nothing waits for it."""
    with rowtime.connect() as db:
        with pytest.raises(rowtime.NotSupportedError, match=r"rowtime run FILE\.sql"):
            db.execute(FOREIGN)
        assert not [name for name in db.catalog.objects if name == ("F",)]
    result = command("sql", input=f"{FOREIGN}\nSELECT STREAM * FROM F;\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "a database has no foreign streams" in result.stderr


#: A query of a file, which the statements of a database do not open.
ON_A_FILE: Final = "SELECT name FROM 'x.csv'"


def _driver(execute: Callable[[rowtime.Connection], object]) -> str:
    """The message of a statement that the driver refuses."""
    with rowtime.connect() as db:
        try:
            execute(db)
        except rowtime.ProgrammingError as error:
            return str(error)
    return ""


#: The message about a file in FROM at each entrance of a database.
MESSAGES: Final[dict[str, Callable[[], str]]] = {
    "-c": lambda: command("sql", "-c", ON_A_FILE).stderr,
    "standard input": lambda: command("sql", input=f"{ON_A_FILE};\n").stderr,
    "driver": lambda: _driver(lambda db: db.execute(ON_A_FILE)),
    "view": lambda: _driver(lambda db: db.execute(f"CREATE VIEW V AS {ON_A_FILE}")),
    "prepared": lambda: _driver(lambda db: db.prepare(ON_A_FILE)),
}


@pytest.mark.parametrize("entrance", MESSAGES)
def test_a_database_names_the_commands_that_read_a_file(entrance: str) -> None:
    """S-607.j: each of these commands has the answer."""
    Path("x.csv").write_text("id,name\n1,a\n")
    said = MESSAGES[entrance]()
    assert "rowtime run \"SELECT … FROM 'x.csv'\"" in said
    assert ".import x.csv NAME" in said
    assert "register(NAME, frame)" in said
    assert command("run", "--format", "csv", ON_A_FILE).stdout == "NAME\na\n"
    imported = command(
        "sql", "--format", "csv", "-c", ".import x.csv X", "-c", "SELECT name FROM X"
    )
    assert imported.stdout == "1 row written\nNAME\na\n"
    with rowtime.connect() as db:
        db.register("X", pandas.read_csv("x.csv"))
        assert db.execute("SELECT name FROM X").fetchall() == [("a",)]


@pytest.mark.parametrize("name", ["x.csv", '"x.csv"', "x.parquet"])
def test_a_file_without_single_quotes_is_named_with_them(name: str) -> None:
    for asked in ("run", "sql"):
        refused = command(asked, *["-c"] * (asked == "sql"), f"SELECT * FROM {name}")
        assert refused.exit_code == 1
        assert "UNKNOWN_OBJECT" in refused.stderr
        assert "a file stands in single quotes" in refused.stderr


@pytest.mark.parametrize("files", ["in/*.json", "in/2*.csv", "empty OPTIONS (format 'csv')"])
def test_a_folder_or_pattern_without_a_file_is_refused(files: str) -> None:
    """S-607.i: also for a table of a pipeline, but its sources may get files later."""
    Path("in").mkdir()
    Path("in/1.csv").write_text("id\n1\n")
    Path("empty").mkdir()
    Path("x.sql").write_text("CREATE TABLE X (id INTEGER);")
    columns = "(rowtime TIMESTAMP(3) ASCENDING, id INTEGER)"
    foreign = f"CREATE FOREIGN STREAM F {columns} OPTIONS (path 'empty', format 'csv');"
    Path("f.sql").write_text(foreign)
    pipeline = "INSERT INTO G SELECT STREAM * FROM F WHERE id IN (SELECT id FROM X);"
    sink = foreign.replace("F (", "G (").replace("empty", "out.csv")
    Path("p.sql").write_text(f"CREATE TABLE X (id INTEGER);{foreign}{sink}{pipeline}")
    path = files.partition(" ")[0]
    for asked in (
        ["run", "--ddl", "x.sql", "--data", f"X={files}", "SELECT * FROM X"],
        ["run", f"SELECT * FROM '{files.replace(chr(39), chr(39) * 2)}'"],
        ["describe", files],
        ["sql", "-c", "CREATE TABLE Y (id INTEGER)", "-c", f".import {files} Y"],
        ["run", "p.sql", "--once", "--data", f"X={files}"],
    ):
        refused = command(*asked)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert f"{path}: no file " in refused.stderr
    refused = command("run", "--ddl", "f.sql", "SELECT STREAM id FROM F")
    assert refused.stderr == "empty: no file in the folder has the ending .csv, .tsv\n"
    Path("x.csv").write_text("id\n1\n")
    assert command("run", "p.sql", "--once", "--data", "X=x.csv").exit_code == 0
