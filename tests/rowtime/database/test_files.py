"""A database in a file: taken up again, killed, opened twice, on a full disk (S-610)."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

import rowtime
from rowtime.database import journal
from rowtime.extensions.protocols import RowSink
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import STREAM
from tests.rowtime.extensions.sessions_function import Sessions


@pytest.fixture(params=[True, False], ids=["checkpoints", "events"])
def often(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether checkpoints are written all the time; else none is."""
    if request.param:
        monkeypatch.setattr(journal, "LEAST", 1)
    return bool(request.param)


SCHEMA = (
    f"CREATE STREAM S {STREAM} WITH HISTORY; "
    "CREATE STREAM T (rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT) WITH HISTORY; "
    "CREATE TABLE D (a INTEGER PRIMARY KEY, b DECIMAL(6, 2), c DOUBLE); "
    "CREATE PUMP p STARTED AS INSERT INTO T "
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' MINUTE), COUNT(*) "
    "FROM S GROUP BY TUMBLE(rowtime, INTERVAL '5' MINUTE)"
)


@pytest.mark.usefixtures("often")
def test_a_database_is_taken_up_as_it_was(tmp_path: Path) -> None:
    """S-610.c: the window that was open at the end has the rows from before it."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT INTO D VALUES (1, 1.50, 0.1), (2, NULL, 1e300)")
        db.execute("UPDATE D SET b = ? WHERE a = 2", (Decimal("7.25"),))
        db.prepare("INSERT INTO S VALUES (?, ?)").executemany([(minute(0), 1), (minute(1), None)])
    with rowtime.connect(path) as db:
        assert db.execute("SELECT * FROM D").fetchall() == [
            (1, Decimal("1.50"), 0.1),
            (2, Decimal("7.25"), 1e300),
        ]
        assert db.execute("SELECT a FROM S").fetchall() == [(1,), (None,)]
        reader = db.execute("SELECT STREAM * FROM T")
        with db.prepare("INSERT INTO S VALUES (?, ?)") as rows:
            assert rows.execute((minute(0), 3)).rowcount == 0  # late: the bound is kept, too
            rows.executemany([(minute(2), 3), (minute(5), 4)])
        assert reader.fetchone() == (minute(5), 3)
    with rowtime.connect(path) as db:
        assert db.execute("SELECT * FROM T").fetchall() == [(minute(5), 3)]
        assert db.execute("SELECT CODE FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchall() == [("LATE",)]


@pytest.mark.usefixtures("often")
def test_a_stopped_pump_keeps_its_position_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT INTO S VALUES (?, 1)", (minute(0),))
        db.execute("ALTER PUMP p STOP")
        db.execute("INSERT INTO S VALUES (?, 2)", (minute(1),))
    with rowtime.connect(path) as db:
        db.execute("INSERT INTO S VALUES (?, 3)", (minute(6),))
        assert db.execute("SELECT c FROM T").fetchall() == []
        db.execute("ALTER PUMP p START")
        assert db.execute("SELECT c FROM T").fetchall() == [(2,)]


@pytest.mark.usefixtures("often")
def test_rows_that_waited_for_a_producer_enter(tmp_path: Path) -> None:
    """S-610.f, RTB-116."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        one, other = (db.prepare("INSERT INTO S VALUES (?, ?)") for _ in range(2))
        one.execute((minute(0), 1))
        other.execute((minute(3), 2))
        assert db.execute("SELECT a FROM S").fetchall() == [(1,)]
    with rowtime.connect(path) as db:
        assert db.execute("SELECT a FROM S").fetchall() == [(1,), (2,)]


@pytest.mark.usefixtures("often")
def test_standing_inserts_and_their_parameters_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(f"CREATE STREAM S {STREAM}; CREATE TABLE D (a INTEGER)")
        db.execute("INSERT INTO D SELECT STREAM a FROM S WHERE a > ?", (1,))
    with rowtime.connect(path) as db:
        db.prepare("INSERT INTO S VALUES (?, ?)").executemany([(minute(0), 1), (minute(0), 2)])
        assert db.execute("SELECT a FROM D").fetchall() == [(2,)]


