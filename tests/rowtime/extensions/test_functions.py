"""Scalar functions of Python in SQL, and their faults (S-611, S-608.f)."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import rowtime
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import trace
from tests.rowtime.extensions.conftest import STREAM, Halves

INSERT = "INSERT EXPEDITED INTO S VALUES (?, ?)"


def send(connection: rowtime.Connection, values: Sequence[int | None]) -> None:
    """Rows of S at one time, with these values."""
    with connection.prepare(INSERT) as rows:
        rows.executemany([(minute(0), value) for value in values])


def test_a_function_works_row_by_row_and_passes_bounds(connection: rowtime.Connection) -> None:
    """S-611.b."""
    reader = connection.execute("SELECT STREAM rowtime, HALF(a) FROM S WHERE HALF(a) > 1")
    send(connection, [4, 2, 9, None])
    assert reader.fetch_available() == [(minute(0), 2), (minute(0), 4)]
    with connection.prepare(INSERT) as rows:
        rows.set_rowtime_bound(minute(5))
    assert reader.rowtime_bound == minute(5)


def test_a_function_is_not_called_with_null(connection: rowtime.Connection) -> None:
    """S-611.k."""
    assert connection.execute("SELECT HALF(NULL), HALF(5)").fetchone() == (None, 2)


def test_a_fault_on_the_ten_thousandth_row_ends_its_query_alone(
    connection: rowtime.Connection,
) -> None:
    """S-611.g, S-608.j: of the event with the fault the query emits nothing; all others go on."""
    connection.executescript(
        f"CREATE STREAM T {STREAM}; "
        "CREATE PUMP bad STARTED AS INSERT INTO T SELECT STREAM rowtime, HALF(a) FROM S"
    )
    query = "SELECT STREAM HALF(a) FROM S"
    reader, other = connection.execute(query), connection.execute("SELECT STREAM a FROM S")
    send(connection, [2] * 9_000)
    assert reader.fetchmany(10_000) == [(1,)] * 9_000
    assert other.fetchmany(10_000) == [(2,)] * 9_000
    send(connection, [2] * 999 + [13])
    send(connection, [4])
    assert other.fetchmany(10_000) == [(2,)] * 999 + [(13,), (4,)]
    with pytest.raises(rowtime.OperationalError) as error:
        reader.fetchone()
    assert error.value.code == "EXTERNAL_ROUTINE"
    assert "HALF has failed: LookupError: thirteen is not halved" in str(error.value)
    assert error.value.sql_error is not None
    at = error.value.sql_error.at
    assert query[at.start : at.end] == "HALF(a)"
    assert trace(connection) == [
        ("ERROR", "BAD", "EXTERNAL_ROUTINE"),
        ("ERROR", None, "EXTERNAL_ROUTINE"),
    ]


class Asking:
    """A function that executes a statement on the database that calls it."""

    signature = "ASKING(x INTEGER) RETURNS INTEGER"

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self.db: rowtime.Connection | None = None

    def __call__(self, x: int) -> int:
        """The argument."""
        assert self.db is not None
        self.db.execute(self.sql)
        return x


@pytest.mark.parametrize(
    ("sql", "accepted"),
    [
        ("SELECT COUNT(*) FROM T", True),
        ("SELECT COUNT(*) FROM S", True),
        ("INSERT INTO T VALUES (9)", False),
        ("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', 9)", False),
        ("DELETE FROM T", False),
        ("CREATE TABLE U (a INTEGER)", False),
        ("DROP PUMP p", False),
        ("SELECT STREAM a FROM S", False),
    ],
)
@pytest.mark.parametrize("stored", [False, True], ids=["memory", "file"])
def test_a_function_may_ask_its_database_but_not_change_it(
    sql: str, accepted: bool, stored: bool, tmp_path: Path
) -> None:
    """S-611.q: in an event of a pump and of an UPDATE; later events are carried out."""
    asking = Asking(sql)
    with rowtime.connect(tmp_path / "a.db" if stored else None, functions=[asking]) as db:
        asking.db = db
        db.executescript(
            f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE TABLE T (a INTEGER); "
            "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM ASKING(a) FROM S"
        )
        send(db, [1])
        failed = [] if accepted else [("ERROR", "P", "EXTERNAL_ROUTINE")]
        assert trace(db) == failed
        db.execute("INSERT INTO T VALUES (2)")
        if accepted:
            db.execute("UPDATE T SET a = ASKING(a)")
        else:
            with pytest.raises(rowtime.OperationalError, match="cannot write into its own"):
                db.execute("UPDATE T SET a = ASKING(a)")
        assert sorted(db.execute("SELECT a FROM T")) == ([(1,), (2,)] if accepted else [(2,)])
        assert db.execute("SELECT a FROM S").fetchall() == [(1,)]


def test_a_result_of_another_type_is_a_fault(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.OperationalError, match="HALF returned 'seven', which is no INTEG"):
        connection.execute("SELECT HALF(7)")


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT HALF('x')", "TYPE_MISMATCH"),
        ("SELECT HALF(1, 2)", "WRONG_ARGUMENTS"),
        ("SELECT HALF(DISTINCT a) FROM S", "WRONG_ARGUMENTS"),
        ("SELECT HALFS(1)", "UNKNOWN_FUNCTION"),
        ("SELECT STREAM HALF(a), COUNT(*) FROM S GROUP BY HALF(a)", "NO_MONOTONIC_KEY"),
    ],
)
def test_a_wrong_call_is_refused(connection: rowtime.Connection, sql: str, code: str) -> None:
    with pytest.raises(rowtime.ProgrammingError) as error:
        connection.execute(sql)
    assert error.value.code == code


def test_what_create_function_makes_goes_before(connection: rowtime.Connection) -> None:
    """S-611.j, S-611.i."""
    connection.executescript(
        "CREATE FUNCTION HALF(x INTEGER) RETURNS INTEGER RETURN x * 10; "
        "CREATE TABLE SESSIONS (a INTEGER)"
    )
    assert connection.execute("SELECT HALF(5)").fetchone() == (50,)


def test_a_file_needs_the_functions_that_its_definitions_use(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with rowtime.connect(path, functions=[Halves()]) as db:
        db.executescript(
            f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER); "
            "INSERT INTO T SELECT STREAM HALF(a) FROM S"
        )
        send(db, [4])
    with pytest.raises(rowtime.ProgrammingError, match="there is no function HALF"):
        rowtime.connect(path)
    with rowtime.connect(path, functions=[Halves()]) as db:
        send(db, [6])
        assert db.execute("SELECT a FROM T").fetchall() == [(2,), (3,)]


def test_a_wrong_signature_is_refused() -> None:
    class Wrong:
        signature = "WRONG(x"

        def __call__(self, x: int) -> int:
            return x

    with pytest.raises(rowtime.ProgrammingError, match="SYNTAX_ERROR"):
        rowtime.connect(functions=[Wrong()])


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("GET /orders/17", "/orders/([0-9]+)", "17"),
        ("GET /orders/17", "[0-9]+", "17"),
        ("GET /", "[0-9]+", None),
        ("a", "a(b)?", None),
        ("a1b2", "([a-z])([0-9])", "a"),
    ],
)
def test_regexp_extract(
    connection: rowtime.Connection, text: str, pattern: str, found: str | None
) -> None:
    row = connection.execute("SELECT REGEXP_EXTRACT(?, ?)", (text, pattern)).fetchone()
    assert row == (found,)


def test_a_wrong_pattern_is_an_error(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.OperationalError, match=r"'\(' is not a regular expression"):
        connection.execute("SELECT REGEXP_EXTRACT('a', '(')")


@pytest.mark.parametrize("pattern", ["(a)\\1", "a(?=b)", "(?<!a)b", "((a{1000}){1000}){1000}"])
def test_a_pattern_that_could_take_exponential_time_or_much_memory_is_an_error(
    connection: rowtime.Connection, pattern: str
) -> None:
    with pytest.raises(rowtime.OperationalError, match="is not a regular expression of RE2"):
        connection.execute("SELECT REGEXP_EXTRACT(?, ?)", ("aab", pattern))


@pytest.mark.parametrize("pattern", ["(a|a)*b", "(a*)*b", "(a?){60}a{60}b", "(.*a){30}b"])
def test_a_hostile_pattern_comes_to_its_end(connection: rowtime.Connection, pattern: str) -> None:
    """A matcher that tries one way after the other tries more than 2^60 of them."""
    row = connection.execute("SELECT REGEXP_EXTRACT(?, ?)", ("a" * 100, pattern)).fetchone()
    assert row == (None,)


def test_without_re2_the_error_says_what_to_install(
    connection: rowtime.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(rowtime.OperationalError, match="pip install google-re2"):
        connection.execute("SELECT REGEXP_EXTRACT('a', 'without re2')")
