"""Producers: cursors that insert, prepared inserts and their bounds (S-601, S-603, EXT-051 to 055).

The times are those of the pages' story of P1, P2 and P3.
"""

import gc
from datetime import datetime, timedelta, timezone

import pytest

import rowtime
from tests.rowtime.driver.conftest import Clock, at

INSERT = "INSERT INTO Orders (rowtime, ticker) VALUES (?, ?)"
EXPEDITED = "INSERT EXPEDITED INTO Orders (rowtime, ticker) VALUES (?, ?)"


def test_the_example_of_the_pages(streams: rowtime.Connection) -> None:
    """S-609.e, E-88, RTB-063, RTB-064, RTB-069: three orders, then a bound."""
    reader = streams.execute("SELECT STREAM * FROM Orders")
    assert reader.rowtime_bound is None
    orders = streams.prepare(INSERT)
    bounds = [reader.rowtime_bound]
    for minute, ticker in enumerate(("ORCL", "MSFT", "IBM")):
        orders.execute((at(f"12:0{minute}"), ticker))
        bounds.append(reader.rowtime_bound)
    orders.set_rowtime_bound(at("12:05"))
    bounds.append(reader.rowtime_bound)
    assert bounds == [None, at("12:00"), at("12:01"), at("12:02"), at("12:05")]
    assert reader.fetchmany(10) == [
        (at("12:00"), "ORCL"),
        (at("12:01"), "MSFT"),
        (at("12:02"), "IBM"),
    ]


def test_the_story_of_three_producers(streams: rowtime.Connection) -> None:
    """S-609.b, RTB-109 to RTB-117, E-126: the bounds of open producers combine before rows, too."""
    reader = streams.execute("SELECT STREAM * FROM Orders")
    first = streams.prepare(EXPEDITED)
    first.set_rowtime_bound(at("10:00"))
    assert reader.rowtime_bound == at("10:00")
    first.execute((at("10:00"), "P1"))
    assert reader.fetchone() == (at("10:00"), "P1")
    second = streams.prepare(EXPEDITED)
    second.set_rowtime_bound(at("10:05"))
    assert second.execute((at("10:05"), "P2")).rowcount == 1
    assert reader.fetch_available() == []
    assert reader.rowtime_bound == at("10:00")
    with pytest.raises(rowtime.OperationalError) as late:
        second.execute((at("09:59"), "P2"))
    assert late.value.code == "BEHIND_OWN_BOUND"
    first.close()
    assert reader.fetchone() == (at("10:05"), "P2")
    assert reader.rowtime_bound == at("10:05")
    second.close()
    third = streams.prepare(EXPEDITED)
    assert third.execute((at("10:04"), "P3")).rowcount == 0
    assert third.execute((at("10:05"), "P3")).rowcount == 1
    assert reader.fetch_available() == [(at("10:05"), "P3")]


def test_a_newcomer_may_go_ahead_of_the_others(streams: rowtime.Connection) -> None:
    """RTB-111."""
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    first, second, third = (streams.prepare(INSERT) for _ in range(3))
    first.execute((at("10:00"), "P1"))
    second.execute((at("10:30"), "P2"))
    third.execute((at("10:10"), "P3"))
    first.set_rowtime_bound(at("10:20"))
    assert reader.fetch_available() == [("P1",), ("P3",)]
    third.close()
    assert reader.fetch_available() == []
    first.close()
    assert reader.fetch_available() == [("P2",)]


def test_a_bound_that_goes_back_is_lost_alone(streams: rowtime.Connection) -> None:
    """RTB-058, S-601.e."""
    orders = streams.prepare(INSERT)
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    orders.set_rowtime_bound(at("10:05"))
    with pytest.raises(rowtime.OperationalError) as back:
        orders.set_rowtime_bound(at("10:04"))
    assert back.value.code == "BOUND_BACKWARDS"
    orders.execute((at("10:05"), "A"))
    assert reader.fetchone() == ("A",)


def test_a_strict_bound_excludes_its_time(streams: rowtime.Connection) -> None:
    """RTB-060, RTB-061."""
    orders = streams.prepare(INSERT)
    orders.set_rowtime_bound(at("10:00"))
    assert orders.execute((at("10:00"), "A")).rowcount == 1
    orders.set_rowtime_bound(at("10:00"), strict=True)
    with pytest.raises(rowtime.OperationalError, match="BEHIND_OWN_BOUND"):
        orders.execute((at("10:00"), "B"))
    assert orders.execute((at("10:00:00.001"), "C")).rowcount == 1


def test_a_bound_may_have_a_time_zone(streams: rowtime.Connection) -> None:
    """S-609.m, E-89, RTB-062: the calendar argument; the short form is in UTC."""
    orders = streams.prepare(INSERT)
    reader = streams.execute("SELECT STREAM * FROM Orders")
    orders.set_rowtime_bound(datetime(2006, 9, 11, 12, tzinfo=timezone(timedelta(hours=2))))
    assert reader.rowtime_bound == at("10:00")
    orders.set_rowtime_bound("2006-09-11 10:30:00")
    assert reader.rowtime_bound == at("10:30")


