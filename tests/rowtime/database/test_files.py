"""A database in a file: taken up again, killed, opened twice, on a full disk (S-610)."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import rowtime
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import STREAM

SCHEMA = (
    f"CREATE STREAM S {STREAM} WITH HISTORY; "
    "CREATE STREAM T (rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT) WITH HISTORY; "
    "CREATE TABLE D (a INTEGER PRIMARY KEY, b DECIMAL(6, 2), c DOUBLE); "
    "CREATE PUMP p STARTED AS INSERT INTO T "
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '5' MINUTE), COUNT(*) "
    "FROM S GROUP BY TUMBLE(rowtime, INTERVAL '5' MINUTE)"
)


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


def test_rows_that_waited_for_a_producer_enter(tmp_path: Path) -> None:
    """S-610.c, RTB-116."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        one, other = (db.prepare("INSERT INTO S VALUES (?, ?)") for _ in range(2))
        one.execute((minute(0), 1))
        other.execute((minute(3), 2))
        assert db.execute("SELECT a FROM S").fetchall() == [(1,)]
    with rowtime.connect(path) as db:
        assert db.execute("SELECT a FROM S").fetchall() == [(1,), (2,)]


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
from datetime import datetime, timedelta
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
    with pytest.raises(rowtime.OperationalError, match="unable to open"):
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
db = rowtime.connect(sys.argv[1])
count = 0
try:
    while count < 10_000:
        db.execute("INSERT INTO D VALUES (?, 0, 0)", (count,))
        count += 1
except rowtime.OperationalError as error:
    print(count, db.execute("SELECT COUNT(*) FROM D").fetchone()[0])
"""


def test_what_a_full_disk_cannot_take_has_not_happened(tmp_path: Path) -> None:
    """S-610.a."""
    path = tmp_path / "file.db"
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
    child = subprocess.run(
        [sys.executable, "-c", _FILLER, str(path)],
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
    with rowtime.connect(path) as db:
        db.executescript(SCHEMA)
        db.execute("INSERT INTO D VALUES (1, 1.50, 0.1)")
    file = sqlite3.connect(path)
    with file:
        file.execute(change)
    file.close()
    with pytest.raises(rowtime.Error):
        rowtime.connect(path)
