"""Every block of docs/ is run by some test, or is listed here with the reason why none runs it."""

import re
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

import rowtime
from algebra.catalog import Profile
from algebra.prepare import prepare
from tests.test_docs import ROOT, blocks

DOCS: Final = ROOT / "docs"
PAGES: Final = sorted(DOCS.rglob("*.md"))
COMMAND: Final = str(Path(sys.executable).with_name("rowtime"))

#: Pages of which each block is run, or compared with what is run, by the test that is named.
RUN_ELSEWHERE: Final = {
    "adding-a-backend.md": "tests/test_docs.py",
    "ci.md": "tests/test_docs.py, tests/tck/test_action.py",
    "files.md": "tests/rowtime/files/test_page.py",
    "first-steps.md": "tests/test_docs.py, tests/rowtime/driver/test_first_steps.py",
    "case-format.md": "tests/tck/corpus/test_load.py",
    "metadata.md": "tests/rowtime/test_explain_metadata.py",
    "newcomers.md": "tests/docs/test_newcomers.py",
    "shell.md": "tests/rowtime/shell/recording.py",
    "traces.md": "tests/rowtime/timeline/test_timeline.py",
    "engines/duckdb.md": "tests/engines/test_transcripts.py",
    "engines/sqlite.md": "tests/engines/test_transcripts.py",
    "engines/chdb.md": "tests/engines/test_transcripts.py",
    "engines/sparknative.md": "tests/engines/sparknative/test_transcripts.py",
    "engines/index.md": "tests/engines/test_spellings.py",
    "unit-tests.md": "tests/rowtime/test_unit_tests.py",
    "sqllogictest.md": "tests/tck/corpus/test_sqllogictest.py",
    **{
        f"docket/{page.name}": "tests/docs/docket/test_docket.py"
        for page in DOCS.glob("docket/*.md")
    },
}

#: Blocks that nothing runs, by page and first line.
NOT_RUN: Final = {
    ("architecture.md", "grammar/        from text to a syntax tree, and back"): "a map",
    (
        "engine.md",
        "rowtime sql [FILE.db] [-c STATEMENTS]… [--format table|markdown|csv|json]",
    ): "a synopsis",
    ("pipelines.md", ".venv/bin/rowtime run pipeline.sql --backend spark --checkpoint DIR"): (
        "tests/rowtime/pipeline runs scripts on Spark, with a checkpoint"
    ),
    ("playground.md", "make playground"): "`make test-playground` builds it; it needs Node",
    ("score.md", ".venv/bin/rowtime tck score"): "it takes twenty minutes",
    ("score.md", ".venv/bin/rowtime tck score --fresh 1 --count 100"): "it takes minutes",
    ("score.md", ".venv/bin/rowtime tck score --only NAME --write-killers"): "NAME is to be put in",
    ("engines/calcite.md", "make tck-calcite"): "it needs Maven",
    ("engines/hazelcast.md", "make tck-hazelcast"): "it needs Maven",
    ("engines/clink.md", "make tck-clink"): "it installs clink from the network",
    ("engines/laminardb.md", "make tck-laminardb"): "it installs LaminarDB from the network",
}
#: On these pages all blocks but SQL are commands, and their output, that need a cluster, an engine
#: of somebody else, or minutes.
ON_A_CLUSTER: Final = (
    *("spark.md", "flights.md"),
    *(
        "engines/flink.md",
        "engines/calcite.md",
        "engines/hazelcast.md",
        "engines/clink.md",
        "engines/laminardb.md",
    ),
)
#: The blocks that the tests below run, by page and language.
RUN_HERE: Final = (
    ("engine.md", ""),
    ("engine.md", "python"),
    ("engine.md", "text"),
    ("pipelines.md", ""),
    ("pipelines.md", "sql"),
    ("pipelines.md", "json"),
    ("spark.md", "sql"),
)
#: Streams that statements of docs/spark.md name, next to those that they declare.
DECLARED: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, userId INTEGER,
  productId INTEGER, units INTEGER);
CREATE STREAM Returns (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, userId INTEGER,
  productId INTEGER, units INTEGER);
CREATE STREAM Sink (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER, userId INTEGER,
  productId INTEGER, units INTEGER);
