"""Pipelines: from foreign streams to foreign streams, and the errors of those that cannot run."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final, Never

import pandas
import pytest
from typer.testing import CliRunner

from algebra.records.pipeline import EngineStartError
from rowtime.cli import app
from tests.rowtime.pipelines import COLUMNS, ORDERS, refused, rowtime, script

#: The command as installed next to this Python.
ROWTIME: Final = str(Path(sys.executable).with_name("rowtime"))

TUMBLE: Final = """
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, SUM(units)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
"""
INTO_T: Final = f"CREATE STREAM t {COLUMNS}; INSERT INTO t SELECT STREAM * FROM s;"
#: Each hour's units: 10:00 has products 30 and 10, 11:00 product 10.
HOURLY: Final = """\
ROWTIME,PRODUCTID,UNITS
2015-02-15 11:00:00,30,4
2015-02-15 11:00:00,10,1
2015-02-15 12:00:00,10,6
"""


# from file to file


def test_a_tumble_goes_from_csv_to_csv(folder: Path) -> None:
    result = rowtime(script(query=TUMBLE).replace("units INTEGER)", "units BIGINT)"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert (folder / "out.csv").read_text() == HOURLY
    assert result.stderr.splitlines() == [
        "read 3 rows of ORDERS from orders.csv",
        "wrote 3 rows of SINK to out.csv",
    ]


def test_pumps_run_if_they_are_started_and_feed_one_another(folder: Path) -> None:
    text = f"""
      CREATE FOREIGN STREAM Orders {COLUMNS} OPTIONS (path 'orders.csv');
      CREATE STREAM Big {COLUMNS};
      CREATE FOREIGN STREAM Sink {COLUMNS} OPTIONS (path 'out.json');
      CREATE FOREIGN STREAM Idle {COLUMNS} OPTIONS (path 'idle.csv');
      CREATE PUMP a STARTED AS INSERT INTO Big SELECT STREAM * FROM Orders WHERE units > 1;
      CREATE PUMP b STARTED AS INSERT INTO Sink SELECT STREAM * FROM Big WHERE units < 6;
      CREATE PUMP c STOPPED AS INSERT INTO Idle SELECT STREAM * FROM Big;
    """
    assert rowtime(text).exit_code == 0
    lines = (folder / "out.json").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"ROWTIME": "2015-02-15 10:17:00", "PRODUCTID": 30, "UNITS": 4}
    ]
    assert not (folder / "idle.csv").exists()


def test_a_sink_may_be_read_on(folder: Path) -> None:
    text = (
        script()
        + f"""
      CREATE FOREIGN STREAM Next {COLUMNS} OPTIONS (path 'next.csv');
      INSERT INTO Next SELECT STREAM * FROM Sink WHERE units = 6;
    """
    )
    assert rowtime(text).exit_code == 0
    assert len((folder / "out.csv").read_text().splitlines()) == 4
    assert (folder / "next.csv").read_text().splitlines()[1:] == ["2015-02-15 11:02:00,10,6"]


@pytest.mark.usefixtures("folder")
def test_tables_are_filled_by_the_script_or_from_files() -> None:
    Path("products.csv").write_text("productId,name\n10,Beer\n")
    text = f"""
      CREATE FOREIGN STREAM Orders {COLUMNS} OPTIONS (path 'orders.csv');
      CREATE TABLE Products (productId INTEGER, name VARCHAR(20));
      CREATE TABLE Prices (productId INTEGER, price DECIMAL(4, 2));
      INSERT INTO Prices VALUES (10, 0.25), (30, 17);
      CREATE FOREIGN STREAM Sink (rowtime TIMESTAMP(3) ASCENDING, name VARCHAR(20),
        amount DECIMAL(14, 2)) OPTIONS (path 'out.csv');
      INSERT INTO Sink SELECT STREAM o.rowtime, p.name, o.units * q.price
      FROM Orders AS o JOIN Products AS p ON o.productId = p.productId
        JOIN Prices AS q ON o.productId = q.productId;
    """
    result = rowtime(text, "--data", "Products=products.csv")
    assert result.exit_code == 0, result.stderr
    assert Path("out.csv").read_text().splitlines()[1:] == [
        "2015-02-15 10:17:05,Beer,0.25",
        "2015-02-15 11:02:00,Beer,1.50",
    ]


def test_parquet_goes_in_and_out(folder: Path) -> None:
    frame = pandas.read_csv(folder / "orders.csv", parse_dates=["rowtime"])
    frame.to_parquet(folder / "orders.parquet")
    assert rowtime(script("path 'orders.parquet'", "path 'out.parquet'")).exit_code == 0
    written = pandas.read_parquet(folder / "out.parquet")
    assert [str(each) for each in written["ROWTIME"]] == [str(each) for each in frame["rowtime"]]
    assert list(written["UNITS"]) == [4, 1, 6]
    assert list(folder.glob(".out*")) == []


def test_a_folder_is_read_by_name_and_written_in_parts(folder: Path) -> None:
    (folder / "in").mkdir()
    rows = [
        {"rowtime": "2015-02-15T10:17:00", "PRODUCTID": 30, "units": 4, "more": [1]},
        {"rowtime": "2015-02-15 11:02:00", "productId": 10},
    ]
    for name, row in zip(("a.json", "b.json"), rows, strict=True):
        (folder / "in" / name).write_text(json.dumps(row) + "\n\n")
    (folder / "in" / "_log.json").write_text("no row")
    (folder / "in" / "readme.txt").write_text("no row")
    text = script("format 'json', path 'in'", "format 'csv', path 'out', header FALSE")
    assert rowtime(text, "--once").exit_code == 0
    (part,) = (folder / "out").iterdir()
    assert part.name == "part-00000.csv"
    assert part.read_text() == "2015-02-15 10:17:00,30,4\n2015-02-15 11:02:00,10,\n"


@pytest.mark.usefixtures("folder")
def test_the_console_is_a_sink() -> None:
    result = rowtime(script(sink="format 'console'"))
    assert result.stdout == ORDERS.replace("rowtime,productId,units", "ROWTIME,PRODUCTID,UNITS")


@pytest.mark.usefixtures("folder")
def test_a_dialect_of_csv_is_read_and_written() -> None:
    Path("orders.csv").write_text("2015-02-15 10:17:00;NA;4\n")
    dialect = "header FALSE, delimiter ';', null_text 'NA'"
    assert (
        rowtime(script(f"path 'orders.csv', {dialect}", f"path 'o.csv', {dialect}")).exit_code == 0
    )
    assert Path("o.csv").read_text() == "2015-02-15 10:17:00;NA;4\n"


@pytest.mark.usefixtures("folder")
def test_without_rows_there_is_a_header() -> None:
    assert rowtime(script(query="SELECT STREAM * FROM Orders WHERE units > 99;")).exit_code == 0
    assert Path("out.csv").read_text() == "ROWTIME,PRODUCTID,UNITS\n"


@pytest.mark.usefixtures("folder")
def test_the_source_that_is_behind_is_read_first() -> None:
    """A union of two files holds few rows: neither is read ahead of the other by more than a go."""
    text = script(query="SELECT STREAM * FROM Orders UNION ALL SELECT STREAM * FROM More;")
    text = f"CREATE FOREIGN STREAM More {COLUMNS} OPTIONS (path 'more.csv');\n{text}"
    Path("more.csv").write_text(ORDERS.replace(":00,", ":01,"))
    assert rowtime(text).exit_code == 0
    assert [line[11:19] for line in Path("out.csv").read_text().splitlines()[1:]] == [
        "10:17:00", "10:17:01", "10:17:05", "10:17:05", "11:02:00", "11:02:01",
    ]  # fmt: skip


# rows that are wrong


@pytest.mark.usefixtures("folder")
def test_late_rows_are_dropped_counted_and_named() -> None:
    Path("orders.csv").write_text(f"{ORDERS}2015-02-15 11:00:00,20,2\n2015-02-15 12:00:00,20,3\n")
    result = rowtime(script())
    assert result.exit_code == 0
    assert len(Path("out.csv").read_text().splitlines()) == 5
    warning, place, *_ = result.stderr.splitlines()
    assert warning == "warning: 1 row dropped from ORDERS (S-601)"
    assert place == "  orders.csv:5: ROWTIME: below the rows before it"


@pytest.mark.usefixtures("folder")
def test_rows_that_a_sink_does_not_take_are_named() -> None:
    text = script().replace("Sink (rowtime", "Sink (CHECK (units < 5), rowtime")
    result = rowtime(text)
    assert result.exit_code == 0
    assert result.stderr.splitlines()[:2] == [
        "warning: 1 row dropped from SINK (S-601)",
        "  a CHECK is false",
    ]
    assert len(Path("out.csv").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("record", "reason", "marked"),
    [
        ("2015-02-15 11:03:00,ten,5", "PRODUCTID: 'ten' is not a value of INTEGER", "ten"),
        ("2015-02-15 11:03:00,10", "2 fields where the header has 3", "2015-02-15 11:03:00,10"),
        (",10,5", "ROWTIME: NULL where TIMESTAMP(3) is NOT NULL", ","),
    ],
)
def test_a_malformed_record_is_shown_with_a_caret(
    record: str, reason: str, marked: str, folder: Path
) -> None:
    (folder / "orders.csv").write_text(f"{ORDERS}{record}\n2015-02-15 12:00:00,1,1\n")
    (folder / "out.csv").write_text("of yesterday")
    first, line, caret, hint, written = refused(script())
    assert first == f"BAD_ROW: {reason}"
    assert line == f"orders.csv:5 | {record}"
    assert line[caret.index("^") :].startswith(marked)
    assert caret.strip() == "^" * len(marked)
    assert "on_error 'drop'" in hint
    assert written == "nothing was written"
    assert (folder / "out.csv").read_text() == "of yesterday"


@pytest.mark.usefixtures("folder")
def test_malformed_records_are_left_out_where_one_asks_for_it() -> None:
    """S-607.g."""
    Path("orders.csv").write_text(f"{ORDERS}2015-02-15 11:03:00,ten,5\n1,2\n,10,5\n")
    result = rowtime(script("path 'orders.csv', on_error 'drop'"))
    assert result.exit_code == 0
    assert len(Path("out.csv").read_text().splitlines()) == 4
    assert "warning: 3 rows dropped from ORDERS (S-601)" in result.stderr


@pytest.mark.usefixtures("folder")
def test_a_malformed_line_of_json_is_shown_with_a_caret() -> None:
    good, bad = '{"rowtime": "2015-02-15 10:17:00", "units": 1}', '{"units": "x", "rowtime": null}'
    Path("orders.json").write_text(f"{good}\n{bad}\n")
    first, line, caret, *_ = refused(script("path 'orders.json'"))
    assert first.startswith("BAD_ROW: ROWTIME: ")
    assert line == f"orders.json:2 | {bad}"
    assert (line.index("null"), caret.strip()) == (caret.index("^"), "^^^^")


@pytest.mark.usefixtures("folder")
def test_a_query_that_fails_says_what_it_has_written() -> None:
    lines = refused(script(query="SELECT STREAM rowtime, 1, units / (units - 6) FROM Orders;"))
    name, first, line, caret, *_, last = lines
    assert (name, first) == ("p.sql:", "DIVISION_BY_ZERO: division by zero")
    at = line.index("units / (units - 6)")
    assert caret == " " * at + "^" * len("units / (units - 6)")
    assert last == "nothing was written"
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("commits", [1, 2])
def test_a_disk_that_is_full_leaves_what_was_committed(commits: int, folder: Path) -> None:
    """Files may not grow beyond 1 KiB: the old file stays, or the new one up to its last commit."""
    (folder / "in").mkdir()
    small = f"{ORDERS.splitlines()[0]}\n2015-02-15 10:17:00,1,1\n"
    great = small + "2015-02-15 10:17:01,2,2\n" * 100
    (folder / "in" / "a.csv").write_text(great if commits == 1 else small)
    (folder / "out.csv").write_text("of yesterday")
    (folder / "p.sql").write_text(script("format 'csv', path 'in'"))
    # Python would cut the modules that it compiles, and no later process could import them.
    command = f"ulimit -f 1; PYTHONDONTWRITEBYTECODE=1 exec {ROWTIME} run p.sql --trigger 50ms"
    with subprocess.Popen(["bash", "-c", command], stderr=subprocess.PIPE, text=True) as running:
        if commits == 2:
            wait_for(folder / "out.csv", lines=2)
            (folder / "b.csv").write_text(great)
            os.replace(folder / "b.csv", folder / "in" / "b.csv")
        _, shown = running.communicate(timeout=30)
    assert running.returncode == 1
    *_, error, written = shown.splitlines()
    assert error == "out.csv: File too large"
    if commits == 1:
        assert (folder / "out.csv").read_text() == "of yesterday"
        assert written == "nothing was written"
    else:
        assert (folder / "out.csv").read_text() == small.replace(
            "rowtime,productId,units", "ROWTIME,PRODUCTID,UNITS"
        )
        assert written == "1 row in out.csv"
    assert list(folder.glob(".out*")) == []


# declarations that are wrong


@pytest.mark.parametrize(
    ("source", "code", "marked", "hint"),
    [
        ("path 'orders.csv', headr TRUE", "BAD_OPTION", "headr TRUE", "header; it has: path"),
        ("path 'orders.csv', header 'maybe'", "BAD_OPTION", "header 'maybe'", "header 'false'"),
        ("path 'orders.csv', delimiter '::'", "BAD_OPTION", "delimiter '::'", "delimiter ';'"),
        ("path 'a.csv', path 'b.csv'", "DUPLICATE_NAME", "path 'b.csv'", "leave one of them out"),
        ("path 'orders.csv', format 'cvs'", "BAD_OPTION", "format 'cvs'", "format 'csv'"),
        ("path 'orders.txt'", "BAD_OPTION", "path 'orders.txt'", "format, one of 'csv'"),
        ("format 'csv'", "BAD_OPTION", "format 'csv'", "path 'orders.csv'"),
        ("format 'socket', port 70000", "BAD_OPTION", "port 70000", "port 9999"),
        ("format 'rate', rows_per_second 0", "BAD_OPTION", "rows_per_second 0", "rows_per_second"),
        ("format 'rate'", "BAD_OPTION", "format 'rate'", "(rowtime TIMESTAMP(3) ASCENDING, number"),
        ("format 'console'", "BAD_OPTION", "format 'console'", "one of 'csv', 'json'"),
        ("path 'gone.csv'", "BAD_OPTION", "path 'gone.csv'", "has: orders.csv, p.sql"),
        ("format 'kafka', topic 't'", "NOT_SUPPORTED", "format 'kafka'", "csv, json, parquet"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_source_that_is_none_is_refused_at_its_option(
    source: str, code: str, marked: str, hint: str
) -> None:
    file, first, line, caret, shown, *_ = refused(script(source))
    assert file == "p.sql:"
    assert first.startswith(f"{code}: ")
    assert line[caret.index("^") : caret.rindex("^") + 1] == marked
    assert shown.removeprefix("  hint: ").partition(hint)[1] == hint
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("sink", "hint"),
    [
        ("path 'gone/out.csv'", "mkdir -p gone"),
        ("format 'csv', path 'full'", "empty it, or name another"),
        ("format 'rate'", "one of 'csv', 'json', 'parquet', 'console'"),
    ],
)
def test_a_sink_that_is_none_is_refused_at_its_option(sink: str, hint: str, folder: Path) -> None:
    (folder / "full").mkdir()
    (folder / "full" / "part-00000.csv").write_text("of yesterday")
    _, first, line, caret, shown, *_ = refused(script(sink=sink))
    assert first.startswith("BAD_OPTION: ")
    assert line[caret.index("^") : caret.rindex("^") + 1] in sink
    assert hint in shown


@pytest.mark.parametrize(
    ("source", "sink"),
    [
        ("path 'orders.csv'", "path './orders.csv'"),
        ("format 'csv', path '.'", "path 'out.csv'"),
    ],
)
def test_a_sink_is_not_where_its_source_is(source: str, sink: str, folder: Path) -> None:
    _, first, line, caret, *_ = refused(script(source, sink))
    assert first == "BAD_OPTION: the rows of ORDERS are there"
    assert line[caret.index("^") : caret.rindex("^") + 1] == sink
    assert (folder / "orders.csv").read_text() == ORDERS


@pytest.mark.usefixtures("folder")
def test_two_sinks_have_two_paths() -> None:
    text = f"CREATE FOREIGN STREAM Other {COLUMNS} OPTIONS (path 'out.csv');\n{script()}"
    _, first, *_ = refused(f"{text} INSERT INTO Other SELECT STREAM * FROM Orders;")
    assert first == "BAD_OPTION: the rows of OTHER are there"


@pytest.mark.usefixtures("folder")
def test_a_file_without_a_column_is_refused_at_its_path() -> None:
    Path("orders.csv").write_text("rowtime,units\n")
    _, first, line, caret, *_ = refused(script())
    assert first.startswith("BAD_OPTION: orders.csv: there is no column PRODUCTID")
    assert line[caret.index("^") : caret.rindex("^") + 1] == "path 'orders.csv'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "CREATE STREAM s (x INTEGER);",
            "NO_STREAMING_INPUT: no statement of the script keeps",
        ),
        (
            f"CREATE STREAM s {COLUMNS}; {INTO_T}",
            "NO_STREAMING_INPUT: nothing feeds the stream S",
        ),
        (
            f"CREATE FOREIGN STREAM s {COLUMNS}; {INTO_T}",
            "BAD_OPTION: foreign stream S does not say where it is",
        ),
        (
            script() + "INSERT INTO Sink VALUES (TIMESTAMP '2015-02-15 10:00:00', 1, 1);",
            "NOT_SUPPORTED: INSERT INTO SINK does not stream",
        ),
        ("CREATE STREAM s (x INTEGER) OPTIONS (path 'a.csv');", "p.sql:"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_script_that_is_no_pipeline_is_refused(text: str, message: str) -> None:
    first, *rest = refused(text)
    assert first.startswith(message)
    assert any(line.startswith("  hint: ") for line in rest)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--checkpoint", "c"], 1, "NOT_SUPPORTED: backend 'reference' keeps its state in memory"),
        (["--backend", "oracle"], 1, "NOT_SUPPORTED: backend 'oracle' runs no pipelines"),
        (["--trigger", "often"], 2, "write it as 500ms, 2s or 1min"),
        (["--format", "csv"], 2, "--format goes with a query"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_options_without_a_meaning_are_refused(options: list[str], code: int, message: str) -> None:
    result = rowtime(script(), *options)
    assert result.exit_code == code
    assert message in " ".join(line.strip("│ ") for line in result.stderr.splitlines())
    assert not Path("out.csv").exists()


@pytest.mark.usefixtures("folder")
def test_options_of_pipelines_go_with_no_query() -> None:
    result = CliRunner().invoke(app, ["run", "--once", "SELECT STREAM * FROM Orders"])
    assert result.exit_code == 2


@pytest.mark.usefixtures("folder")
def test_a_script_that_is_not_there_is_named() -> None:
    result = CliRunner().invoke(app, ["run", "gone.sql"])
    assert result.exit_code == 2
    assert "gone.sql: No such file" in result.stderr


@pytest.mark.usefixtures("folder")
def test_a_row_of_a_rate_that_its_stream_does_not_take_ends_the_run() -> None:
    """Its second row, number 1, breaks the CHECK."""
    columns = "(rowtime TIMESTAMP(3) ASCENDING, number BIGINT, CHECK (number < 1))"
    text = script("format 'rate', rows_per_second 100").replace(COLUMNS, columns)
    first, place, *_ = refused(text, "--trigger", "50ms")
    assert (first, place) == ("BAD_ROW: a CHECK is false", "rate:2")


@pytest.mark.usefixtures("folder")
def test_what_has_no_end_is_not_read_once() -> None:
    text = script("format 'rate'").replace(", productId INTEGER", "")
    _, first, *_ = refused(text, "--once")
    assert first == "NOT_SUPPORTED: a rate has no end"


# sources that continue


def test_lines_come_from_a_socket_until_it_is_closed(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                peer.sendall(b"2015-02-15 10:17:00,30,4\n2015-02-15 10:17:05,")
                time.sleep(0.2)
                peer.sendall(b"10,1")

        threading.Thread(target=serve, daemon=True).start()
        source = f"format 'socket', host '127.0.0.1', port {port}"
        assert rowtime(script(source), "--trigger", "50ms").exit_code == 0
    assert (folder / "out.csv").read_text().splitlines()[1:] == [
        "2015-02-15 10:17:00,30,4",
        "2015-02-15 10:17:05,10,1",
    ]


@pytest.mark.usefixtures("folder")
def test_a_server_that_is_not_there_is_refused_at_its_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    _, first, line, caret, *_ = refused(script(f"format 'socket', host '127.0.0.1', port {port}"))
    assert first.startswith(f"BAD_OPTION: no connection to 127.0.0.1:{port}: ")
    assert line[caret.index("^") : caret.rindex("^") + 1] == f"port {port}"


def test_a_folder_is_followed_until_ctrl_c(folder: Path) -> None:
    """Emitted rows are committed at each trigger, and none are added when it is stopped."""
    (folder / "in").mkdir()
    (folder / "in" / "a.csv").write_text(ORDERS)
    text = script("format 'csv', path 'in'", query=TUMBLE)
    (folder / "p.sql").write_text(text.replace("units INTEGER)", "units BIGINT)"))
    command = [ROWTIME, "run", "p.sql", "--trigger", "100ms"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        wait_for(folder / "out.csv", lines=3)
        (folder / "in" / ".b").write_text(f"{ORDERS.splitlines()[0]}\n2015-02-15 12:00:00,1,1\n")
        os.replace(folder / "in" / ".b", folder / "in" / "b.csv")
        wait_for(folder / "out.csv", lines=4)
        running.send_signal(signal.SIGINT)
        _, shown = running.communicate(timeout=30)
    assert running.returncode == 130
    assert (folder / "out.csv").read_text() == HOURLY
    assert shown.splitlines() == [
        "interrupted",
        "read 4 rows of ORDERS from in",
        "wrote 3 rows of SINK to out.csv, complete below 2015-02-15 13:00:00",
    ]


def test_a_rate_goes_on_until_ctrl_c(folder: Path) -> None:
    columns = "(rowtime TIMESTAMP(3) ASCENDING, number BIGINT)"
    text = script("format 'rate', rows_per_second 1000").replace(COLUMNS, columns)
    (folder / "p.sql").write_text(text)
    command = [ROWTIME, "run", "p.sql", "--trigger", "50ms"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        wait_for(folder / "out.csv", lines=100)
        running.send_signal(signal.SIGINT)
        _, shown = running.communicate(timeout=30)
    assert running.returncode == 130
    rows = (folder / "out.csv").read_text().splitlines()[1:]
    assert [int(row.partition(",")[2]) for row in rows] == list(range(len(rows)))
    assert f"wrote {len(rows):,} rows of SINK to out.csv" in shown


class Unstartable:
    """An engine whose Java is missing."""

    def run(self, *_arguments: object) -> Never:
        """Fail to start."""
        raise EngineStartError("backend 'spark' does not start: there is no Java")


@pytest.mark.usefixtures("folder")
def test_an_engine_that_cannot_start_ends_with_its_own_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def engine_of(_backend: str) -> Unstartable:
        return Unstartable()

    monkeypatch.setattr("rowtime.pipeline.command.engine_of", engine_of)
    result = rowtime(script(), backend="spark")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "backend 'spark' does not start: there is no Java\n"


def wait_for(path: Path, lines: int) -> None:
    """Wait until a file has so many lines; 30 seconds are too long."""
    for _ in range(600):
        if path.exists() and len(path.read_text().splitlines()) >= lines:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} has not come to {lines} lines")
