"""Standing statements with EMIT CHANGES in a database: their order, their stops, their files."""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

import rowtime
from tests.examples import examples
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import STREAM, trace

COUNTS = "SELECT STREAM a, COUNT(*) AS c FROM S GROUP BY a EMIT CHANGES"
TARGET = "CREATE STREAM C (a INTEGER, c BIGINT) WITH CHANGES"


def send(connection: rowtime.Connection, *values: int | None, at: int = 0) -> None:
    """A row of S for each value, in one event, from a minute on."""
    with connection.prepare("INSERT EXPEDITED INTO S VALUES (?, ?)") as rows:
        rows.executemany([(minute(at), each) for each in values])


def rows_of(connection: rowtime.Connection, table: str) -> list[tuple[object, ...]]:
    return sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)


def test_a_pump_keeps_the_current_answer_in_a_stream_with_changes(
    connection: rowtime.Connection,
) -> None:
    """S-1005.h, S-1008.d: relational queries and changelogs read it."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; {TARGET}; CREATE PUMP p STARTED AS INSERT INTO C {COUNTS}"
    )
    reader = connection.execute("SELECT STREAM MAX(c) AS m FROM C EMIT CHANGES")
    send(connection, 1, 1, 2)
    send(connection, 2, 2)
    assert rows_of(connection, "C") == [(1, 2), (2, 3)]
    assert reader.fetch_available() == [(1, None), (-1, None), (1, 2), (-1, 2), (1, 3)]


def test_an_event_changes_each_answer_once(connection: rowtime.Connection) -> None:
    """S-1008.d: of two ways to one join, neither is seen without the other."""
    connection.executescript(
        "CREATE STREAM J (l BIGINT, r BIGINT) WITH CHANGES; "
        "CREATE STREAM L (c BIGINT) WITH CHANGES; CREATE STREAM R (c BIGINT) WITH CHANGES; "
        f"CREATE STREAM S {STREAM}; "
        "CREATE PUMP pairs STARTED AS INSERT INTO J SELECT STREAM L.c, R.c FROM L, R EMIT CHANGES; "
        "CREATE PUMP lefts STARTED AS INSERT INTO L SELECT STREAM COUNT(*) FROM S EMIT CHANGES; "
        "CREATE PUMP rights STARTED AS INSERT INTO R SELECT STREAM COUNT(*) FROM S EMIT CHANGES"
    )
    reader = connection.execute("SELECT STREAM l, r FROM J EMIT CHANGES")
    send(connection, 1)
    send(connection, 2, 3)
    assert reader.fetch_available() == [(1, 0, 0), (-1, 0, 0), (1, 1, 1), (-1, 1, 1), (1, 3, 3)]


def test_a_changelog_sees_a_stream_after_all_its_producers(connection: rowtime.Connection) -> None:
    """S-1008.a: rows that a pump sends in an event are in the answer of that event."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM T {STREAM}; "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM rowtime, a FROM S"
    )
    reader = connection.execute(
        "SELECT STREAM (SELECT COUNT(*) FROM S) - COUNT(*) AS d FROM T EMIT CHANGES"
    )
    send(connection, 1, 2)
    assert reader.fetch_available() == [(1, 0)]


def test_a_standing_insert_of_changes_has_no_name(connection: rowtime.Connection) -> None:
    connection.executescript(f"CREATE STREAM S {STREAM}; {TARGET}")
    connection.execute(
        "INSERT INTO C SELECT STREAM a, COUNT(*) FROM S WHERE a > ? GROUP BY a EMIT CHANGES", (1,)
    )
    send(connection, 1, 2)
    assert rows_of(connection, "C") == [(2, 1)]


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("CREATE TABLE C (a INTEGER PRIMARY KEY, c BIGINT)", "NOT_APPEND_ONLY"),
        ("CREATE STREAM C (a INTEGER, c BIGINT)", "NOT_APPEND_ONLY"),
    ],
)
def test_changes_into_what_only_takes_rows_are_refused(
    connection: rowtime.Connection, target: str, code: str
) -> None:
    """S-1005.h: the hint names the declaration that takes them."""
    connection.executescript(f"CREATE STREAM S {STREAM}; {target}")
    for sql in (f"INSERT INTO C {COUNTS}", f"CREATE PUMP p STARTED AS INSERT INTO C {COUNTS}"):
        with pytest.raises(rowtime.ProgrammingError, match="WITH CHANGES") as error:
            connection.execute(sql)
        assert error.value.code == code


def test_pumps_of_changes_in_a_circle_are_refused(connection: rowtime.Connection) -> None:
    """S-605.g."""
    connection.execute("CREATE STREAM C (a INTEGER) WITH CHANGES")
    with pytest.raises(rowtime.Error, match="circle"):
        connection.execute("INSERT INTO C SELECT STREAM a + 1 FROM C EMIT CHANGES")