CREATE STREAM Clicks (rowtime TIMESTAMP(3) ASCENDING, userId INTEGER);
CREATE STREAM Fast (rowtime TIMESTAMP(3) ASCENDING, clicks BIGINT);
CREATE STREAM Both (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_block_is_run_or_listed(page: Path) -> None:
    name = page.relative_to(DOCS).as_posix()
    if name in RUN_ELSEWHERE:
        for test in RUN_ELSEWHERE[name].split(", "):
            text = (ROOT / test).read_text("utf-8")
            assert page.name in text or page.parent.name in text, test
        return
    assert [
        block.line
        for block in blocks(page)
        if (name, block.text.splitlines()[0]) not in NOT_RUN
        and not (name in ON_A_CLUSTER and block.language != "sql")
        and (name, block.language) not in RUN_HERE
    ] == []


def test_no_block_is_listed_that_is_not_there() -> None:
    for name, line in NOT_RUN:
        assert line in [block.text.splitlines()[0] for block in blocks(DOCS / name)], line


class _Watched:
    """A connection that says when a reader of a stream is open."""

    def __init__(self, connection: rowtime.Connection) -> None:
        self._connection = connection
        self.reading = threading.Event()

    def __getattr__(self, name: str) -> Any:  # a method of the connection
        return getattr(self._connection, name)

    def execute(self, sql: str, parameters: tuple[int, ...] = ()) -> rowtime.Cursor:
        cursor = self._connection.execute(sql, parameters)
        if "STREAM" in sql.split(" FROM ")[0].split()[:2]:
            self.reading.set()
        return cursor


def test_the_programs_of_the_engine_s_page_run() -> None:
    """The writer's and the reader's at the same time, on the stream of the first."""
    programs = [block.text for block in blocks(DOCS / "engine.md") if block.language == ""]
    first, writer, reader, *_ = programs
    (trace,) = (each for each in programs if "SAVED_TRACE" in each)
    exec(first, {})
    with rowtime.connect(timeout=60) as connection:
        connection.execute(first.splitlines()[-1].strip().removeprefix('db.execute("')[:-2])
        db = _Watched(connection)
        read: dict[str, Any] = {"db": db}
        thread = threading.Thread(target=exec, args=(reader, read))
        thread.start()
        assert db.reading.wait(60)
        exec(writer, {"db": db, "datetime": datetime})
        thread.join()
        assert read["row"] == (datetime(2026, 1, 1, 10, 0), 5)
        assert read["bound"] >= datetime(2026, 1, 1, 10, 0)
        assert eval(trace, {"db": db}) == []


def test_the_changelogs_of_the_engine_s_page_give_what_it_says() -> None:
    programs = [block.text for block in blocks(DOCS / "engine.md") if block.language == ""]
    (reading,) = (each for each in programs if "fetch_current" in each)
    (sending,) = (each for each in programs if "send_changes" in each)
    (pump,) = (each for each in programs if "CREATE PUMP totals" in each)
    with rowtime.connect(timeout=60) as db:
        db.execute("CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, units INTEGER)")
        db.executescript(pump)
        names: dict[str, Any] = {"db": db}
        exec(reading, names)
        for name in ("changes", "answer"):
            (comment,) = re.findall(rf"(?m)^ *{name} = .*# (.*)$", reading)
            assert names[name] == eval(comment)
        exec(sending, names)
        assert db.execute("SELECT * FROM Accounts").fetchall() == [(1, 50)]
        assert db.execute("SELECT * FROM Totals").fetchall() == [(5, 2)]


def test_the_picture_of_the_engine_s_page_is_drawn() -> None:
    trace, _ = (block.text for block in blocks(DOCS / "engine.md") if block.language == "python")
    assert "<svg" in eval(trace, {"rowtime": rowtime}).svg


def test_the_function_of_the_engine_s_page_is_called() -> None:
    _, program = (block.text for block in blocks(DOCS / "engine.md") if block.language == "python")
    names: dict[str, Any] = {"rowtime": rowtime}
    exec(program, names)
    with names["db"] as db:
        assert db.execute("SELECT DOMAIN('a@b.org') FROM (VALUES (1)) AS t (n)").fetchall() == [
            ("b.org",)
        ]


def test_the_sessions_of_the_engine_s_page_come_when_the_gap_has_passed() -> None:
    (sql,) = (block.text for block in blocks(DOCS / "engine.md") if "SESSION(rowtime" in block.text)
    with rowtime.connect(timeout=60) as db:
        db.execute("CREATE STREAM Clicks (rowtime TIMESTAMP(3) NOT NULL ASCENDING, userId INTEGER)")
        sessions = db.execute(sql)
        for minute in (0, 29, 59):
            at = f"TIMESTAMP '2026-01-01 10:{minute:02}:00'"
            db.execute(f"INSERT INTO Clicks VALUES ({at}, 7)")
        assert sessions.fetchone() == (datetime(2026, 1, 1, 10, 59), 7, 2)


class _Sink:
    """The rows that it is sent."""

    def __init__(self) -> None:
        self.rows: list[object] = []
        self.filled = threading.Event()

    def send_row(self, row: object) -> None:
        self.rows.append(row)
        self.filled.set()

    def send_rowtime_bound(self, at: datetime) -> None:
        pass


def test_the_adapters_of_the_engine_s_page_bring_rows_in_and_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = (block.text for block in blocks(DOCS / "engine.md") if "db.attach" in block.text)
    monkeypatch.chdir(tmp_path)
    lines = tmp_path / "orders.jsonl"
    lines.touch()
    sink = _Sink()
    with rowtime.connect(timeout=60) as db:
        db.execute("CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, units INTEGER)")
        names: dict[str, Any] = {"db": db, "sink": sink}
        exec(program, names)
        with lines.open("a") as file:
            file.write(
                '["2026-01-01 10:00:00", 5]\n{"ROWTIME": "2026-01-01 10:01:00", "UNITS": 20}\n'
            )
        assert sink.filled.wait(60)
        names["lines"].stop()
        names["out"].stop()
    assert sink.rows == [(datetime(2026, 1, 1, 10, 1), 20)]


@pytest.mark.parametrize("number", [0, 1])
def test_the_session_of_the_shell_prints_what_the_page_shows(number: int) -> None:
    """Rows of a stream come from the background: their place among other lines is free."""
    session = [b.text for b in blocks(DOCS / "engine.md") if b.language == "text"][number]
    lines = session.splitlines()
    typed = [line.removeprefix("rowtime> ") for line in lines if line.startswith("rowtime> ")]
    shown = [line for line in lines if not line.startswith("rowtime> ")]
    pipe = subprocess.PIPE
    with subprocess.Popen([COMMAND, "sql"], stdin=pipe, stdout=pipe, text=True) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        shell.stdin.write("\n".join(typed) + "\n")
        shell.stdin.flush()
        printed = [shell.stdout.readline() for _ in shown]  # the shell ends with its input
        shell.stdin.close()
    assert shell.returncode == 0
    assert sorted(map(str.strip, printed)) == sorted(map(str.strip, shown))


def test_the_pipeline_of_its_page_writes_what_it_says(tmp_path: Path) -> None:
    sql, _ = (block.text for block in blocks(DOCS / "pipelines.md") if block.language == "sql")
    (tmp_path / "pipeline.sql").write_text(sql, "utf-8")
    make = [sys.executable, str(ROOT / "benchmarks" / "make_orders.py"), "--rows", "1000"]
    subprocess.run([*make, "--directory", "build/demo"], cwd=tmp_path, check=True)
    command = next(block for block in blocks(DOCS / "pipelines.md") if block.is_command)
    arguments = command.text.split()[1:]
    done = subprocess.run(
        [COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    rows = re.findall(r"(?m)^(read|wrote) ([0-9,]+) rows of (\w+)", done.stdout + done.stderr)
    assert [(what, name) for what, _, name in rows] == [
        ("read", "ORDERS"),
        ("wrote", "QUARTERS"),
        ("wrote", "GREAT"),
    ]


def test_the_pipeline_of_changes_writes_the_records_of_the_page(tmp_path: Path) -> None:
    _, sql = (block.text for block in blocks(DOCS / "pipelines.md") if block.language == "sql")
    read, written = (b.text for b in blocks(DOCS / "pipelines.md") if b.language == "json")
    (tmp_path / "pipeline.sql").write_text(sql, "utf-8")
    (tmp_path / "accounts.jsonl").write_text(read + "\n", "utf-8")
    subprocess.run([COMMAND, "run", "pipeline.sql"], cwd=tmp_path, check=True, capture_output=True)
    found = (tmp_path / "totals.jsonl").read_text("utf-8")
    assert found.splitlines() == written.splitlines()


@pytest.mark.parametrize(
    "sql",
    [block.text for block in blocks(DOCS / "spark.md") if block.language == "sql"],
    ids=lambda sql: " ".join(sql.split()[:6]),
)
def test_a_statement_of_the_page_of_spark_is_accepted(sql: str) -> None:
    if sql.startswith("SELECT"):
        assert prepare(DECLARED, sql, Profile.CALCITE).query is not None
    else:
        declared = "" if sql.startswith("CREATE") else DECLARED
        assert prepare(declared + sql, None, Profile.CALCITE).catalog.objects
