"""Changelogs in the shell: signs where rows are printed, and a table that is redrawn in place."""

import io
import threading
from collections.abc import Iterator

import pytest

import rowtime
from algebra.records.printing import Format
from rowtime.shell.changing_table import current_table, redraw_until_interrupted
from rowtime.shell.session import ShellSession

DDL = "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)"
COUNTS = "SELECT STREAM a, COUNT(*) AS c FROM S GROUP BY a EMIT CHANGES"


def insert(value: int) -> str:
    return f"INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', {value})"


@pytest.fixture
def db() -> Iterator[rowtime.Connection]:
    with rowtime.connect(timeout=30) as db:
        db.execute(DDL)
        yield db


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 30 columns and 8 lines."""
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("LINES", "8")


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        (Format.CSV, "CHANGE,A,C\n+,5,1\n-,5,1\n+,5,2\n"),
        (
            Format.JSON,
            (
                '{"CHANGE": "+", "A": 5, "C": 1}\n'
                '{"CHANGE": "-", "A": 5, "C": 1}\n{"CHANGE": "+", "A": 5, "C": 2}\n'
            ),
        ),
    ],
)
def test_changes_are_printed_with_their_signs(
    db: rowtime.Connection, format: Format, expected: str
) -> None:
    """S-1008.b: as `rowtime run` prints them."""
    out, err = io.StringIO(), io.StringIO()
    session = ShellSession(db, out, err, format)
    session.run(f"\\bg {COUNTS}")
    session.run(f"{insert(5)}; {insert(5)}")
    session.close()
    assert out.getvalue().replace("1 row written\n", "") == expected
    assert err.getvalue() == ""


def test_in_the_background_of_a_terminal_the_answer_is_a_table(db: rowtime.Connection) -> None:
    """S-1008.c: it is up to date when a statement has ended, and its rows keep their order."""
    out = io.StringIO()
    session = ShellSession(db, out, out, Format.TABLE, redraws=True)
    session.run(f"\\bg {COUNTS}")
    session.run(f"{insert(7)}; {insert(5)}; {insert(5)}")
    assert session.tables.splitlines() == [
        " A | C",
        "---+---",
        " 5 | 2",
        " 7 | 1",
        "(2 rows)",
    ]
    session.run("\\stop")
    assert session.tables == ""
    assert out.getvalue() == "1 row written\n" * 3


def test_with_a_format_a_terminal_gets_the_changes(db: rowtime.Connection) -> None:
    out = io.StringIO()
    session = ShellSession(db, out, out, Format.TABLE, redraws=True)
    session.run("\\format csv")
    session.run(f"\\bg {COUNTS}")
    session.run(insert(5))
    session.close()
    assert out.getvalue() == "CHANGE,A,C\n+,5,1\n1 row written\n"


def test_the_table_of_a_query_is_drawn_again_in_its_place(db: rowtime.Connection) -> None:
    """The second drawing goes up over the four lines of the first one, and clears them."""
    out, cursor = io.StringIO(), db.execute("SELECT STREAM COUNT(*) AS c FROM S EMIT CHANGES")

    def change() -> None:
        while out.getvalue().count("row") < 1:
            pass
        db.execute(insert(5))
        while out.getvalue().count("row") < 2:
            pass
        cursor.cancel()

    thread = threading.Thread(target=change)
    thread.start()
    with pytest.raises(rowtime.Cancelled):
        redraw_until_interrupted(cursor, out)
    thread.join()
    first, second = out.getvalue().split("\x1b[4A\x1b[J")
    assert first == " C\n---\n 0\n(1 row)\n"
    assert second == " C\n---\n 1\n(1 row)\n"


def test_a_table_is_no_larger_than_the_terminal(db: rowtime.Connection) -> None:
    db.execute("CREATE TABLE T (a INTEGER, b VARCHAR)")
    db.prepare("INSERT INTO T VALUES (?, ?)").executemany([(i, "x" * 99) for i in range(9)])
    lines = current_table(db.execute("SELECT STREAM a, b FROM T EMIT CHANGES")).splitlines()
    assert len(lines) == 6
    assert all(len(line) <= 30 for line in lines[:-1])
    assert lines[-1] == "(9 rows, 6 of them not shown)"


def test_null_is_before_other_values(db: rowtime.Connection) -> None:
    db.executescript("CREATE TABLE T (a INTEGER); INSERT INTO T VALUES (2), (NULL), (1)")
    text = current_table(db.execute("SELECT STREAM a FROM T EMIT CHANGES"))
    assert [line.strip() for line in text.splitlines()[2:-1]] == ["NULL", "1", "2"]