def test_a_change_that_its_target_cannot_take_is_in_the_trace(
    connection: rowtime.Connection,
) -> None:
    """S-1008.e."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; CREATE STREAM C (a INTEGER CHECK (a < 9)) WITH CHANGES; "
        "CREATE PUMP p STARTED AS INSERT INTO C SELECT STREAM a FROM S EMIT CHANGES"
    )
    send(connection, 1, 9)
    assert rows_of(connection, "C") == [(1,)]
    ((_, name, code),) = trace(connection)
    assert (name, code) == ("C", "BAD_ROW")


def test_a_pump_of_changes_that_fails_starts_as_a_new_one(connection: rowtime.Connection) -> None:
    """S-608.f, S-608.k, S-1001.e: the failing event sends nothing."""
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE STREAM C (a INTEGER) WITH CHANGES; "
        "CREATE PUMP p STARTED AS INSERT INTO C SELECT STREAM 6 / a FROM S EMIT CHANGES"
    )
    send(connection, 1)
    send(connection, 2, 0)
    send(connection, 3)
    assert rows_of(connection, "C") == [(6,)]
    assert [each[2] for each in trace(connection)] == ["DIVISION_BY_ZERO"]
    connection.execute("ALTER PUMP p STOP")
    connection.execute("ALTER PUMP p START")
    send(connection, 2)
    assert rows_of(connection, "C") == [(3,), (6,)]


def test_a_stopped_pump_sends_what_its_answer_has_gained_and_lost(
    connection: rowtime.Connection,
) -> None:
    """S-1008.h: from the histories of streams, and from tables as they stand."""
    connection.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE TABLE N (a INTEGER, n INTEGER); "
        "CREATE STREAM C (n INTEGER, c BIGINT) WITH CHANGES; "
        "CREATE PUMP p STARTED AS INSERT INTO C SELECT STREAM N.n, COUNT(*) "
        "FROM S JOIN N ON S.a = N.a GROUP BY N.n EMIT CHANGES; "
        "INSERT INTO N VALUES (1, 10), (2, 20)"
    )
    send(connection, 1, 2)
    connection.execute("ALTER PUMP p STOP")
    send(connection, 1)
    connection.execute("UPDATE N SET n = 30 WHERE a = 2")
    assert rows_of(connection, "C") == [(10, 1), (20, 1)]
    connection.execute("ALTER PUMP p START")
    assert rows_of(connection, "C") == [(10, 2), (30, 1)]
    assert trace(connection) == []


def test_a_stopped_pump_over_a_stream_with_changes_needs_no_history(
    connection: rowtime.Connection,
) -> None:
    """S-1008.h."""
    connection.executescript(
        "CREATE STREAM A (a INTEGER) WITH CHANGES; CREATE STREAM C (c BIGINT) WITH CHANGES; "
        "CREATE PUMP p STARTED AS INSERT INTO C SELECT STREAM COUNT(*) FROM A EMIT CHANGES; "
        "INSERT INTO A VALUES (1); ALTER PUMP p STOP; INSERT INTO A VALUES (2)"
    )
    assert rows_of(connection, "C") == [(1,)]
    connection.execute("ALTER PUMP p START")
    assert rows_of(connection, "C") == [(2,)]
    assert trace(connection) == []


def test_a_pump_that_has_missed_rows_starts_as_a_new_one(connection: rowtime.Connection) -> None:
    """S-608.d, S-1008.h: the changes that it has sent before stay."""
    connection.executescript(
        f"CREATE STREAM S {STREAM}; {TARGET}; CREATE PUMP p STARTED AS INSERT INTO C {COUNTS}"
    )
    send(connection, 1)
    connection.execute("ALTER PUMP p STOP")
    send(connection, 1)
    connection.execute("ALTER PUMP p START")
    send(connection, 1, 1)
    assert rows_of(connection, "C") == [(1, 1), (1, 2)]
    assert [each[2] for each in trace(connection)] == ["MISSED_ROWS"]


# --- files --------------------------------------------------------------------------------------

#: Queries of each operator over weighted rows; their columns are those of their targets.
QUERIES = {
    "F": "SELECT STREAM a, a + 1 AS b FROM S WHERE a > 1",
    "G": "SELECT STREAM a, COUNT(*) AS b FROM S GROUP BY a",
    "T": "SELECT STREAM COUNT(*) AS a, SUM(a) AS b FROM S",
    "I": "SELECT STREAM S.a, X.b FROM S JOIN X ON S.a = X.a",
    "O": "SELECT STREAM S.a, X.b FROM S FULL JOIN X ON S.a = X.a",
    "D": "SELECT STREAM DISTINCT a, b FROM X",
    "U": "SELECT STREAM a, 0 AS b FROM S UNION ALL SELECT STREAM a, b FROM X",
    "E": "SELECT STREAM a, 0 AS b FROM S EXCEPT SELECT STREAM a, b FROM X",
    "L": "SELECT STREAM a, b FROM X ORDER BY b DESC, a LIMIT 2",
    "M": "SELECT STREAM a, 0 AS b FROM S ORDER BY a DESC OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY",
    "W": "SELECT STREAM a, SUM(b) OVER (PARTITION BY a ORDER BY b) AS b FROM X",
    "Q": "SELECT STREAM a, (SELECT COUNT(*) FROM S) AS b FROM X",
    "H": "SELECT STREAM a, COUNT(*) AS b FROM S GROUP BY GROUPING SETS ((a), ())",
    "P": "SELECT STREAM a, b FROM G WHERE b > 1",  # the changes of another pump
}


def _schema(db: rowtime.Connection) -> None:
    db.executescript(
        f"CREATE STREAM S {STREAM} WITH HISTORY; "
        "CREATE STREAM X (a INTEGER, b INTEGER) WITH CHANGES"
    )
    for name, sql in QUERIES.items():
        db.execute(f"CREATE STREAM {name} (a BIGINT, b BIGINT) WITH CHANGES")
        db.execute(f"CREATE PUMP pump_{name} STARTED AS INSERT INTO {name} {sql} EMIT CHANGES")


def _check(db: rowtime.Connection) -> None:
    """Each target has the answer of its query, asked of tables and histories at once."""
    for name, sql in QUERIES.items():
        expected = db.execute(sql.replace("STREAM ", "")).fetchall()
        assert rows_of(db, name) == sorted(expected, key=repr), name
    assert trace(db) == []


@dataclass(frozen=True)
class Rows:
    """Rows of S, in one event."""

    values: list[int | None]


@dataclass(frozen=True)
class Changes:
    """Rows of X that are deleted if they are there, and else inserted."""

    pairs: list[tuple[int | None, int | None]]


_Event: TypeAlias = Rows | Changes | str
_VALUES = st.one_of(st.none(), st.integers(0, 3))
_EVENTS: st.SearchStrategy[_Event] = st.one_of(
    st.lists(_VALUES, min_size=1, max_size=3).map(Rows),
    st.lists(st.tuples(_VALUES, _VALUES), min_size=1, max_size=3).map(Changes),
    st.sampled_from(["kill", "close", "checkpoint"]),
)


@example([Rows([1, None, 2]), Changes([(1, 2), (2, 1), (3, 0)]), "checkpoint", "close", Rows([3])])
@example([Rows([1, None, 2]), "checkpoint", "kill", Changes([(1, 2), (2, 1), (3, 0)])])
@examples(12, 1_000)
@given(st.lists(_EVENTS, min_size=2, max_size=8))
def test_changelogs_continue_as_if_nobody_had_killed_them(events: list[_Event]) -> None:
    """S-610.c, S-610.g, S-1008.a: with checkpoints and without, in files that are taken up."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "0.db"
        db = _open(path)
        _schema(db)
        inserted: list[tuple[int | None, int | None]] = []
        for number, event in enumerate(events):
            note(repr(event))
            match event:
                case "checkpoint":
                    assert db.database.keep_checkpoint()
                case "close":
                    db.close()
                    db = _open(path)
                case "kill":
                    copy = path.with_name(f"{number + 1}.db")
                    for each in path.parent.glob(f"{path.name}*"):
                        shutil.copy(each, each.with_name(each.name.replace(path.name, copy.name)))
                    db.close()
                    path, db = copy, _open(copy)
                case Rows(values):
                    send(db, *values, at=number)
                case Changes(pairs):
                    _change(db, pairs, inserted)
                case _:
                    raise AssertionError(event)
            _check(db)
        db.close()


def _open(path: Path) -> rowtime.Connection:
    return rowtime.connect(path, clock=lambda: datetime(2026, 1, 1), timeout=5.0)


def _change(
    db: rowtime.Connection,
    pairs: list[tuple[int | None, int | None]],
    inserted: list[tuple[int | None, int | None]],
) -> None:
    """Delete each row of X that is there, and insert the others, in one event."""
    changes: list[tuple[int, int | None, int | None]] = []
    for pair in pairs:
        if pair in inserted:
            inserted.remove(pair)
            changes.append((-1, *pair))
        else:
            inserted.append(pair)
            changes.append((1, *pair))
    with db.prepare("INSERT INTO X VALUES (?, ?)") as rows:
        assert rows.send_changes(changes).rowcount == len(pairs)
