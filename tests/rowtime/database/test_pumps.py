"""Standing statements: their counters, their starts and stops, their faults (S-605, S-608)."""

import pytest

import rowtime
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import STREAM, trace

HOURLY = "(rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT)"
COUNTING = (
    "INSERT INTO T SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' MINUTE), COUNT(*) "
    "FROM S GROUP BY TUMBLE(rowtime, INTERVAL '5' MINUTE)"
)


def send(connection: rowtime.Connection, *numbers: int) -> None:
    """Rows of S, one a minute, each with its minute as value; then the producer closes."""
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as rows:
        rows.executemany([(minute(number), number) for number in numbers])


def work(connection: rowtime.Connection) -> list[tuple[int, int]]:
    """The rows that each standing statement has taken and sent."""
    return connection.database.read_state(
        lambda engine: [(each.taken, each.sent) for each in engine.statements.values()]
    )


def test_an_insert_works_once_and_a_view_once_a_reader(connection: rowtime.Connection) -> None:
    """S-605.f, CAL-170."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE VIEW V AS SELECT STREAM rowtime, a FROM S WHERE a > 1; "
        "INSERT INTO T SELECT STREAM rowtime, a FROM S WHERE a > 1"
    )
    of_stream = [connection.execute("SELECT STREAM a FROM T") for _ in range(3)]
    of_view = [connection.execute("SELECT STREAM a FROM V") for _ in range(3)]
    send(connection, 0, 1, 2, 3)
    assert [each.fetch_available() for each in (*of_stream, *of_view)] == [[(2,), (3,)]] * 6
    assert work(connection) == [(4, 2)]
    taken = connection.database.read_state(lambda engine: [each.taken for each in engine.readers])
    assert taken == [2, 2, 2, 4, 4, 4]


def test_a_pump_with_history_goes_on_where_it_was_stopped(connection: rowtime.Connection) -> None:
    """S-608.i: the rows of the window that was open at the stop are in its count, too."""
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM T {HOURLY}; "
        f"CREATE PUMP p STARTED AS {COUNTING}"
    )
    reader = connection.execute("SELECT STREAM * FROM T")
    send(connection, 0, 1)
    connection.execute("ALTER PUMP p STOP")
    send(connection, 2, 6, 7)
    assert reader.fetch_available() == []
    connection.execute("ALTER PUMP p START")
    assert reader.fetch_available() == [(minute(5), 3)]
    send(connection, 8, 10)
    assert reader.fetch_available() == [(minute(10), 3)]
    assert trace(connection) == []


def test_a_pump_that_fails_at_a_missed_row_takes_no_further_one(
    connection: rowtime.Connection,
) -> None:
    """S-608.f, S-608.i."""
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STOPPED AS INSERT INTO T SELECT STREAM rowtime, 6 / (a - 2) FROM S"
    )
    reader = connection.execute("SELECT STREAM a FROM T")
    send(connection, 1, 2, 3, 4)
    connection.execute("ALTER PUMP p START")
    assert reader.fetch_available() == [(-6,)]
    assert trace(connection) == [("ERROR", "P", "DIVISION_BY_ZERO")]


def test_a_pump_that_replaces_a_started_one_runs_its_own_statement(
    connection: rowtime.Connection,
) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM S"
    )
    reader = connection.execute("SELECT STREAM a FROM T")
    send(connection, 1)
    connection.execute(
        "CREATE OR REPLACE PUMP p STARTED AS INSERT INTO T SELECT STREAM rowtime, a + 10 FROM S"
    )
    send(connection, 2)
    connection.execute("CREATE OR REPLACE PUMP p AS INSERT INTO T SELECT STREAM rowtime, -a FROM S")
    send(connection, 3)
    connection.execute("ALTER PUMP p START")
    send(connection, 4)
    assert reader.fetch_available() == [(1,), (12,), (-3,), (-4,)]


def test_a_pump_without_history_begins_anew(connection: rowtime.Connection) -> None:
    """S-608.d."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {HOURLY}; CREATE PUMP p STARTED AS {COUNTING}"
    )
    reader = connection.execute("SELECT STREAM * FROM T")
    send(connection, 0, 1)
    connection.execute("ALTER PUMP p STOP")
    send(connection, 2, 6)
    connection.execute("ALTER PUMP p START")
    send(connection, 7, 10)
    assert reader.fetch_available() == [(minute(10), 1)]
    assert trace(connection) == [("ERROR", "P", "MISSED_ROWS")]