_WRITER = """
import sys, rowtime
from rowtime.database import journal
from rowtime.extensions.protocols import RowSink
journal.LEAST = 3_000
from collections.abc import Callable
from datetime import date, datetime, timedelta
db = rowtime.connect(sys.argv[1])
first = db.execute("SELECT COUNT(*) FROM S").fetchone()[0]
rows = db.prepare("INSERT INTO S VALUES (?, ?)")
for number in range(first, 100_000):
    rows.execute((datetime(2026, 1, 1) + timedelta(seconds=number), number))
    print(number, flush=True)
"""


def test_a_killed_process_has_lost_and_doubled_nothing(tmp_path: Path) -> None:
    """S-610.a: every row that was written is there once, in the windows of the pump, too."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
    written = -1
    for rows in (50, 700):
        command = [sys.executable, "-c", _WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                written = int(line)
                if written >= rows:
                    os.kill(child.pid, signal.SIGKILL)
                    break
            written = max([written, *(int(line) for line in child.stdout if line.endswith("\n"))])
        assert child.returncode == -signal.SIGKILL
    with rowtime.connect(path) as db:
        found = [a for (a,) in db.execute("SELECT a FROM S").fetchall()]
        assert found == list(range(len(found)))
        assert len(found) in (written + 1, written + 2)  # the last may not have been printed
        counts = [c for (c,) in db.execute("SELECT c FROM T").fetchall()]
        assert counts == [300] * ((len(found) - 1) // 300)


_FORKING = """
import os, signal, sys, threading, rowtime
db = rowtime.connect(sys.argv[1])
db.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING)")
db.execute("CREATE TABLE D (a INTEGER)")
db.execute("INSERT INTO D VALUES (0)")
reader = db.execute("SELECT STREAM * FROM S")
db.execute("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 00:00:00')")
held, taken = threading.Event(), threading.Event()
def hold(_engine):
    taken.set()
    held.wait()
holder = threading.Thread(target=db.database.read_state, args=(hold,))
holder.start()
taken.wait()  # another thread has the lock
if not os.fork():
    for call in (lambda: db.execute("INSERT INTO D VALUES (9)"), lambda: reader.fetch_available()):
        try:
            print("child:", call(), flush=True)
        except rowtime.Error as error:
            print("child:", error, flush=True)
    reader.close()
    db.close()
    sys.exit()  # as a program ends: Python closes what is open
