"""Ctrl-C while the database works: an event is carried out whole (S-610.a)."""

import subprocess
import sys
from pathlib import Path

import pytest

import rowtime

#: A process in which Ctrl-C comes while a pump works on a row; it says what it has then.
_INTERRUPTED = """
import signal, sys, rowtime

# A parent in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupted:
    signature = "INTERRUPTED(x INTEGER) RETURNS INTEGER"

    def __call__(self, x):
        signal.raise_signal(signal.SIGINT)
        return x

db = rowtime.connect(sys.argv[1], functions=[Interrupted()])
db.executescript('''
    CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER) WITH HISTORY;
    CREATE TABLE T (a INTEGER);
    CREATE TABLE U (a INTEGER);
    CREATE PUMP one STARTED AS INSERT INTO T SELECT STREAM INTERRUPTED(a) FROM S;
    CREATE PUMP two STARTED AS INSERT INTO U SELECT STREAM a FROM S;
''')
insert = db.prepare("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', ?)")
for number in range(2):
    try:
        insert.execute((number,))
    except KeyboardInterrupt:
        print("interrupted")
for table in "STU":
    print([row[0] for row in db.execute(f"SELECT a FROM {table}")])
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("outside of events it is as ever")
"""


def test_an_event_is_done_whole_before_ctrl_c_ends_the_statement(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "file.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "interrupted",
        "interrupted",
        *["[0, 1]"] * 3,
        "outside of events it is as ever",
    ]


class Leaving:
    """A function that ends the program."""

    signature = "LEAVING(x INTEGER) RETURNS INTEGER"

    def __call__(self, x: int) -> int:
        """Never return."""
        sys.exit(x)


def test_a_database_in_which_an_event_was_broken_off_is_closed() -> None:
    """Half of it is done, so that nothing more can be said of what is in memory."""
    db = rowtime.connect(functions=[Leaving()])
    db.executescript(
        "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER); "
        "CREATE TABLE T (a INTEGER); "
        "CREATE PUMP p STARTED AS INSERT INTO T SELECT STREAM LEAVING(a) FROM S"
    )
    with pytest.raises(SystemExit):
        db.execute("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', 1)")
    with pytest.raises(rowtime.InterfaceError, match="the database is closed"):
        db.execute("SELECT a FROM T")
