"""An engine whose clock advances while nobody writes: it looks when it is read (S-609.i)."""

import asyncio
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

import rowtime
from tests.rowtime.driver.conftest import Clock, at

HOURS = (
    "SELECT STREAM FLOOR(CURRENT_TIMESTAMP TO HOUR) AS rowtime, COUNT(*) AS c FROM Orders "
    "GROUP BY FLOOR(CURRENT_TIMESTAMP TO HOUR)"
)
PUMPS = (
    "CREATE STREAM Hours (rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT); "
    "CREATE TABLE Counts (h TIMESTAMP(3), c BIGINT); "
    f"CREATE PUMP p STARTED AS INSERT INTO Hours {HOURS}; "
    "CREATE PUMP q STARTED AS INSERT INTO Counts SELECT STREAM * FROM Hours;"
)
#: The only row that the queries emit here.
NINE = (at("09:00"), 1)


@pytest.fixture
def hours(streams: rowtime.Connection) -> Iterator[rowtime.Cursor]:
    """The query `HOURS`; an order has come at nine o'clock, and its producer is open."""
    with streams.execute(HOURS) as reader:
        streams.prepare("INSERT INTO Orders VALUES (?, 'ORCL')").execute((at("08:00"),))
        yield reader


def test_fetching_what_is_there_looks_at_the_clock(hours: rowtime.Cursor, clock: Clock) -> None:
    clock.now = at("09:59:59.999")
    assert hours.fetch_available() == []
    clock.now = at("10:00")
    assert hours.fetch_available() == [NINE]
    clock.now = at("11:00")
    assert hours.fetch_available() == []


def test_the_bound_and_the_number_of_rows_look_at_the_clock(
    hours: rowtime.Cursor, clock: Clock
) -> None:
    clock.now = at("10:30")
    assert hours.rowtime_bound == at("10:00")
    clock.now = at("11:30")
    assert hours.emitted == 1


def test_a_fetch_that_waits_gets_what_the_clock_completes_meanwhile(
    hours: rowtime.Cursor, clock: Clock
) -> None:
    def advance() -> None:
        clock.now = at("10:00")

    timer = threading.Timer(0.2, advance)
    timer.start()
    hours.timeout = 30
    assert hours.fetchone() == NINE
    timer.join()


def test_an_event_loop_gets_what_the_clock_completes_meanwhile(
    hours: rowtime.Cursor, clock: Clock
) -> None:
    async def advance_and_read() -> tuple[object, ...]:
        def advance() -> None:
            clock.now = at("10:00")

        asyncio.get_running_loop().call_later(0.2, advance)
        hours.timeout = 30
        return await anext(hours)

    assert asyncio.run(advance_and_read()) == NINE


def test_a_timeout_is_not_shortened_by_looks_at_the_clock(hours: rowtime.Cursor) -> None:
    hours.timeout = 0.35
    with pytest.raises(rowtime.Timeout):
        hours.fetchone()
    with pytest.raises(rowtime.Timeout):
        asyncio.run(hours.__anext__())


def test_what_pumps_emit_at_a_time_is_there_for_whoever_reads(
    streams: rowtime.Connection, clock: Clock
) -> None:
    streams.executescript(PUMPS)
    reader = streams.execute("SELECT STREAM * FROM Hours")
    streams.prepare("INSERT INTO Orders VALUES (?, 'ORCL')").execute((at("08:00"),))
    assert streams.execute("SELECT * FROM Counts").fetchall() == []
    clock.now = at("10:00")
    assert streams.execute("SELECT * FROM Counts").fetchall() == [NINE]
    assert reader.fetch_available() == [NINE]


def test_a_file_has_what_pumps_have_emitted_at_a_look(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "file.db"
    with rowtime.connect(path, clock=clock) as db:
        db.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10)); "
            "CREATE TABLE Counts (h TIMESTAMP(3), c BIGINT, at TIMESTAMP(3)); "
            "CREATE PUMP p STARTED AS INSERT INTO Counts SELECT STREAM h, c, CURRENT_TIMESTAMP "
            "FROM (SELECT STREAM FLOOR(CURRENT_TIMESTAMP TO HOUR) AS h, COUNT(*) AS c FROM Orders "
            "GROUP BY FLOOR(CURRENT_TIMESTAMP TO HOUR)) AS x"
        )
        db.prepare("INSERT INTO Orders VALUES (?, 'ORCL')").execute((at("08:00"),))
        clock.now = at("10:15")
        counts = [(*NINE, at("10:15"))]
        assert db.execute("SELECT * FROM Counts").fetchall() == counts
    clock.now = at("12:00")
    with rowtime.connect(path, clock=clock) as db:
        assert db.execute("SELECT * FROM Counts").fetchall() == counts


def test_a_clock_that_goes_back_changes_nothing(hours: rowtime.Cursor, clock: Clock) -> None:
    clock.now = datetime(1990, 1, 1)
    assert hours.fetch_available() == []
    clock.now = at("10:00")
    assert hours.fetch_available() == [NINE]


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO Times VALUES (CURRENT_TIMESTAMP)",
        "INSERT INTO Times SELECT CURRENT_TIMESTAMP FROM (VALUES (1)) AS t (x)",
    ],
)
def test_a_query_and_an_insert_read_the_clock_and_not_the_last_event(
    clock: Clock, insert: str
) -> None:
    """S-609.i: the engine looks at its clock before each query and each event."""
    with rowtime.connect(clock=clock) as db:
        assert db.execute("VALUES (CURRENT_TIMESTAMP)").fetchall() == [(at("09:00"),)]
        db.execute("CREATE STREAM Times (rowtime TIMESTAMP(3) ASCENDING) WITH HISTORY")
        clock.now = at("10:00")
        db.execute(insert)
        clock.now = at("11:00")
        now = db.execute("SELECT rowtime, CURRENT_TIMESTAMP FROM Times").fetchall()
        assert now == [(at("10:00"), at("11:00"))]