def test_a_pump_that_missed_nothing_goes_on_without_history(
    connection: rowtime.Connection,
) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {HOURLY}; CREATE PUMP p STARTED AS {COUNTING}"
    )
    reader = connection.execute("SELECT STREAM * FROM T")
    send(connection, 0, 1)
    for statement in ("ALTER PUMP p STOP", "ALTER PUMP p STOP", "ALTER PUMP p START"):
        connection.execute(statement)
    send(connection, 2, 5)
    assert reader.fetch_available() == [(minute(5), 3)]


def test_a_pump_that_was_created_stopped_has_the_position_of_its_creation(
    connection: rowtime.Connection,
) -> None:
    connection.executescript(f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM T {STREAM}")
    send(connection, 0)
    connection.execute("CREATE PUMP p STOPPED AS INSERT INTO T SELECT STREAM * FROM S")
    reader = connection.execute("SELECT STREAM a FROM T")
    send(connection, 1, 2)
    connection.execute("ALTER PUMP p START")
    send(connection, 3)
    assert reader.fetch_available() == [(1,), (2,), (3,)]


def test_a_stopped_pump_holds_nothing_back(connection: rowtime.Connection) -> None:
    """S-603.d, S-608.c."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM * FROM S"
    )
    reader = connection.execute("SELECT STREAM a FROM T")
    connection.execute("INSERT INTO T VALUES (?, 1)", (minute(0),))
    assert reader.fetch_available() == []
    connection.execute("ALTER PUMP p STOP")
    assert reader.fetch_available() == [(1,)]


def test_a_pump_of_a_join_takes_what_it_missed_in_order(connection: rowtime.Connection) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM R {STREAM} WITH HISTORY; "
        "CREATE STREAM T (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER, b INTEGER); "
        "CREATE PUMP p STOPPED AS INSERT INTO T "
        "SELECT STREAM S.rowtime, S.a, R.a FROM S JOIN R "
        "ON S.a = R.a AND R.rowtime BETWEEN S.rowtime - INTERVAL '2' MINUTE AND S.rowtime"
    )
    reader = connection.execute("SELECT STREAM a FROM T")
    for number in range(4):
        connection.execute("INSERT INTO R VALUES (?, ?)", (minute(number), number % 2))
        connection.execute("INSERT INTO S VALUES (?, ?)", (minute(number), number % 2))
    connection.execute("ALTER PUMP p START")
    for table in ("R", "S"):
        connection.execute(f"INSERT INTO {table} VALUES (?, 9)", (minute(9),))
    # The pairs of the minutes are 0-0, 1-1, 2-0, 2-2, 3-1, 3-3 and 9-9.
    assert [a for (a,) in reader.fetch_available()] == [0, 1, 0, 0, 1, 1, 9]


def test_a_fault_ends_its_statement_alone(connection: rowtime.Connection) -> None:
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; CREATE STREAM U {STREAM}; "
        "CREATE PUMP bad STARTED AS INSERT INTO T SELECT STREAM rowtime, 10 / a FROM S; "
        "CREATE PUMP good STARTED AS INSERT INTO U SELECT STREAM rowtime, a FROM S"
    )
    divided, copied = (connection.execute(f"SELECT STREAM a FROM {each}") for each in "TU")
    query = connection.execute("SELECT STREAM 10 / a FROM S")
    send(connection, 5)
    send(connection, 6)
    connection.execute("INSERT INTO S VALUES (?, 0)", (minute(7),))
    send(connection, 10)
    assert divided.fetch_available() == [(2,), (1,)]
    assert copied.fetch_available() == [(5,), (6,), (0,), (10,)]
    assert query.fetch_available() == [(2,), (1,)]
    with pytest.raises(rowtime.DataError) as error:
        query.fetchone()
    assert error.value.code == "DIVISION_BY_ZERO"
    assert trace(connection) == [
        ("ERROR", "BAD", "DIVISION_BY_ZERO"),
        ("ERROR", None, "DIVISION_BY_ZERO"),
    ]
    connection.executescript("ALTER PUMP bad STOP; ALTER PUMP bad START")
    send(connection, 11)
    assert divided.fetch_available() == [(0,)]


def test_a_row_that_the_target_drops_is_in_the_trace(connection: rowtime.Connection) -> None:
    """S-605.h."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE TABLE T (a INTEGER PRIMARY KEY); "
        "INSERT INTO T SELECT STREAM a FROM S"
    )
    connection.prepare("INSERT INTO S VALUES (?, ?)").executemany([(minute(0), 1)] * 2)
    assert connection.execute("SELECT a FROM T").fetchall() == [(1,)]
    assert trace(connection) == [("WARNING", "T", "BAD_ROW")]
