"""Adapters: producers of streams and readers of queries on threads of their own (S-611)."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from threading import Event, current_thread

import pytest

import rowtime
from rowtime.extensions.protocols import RowSink, SentRow
from tests.rowtime.database.conftest import minute
from tests.rowtime.database.test_definitions import trace


class Feed:
    """Sends what it was made with: rows, bounds (a datetime), or an exception that it raises."""

    def __init__(self, *sent: SentRow | datetime | Exception) -> None:
        self.sent = sent

    def run(self, sink: RowSink, stopped: Event) -> None:
        """Send all, one after the other."""
        for each in self.sent:
            assert not stopped.is_set()
            if isinstance(each, Exception):
                raise each
            if isinstance(each, datetime):
                sink.send_rowtime_bound(each)
            else:
                sink.send_row(each)


class Target:
    """Keeps what it is sent; it fails at a row whose last value is 13."""

    def __init__(self) -> None:
        self.sent: list[object] = []

    def send_row(self, row: SentRow) -> None:
        """Keep a row."""
        if 13 in row:
            raise OSError("the target is full")
        self.sent.append(row)

    def send_rowtime_bound(self, at: datetime) -> None:
        """Keep a bound."""
        self.sent.append(at)


def eventually(true: Callable[[], bool]) -> None:
    """Wait until something is true, for half a minute at most."""
    for _ in range(3_000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it has not become true")


def test_an_adapter_is_a_producer_until_it_ends(connection: rowtime.Connection) -> None:
    """S-611.e, RTB-067, RTB-152: its bound lets rows of others enter, and so does its end."""
    reader = connection.execute("SELECT STREAM a FROM S")
    other = connection.prepare("INSERT INTO S VALUES (?, ?)")
    other.set_rowtime_bound(minute(0))
    attached = connection.attach(
        Feed((minute(1), 1), {"A": 2, "ROWTIME": "2026-01-01 10:02:00"}, minute(5)), "s"
    )
    attached.join(30)
    assert (attached.rows, attached.refused, attached.error) == (2, 0, None)
    assert reader.fetch_available() == []
    other.execute((minute(6), 6))
    assert reader.fetch_available() == [(1,), (2,), (6,)]
    assert trace(connection) == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((minute(2),), "a row has 1 values for 2 columns"),
        ((minute(2), "two"), "'two'"),
        ((None, 2), "NULL in a column that has none"),
        ({"B": 2}, "a row has 'B'; the columns are ROWTIME, A"),
        ((minute(2), [2]), "[2] is not a value of SQL"),
        ("text", "'text' is not a row"),
    ],
)
def test_a_malformed_row_is_left_out_and_reported(
    connection: rowtime.Connection, row: SentRow, reason: str
) -> None:
    """S-611.p: the rows before it and after it enter."""
    reader = connection.execute("SELECT STREAM a FROM S")
    attached = connection.attach(Feed((minute(1), 1), row, (minute(3), 3)), "S")
    attached.join(30)
    assert (attached.rows, attached.refused, attached.error) == (2, 1, None)
    assert reader.fetch_available() == [(1,), (3,)]
    messages = connection.execute(
        "SELECT OBJECT, CODE, MESSAGE FROM SYS_BOOT.MGMT.SAVED_TRACE"
    ).fetchall()
    assert {(name, code) for name, code, _ in messages} == {("S", "BAD_ROW")}
    assert any(reason in str(text) for _, _, text in messages)


def test_one_that_dies_in_the_middle_holds_nobody_back(connection: rowtime.Connection) -> None:
    """S-611.g: what it has sent is there, and it is not a producer any more."""
    reader = connection.execute("SELECT STREAM a FROM S")
    other = connection.prepare("INSERT INTO S VALUES (?, ?)")
    other.set_rowtime_bound(minute(0))
    attached = connection.attach(Feed((minute(1), 1), ValueError("broken"), (minute(2), 2)), "S")
    attached.join(30)
    assert isinstance(attached.error, ValueError)
    other.execute((minute(9), 9))
    assert reader.fetch_available() == [(1,), (9,)]
    assert trace(connection) == [("ERROR", "S", "EXTERNAL_ROUTINE")]


def test_an_adapter_waits_for_slow_readers_and_can_be_stopped() -> None:
    class Endless:
        def run(self, sink: RowSink, stopped: Event) -> None:
            del stopped
            while True:
                sink.send_row((minute(0), 1))

    with rowtime.connect(clock=lambda: datetime(2026, 1, 1), buffer=5) as connection:
        connection.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)")
        reader = connection.execute("SELECT STREAM a FROM S")
        attached = connection.attach(Endless(), "S")
        eventually(lambda: attached.rows == 5)
        assert reader.fetchmany(3) == [(1,)] * 3
        eventually(lambda: attached.rows == 8)
        attached.stop(30)
        assert not attached.is_running
        assert attached.error is None
        assert len(reader.fetch_available()) == attached.rows - 3


def test_dropping_its_stream_ends_an_adapter(connection: rowtime.Connection) -> None:
    go = Event()

    class Slow:
        def run(self, sink: RowSink, stopped: Event) -> None:
            del stopped
            sink.send_row((minute(0), 1))
            go.wait(30)
            sink.send_row((minute(1), 2))

    attached = connection.attach(Slow(), "S")
    eventually(lambda: attached.rows == 1)
    connection.execute("DROP STREAM S")
    go.set()
    attached.join(30)
    assert isinstance(attached.error, rowtime.ProgrammingError)
    assert trace(connection)[-1] == ("ERROR", "S", "EXTERNAL_ROUTINE")


def test_closing_the_connection_ends_adapters() -> None:
    threads = list[object]()

    class Patient:
        def run(self, sink: RowSink, stopped: Event) -> None:
            threads.append(current_thread())
            while not stopped.wait(0.001):
                sink.send_row((minute(0), 1))

    with rowtime.connect(clock=lambda: datetime(2026, 1, 1)) as connection:
        connection.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)")
        attached = connection.attach(Patient(), "S")
        delivered = connection.deliver("SELECT STREAM a FROM S", Target())
        eventually(lambda: delivered.rows > 0)
    assert not attached.is_running
    assert not delivered.is_running
    assert (attached.error, delivered.error) == (None, None)


def test_rows_and_bounds_of_a_query_are_delivered(connection: rowtime.Connection) -> None:
    """S-611.f, RTB-068: a bound comes after the rows that are below it."""
    target = Target()
    delivered = connection.deliver("SELECT STREAM * FROM S WHERE a > ?", target, (1,))
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as rows:
        rows.executemany([(minute(1), 1), (minute(2), 2), (minute(3), 3)])
        rows.set_rowtime_bound(minute(7))
    eventually(lambda: minute(7) in target.sent)
    delivered.stop(30)
    assert [each for each in target.sent if not isinstance(each, datetime)] == [
        (minute(2), 2),
        (minute(3), 3),
    ]
    least = minute(0)
    for each in target.sent:
        if isinstance(each, datetime):
            least = each
        else:
            assert isinstance(each, tuple)
            assert each[0] >= least
    assert delivered.rows == 2


def test_a_target_that_fails_ends_its_query_alone(connection: rowtime.Connection) -> None:
    good, bad = Target(), Target()
    delivered = connection.deliver("SELECT STREAM a FROM S WHERE a <> 13", good)
    failing = connection.deliver("SELECT STREAM a FROM S", bad)
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as rows:
        rows.executemany([(minute(1), 1), (minute(2), 13), (minute(3), 3)])
    failing.join(30)
    assert isinstance(failing.error, OSError)
    assert [each for each in bad.sent if isinstance(each, tuple)] == [(1,)]
    eventually(lambda: (3,) in good.sent)
    assert trace(connection) == [("ERROR", None, "EXTERNAL_ROUTINE")]
    delivered.stop(30)


def test_a_fault_of_the_query_ends_its_delivery(connection: rowtime.Connection) -> None:
    target = Target()
    delivered = connection.deliver("SELECT STREAM 10 / a FROM S", target)
    connection.execute("INSERT INTO S VALUES (?, 5)", (minute(1),))
    eventually(lambda: (2,) in target.sent)
    connection.execute("INSERT INTO S VALUES (?, 0)", (minute(2),))
    delivered.join(30)
    assert isinstance(delivered.error, rowtime.DataError)
    assert trace(connection) == [("ERROR", None, "DIVISION_BY_ZERO")]


def test_tail_follows_a_file(connection: rowtime.Connection, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    deep = "[" * 100_000
    path.write_text(
        f'["2026-01-01 10:00:00", 1]\n\nno json\n{deep}\n{{"A": 2, "ROWTIME": "2026-01-01 10:01'
    )
    reader = connection.execute("SELECT STREAM a FROM S")
    attached = connection.attach("tail", "S", path=path)
    assert reader.fetchone() == (1,)
    with path.open("a") as file:
        file.write(':00"}\n')
    assert reader.fetchone() == (2,)
    attached.stop(30)
    assert (attached.rows, attached.refused) == (2, 2)


def test_tail_of_a_file_that_is_not_there_is_reported(connection: rowtime.Connection) -> None:
    attached = connection.attach("tail", "S", path="no/such/file")
    attached.join(30)
    assert isinstance(attached.error, FileNotFoundError)
    assert trace(connection) == [("ERROR", "S", "EXTERNAL_ROUTINE")]


def test_tail_can_end_with_its_file(connection: rowtime.Connection, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(["2026-01-01 10:00:00", n]) for n in range(3)))
    attached = connection.attach("tail", "S", path=path, follow=False)
    attached.join(30)
    assert (attached.rows, attached.is_running) == (3, False)


def _lines(*numbers: int) -> str:
    return "".join(f'{{"rowtime": "2026-01-01 10:00:00", "a": {n}}}\n' for n in numbers)


def _rename(path: Path) -> None:
    with path.open("a") as file:
        file.write(_lines(3).removesuffix("\n"))  # the last line of the old file has no end
    path.rename(path.with_suffix(".1"))
    time.sleep(0.2)  # there is no file for a moment
    path.write_text(_lines(4, 5))


def _rename_at_once(path: Path) -> None:
    new = path.with_suffix(".new")
    new.write_text(_lines(4, 5))
    with path.open("a") as file:
        file.write(_lines(3))
    new.replace(path)


def _truncate(path: Path) -> None:
    with path.open("r+") as file:
        file.truncate()
        file.write(_lines(3))
    time.sleep(0.2)
    with path.open("a") as file:
        file.write(_lines(4, 5))


def _truncate_and_write_more(path: Path) -> None:
    path.write_text(_lines(3, 4, 5))  # longer than before, and in one step


@pytest.mark.parametrize(
    ("rotate", "reported"),
    [
        (_rename, []),
        (_rename_at_once, []),
        (_truncate, ["MISSED_ROWS"]),
        (_truncate_and_write_more, ["MISSED_ROWS"]),
    ],
)
def test_tail_follows_a_log_that_is_rotated(
    rotate: Callable[[Path], None],
    reported: list[str],
    connection: rowtime.Connection,
    tmp_path: Path,
) -> None:
    """No line is lost without a word; names of members are in upper or lower case."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\ufeff" + _lines(1, 2))
    attached = connection.attach("tail", "S", path=path)
    reader = connection.execute("SELECT STREAM a FROM S")
    eventually(lambda: attached.rows == 2)
    rotate(path)
    eventually(lambda: attached.rows == 5)
    attached.stop(30)
    assert [a for (a,) in reader.fetch_available()][-3:] == [3, 4, 5]
    assert attached.refused == 0
    assert [code for _, _, code in trace(connection)] == reported


