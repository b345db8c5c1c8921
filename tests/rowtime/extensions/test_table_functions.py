"""Table functions: what they read and send, their bounds, their faults (S-611, RTB-066)."""

from datetime import datetime
from pathlib import Path

import pytest

import rowtime
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import trace
from tests.rowtime.extensions.conftest import STREAM
from tests.rowtime.extensions.sessions_function import Sessions

SESSIONS = "TABLE(SESSIONS(S, 'A', INTERVAL '10' MINUTE))"


def send(connection: rowtime.Connection, *rows: tuple[int, int | None]) -> None:
    """Rows of S, each with its minute and its value; then the producer closes."""
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.executemany([(minute(at), value) for at, value in rows])


def test_a_session_ends_when_no_row_can_continue_it(connection: rowtime.Connection) -> None:
    """S-611.c, RTB-153: a row ten minutes after the last one begins another session."""
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS}")
    send(connection, (0, 1), (7, 2), (9, 1), (16, None), (18, 1))
    assert reader.fetch_available() == [(minute(17), 2, minute(7), 1)]
    send(connection, (28, 1))
    assert reader.fetch_available() == [
        (minute(26), None, minute(16), 1),
        (minute(28), 1, minute(0), 3),
    ]


def test_it_sees_to_its_bounds_itself(connection: rowtime.Connection) -> None:
    """S-611.d, RTB-066: the next session to end began at minute 3, and ends at 13 or later."""
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS}")
    bounds = list[object]()
    for row in ((3, 1), (5, 2), (12, 3), (14, 4)):
        send(connection, row)
        bounds.append(reader.rowtime_bound)
    assert bounds == [minute(13), minute(13), minute(13), minute(15)]


def test_rows_out_of_order_join_sessions(connection: rowtime.Connection) -> None:
    """The row of minute 8 connects those of 0 and 16, which are not one session without it."""
    connection.execute(
        "CREATE STREAM R (rowtime TIMESTAMP(3) NOT NULL ASCENDING WITHIN INTERVAL '15' MINUTE, "
        "a INTEGER)"
    )
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS.replace('(S,', '(R,')}")
    with connection.prepare("INSERT INTO R VALUES (?, ?)") as insert:
        insert.executemany([(minute(0), 1), (minute(16), 1), (minute(8), 1), (minute(41), 1)])
    assert reader.fetch_available() == [(minute(26), 1, minute(0), 3)]


@pytest.mark.parametrize("strict", [False, True])
def test_a_flush_ends_all_sessions(connection: rowtime.Connection, strict: bool) -> None:
    """S-611.h: also with a bound within a gap of the calendar's end, or at the end itself."""
    last = datetime(9999, 12, 31, 23, 59, 59, 999_000)
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS}")
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.execute((minute(0), 1))
        insert.set_rowtime_bound(last, strict=strict)
        assert reader.fetch_available() == [(minute(10), 1, minute(0), 1)]
        assert reader.rowtime_bound == last


def test_a_session_that_leaves_the_calendar_is_an_error(connection: rowtime.Connection) -> None:
    """S-611.g: its ROWTIME would be in the year 10000."""
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS}")
    connection.execute("INSERT INTO S VALUES (TIMESTAMP '9999-12-31 23:50:00', 1)")
    with pytest.raises(rowtime.OperationalError, match="a session ends after the year 9999"):
        reader.fetchone()


def test_sessions_at_the_beginning_of_the_calendar(connection: rowtime.Connection) -> None:
    """Neither the gap before the first row nor a slack leads before the year 1."""
    connection.execute(
        "CREATE STREAM R (rowtime TIMESTAMP(3) NOT NULL ASCENDING WITHIN INTERVAL '15' MINUTE, "
        "a INTEGER)"
    )
    reader = connection.execute(f"SELECT STREAM * FROM {SESSIONS.replace('(S,', '(R,')}")
    with connection.prepare("INSERT INTO R VALUES (?, ?)") as insert:
        for at in (datetime(1, 1, 1), datetime(1, 1, 1, 0, 5), datetime(1, 1, 1, 1)):
            insert.execute((at, 1))
    assert reader.fetch_available() == [(datetime(1, 1, 1, 0, 15), 1, datetime(1, 1, 1), 2)]


def test_its_output_is_a_stream_like_any_other(connection: rowtime.Connection) -> None:
    """It can be filtered, grouped, joined with itself, read through a view and by a pump."""
    connection.executescript(
        "CREATE STREAM T (rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT); "
        f"CREATE VIEW V AS SELECT STREAM * FROM {SESSIONS} AS s WHERE s.ROWS_COUNT > 1; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM FLOOR(rowtime TO HOUR), COUNT(*) "
        f"FROM {SESSIONS} GROUP BY FLOOR(rowtime TO HOUR)"
    )
    view = connection.execute("SELECT STREAM A, ROWS_COUNT FROM V")
    hours = connection.execute("SELECT STREAM c FROM T")
    pairs = connection.execute(
        f"SELECT STREAM x.A, y.A FROM {SESSIONS} AS x JOIN {SESSIONS} AS y "
        "ON y.rowtime BETWEEN x.rowtime AND x.rowtime AND x.A < y.A"
    )
    send(connection, (0, 1), (1, 1), (1, 2), (20, 3), (59, 4))
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.execute(("2026-01-01 12:00:00", 5))
    assert view.fetch_available() == [(1, 2)]
    assert hours.fetch_available() == [(3,), (1,)]
    assert pairs.fetch_available() == [(1, 2)]