os.wait()
held.set()
for number in range(1, 4):
    db.execute("INSERT INTO D VALUES (?)", (number,))
    print(len(reader.fetch_available()), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_child_of_a_fork_leaves_the_file_to_its_parent(tmp_path: Path) -> None:
    """S-610.h, S-610.i: SQLite would remove the log of the file, and the parent's rows with it."""
    path = tmp_path / "file.db"
    # From 3.12 on, Python warns of each fork of a process with threads.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", _FORKING, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    why = "child: the database belongs to the process that opened it"
    assert done.stdout.splitlines() == [why, why, "1", "0", "0"], done.stderr
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    with rowtime.connect(path) as db:
        assert db.execute("SELECT a FROM D").fetchall() == [(0,), (1,), (2,), (3,)]


def test_a_second_process_gets_a_clear_error(tmp_path: Path) -> None:
    """S-610.b."""
    path = tmp_path / "file.db"
    code = "import sys, rowtime; rowtime.connect(sys.argv[1])"
    with rowtime.connect(path):
        with pytest.raises(rowtime.OperationalError, match="another process, or connection, has"):
            rowtime.connect(path)
        second = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
    assert second.returncode == 1
    assert "OperationalError" in second.stderr
    assert "has this file open" in second.stderr
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_a_file_stays_locked_after_this_process_has_copied_it(tmp_path: Path) -> None:
    """S-610.b: a process loses its locks of a file when it closes the file a second time."""
    path = tmp_path / "file.db"
    code = "import sys, rowtime; rowtime.connect(sys.argv[1])"
    with rowtime.connect(path):
        path.read_bytes()
        second = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
    assert second.returncode == 1
    assert "has this file open" in second.stderr


def test_a_file_with_two_names_is_refused_and_a_link_is_followed(tmp_path: Path) -> None:
    """SQLite finds the log of a file by its name: rows in the log of the other name were lost."""
    path, other, link = (tmp_path / name for name in ("file.db", "other.db", "link.db"))
    with rowtime.connect(path) as db:
        db.execute("CREATE TABLE D (a INTEGER)")
    link.symlink_to(path)
    with rowtime.connect(link) as db:
        db.execute("INSERT INTO D VALUES (1)")
        with pytest.raises(rowtime.OperationalError, match="has this file open"):
            rowtime.connect(path)
    other.hardlink_to(path)
    for each in (path, other, link):
        with pytest.raises(rowtime.OperationalError, match="a hard link: make a copy"):
            rowtime.connect(each)
    other.unlink()
    with rowtime.connect(path) as db:
        assert db.execute("SELECT a FROM D").fetchall() == [(1,)]


def test_a_file_that_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a database, but a text that is long enough to be looked at\n" * 20)
    with pytest.raises(rowtime.OperationalError, match="file is not a database"):
        rowtime.connect(text)
    foreign = tmp_path / "foreign.db"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE t (a)")
    other.close()
    with pytest.raises(rowtime.OperationalError, match="of another program"):
        rowtime.connect(foreign)
    with pytest.raises(rowtime.OperationalError, match="No such file or directory"):
        rowtime.connect(tmp_path / "no" / "folder.db")
    rowtime.connect(tmp_path / "ours.db").close()
    with pytest.raises(rowtime.OperationalError, match="its profile is calcite, not sqlstream"):
        rowtime.connect(tmp_path / "ours.db", profile="sqlstream")


def _filled_disk() -> None:
    """Run in a child: the file may not grow beyond 200,000 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


_FILLER = """
import sys, rowtime
from rowtime.database import journal
from rowtime.extensions.protocols import RowSink
journal.LEAST = int(sys.argv[2])
db = rowtime.connect(sys.argv[1])
count = 0
try:
    while count < 10_000:
        db.execute("INSERT INTO D VALUES (?, 0, 0)", (count,))
        count += 1
except rowtime.OperationalError as error:
    print(count, db.execute("SELECT COUNT(*) FROM D").fetchone()[0])
"""


@pytest.mark.parametrize("least", [1_000_000, 5_000])
def test_what_a_full_disk_cannot_take_has_not_happened(tmp_path: Path, least: int) -> None:
    """S-610.e."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
    child = subprocess.run(
        [sys.executable, "-c", _FILLER, str(path), str(least)],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=_filled_disk,
    )
    written, seen = map(int, child.stdout.split())
    assert written == seen > 0
    with rowtime.connect(path) as db:
        assert db.execute("SELECT COUNT(*) FROM D").fetchone() == (written,)
        db.execute("INSERT INTO D VALUES (-1, 0, 0)")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET body = ''",
        "UPDATE event SET body = '[]'",
        "UPDATE event SET body = 'null' WHERE kind = 'Inserted'",
        "UPDATE event SET body = replace(body, '1.50', '[[') WHERE kind = 'Inserted'",
        "UPDATE event SET kind = 'Sent'",
        "UPDATE event SET kind = 'Unheard'",
        "UPDATE event SET body = '" + "[" * 100_000 + "'",
        "UPDATE event SET now = 'x'",
        "DELETE FROM event WHERE number = 1",
        "DELETE FROM setting",
    ],
)
def test_a_file_that_another_hand_has_changed_is_no_traceback(tmp_path: Path, change: str) -> None:
    """Found by `make fuzz`."""
    path = tmp_path / "file.db"
    _fill(path)
    _changed(path, change)
    with pytest.raises(rowtime.Error):
        rowtime.connect(path)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("UPDATE state SET body = ''", "damaged"),
        ("UPDATE state SET body = '[]'", "damaged"),
        ("UPDATE state SET body = '[0, {}]' WHERE kind = 'table'", "damaged"),
        ("UPDATE state SET body = replace(body, '1.50', '[[') WHERE kind = 'table'", "damaged"),
        ("UPDATE state SET body = replace(body, 'passed', 'past')", "another version"),
        ("UPDATE state SET body = replace(body, 'Aggregate', 'Engine')", "another version"),
        ("UPDATE state SET body = replace(body, '\"P\"', '\"Q\"')", "another version"),
        ("UPDATE state SET kind = 'table' WHERE kind = 'trace'", "damaged"),
        ("UPDATE state SET body = '" + "[" * 100_000 + "'", "damaged"),
        ("DELETE FROM event WHERE number = 1", None),
        ("PRAGMA user_version = 99", "a newer version of rowtime"),
    ],
)
def test_a_checkpoint_that_another_hand_has_changed_is_an_error(
    tmp_path: Path, change: str, error: str | None
) -> None:
    path = tmp_path / "file.db"
    _fill(path, checkpoint=True)
    _changed(path, "DELETE FROM setting WHERE name = 'checksum'")
    _changed(path, change)
    with pytest.raises(rowtime.Error, match=error):
        rowtime.connect(path)


