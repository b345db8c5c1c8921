"""The time zone of the machine plays no part: all times without a zone are in UTC (S-106)."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

import rowtime


@pytest.fixture(autouse=True)
def in_new_york() -> Iterator[None]:
    """This process is in New York, where 2:30 on 2026-03-08 did not exist."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        assert time.localtime(0).tm_hour == 19
        yield
    time.tzset()


def test_ticks_are_seconds_in_utc() -> None:
    assert rowtime.TimestampFromTicks(90_061) == datetime(1970, 1, 2, 1, 1, 1)
    assert rowtime.DateFromTicks(0) == date(1970, 1, 1)
    assert rowtime.TimeFromTicks(0).isoformat() == "00:00:00"


class Moment(datetime):
    """A class of the program, such as the timestamps of pandas: its values are read in text."""


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (datetime(2026, 3, 8, 2, 30), datetime(2026, 3, 8, 2, 30)),
        (Moment(2026, 3, 8, 2, 30), datetime(2026, 3, 8, 2, 30)),
        ("2026-03-08 02:30:00", datetime(2026, 3, 8, 2, 30)),
        (date(2026, 3, 8), datetime(2026, 3, 8)),
        (
            datetime(2026, 3, 8, 2, 30, tzinfo=timezone(timedelta(hours=1))),
            datetime(2026, 3, 8, 1, 30),
        ),
    ],
)
def test_a_parameter_is_stored_in_utc(value: datetime | date | str, stored: datetime) -> None:
    with rowtime.connect() as db:
        db.execute("CREATE TABLE T (at TIMESTAMP(3))")
        db.execute("INSERT INTO T VALUES (?)", (value,))
        assert db.execute("SELECT at FROM T").fetchall() == [(stored,)]


def test_the_clock_of_a_session_is_in_utc() -> None:
    with rowtime.connect() as db:
        db.execute("CREATE TABLE T (n INTEGER)")
        db.execute("INSERT INTO T VALUES (1)")  # an event sets the clock (S-609.i)
        ((now, today),) = db.execute("VALUES (CURRENT_TIMESTAMP, CURRENT_DATE)").fetchall()
    assert isinstance(now, datetime)
    assert abs(now.replace(tzinfo=UTC) - datetime.now(UTC)) < timedelta(minutes=10)
    assert today == now.date()
