"""The command line: what it prints and writes, and one plain message for every mistake."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Final, TextIO

import pandas
import pytest
from typer.testing import CliRunner, Result

from rowtime.cli import app

#: The command as installed next to this Python.
ROWTIME: Final = str(Path(sys.executable).with_name("rowtime"))

SCHEMA: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER);
CREATE TABLE Products (productId INTEGER, name VARCHAR(20), price DECIMAL(10, 2));
"""
ORDERS: Final = """\
rowtime,productId,units
2015-02-15 10:17:00,30,4
2015-02-15 10:17:05,10,1
2015-02-15 11:02:00,10,6
"""
PRODUCTS: Final = "productId,name,price\n10,Beer,0.25\n30,,17\n"
ALL: Final = "SELECT STREAM * FROM Orders"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a schema and two files of rows."""
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "products.csv").write_text(PRODUCTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rowtime(*arguments: str) -> Result:
    """The result of a call, which must not be a traceback."""
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def run(sql: str, *options: str) -> Result:
    """A query on the orders."""
    return rowtime("run", "--ddl", "schema.sql", "--data", "Orders=orders.csv", *options, sql)


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    assert rowtime("--version").stdout == f"rowtime {project['version']}\n"


# explain


def test_explain_prints_a_node_a_line_of_the_example_schema() -> None:
    result = rowtime("explain", "SELECT STREAM * FROM Orders WHERE units > 3")
    assert result.exit_code == 0
    assert [line.split("(")[0].strip() for line in result.stdout.splitlines()] == [
        "LogicalDelta",
        "LogicalProject",
        "LogicalFilter",
        "LogicalTableScan",
    ]


@pytest.mark.usefixtures("folder")
def test_explain_takes_the_schema_and_the_query_from_files() -> None:
    Path("query.sql").write_text("SELECT name FROM Products")
    result = rowtime("explain", "--ddl", "schema.sql", "-f", "query.sql")
    assert "PRODUCTS" in result.stdout


@pytest.mark.usefixtures("folder")
def test_scripts_are_run_one_after_the_other() -> None:
    """Also where one ends in a comment without an end of line."""
    Path("more.sql").write_text("CREATE VIEW Big AS SELECT * FROM Orders WHERE units > 3 -- big")
    Path("last.sql").write_text("CREATE VIEW Bigger AS SELECT * FROM Big WHERE units > 5")
    scripts = ["--ddl", "schema.sql", "--ddl", "more.sql", "--ddl", "last.sql"]
    assert rowtime("explain", *scripts, "SELECT STREAM * FROM Bigger").exit_code == 0


@pytest.mark.parametrize("command", ["explain", "run"])
def test_a_refused_query_shows_its_code_its_place_and_a_hint(command: str) -> None:
    sql = "SELECT STREAM productId, COUNT(*)\nFROM Orders GROUP BY productId"
    result = rowtime(command, sql)
    assert (result.exit_code, result.stdout) == (1, "")
    code, line, caret, hint, offered, marks = result.stderr.splitlines()
    assert code.startswith("NO_MONOTONIC_KEY: ")
    assert line == "2 | FROM Orders GROUP BY productId"
    assert caret == "^".rjust(line.index("GROUP") + 1) + "^" * len("ROUP BY productId")
    assert hint.startswith("  hint: ")
    assert "FLOOR(" in hint
    assert offered == "2 | FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR), productId"
    assert marks == " " * offered.index("FLOOR") + "+" * len("FLOOR(ROWTIME TO HOUR),")


# run: what it prints


@pytest.mark.usefixtures("folder")
def test_a_table_is_for_people() -> None:
    result = run("SELECT STREAM productId, units FROM Orders WHERE units > 3")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "PRODUCTID | UNITS",
        "----------+------",
        "       30 |     4",
        "       10 |     6",
        "(2 rows)",
    ]


@pytest.mark.usefixtures("folder")
def test_csv_and_json_are_for_programs() -> None:
    sql = "SELECT name, price FROM Products ORDER BY productId"
    products = ["run", "--ddl", "schema.sql", "--data", "Products=products.csv", sql, "--format"]
    assert rowtime(*products, "csv").stdout == "NAME,PRICE\nBeer,0.25\n,17.00\n"
    assert [json.loads(line) for line in rowtime(*products, "json").stdout.splitlines()] == [
        {"NAME": "Beer", "PRICE": "0.25"},
        {"NAME": None, "PRICE": "17.00"},
    ]


@pytest.mark.usefixtures("folder")
def test_several_files_are_joined() -> None:
    sql = """
      SELECT STREAM o.rowtime, p.name, o.units * p.price AS amount
      FROM Orders AS o JOIN Products AS p ON o.productId = p.productId WHERE p.name = 'Beer'
    """
    result = run(sql, "--data", "products=products.csv", "--format", "csv")
    assert result.stdout.splitlines()[1:] == [
        "2015-02-15 10:17:05,Beer,0.25",
        "2015-02-15 11:02:00,Beer,1.50",
    ]


def test_parquet_is_read_as_csv_is(folder: Path) -> None:
    frame = pandas.read_csv(folder / "orders.csv", parse_dates=["rowtime"])
    frame.to_parquet(folder / "orders.parquet")
    read = rowtime("run", "--ddl", "schema.sql", "--data", "Orders=orders.parquet", ALL)
    assert read.stdout == run(ALL).stdout


@pytest.mark.usefixtures("folder")
def test_the_session_s_clock_is_an_option() -> None:
    sql = "SELECT CURRENT_TIMESTAMP AS t FROM (VALUES (1)) AS v (i)"
    result = run(sql, "--now", "2015-02-15 11:30:00", "--format", "csv")
    assert result.stdout == "T\n2015-02-15 11:30:00\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("profile", "code"), [("calcite", 1), ("sqlstream", 0)])
def test_the_profile_is_handed_on(profile: str, code: int) -> None:
    """The rowtime of a join is ambiguous in one, and the join's own in the other (S-508)."""
    sql = """
      SELECT STREAM rowtime, o.units FROM Orders AS o JOIN Shipments AS s
      ON o.orderId = s.orderId AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR
    """
    assert rowtime("explain", "--profile", profile, sql).exit_code == code
    Path("orders.csv").write_text("rowtime,productId,orderId,units\n")
    Path("shipments.csv").write_text("rowtime,orderId\n")
    files = ["--data", "Orders=orders.csv", "--data", "Shipments=shipments.csv"]
    assert rowtime("run", "--profile", profile, *files, sql).exit_code == code


