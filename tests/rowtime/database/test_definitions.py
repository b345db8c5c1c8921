"""Objects that are created, replaced, altered and dropped while queries run (S-608)."""

import pytest

import rowtime
from tests.rowtime.database.conftest import minute

STREAM = "(rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)"


def trace(connection: rowtime.Connection) -> list[tuple[object, ...]]:
    """What the trace has saved: level, object, code."""
    query = "SELECT LEVEL, OBJECT, CODE FROM SYS_BOOT.MGMT.SAVED_TRACE"
    return list(connection.execute(query).fetchall())


def test_readers_of_a_dropped_stream_get_its_rows_and_then_an_error(
    connection: rowtime.Connection,
) -> None:
    """S-608.b, S-608.g."""
    connection.executescript(f"CREATE STREAM S {STREAM}; CREATE STREAM Other {STREAM}")
    reader = connection.execute("SELECT STREAM a FROM S")
    count = connection.execute(
        "SELECT STREAM FLOOR(rowtime TO HOUR), COUNT(*) FROM S GROUP BY FLOOR(rowtime TO HOUR)"
    )
    other = connection.execute("SELECT STREAM a FROM Other")
    rows = connection.prepare("INSERT INTO S VALUES (?, ?)")
    rows.executemany([(minute(0), 1), (minute(1), 2)])
    connection.execute("DROP STREAM S")
    assert reader.fetchmany(5) == [(1,), (2,)]
    for each in (reader, reader, count):  # the hour has not ended: its count is in no result
        with pytest.raises(rowtime.OperationalError, match="stream 'S' was dropped") as error:
            each.fetchone()
        assert error.value.code == "UNKNOWN_OBJECT"
    with pytest.raises(rowtime.ProgrammingError, match="object 'S' not found"):
        rows.execute((minute(2), 3))
    connection.execute("INSERT INTO Other VALUES (?, ?)", (minute(0), 7))
    assert other.fetchone() == (7,)


def test_a_stream_of_the_same_name_is_another_one(connection: rowtime.Connection) -> None:
    """S-608.h."""
    connection.executescript(f"CREATE STREAM S {STREAM}")
    rows = connection.prepare("INSERT INTO S VALUES (?, ?)")
    rows.execute((minute(5), 1))
    connection.executescript(f"DROP STREAM S; CREATE STREAM S {STREAM}")
    with pytest.raises(rowtime.ProgrammingError, match="stream 'S' was dropped"):
        rows.execute((minute(6), 2))
    reader = connection.execute("SELECT STREAM a FROM S")
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as again:
        assert again.execute((minute(0), 3)).rowcount == 1
    assert reader.fetchone() == (3,)


def test_a_dropped_table_ends_the_queries_that_read_it(connection: rowtime.Connection) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER, b VARCHAR(5)); "
        "INSERT INTO T VALUES (1, 'one')"
    )
    reader = connection.execute("SELECT STREAM b FROM S JOIN T ON S.a = T.a")
    connection.execute("INSERT INTO S VALUES (?, 1)", (minute(0),))
    connection.execute("DROP TABLE T")
    assert reader.fetchone() == ("one",)
    with pytest.raises(rowtime.OperationalError, match="table 'T' was dropped"):
        reader.fetchone()


def test_a_view_is_read_as_it_was_when_the_query_began(connection: rowtime.Connection) -> None:
    """S-608.a."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE VIEW V AS SELECT STREAM a FROM S WHERE a > 1"
    )
    old = connection.execute("SELECT STREAM * FROM V")
    connection.executescript("CREATE OR REPLACE VIEW V AS SELECT STREAM a * 10 AS a FROM S")
    new = connection.execute("SELECT STREAM * FROM V")
    connection.execute("DROP VIEW V")
    connection.prepare("INSERT INTO S VALUES (?, ?)").executemany([(minute(0), 1), (minute(1), 2)])
    assert old.fetch_available() == [(2,)]
    assert new.fetch_available() == [(10,), (20,)]


def test_a_stream_that_a_pump_uses_is_dropped_with_cascade_alone(
    connection: rowtime.Connection,
) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM S"
    )
    with pytest.raises(rowtime.ProgrammingError, match="'S' is used by 'P'"):
        connection.execute("DROP STREAM S")
    reader = connection.execute("SELECT STREAM a FROM T")
    connection.execute("DROP STREAM S CASCADE")
    assert ("P",) not in connection.catalog.objects
    connection.execute("INSERT INTO T VALUES (?, 1)", (minute(0),))  # no pump holds it back
    assert reader.fetchone() == (1,)
    assert trace(connection) == []


def test_a_standing_insert_ends_with_what_it_reads(connection: rowtime.Connection) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "INSERT INTO T SELECT STREAM * FROM S; DROP STREAM S"
    )
    assert trace(connection) == [("ERROR", "T", "UNKNOWN_OBJECT")]
    reader = connection.execute("SELECT STREAM a FROM T")
    connection.execute("INSERT INTO T VALUES (?, 1)", (minute(0),))
    assert reader.fetchone() == (1,)


def test_pumps_are_bound_anew_to_a_stream_that_was_replaced(
    connection: rowtime.Connection,
) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM rowtime, a FROM S"
    )
    with pytest.raises(rowtime.ProgrammingError, match="'A' not found"):
        connection.execute("CREATE OR REPLACE STREAM S (rowtime TIMESTAMP(3) ASCENDING)")
    connection.execute(
        "CREATE OR REPLACE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER, b INTEGER)"
    )
    reader = connection.execute("SELECT STREAM a FROM T")
    connection.execute("INSERT INTO S VALUES (?, 1, 2)", (minute(0),))
    assert reader.fetchone() == (1,)


def test_statements_in_a_circle_are_refused(connection: rowtime.Connection) -> None:
    """S-605.g; S-608.e: nothing of the refused statement is done."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM S"
    )
    for statement in (
        "CREATE PUMP q AS INSERT INTO S SELECT STREAM * FROM T",
        "INSERT INTO S SELECT STREAM * FROM T",
    ):
        with pytest.raises(rowtime.NotSupportedError, match="in a circle"):
            connection.execute(statement)
    assert ("Q",) not in connection.catalog.objects
    reader = connection.execute("SELECT STREAM a FROM T")
    connection.execute("INSERT INTO S VALUES (?, 1)", (minute(0),))
    assert reader.fetch_available() == [(1,)]


