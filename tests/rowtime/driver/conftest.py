"""A connection whose clock the test sets."""

from collections.abc import Iterator
from datetime import datetime

import pytest

import rowtime

STREAMS = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, ticker VARCHAR(10) NOT NULL);
"""


def at(text: str) -> datetime:
    """A time of the day of the examples on rowtime bounds."""
    return datetime.fromisoformat(f"2006-09-11 {text}")


class Clock:
    """The session's clock: it stands until the test sets it."""

    def __init__(self) -> None:
        self.now = at("09:00")

    def __call__(self) -> datetime:
        """The time that was set."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def streams(clock: Clock) -> Iterator[rowtime.Connection]:
    """A connection with the stream Orders, whose cursors wait for a second at most."""
    with rowtime.connect(clock=clock, timeout=1.0) as connection:
        connection.executescript(STREAMS)
        yield connection
