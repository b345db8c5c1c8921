"""The trace: late rows and failures in `logging`, as a stream and as a table (S-602)."""

import contextlib
import logging
from datetime import datetime

import pytest

import rowtime
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import STREAM

INSERT = "INSERT EXPEDITED INTO S VALUES (?, ?)"


def late(connection: rowtime.Connection, count: int) -> None:
    """So many late rows of S."""
    with connection.prepare(INSERT) as rows:
        rows.execute((minute(30), 0))
        assert rows.executemany([(minute(0), number) for number in range(count)]).rowcount == 0


def test_the_log_has_the_late_rows_1_10_100_and_1000(
    connection: rowtime.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """S-602.a, RTB-007, E-100."""
    connection.executescript(f"CREATE STREAM S {STREAM}")
    late(connection, 1_500)
    assert [each.getMessage().split(":")[1] for each in caplog.records] == [
        " late row 1",
        " late row 10",
        " late row 100",
        " late row 1000",
    ]
    assert {(each.name, each.levelno) for each in caplog.records} == {
        ("rowtime.trace.laterow", logging.WARNING)
    }


def test_a_bad_row_is_logged_as_one(
    connection: rowtime.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """S-601.h: it has a count of its own, and is none of the late rows."""
    connection.executescript(
        "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER CHECK (a < 9))"
    )
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as rows:
        rows.execute((minute(1), 1))
        for at, value in ((1, 9), (0, 1), (0, 9)):
            with contextlib.suppress(rowtime.IntegrityError):
                rows.execute((minute(at), value))
    assert [(each.name, each.getMessage().split(":")[1]) for each in caplog.records] == [
        ("rowtime.trace", " bad row 1"),
        ("rowtime.trace.laterow", " late row 1"),
    ]
    codes = connection.execute("SELECT CODE FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchall()
    assert codes == [("BAD_ROW",), ("LATE",), ("BAD_ROW",)]


def test_each_stream_has_its_own_count(
    connection: rowtime.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    connection.executescript(f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}")
    late(connection, 2)
    with connection.prepare("INSERT INTO T VALUES (?, ?)") as rows:
        rows.executemany([(minute(1), 1), (minute(0), 2)])
    assert [each.getMessage() for each in caplog.records] == [
        "S: late row 1: ROWTIME: below the rows before it",
        "T: late row 1: ROWTIME: below the rows before it",
    ]


def test_at_finest_the_log_has_every_late_row(
    connection: rowtime.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """S-602.a, RTB-008."""
    connection.executescript(f"CREATE STREAM S {STREAM}")
    with caplog.at_level("FINEST", "rowtime.trace.laterow"):
        late(connection, 12)
    assert [each.levelname for each in caplog.records] == [
        "WARNING",
        *["FINEST"] * 8,
        "WARNING",
        *["FINEST"] * 2,
    ]


def test_all_messages_are_in_the_stream_and_the_latest_in_the_table(
    connection: rowtime.Connection,
) -> None:
    """S-602.b, S-602.c, RTB-006, RTB-009."""
    connection.executescript(f"CREATE STREAM S {STREAM}")
    stream = connection.execute("SELECT STREAM * FROM SYS_BOOT.MGMT.ALL_TRACE")
    late(connection, 1_200)
    rows = stream.fetchmany(5_000)
    assert len(rows) == 1_200
    assert rows[0][:3] == (datetime(2026, 1, 1), "WARNING", "S")
    assert rows[0][4:] == ("LATE", "ROWTIME: below the rows before it")
    saved = connection.execute("SELECT * FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchall()
    assert saved == rows[-1_000:]


def test_a_query_on_the_trace_can_be_windowed(connection: rowtime.Connection) -> None:
    connection.executescript(f"CREATE STREAM S {STREAM}; CREATE TABLE Alarms (o VARCHAR(99))")
    connection.execute(
        "INSERT INTO Alarms SELECT STREAM OBJECT FROM SYS_BOOT.MGMT.ALL_TRACE WHERE CODE = 'LATE'"
    )
    late(connection, 3)
    assert connection.execute("SELECT * FROM Alarms").fetchall() == [("S",)] * 3


def test_a_fault_of_a_query_on_the_trace_is_in_the_table_alone(
    connection: rowtime.Connection,
) -> None:
    """S-602.d: else each message would cause the next one, for ever."""
    connection.executescript(f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER CHECK (a > 0))")
    connection.execute("INSERT INTO T SELECT STREAM 0 FROM SYS_BOOT.MGMT.ALL_TRACE")
    stream = connection.execute("SELECT STREAM OBJECT FROM SYS_BOOT.MGMT.ALL_TRACE")
    late(connection, 1)
    assert stream.fetch_available() == [("S",)]
    saved = connection.execute("SELECT OBJECT FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchall()
    assert saved == [("S",), ("T",)]


def test_a_late_row_reaches_neither_queries_nor_history(connection: rowtime.Connection) -> None:
    """S-601.i, RTB-003."""
    connection.executescript(f"CREATE STREAM S {STREAM} WITH HISTORY")
    reader = connection.execute("SELECT STREAM a FROM S")
    late(connection, 5)
    assert reader.fetch_available() == [(0,)]
    assert connection.execute("SELECT a FROM S").fetchall() == [(0,)]
    assert connection.database.read_state(lambda each: each.streams["S",].dropped) == 5


def test_the_failure_of_a_query_is_logged_with_what_has_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A query has no name, unlike a pump."""
    with rowtime.connect() as connection:
        connection.execute("CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER)")
        reader = connection.execute("SELECT STREAM 1 / a AS q FROM S")
        connection.execute("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 00:00:00', 0)")
        with pytest.raises(rowtime.DataError, match="DIVISION_BY_ZERO"):
            reader.fetch_available()
    assert [each.getMessage().partition(": ")[0] for each in caplog.records] == ["a query"]