def test_a_checkpoint_of_which_a_byte_has_changed_is_damaged(tmp_path: Path) -> None:
    """Also where another value would make sense: a checksum tells."""
    path = tmp_path / "file.db"
    _fill(path, checkpoint=True)
    _changed(path, "UPDATE state SET body = replace(body, '1.50', '7.50') WHERE kind = 'table'")
    with pytest.raises(rowtime.OperationalError, match="damaged: its checkpoint has changed"):
        rowtime.connect(path)


def _fill(path: Path, checkpoint: bool = False) -> None:
    """Make a database, all of it in a checkpoint or none."""
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT INTO D VALUES (1, 1.50, 0.1)")
        assert not checkpoint or db.database.keep_checkpoint()


def _changed(path: Path, change: str) -> None:
    file = sqlite3.connect(path)
    with file:
        file.execute(change)
    file.close()


# --- checkpoints --------------------------------------------------------------------------------


def _events(path: Path) -> int:
    """The events in a file that nobody has open."""
    file = sqlite3.connect(path)
    (found,) = file.execute("SELECT COUNT(*) FROM event").fetchone()
    file.close()
    return int(found)


def test_a_file_does_not_grow_with_the_rows_that_have_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S-610.d: it has the checkpoint, and events that are no more bytes, or the last few."""
    monkeypatch.setattr(journal, "LEAST", 2_000)
    path = tmp_path / "file.db"
    found: list[int] = []
    for life in range(3):
        with rowtime.connect(path) as db:
            if not found:
                db.executescript(
                    f"CREATE STREAM S {STREAM} WITH HISTORY INTERVAL '1' SECOND; "
                    "CREATE TABLE D (a INTEGER PRIMARY KEY, c BIGINT); "
                    "CREATE PUMP p STARTED AS UPSERT INTO D SELECT STREAM 1, COUNT(*) OVER "
                    "(ORDER BY rowtime ROWS UNBOUNDED PRECEDING) FROM S"
                )
            with db.prepare("INSERT INTO S VALUES (?, ?)") as insert:
                for number in range(200):
                    at = minute(life) + timedelta(milliseconds=100 * number)
                    insert.execute((at, number))
                    if number % 10 == 0:
                        db.execute("ALTER PUMP p STOP")
                        db.execute("ALTER PUMP p START")
        found.append(_events(path))
    assert max(found) < 200  # of 720: these take less bytes than the state
    with rowtime.connect(path) as db:
        assert db.execute("SELECT c FROM D").fetchall() == [(600,)]


def test_a_file_with_all_events_is_taken_up_and_gets_checkpoints(tmp_path: Path) -> None:
    """That is how files were before: the table of the checkpoint is not there."""
    path = tmp_path / "file.db"
    _fill(path)
    _changed(path, "DROP TABLE state")
    _changed(path, "PRAGMA user_version = 1")
    with rowtime.connect(path) as db:
        assert db.database.keep_checkpoint()
    assert _events(path) == 4  # the definitions
    with rowtime.connect(path) as db:
        assert db.execute("SELECT a FROM D").fetchall() == [(1,)]


@pytest.mark.usefixtures("often")
def test_a_statement_reads_what_its_names_were_when_it_began(tmp_path: Path) -> None:
    """S-608.a, S-610.c: a pump and an INSERT keep the view that was replaced."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(
            f"CREATE STREAM S {STREAM}; CREATE TABLE D (a INTEGER); CREATE TABLE E (a INTEGER); "
            "CREATE VIEW V AS SELECT STREAM rowtime, a + 1 AS a FROM S; "
            "CREATE PUMP p STARTED AS INSERT INTO D SELECT STREAM a FROM V"
        )
        db.execute("INSERT INTO E SELECT STREAM a FROM V")
        db.execute("CREATE OR REPLACE VIEW V AS SELECT STREAM rowtime, a + 10 AS a FROM S")
        db.execute("ALTER PUMP p STOP")
        db.execute("ALTER PUMP p START")
    for number in (1, 2):
        with rowtime.connect(path) as db:
            db.execute("INSERT INTO S VALUES (?, 1)", (minute(number),))
            assert db.execute("SELECT a FROM D").fetchall() == [(2,)] * number
            assert db.execute("SELECT a FROM E").fetchall() == [(2,)] * number


