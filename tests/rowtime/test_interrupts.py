"""Ctrl-C while the database works: an event is carried out whole (S-610.a)."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rowtime
from rowtime.process.interrupts import uninterrupted

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


class StopError(Exception):
    """A signal's handler of the program has raised it."""


def stop(number: int, _frame: FrameType | None) -> None:
    raise StopError(signal.Signals(number).name)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


@pytest.fixture
def handled() -> Iterator[None]:
    """Each signal has the program's handler, which raises an exception."""
    before = {each: signal.signal(each, stop) for each in SIGNALS}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_waits_for_the_end_whatever_handler_the_program_has(number: int) -> None:
    done: list[str] = []

    def event() -> None:
        with uninterrupted():
            signal.raise_signal(number)
            done.append("whole")

    with pytest.raises(StopError):
        event()
    assert done == ["whole"]


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize("at", range(2 * len(SIGNALS)))
def test_every_handler_is_set_again_if_one_raises_in_between(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal comes at each call that sets a handler, those of the beginning and of the end."""
    set_handler, calls = signal.signal, 0

    def interrupted(number: int, handler: Any) -> object:
        nonlocal calls
        old = set_handler(number, handler)
        calls += 1
        if calls == at + 1:
            raise StopError("in between")
        return old

    monkeypatch.setattr(signal, "signal", interrupted)
    with pytest.raises(StopError), uninterrupted():
        pass
    assert [signal.getsignal(each) for each in SIGNALS] == [stop] * len(SIGNALS)


def test_a_program_may_ignore_all_signals() -> None:
    before = {each: signal.signal(each, signal.SIG_IGN) for each in SIGNALS}
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class Interrupting:
    """A function that is called while Ctrl-C arrives."""

    signature = "INTERRUPTING(x INTEGER) RETURNS INTEGER"

    def __call__(self, x: int) -> int:
        """The argument."""
        signal.raise_signal(signal.SIGTERM)
        return x


@pytest.mark.usefixtures("handled")
def test_a_query_that_the_clock_advances_loses_no_row_by_a_signal() -> None:
    now = datetime(2026, 1, 1)
    with rowtime.connect(clock=lambda: now, functions=[Interrupting()]) as db:
        db.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)")
        hour = "FLOOR(CURRENT_TIMESTAMP TO HOUR)"
        reader = db.execute(
            f"SELECT STREAM INTERRUPTING(c) FROM (SELECT STREAM {hour}, CAST(COUNT(*) AS INTEGER) "
            f"AS c FROM S GROUP BY {hour})"
        )
        db.execute("INSERT INTO S VALUES (?, 1)", (now,))
        now = datetime(2026, 1, 1, 1)
        with pytest.raises(StopError):
            reader.fetch_available()
        assert reader.fetch_available() == [(1,)]