def test_the_objects_of_the_trace_are_the_databases_own(connection: rowtime.Connection) -> None:
    for statement in (
        "DROP TABLE SYS_BOOT.MGMT.SAVED_TRACE",
        "DROP SCHEMA SYS_BOOT CASCADE",
        "CREATE TABLE SYS_BOOT.T (a INTEGER)",
        "DELETE FROM SYS_BOOT.MGMT.SAVED_TRACE",
        "INSERT INTO SYS_BOOT.MGMT.ALL_TRACE (LEVEL, MESSAGE) VALUES ('X', 'y')",
    ):
        with pytest.raises(rowtime.ProgrammingError) as error:
            connection.execute(statement)
        assert error.value.code == "WRONG_OBJECT"


def test_a_table_changes_under_a_stream(connection: rowtime.Connection) -> None:
    """S-508: each row of the stream is joined with the table as it is when the row passes."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER PRIMARY KEY, b VARCHAR(5))"
    )
    reader = connection.execute("SELECT STREAM b FROM S JOIN T ON S.a = T.a")
    rows = connection.prepare("INSERT INTO S VALUES (?, ?)")
    rows.execute((minute(0), 1))
    connection.execute("INSERT INTO T VALUES (1, 'old')")
    rows.execute((minute(1), 1))
    connection.execute("UPDATE T SET b = 'new'")
    rows.execute((minute(2), 1))
    connection.execute("DELETE FROM T")
    rows.execute((minute(3), 1))
    assert reader.fetch_available() == [("old",), ("new",)]


def test_a_history_is_trimmed_to_what_is_declared(connection: rowtime.Connection) -> None:
    """S-308."""
    connection.executescript(
        "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER) "
        "WITH HISTORY INTERVAL '10' MINUTE"
    )
    rows = connection.prepare("INSERT EXPEDITED INTO S VALUES (?, ?)")
    for number in range(60):
        rows.executemany([(minute(number), 5 * number + each) for each in range(5)])
    query = "SELECT COUNT(*), MIN(a) FROM S WHERE rowtime >= ?"
    assert connection.execute(query, (minute(49),)).fetchone() == (55, 245)
    with pytest.raises(rowtime.OperationalError) as error:
        connection.execute(query, (minute(48),))
    assert error.value.code == "INSUFFICIENT_HISTORY"
    retained = connection.database.read_state(lambda engine: len(engine.streams["S",].history.rows))
    assert 55 <= retained <= 200


def test_a_sub_query_reads_the_history_that_a_bound_leaves(connection: rowtime.Connection) -> None:
    """S-308.h, S-308.j: also a bound without a row ends the time of rows in a history."""
    connection.executescript(
        "CREATE STREAM H (rowtime TIMESTAMP(3) ASCENDING, v INTEGER) WITH HISTORY INTERVAL '10' "
        "MINUTE; CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING)"
    )
    reader = connection.execute("SELECT STREAM (SELECT SUM(v) FROM H) AS v FROM S")
    history = connection.prepare("INSERT INTO H VALUES (?, ?)")
    rows = connection.prepare("INSERT INTO S VALUES (?)")
    history.executemany([(minute(0), 1), (minute(5), 2)])
    rows.execute((minute(20),))
    history.set_rowtime_bound(minute(12))
    rows.execute((minute(21),))
    history.set_rowtime_bound(minute(30))
    rows.execute((minute(22),))
    assert reader.fetch_available() == [(3,), (2,), (None,)]