@pytest.mark.usefixtures("often")
def test_a_pump_that_has_failed_stays_where_it_is(tmp_path: Path) -> None:
    """S-608.f, S-608.k: its failure is in the trace, and one start brings it back."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(
            f"CREATE STREAM S {STREAM} WITH HISTORY; CREATE TABLE D (a INTEGER); "
            "CREATE PUMP p STARTED AS INSERT INTO D SELECT STREAM 6 / a FROM S"
        )
        db.execute("INSERT INTO S VALUES (?, 0)", (minute(0),))
    with rowtime.connect(path) as db:
        db.execute("INSERT INTO S VALUES (?, 1)", (minute(1),))
        assert db.execute("SELECT a FROM D").fetchall() == []
        codes = db.execute("SELECT CODE FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchall()
        assert codes == [("DIVISION_BY_ZERO",)]


class Doubled:
    """A table function that does not give its state: every row twice."""

    signature = "DOUBLED()"

    def columns(self, _input: object) -> str:
        """A rowtime."""
        return "ROWTIME TIMESTAMP(3) NOT NULL ASCENDING"

    def start(self, _input: object) -> "Doubled":
        """The work."""
        return self

    def take_row(self, row: tuple[datetime, int], sink: RowSink) -> None:
        """Send it twice."""
        sink.send_row((row[0],))
        sink.send_row((row[0],))

    def take_rowtime_bound(self, at: datetime, sink: RowSink) -> None:
        """Pass the bound."""
        sink.send_rowtime_bound(at)


@pytest.mark.usefixtures("often")
def test_with_a_function_that_gives_no_state_the_file_has_all_events(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """S-610.g: what it has retained is computed from them again."""
    path = tmp_path / "file.db"
    for number in (1, 2):
        with rowtime.connect(path, table_functions=[Doubled()]) as db:
            if number == 1:
                db.executescript(
                    f"CREATE STREAM S {STREAM}; CREATE TABLE D (rowtime TIMESTAMP(3)); "
                    "CREATE PUMP p STARTED AS INSERT INTO D "
                    "SELECT STREAM rowtime FROM TABLE(DOUBLED(S))"
                )
            db.execute("INSERT INTO S VALUES (?, 1)", (minute(number),))
            assert not db.database.keep_checkpoint()
            assert len(db.execute("SELECT * FROM D").fetchall()) == 2 * number
    assert "DOUBLED does not give its state" in caplog.text
    assert _events(path) > 6


class Restored(Doubled):
    """The same, with a state that somebody has made."""

    def __init__(self, state: Callable[[], object] = lambda: None) -> None:
        self.state = state

    def restore(self, state: object) -> None:
        """Take over no state but None."""
        if state is not None:
            raise ValueError("not this one")


_DOUBLED = (
    f"CREATE STREAM S {STREAM}; CREATE TABLE D (rowtime TIMESTAMP(3)); "
    "INSERT INTO D SELECT STREAM rowtime FROM TABLE(DOUBLED(S))"
)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (dict[str, object]().popitem, "does not give its state: KeyError"),
        (lambda: [len], "builtin_function_or_method may be data, and cannot be written"),
        (lambda: date, "type may be data"),
        (object, "object may be data"),
    ],
)
def test_a_state_that_cannot_be_kept_is_no_fault_of_who_writes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, state: Callable[[], object], reason: str
) -> None:
    """Nor is there a checkpoint that could not be taken up: the file has all events."""
    path = tmp_path / "file.db"
    with rowtime.connect(path, table_functions=[Restored(state)]) as db:
        db.executescript(_DOUBLED)
        db.execute("INSERT INTO S VALUES (?, 1)", (minute(1),))
        assert not db.database.keep_checkpoint()
    assert reason in caplog.text
    with rowtime.connect(path, table_functions=[Restored(state)]) as db:
        assert len(db.execute("SELECT * FROM D").fetchall()) == 2


def test_a_function_that_does_not_take_its_state_over_is_at_fault(tmp_path: Path) -> None:
    """S-611.g: the file is not damaged, and is taken up with the function as it was."""
    path = tmp_path / "file.db"
    with rowtime.connect(path, table_functions=[Restored()]) as db:
        db.executescript(_DOUBLED)
        db.execute("INSERT INTO S VALUES (?, 1)", (minute(1),))
        assert db.database.keep_checkpoint()
    with rowtime.connect(path, table_functions=[Restored(lambda: "other")]) as db:
        assert db.database.keep_checkpoint()
    with pytest.raises(rowtime.OperationalError) as found:
        rowtime.connect(path, table_functions=[Restored()])
    assert found.value.code == "EXTERNAL_ROUTINE"
    assert "DOUBLED has failed: ValueError: not this one" in str(found.value)
    with pytest.raises(rowtime.OperationalError, match="DOUBLED takes over no state any more"):
        rowtime.connect(path, table_functions=[Doubled()])


@pytest.mark.usefixtures("often")
def test_open_sessions_are_kept(tmp_path: Path) -> None:
    """A table function gives its state: a row of the next process continues with the session."""
    path = tmp_path / "file.db"
    with rowtime.connect(path, table_functions=[Sessions()]) as db:
        db.executescript(
            f"CREATE STREAM S {STREAM}; CREATE TABLE D (a INTEGER, c BIGINT); "
            "CREATE PUMP p STARTED AS INSERT INTO D SELECT STREAM a, rows_count "
            "FROM TABLE(SESSIONS(S, 'A', INTERVAL '5' MINUTE))"
        )
        db.execute("INSERT INTO S VALUES (?, 1)", (minute(0),))
    with rowtime.connect(path, table_functions=[Sessions()]) as db:
        with db.prepare("INSERT INTO S VALUES (?, ?)") as rows:
            rows.execute((minute(4), 1))
            rows.set_rowtime_bound(minute(20))
        assert db.execute("SELECT * FROM D").fetchall() == [(1, 2)]