@pytest.mark.parametrize(
    "sql",
    ["SELECT STREAM * FROM Orders", "INSERT INTO T VALUES (1)", "CREATE TABLE U (a INTEGER)"],
)
def test_only_an_insert_into_a_stream_has_a_bound(streams: rowtime.Connection, sql: str) -> None:
    """S-609.d, EXT-053, RTB-059."""
    streams.executescript("CREATE TABLE T (a INTEGER)")
    prepared = streams.prepare(sql)
    with pytest.raises(rowtime.ProgrammingError, match="only an INSERT into a stream"):
        prepared.set_rowtime_bound(at("10:00"))


@pytest.mark.parametrize("sql", [INSERT, EXPEDITED])
def test_every_kind_of_insert_has_a_bound(streams: rowtime.Connection, sql: str) -> None:
    """S-609.d, E-87, EXT-052."""
    reader = streams.execute("SELECT STREAM * FROM Orders")
    orders = streams.prepare(sql)
    orders.set_rowtime_bound(at("10:00"))
    assert reader.rowtime_bound == at("10:00")


def test_a_bound_is_taken_from_the_clock_or_from_the_last_row(
    streams: rowtime.Connection, clock: Clock
) -> None:
    """EXT-054: either plus the pause that the producer expects; rows from there on are not late."""
    reader = streams.execute("SELECT STREAM * FROM Orders")
    orders, pause = streams.prepare(INSERT), timedelta(minutes=5)
    clock.now = at("10:00")
    orders.set_rowtime_bound(clock.now + pause)
    assert reader.rowtime_bound == at("10:05")
    last = (at("10:07"), "A")
    assert orders.execute(last).rowcount == 1
    orders.set_rowtime_bound(last[0] + pause)
    assert reader.rowtime_bound == at("10:12")
    assert orders.execute((at("10:12"), "B")).rowcount == 1
    assert reader.fetch_available() == [last, (at("10:12"), "B")]


def test_expedited_rows_are_the_same_rows(streams: rowtime.Connection) -> None:
    """S-609.f, EXT-046."""
    rows = [(at(f"10:{minute:02}"), f"T{minute}") for minute in (0, 5, 3, 7, 7)]
    results = list[list[tuple[object, ...]]]()
    for number, sql in enumerate((INSERT, EXPEDITED)):
        streams.executescript(
            f"CREATE STREAM S{number} (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10))"
        )
        reader = streams.execute(f"SELECT STREAM * FROM S{number}")
        orders = streams.prepare(sql.replace("Orders", f"S{number}"))
        assert orders.executemany(rows).rowcount == 4
        results.append(list(reader.fetch_available()))
    assert results[0] == results[1] == [row for row in rows if row[1] != "T3"]


def test_a_bad_row_is_an_error_and_the_others_enter(streams: rowtime.Connection) -> None:
    """S-609.b, S-609.k."""
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    rows = [(at("10:00"), "A"), (at("10:01"), None), (at("10:02"), "C")]
    with pytest.raises(rowtime.IntegrityError, match="NULL in a column that has none"):
        streams.prepare(EXPEDITED).executemany(rows)
    assert reader.fetch_available() == [("A",), ("C",)]


def test_a_row_without_rowtime_has_the_time_of_the_clock(streams: rowtime.Connection) -> None:
    """S-604, EXT-032."""
    reader = streams.execute("SELECT STREAM * FROM Orders")
    streams.execute("INSERT INTO Orders (ticker) VALUES ('A')")
    assert reader.fetchone() == (at("09:00"), "A")


def test_a_cursor_is_a_producer_until_it_executes_something_else(
    streams: rowtime.Connection,
) -> None:
    """S-609.c."""
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    one, other = streams.cursor(), streams.cursor()
    one.execute(INSERT, (at("10:00"), "A"))
    other.execute(INSERT, (at("11:00"), "B"))
    assert reader.fetch_available() == [("A",)]
    one.execute("SELECT * FROM SYS_BOOT.MGMT.SAVED_TRACE")
    assert reader.fetch_available() == [("B",)]


def test_a_cursor_that_nobody_has_is_no_producer(streams: rowtime.Connection) -> None:
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    other = streams.cursor()
    streams.execute(INSERT, (at("10:00"), "A"))
    gc.collect()
    other.execute(INSERT, (at("11:00"), "B"))
    assert reader.fetch_available() == [("A",), ("B",)]


def test_a_statement_has_a_number_that_the_trace_shows(streams: rowtime.Connection) -> None:
    """EXT-051."""
    orders = streams.prepare(INSERT)
    orders.execute((at("10:00"), "A"))
    number = orders.execute((at("09:59"), "B")).statement_id
    found = streams.execute("SELECT STATEMENT, OBJECT, CODE FROM SYS_BOOT.MGMT.SAVED_TRACE")
    assert found.fetchall() == [(number, "ORDERS", "LATE")]
