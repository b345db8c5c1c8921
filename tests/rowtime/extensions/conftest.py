"""A connection to an empty database whose clock stands still, and functions of its own."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import pytest

import rowtime
from rowtime.extensions.protocols import InputColumn, RowSink
from tests.rowtime.extensions.sessions_function import Sessions

COLUMNS = "rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER"
STREAM = f"({COLUMNS})"


class Halves:
    """Fails on 13, and returns no INTEGER for 7."""

    signature = "HALF(x INTEGER) RETURNS INTEGER"

    def __call__(self, x: int) -> object:
        """Half of x."""
        if x == 13:
            raise LookupError("thirteen is not halved")
        return "seven" if x == 7 else x // 2


class Doubles:
    """Sends each row twice, and for some rows what it may not."""

    signature = "DOUBLED(until INTEGER)"

    def columns(self, _input: Sequence[InputColumn], until: int) -> str:
        """Those of S."""
        if until < 0:
            raise ValueError("UNTIL is negative")
        if until == 666:
            raise ZeroDivisionError("no columns")
        return COLUMNS

    def start(self, _input: Sequence[InputColumn], until: int) -> "Doubles":
        """Itself: it has no state."""
        if until == 99:
            raise OSError("it does not start")
        return self

    def take_row(self, row: tuple[Any, ...], sink: RowSink) -> None:
        """Send the row twice, or do what its value is for."""
        match row[1]:
            case 100:
                raise RuntimeError("a hundred")
            case 101:
                sink.send_row(("not a time", 1))
            case 102:
                sink.send_row((row[0],))
            case 103:
                sink.send_row((datetime(2020, 1, 1), 1))
            case 104:
                sink.send_rowtime_bound(datetime(2020, 1, 1))
            case _:
                sink.send_row(row)
                sink.send_row({"ROWTIME": row[0], "A": row[1]})

    def take_rowtime_bound(self, at: datetime, sink: RowSink) -> None:
        """Pass the bound on."""
        sink.send_rowtime_bound(at)


@pytest.fixture
def connection() -> Iterator[rowtime.Connection]:
    with rowtime.connect(
        clock=lambda: datetime(2026, 1, 1),
        timeout=5.0,
        functions=[Halves()],
        table_functions=[Doubles(), Sessions()],
    ) as connection:
        connection.execute(f"CREATE STREAM S {STREAM}")
        yield connection
