"""Readers of streams: blocking, timeouts, cancelling, back-pressure, and `async for`."""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

import rowtime
from rowtime.database.engine import Engine
from rowtime.database.reader import Reader
from tests.rowtime.driver.conftest import Clock, at

INSERT = "INSERT INTO Orders (rowtime, ticker) VALUES (?, ?)"
QUERY = "SELECT STREAM ticker FROM Orders"


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    """A thread that has started."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_fetchone_blocks_until_a_row_comes(streams: rowtime.Connection) -> None:
    """S-609.g, RTB-056."""
    reader = streams.execute(QUERY)
    reader.timeout = 30
    found = list[object]()
    thread = in_a_thread(lambda: found.append(reader.fetchone()))
    thread.join(0.05)
    assert found == []
    streams.execute(INSERT, (at("10:00"), "A"))
    thread.join(30)
    assert found == [("A",)]


def test_a_fetch_that_times_out_leaves_the_query(streams: rowtime.Connection) -> None:
    """S-609.n, EXT-055."""
    reader = streams.execute(QUERY)
    reader.timeout = 0.01
    with pytest.raises(rowtime.Timeout, match="no row in time"):
        reader.fetchone()
    streams.execute(INSERT, (at("10:00"), "A"))
    assert reader.fetchone() == ("A",)


def test_a_query_is_cancelled_from_another_thread(streams: rowtime.Connection) -> None:
    """S-609.o, CAL-013: cancelling ends the query with that status, not with rows."""
    reader = streams.execute(QUERY)
    reader.timeout = 30
    raised = list[type[BaseException]]()

    def read() -> None:
        try:
            reader.fetchone()
        except rowtime.Error as error:
            raised.append(type(error))

    thread = in_a_thread(read)
    thread.join(0.05)
    reader.cancel()
    thread.join(30)
    assert raised == [rowtime.Cancelled]
    streams.execute(INSERT, (at("10:00"), "A"))
    with pytest.raises(rowtime.Cancelled):
        reader.fetchone()
    assert reader.execute("SELECT COUNT(*) FROM SYS_BOOT.MGMT.SAVED_TRACE").fetchone() == (0,)


def test_a_reader_sees_what_comes_after_it_began(streams: rowtime.Connection) -> None:
    """RTB-017."""
    orders = streams.prepare(INSERT)
    orders.execute((at("10:00"), "A"))
    reader = streams.execute(QUERY)
    assert reader.rowtime_bound == at("10:00")
    orders.execute((at("10:01"), "B"))
    assert reader.fetch_available() == [("B",)]


def test_fetchall_of_a_stream_is_refused(streams: rowtime.Connection) -> None:
    with pytest.raises(rowtime.NotSupportedError, match="has no last row"):
        streams.execute(QUERY).fetchall()


def test_fetchmany_returns_what_is_there(streams: rowtime.Connection) -> None:
    reader = streams.execute(QUERY)
    streams.prepare(INSERT).executemany([(at(f"10:0{i}"), str(i)) for i in range(5)])
    assert reader.fetchmany(3) == [("0",), ("1",), ("2",)]
    assert reader.fetchmany(3) == [("3",), ("4",)]
    assert reader.fetchmany(0) == []


def test_parameters_of_a_streaming_query_are_bound(streams: rowtime.Connection) -> None:
    reader = streams.execute("SELECT STREAM ticker FROM Orders WHERE ticker = ?", ("' OR 1=1",))
    streams.prepare(INSERT).executemany([(at("10:00"), "A"), (at("10:00"), "' OR 1=1")])
    assert reader.fetch_available() == [("' OR 1=1",)]


def test_async_for_reads_a_stream_beside_other_work(streams: rowtime.Connection) -> None:
    async def read(reader: rowtime.Cursor) -> list[object]:
        found = list[object]()
        async for row in reader:
            found.append(row)
            if len(found) == 3:
                break
        return found

    async def write() -> None:
        orders = streams.prepare(INSERT)
        for minute in range(3):
            await asyncio.sleep(0.01)
            orders.execute((at(f"10:0{minute}"), str(minute)))

    async def both() -> list[object]:
        readers = [streams.execute(QUERY) for _ in range(40)]
        *found, _ = await asyncio.gather(*map(read, readers), write())
        return list(found)

    assert asyncio.run(both()) == [[("0",), ("1",), ("2",)]] * 40


def test_async_for_over_a_table_ends(streams: rowtime.Connection) -> None:
    streams.executescript("CREATE TABLE T (a INTEGER); INSERT INTO T VALUES (1), (2)")

    async def read() -> list[object]:
        return [row async for row in streams.execute("SELECT a FROM T ORDER BY a")]

    assert asyncio.run(read()) == [(1,), (2,)]


def test_async_for_times_out(streams: rowtime.Connection) -> None:
    reader = streams.execute(QUERY)
    reader.timeout = 0.01

    async def read() -> None:
        await anext(reader)

    with pytest.raises(rowtime.Timeout):
        asyncio.run(read())


def test_a_writer_waits_for_a_slow_reader_and_nothing_is_lost(clock: Clock) -> None:
    """S-609.j."""
    with rowtime.connect(clock=clock, buffer=10) as connection:
        connection.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        readers = [connection.execute(QUERY) for _ in range(2)]
        found = list[list[object]]([[], []])
        most = [0]

        def read(place: int) -> None:
            while len(found[place]) < 500:
                time.sleep(0.0002 * place)
                found[place] += readers[place].fetchmany(7)

        threads = [in_a_thread(partial(read, place)) for place in (0, 1)]

        def write() -> None:
            orders = connection.prepare(INSERT)
            for number in range(500):
                orders.execute((at("10:00"), str(number)))
                buffered = [each.buffered for each in connection.database.read_state(_readers)]
                most[0] = max([most[0], *buffered])

        threads.append(in_a_thread(write))
        for each in threads:
            each.join(60)
        assert found == [[(str(number),) for number in range(500)]] * 2
        assert most[0] <= 10


def _readers(engine: Engine) -> list[Reader]:
    return engine.readers


def test_a_thread_that_would_wait_for_itself_gets_an_error(clock: Clock) -> None:
    with rowtime.connect(clock=clock, buffer=3) as connection:
        connection.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        reader = connection.execute(QUERY)
        orders = connection.prepare(INSERT)
        for number in range(3):
            orders.execute((at("10:00"), str(number)))
        with pytest.raises(rowtime.Timeout, match="has not fetched 3 rows"):
            orders.execute((at("10:00"), "3"))
        assert reader.fetchmany(2) == [("0",), ("1",)]
        orders.execute((at("10:00"), "4"))
        assert reader.fetch_available() == [("2",), ("4",)]


def test_a_writer_gives_up_in_time(clock: Clock) -> None:
    with rowtime.connect(clock=clock, buffer=1, timeout=0.01) as connection:
        connection.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        reader = connection.execute(QUERY)
        in_a_thread(reader.fetch_available).join()
        orders = connection.prepare(INSERT)
        orders.execute((at("10:00"), "A"))
        with pytest.raises(rowtime.Timeout, match="no row was written in time"):
            orders.execute((at("10:00"), "B"))
        assert reader.fetch_available() == [("A",)]


def test_closing_a_reader_lets_its_writer_go_on(clock: Clock) -> None:
    with rowtime.connect(clock=clock, buffer=1) as connection:
        connection.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        reader = connection.execute(QUERY)
        in_a_thread(reader.fetch_available).join()
        orders = connection.prepare(INSERT)
        orders.execute((at("10:00"), "A"))
        thread = in_a_thread(lambda: orders.execute((at("10:00"), "B")))
        thread.join(0.05)
        assert thread.is_alive()
        reader.close()
        thread.join(30)
        assert not thread.is_alive()


def test_rows_that_wait_for_another_producer_are_bounded(clock: Clock) -> None:
    """S-609.j."""
    with rowtime.connect(clock=clock, buffer=3, timeout=0.01) as connection:
        connection.executescript(
            "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        slow, fast = connection.prepare(INSERT), connection.prepare(INSERT)
        slow.execute((at("10:00"), "A"))
        for _ in range(3):
            fast.execute((at("11:00"), "B"))
        with pytest.raises(rowtime.Timeout, match="3 rows wait for another producer of ORDERS"):
            fast.execute((at("11:00"), "B"))
        slow.set_rowtime_bound(at("12:00"))
        assert fast.execute((at("11:00"), "B")).rowcount == 1


def test_sixty_four_producers_on_threads_lose_nothing(streams: rowtime.Connection) -> None:
    reader = streams.execute("SELECT STREAM rowtime, ticker FROM Orders")
    reader.timeout = 60
    ready = threading.Barrier(64)

    def produce(number: int) -> None:
        with streams.prepare(INSERT) as orders:
            orders.cursor.timeout = 60
            orders.set_rowtime_bound(at("10:00"))
            ready.wait(60)
            for minute in range(10):
                orders.execute((at(f"10:{minute:02}"), f"P{number}"))

    threads = [in_a_thread(partial(produce, number)) for number in range(64)]
    rows = [reader.fetchone() for _ in range(640)]
    for each in threads:
        each.join(60)
    assert reader.fetch_available() == []
    assert sorted(map(str, rows)) == sorted(
        str((at(f"10:{minute:02}"), f"P{number}")) for minute in range(10) for number in range(64)
    )
    times = [str(row[0]) for row in rows if row is not None]
    assert times == sorted(times)
