"""A connection to an empty database whose clock stands still."""

from collections.abc import Iterator
from datetime import datetime

import pytest

import rowtime


@pytest.fixture
def connection() -> Iterator[rowtime.Connection]:
    with rowtime.connect(clock=lambda: datetime(2026, 1, 1), timeout=5.0) as connection:
        yield connection


def minute(number: int) -> datetime:
    """A minute after 10 o'clock."""
    return datetime(2026, 1, 1, 10, number)