def test_a_file_takes_up_the_state_of_a_table_function(tmp_path: Path) -> None:
    """S-610.c."""
    path = tmp_path / "file.db"
    with rowtime.connect(path, table_functions=[Sessions()]) as db:
        db.executescript(
            f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER, c BIGINT); "
            f"INSERT INTO T SELECT STREAM A, ROWS_COUNT FROM {SESSIONS}"
        )
        send(db, (0, 1), (5, 1))
    with rowtime.connect(path, table_functions=[Sessions()]) as db:
        send(db, (6, 1), (30, 2))
        assert db.execute("SELECT * FROM T").fetchall() == [(1, 3)]


def test_what_it_reads_is_what_the_query_reads(connection: rowtime.Connection) -> None:
    """S-608.b, S-608.e: of dropped streams, and of circles."""
    connection.executescript(
        f"CREATE STREAM T {STREAM}; CREATE VIEW V AS SELECT STREAM * FROM TABLE(DOUBLED(S, 1)); "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM TABLE(DOUBLED(S, 1))"
    )
    with pytest.raises(rowtime.NotSupportedError, match="in a circle"):
        connection.execute("INSERT INTO S SELECT STREAM * FROM TABLE(DOUBLED(T, 1))")
    with pytest.raises(rowtime.ProgrammingError, match="'S' is used by 'V'"):
        connection.execute("DROP STREAM S")
    reader = connection.execute("SELECT STREAM a FROM V")
    send(connection, (0, 1))
    connection.execute("DROP STREAM S CASCADE")
    assert reader.fetch_available() == [(1,), (1,)]
    with pytest.raises(rowtime.OperationalError, match="stream 'S' was dropped"):
        reader.fetchone()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (100, "DOUBLED has failed: RuntimeError: a hundred"),
        (101, "DOUBLED has failed: DataError: "),
        (102, "a row has 1 values for 2 columns"),
        (103, "has sent what it may not: ROWTIME: BEHIND_OWN_BOUND"),
        (104, "has sent what it may not: a bound of"),
    ],
)
def test_a_fault_ends_its_query_alone(
    connection: rowtime.Connection, row: int, reason: str
) -> None:
    """S-611.g."""
    reader = connection.execute("SELECT STREAM a FROM TABLE(DOUBLED(S, 1))")
    plain = connection.execute("SELECT STREAM a FROM S")
    sent = [(1, 5), (2, row), (3, 6)]
    send(connection, *sent)
    assert plain.fetch_available() == [(value,) for _, value in sent]
    assert reader.fetch_available() == [(5,), (5,)]
    with pytest.raises(rowtime.OperationalError) as error:
        reader.fetchone()
    assert error.value.code == "EXTERNAL_ROUTINE"
    assert reason in str(error.value)
    assert trace(connection) == [("ERROR", None, "EXTERNAL_ROUTINE")]
    again = connection.execute("SELECT STREAM a FROM TABLE(DOUBLED(S, 1))")
    send(connection, (4, 7))
    assert again.fetch_available() == [(7,), (7,)]


def test_one_that_does_not_start_ends_its_query(connection: rowtime.Connection) -> None:
    connection.executescript(
        f"CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM TABLE(DOUBLED(S, 99))"
    )
    assert trace(connection) == [("ERROR", "P", "EXTERNAL_ROUTINE")]
    reader = connection.execute("SELECT STREAM * FROM TABLE(DOUBLED(S, 99))")
    with pytest.raises(rowtime.OperationalError, match="OSError: it does not start"):
        reader.fetchone()


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("SESSIONS(S, 'B', INTERVAL '1' HOUR)", "WRONG_ARGUMENTS", "no column 'B'"),
        ("SESSIONS(S, 'A', INTERVAL '0' HOUR)", "WRONG_ARGUMENTS", "gap must be positive"),
        ("SESSIONS(S, 'A')", "WRONG_ARGUMENTS", "takes 3 arguments, not 2"),
        ("SESSIONS(T, 'A', INTERVAL '1' HOUR)", "WRONG_ARGUMENTS", "is the name of a stream"),
        ("SESSIONS(1 + 1, 'A', INTERVAL '1' HOUR)", "WRONG_ARGUMENTS", "is the name of a stream"),
        ("SESSIONS(S, 'A', 1)", "TYPE_MISMATCH", "INTEGER where INTERVAL"),
        ("SESSIONS(S, 'A', NULL)", "WRONG_ARGUMENTS", "GAP must be a constant"),
        ("SESSIONS(S, a, INTERVAL '1' HOUR)", "UNKNOWN_COLUMN", "'A' not found"),
        ("DOUBLED(S, -1)", "WRONG_ARGUMENTS", "UNTIL is negative"),
        ("NO_SUCH(S, 1)", "NOT_SUPPORTED", "there is no table function NO_SUCH"),
    ],
)
def test_a_wrong_call_is_refused(
    connection: rowtime.Connection, call: str, code: str, message: str
) -> None:
    """S-611.m, among others: the arguments after the stream are constants."""
    with pytest.raises(rowtime.DatabaseError, match=message) as error:
        connection.execute(f"SELECT STREAM * FROM TABLE({call})")
    assert error.value.code == code


def test_a_function_that_fails_to_say_its_columns_is_at_fault(
    connection: rowtime.Connection,
) -> None:
    with pytest.raises(rowtime.OperationalError, match="ZeroDivisionError: no columns"):
        connection.execute("SELECT STREAM * FROM TABLE(DOUBLED(S, 666))")


def test_only_a_streaming_query_reads_it(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError) as error:
        connection.execute(f"SELECT * FROM {SESSIONS}")
    assert error.value.code == "STREAM_TO_TABLE"