def test_tail_of_a_file_that_is_removed_ends_with_an_error(
    connection: rowtime.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rowtime.extensions.tail._PATIENCE", 0.1)
    path = tmp_path / "rows.jsonl"
    path.write_text(_lines(1))
    attached = connection.attach("tail", "S", path=path)
    eventually(lambda: attached.rows == 1)
    path.unlink()
    attached.join(30)
    assert isinstance(attached.error, FileNotFoundError)


@pytest.mark.parametrize(
    ("adapter", "stream", "message"),
    [
        ("nail", "S", "there is no adapter 'nail'; installed: tail"),
        ("tail", "T", "there is no stream T"),
        ("tail", "1 + 1", "there is no stream"),
        ("tail", "S S", "SYNTAX_ERROR"),
    ],
)
def test_what_cannot_be_attached_is_refused(
    connection: rowtime.Connection, adapter: str, stream: str, message: str
) -> None:
    with pytest.raises(rowtime.ProgrammingError, match=message):
        connection.attach(adapter, stream, path="rows.jsonl")


def test_options_of_an_adapter_are_its_own(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match=r"'tail' cannot be made: .*'file'"):
        connection.attach("tail", "S", file="rows.jsonl")


def test_only_a_streaming_query_is_delivered(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="only a streaming query"):
        connection.deliver("SELECT 1", Target())


_PLUG_IN = """
class Twice:
    signature = "TWICE(x INTEGER) RETURNS INTEGER"
    def __call__(self, x):
        return 2 * x
class Three:
    def run(self, sink, stopped):
        for number in range(3):
            sink.send_row(("2026-01-01 10:00:00", number))
twice, useless = Twice(), object()
"""
_ENTRY_POINTS = """[rowtime.functions]
twice = plug_in:twice
broken = plug_in_that_is_not_there:function
useless = plug_in:useless
[rowtime.adapters]
three = plug_in:Three
"""
_PROGRAM = """
import logging, rowtime
logging.basicConfig(format="%(message)s")
with rowtime.connect() as db:
    db.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER)")
    reader = db.execute("SELECT STREAM TWICE(a) FROM S")
    db.attach("three", "S").join()
    print(reader.fetchmany(5))
"""


def test_plug_ins_are_found_and_a_broken_one_is_left_out(tmp_path: Path) -> None:
    """S-611.a."""
    (tmp_path / "plug_in.py").write_text(_PLUG_IN)
    info = tmp_path / "plug_in-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(_ENTRY_POINTS)
    (tmp_path / "program.py").write_text(_PROGRAM)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, check=False
    )
    assert done.stdout == "[(0,), (2,), (4,)]\n"
    assert "plug-in plug_in_that_is_not_there:function cannot be loaded" in done.stderr
    assert "plug-in useless cannot be used" in done.stderr
    assert "Traceback" not in done.stderr
