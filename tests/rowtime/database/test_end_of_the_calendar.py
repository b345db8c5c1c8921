"""Bounds beyond what a query can still bring: a flush of all that is open (S-405, S-609)."""

import io
from datetime import datetime

import pytest

import rowtime
from algebra.records.printing import Format
from rowtime.shell.session import ShellSession

LAST = datetime(9999, 12, 31, 23, 59, 59, 999_000)
STREAMS = """
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER);
CREATE STREAM Hours (rowtime TIMESTAMP(3) NOT NULL ASCENDING, c BIGINT);
"""
HOURS = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c
FROM S GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
"""
DAYS = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' DAY) AS rowtime, SUM(c) AS c
FROM Hours GROUP BY TUMBLE(rowtime, INTERVAL '1' DAY)
"""


@pytest.mark.parametrize("strict", [False, True])
def test_the_bound_of_a_result_does_not_go_back(
    connection: rowtime.Connection, strict: bool
) -> None:
    """S-609.e, S-609.h."""
    connection.executescript(STREAMS)
    reader = connection.execute(HOURS)
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.execute((datetime(2026, 1, 1, 10, 5), 1))
        assert reader.rowtime_bound == datetime(2026, 1, 1, 11)
        insert.set_rowtime_bound(LAST, strict=strict)
        assert reader.fetch_available() == [(datetime(2026, 1, 1, 11), 1)]
        assert reader.rowtime_bound == LAST


def test_a_flush_goes_through_a_pump(connection: rowtime.Connection) -> None:
    """S-504.m, S-603.b, S-605.e: the pump can send no hour any more, so that the day is over."""
    connection.executescript(f"{STREAMS} CREATE PUMP p STARTED AS INSERT INTO Hours {HOURS}")
    reader = connection.execute(DAYS)
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.execute((datetime(2026, 1, 1, 10, 5), 1))
        insert.set_rowtime_bound(LAST)
        assert reader.fetch_available() == [(datetime(2026, 1, 2), 1)]


def test_a_row_that_follows_ends_the_query_with_its_error(connection: rowtime.Connection) -> None:
    """S-504.k, S-608.f: a row at the bound itself is accepted, and is an error of the query."""
    connection.executescript(STREAMS)
    reader = connection.execute(HOURS)
    with connection.prepare("INSERT INTO S VALUES (?, ?)") as insert:
        insert.set_rowtime_bound(LAST)
        insert.execute((LAST, 1))
    with pytest.raises(rowtime.DataError, match="OVERFLOW"):
        reader.fetchone()


@pytest.mark.parametrize(
    ("rowtime_order", "row", "shown"),
    [
        ("ASCENDING STRICT", LAST, "S 9999-12-31 23:59:59.999"),
        ("ASCENDING WITHIN INTERVAL '1' DAY", datetime(1, 1, 1, 10), "S 0001-01-01 00:00:00"),
    ],
)
def test_a_bound_beyond_the_calendar_is_shown_as_its_end(
    rowtime_order: str, row: datetime, shown: str
) -> None:
    """S-105.c: the strict bound at the last instant, and a slack before the first one."""
    with rowtime.connect(clock=lambda: datetime(2026, 1, 1)) as connection:
        connection.execute(f"CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL {rowtime_order})")
        connection.execute("INSERT INTO S VALUES (?)", (row,))
        out = io.StringIO()
        assert ShellSession(connection, out, out, Format.CSV).run("\\clock")
        assert shown in out.getvalue()