# run: files


def test_a_file_is_written_whole(folder: Path) -> None:
    result = run("SELECT STREAM units FROM Orders", "--format", "csv", "-o", "out.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (folder / "out.csv").read_text() == "UNITS\n4\n1\n6\n"
    assert sorted(path.name for path in folder.iterdir()) == [
        "orders.csv",
        "out.csv",
        "products.csv",
        "schema.sql",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STREAM productId FROM Orders GROUP BY productId",
        "SELECT STREAM units / (units - 6) AS q FROM Orders",
    ],
    ids=["refused", "fails at run time"],
)
def test_a_file_is_left_alone_by_a_run_that_fails(sql: str, folder: Path) -> None:
    (folder / "out.csv").write_text("of yesterday")
    result = run(sql, "--format", "csv", "-o", "out.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(("NO_MONOTONIC_KEY: ", "DIVISION_BY_ZERO: "))
    assert (folder / "out.csv").read_text() == "of yesterday"
    assert len(list(folder.iterdir())) == 4


def test_a_link_goes_on_leading_to_its_file(folder: Path) -> None:
    (folder / "real.csv").write_text("of yesterday")
    (folder / "out.csv").symlink_to("real.csv")
    run("SELECT STREAM units FROM Orders", "--format", "csv", "-o", "out.csv")
    assert (folder / "real.csv").read_text() == "UNITS\n4\n1\n6\n"
    assert (folder / "out.csv").is_symlink()


@pytest.mark.usefixtures("folder")
def test_what_is_no_ordinary_file_is_written_as_it_is() -> None:
    assert run(ALL, "--format", "csv", "-o", "/dev/null").exit_code == 0


def test_an_output_that_is_a_folder_is_named(folder: Path) -> None:
    (folder / "out").mkdir()
    result = run(ALL, "-o", "out")
    assert (result.exit_code, result.stderr) == (1, "out: Is a directory\n")


# run: rows that are wrong


def test_malformed_rows_are_named_by_file_and_line_and_nothing_is_written(folder: Path) -> None:
    (folder / "orders.csv").write_text(
        f"{ORDERS}2015-02-15 11:03:00,10\n2015-02-15 11:04:00,ten,1\n,10,1\n"
    )
    result = run(ALL, "-o", "out.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "orders.csv:5: 2 fields where the header has 3" in result.stderr
    assert not (folder / "out.csv").exists()


def test_rows_of_the_wrong_type_are_named_by_file_and_line(folder: Path) -> None:
    (folder / "orders.csv").write_text(f"{ORDERS}2015-02-15 11:04:00,ten,1\n,10,1\n")
    result = run(ALL)
    assert (result.exit_code, result.stdout) == (1, "")
    first, *named = result.stderr.splitlines()
    assert first == "2 malformed rows; nothing was written"
    assert [line.partition(": ")[0] for line in named] == ["orders.csv:5", "orders.csv:6"]
    assert "PRODUCTID" in named[0]
    assert "ROWTIME" in named[1]


def test_late_rows_are_dropped_counted_and_named(folder: Path) -> None:
    (folder / "orders.csv").write_text(
        f"{ORDERS}2015-02-15 11:00:00,20,2\n2015-02-15 12:00:00,20,3\n"
    )
    result = run("SELECT STREAM units FROM Orders", "--format", "csv")
    assert (result.exit_code, result.stdout) == (0, "UNITS\n4\n1\n6\n3\n")
    warning, place = result.stderr.splitlines()
    assert warning.startswith("warning: 1 late row was dropped from ORDERS (S-601): ")
    assert place.strip().startswith("orders.csv:5: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "orders.csv: the file is empty; its first line names the columns"),
        ("rowtime,units\n", "orders.csv: there is no column PRODUCTID; the header has: rowtime"),
        ('rowtime,productId,units\n"2015', "orders.csv:2: not CSV: "),
    ],
)
def test_a_file_that_is_none_is_named_with_the_reason(
    text: str, message: str, folder: Path
) -> None:
    (folder / "orders.csv").write_text(text)
    result = run(ALL)
    assert result.exit_code == 1
    assert result.stderr.startswith(message)


# mistakes in the call


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "Orders=gone.csv"], "gone.csv: No such file or directory"),
        (["--data", "Orders=orders.txt"], "orders.txt: names of files end in .csv, .tsv, .json"),
        (["--data", "Trades=orders.csv"], "there is no table or stream Trades for orders.csv"),
    ],
)
def test_a_file_that_cannot_be_used_ends_the_run(options: list[str], message: str) -> None:
    result = rowtime("run", "--ddl", "schema.sql", *options, ALL)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "give the query as an argument, or a file with -f"),
        (["run", "-f", "schema.sql", ALL], "give the query as an argument, or a file with -f"),
        (["run", "-f", "gone.sql"], "gone.sql: No such file or directory"),
        (["run", "--ddl", "gone.sql", ALL], "gone.sql: No such file or directory"),
        (["explain", "--ddl", ".", ALL], ".: Is a directory"),
        (["run", "--data", "orders.csv", ALL], "write it as NAME=FILE"),
        (["run", "--format", "xml", ALL], "'table', 'markdown', 'csv', 'json'"),
        (["run", "--profile", "oracle", ALL], "'calcite', 'sqlstream'"),
        (["run", "--now", "noon", ALL], "'noon' is not of the form 'yyyy-mm-dd hh:mm:ss'"),
        (["run", "-o", "gone/out.csv", ALL], "there is no folder gone"),
        (
            ["run", "--backend", "nonsense", "VALUES (1)"],
            "no backend is named nonsense (installed: ",
        ),
        (["run", "--colour", ALL], "No such option"),
        (["walk"], "No such command 'walk'"),
    ],
)
def test_a_wrong_call_is_exit_code_2(arguments: list[str], message: str) -> None:
    result = rowtime(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in flat(result.stderr)


def flat(text: str) -> str:
    """The text of a box without its border and its line ends."""
    return " ".join(line.strip("│ ") for line in text.splitlines())


def test_a_script_that_is_not_text_is_named(folder: Path) -> None:
    (folder / "binary.sql").write_bytes(b"\xff\xfe\x00")
    result = rowtime("explain", "--ddl", "binary.sql", ALL)
    assert result.exit_code == 2
    assert "binary.sql:1: not UTF-8 text" in flat(result.stderr)


@pytest.mark.usefixtures("folder")
def test_an_error_in_a_script_names_the_script_and_its_own_line() -> None:
    Path("more.sql").write_text("CREATE VIEW Big AS\nSELECT * FROM Oders")
    result = rowtime("explain", "--ddl", "schema.sql", "--ddl", "more.sql", ALL)
    assert result.exit_code == 1
    file, code, line, *_ = result.stderr.splitlines()
    assert file == "more.sql:"
    assert code.startswith("UNKNOWN_OBJECT: ")
    assert line == "2 | SELECT * FROM Oders"


def test_a_backend_that_does_not_start_is_exit_code_3() -> None:
    result = rowtime("run", "--backend", "tests.tck.toy:Unstartable", "VALUES (1)")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("tests.tck.toy:Unstartable cannot be started: ")


@pytest.mark.usefixtures("folder")
def test_another_backend_answers_where_it_is_named() -> None:
    """The toy knows of its stream's columns only that there are three."""
    result = run(ALL, "--backend", "tests.tck.toy:Faithful", "--format", "csv")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "ROWTIME,PRODUCTID,UNITS"


# in a process of its own


def test_the_installed_command_runs(folder: Path) -> None:
    done = subprocess.run(
        [
            ROWTIME,
            "run",
            "--ddl",
            "schema.sql",
            "--data",
            "Orders=orders.csv",
            "--format",
            "csv",
            ALL,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "ROWTIME,PRODUCTID,UNITS"
    assert len(done.stdout.splitlines()) == 4
    assert done.stderr == ""


def many_orders(folder: Path, rows: int) -> None:
    """That many orders at one moment, in place of the few."""
    lines = "2015-02-15 10:17:00,30,4\n" * rows
    (folder / "orders.csv").write_text(f"rowtime,productId,units\n{lines}")


@pytest.mark.parametrize("format", ["csv", "json", "table"])
def test_a_reader_that_goes_away_is_no_error_to_speak_of(format: str, folder: Path) -> None:
    """As with ``rowtime run … | head -1``: there is more to write than fits into a pipe."""
    many_orders(folder, 20_000)
    options = ["--ddl", "schema.sql", "--data", "Orders=orders.csv", "--format", format]
    with subprocess.Popen(
        [ROWTIME, "run", *options, ALL],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(("ROWTIME", '{"ROWTIME"'))
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 1


def writer_once_read(fifo: Path, process: subprocess.Popen[str]) -> TextIO:
    """The pipe, open for writing, once somebody reads it; fails if the process ends before."""
    while process.poll() is None:
        try:
            return os.fdopen(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), "w")
        except OSError as error:
            if error.errno != errno.ENXIO:  # nobody reads it yet
                raise
            time.sleep(0.01)
    pytest.fail(f"nothing was read: {process.communicate()[1]}")


@pytest.mark.parametrize("parent", [[], ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]])
def test_an_interrupted_run_ends_quietly_and_leaves_the_file_alone(
    folder: Path, parent: list[str]
) -> None:
    """Ctrl-C while it reads, also where the parent process ignores SIGINT.

    The file is a pipe, so that the test knows when the run reads it.
    """
    (folder / "out.csv").write_text("of yesterday")
    (folder / "orders.csv").unlink()
    os.mkfifo(folder / "orders.csv")
    options = ["--ddl", "schema.sql", "--data", "Orders=orders.csv", "-o", "out.csv"]
    with (
        subprocess.Popen(
            [*parent, ROWTIME, "run", *options, ALL],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
        writer_once_read(folder / "orders.csv", process) as file,
    ):
        file.write(ORDERS)
        file.flush()
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "interrupted; nothing was written\n")
    assert (folder / "out.csv").read_text() == "of yesterday"
    assert len(list(folder.iterdir())) == 4
