"""SESSIONS, a table function for the tests: rows of one key that follow each other closely."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from grammar.names import delimited
from rowtime.extensions.protocols import InputColumn, RowSink


@dataclass(slots=True)
class _Session:
    """The first and the last rowtime of a session, and the number of its rows."""

    first: datetime
    last: datetime
    count: int


class Sessions:
    """``TABLE(SESSIONS(stream, 'KEY', INTERVAL '30' MINUTE))``: a row for each session of a key.

    A session is a series of rows with one value of the column KEY (NULL is one, too), each less
    than the gap after the one before it. Its row is emitted when no row can join the session any
    more: its ROWTIME is the last row's plus the gap, its SESSION_START the first row's; ROWS_COUNT
    is their number.
    """

    signature = "SESSIONS(key VARCHAR, gap INTERVAL DAY TO SECOND(3))"

    def columns(self, input: Sequence[InputColumn], key: str, gap: timedelta) -> str:
        """ROWTIME, the key, SESSION_START, ROWS_COUNT."""
        _places(input, key)
        if gap <= timedelta(0):
            raise ValueError("the gap must be positive")
        (column,) = (each for each in input if each.name == key)
        return (
            f"ROWTIME TIMESTAMP(3) NOT NULL ASCENDING, {delimited(column.name)} {column.type}, "
            "SESSION_START TIMESTAMP(3) NOT NULL, ROWS_COUNT BIGINT NOT NULL"
        )

    def start(self, input: Sequence[InputColumn], key: str, gap: timedelta) -> "OpenSessions":
        """The sessions of one query."""
        return OpenSessions(*_places(input, key), gap)


def _places(input: Sequence[InputColumn], key: str) -> tuple[int, int]:
    """The places of the rowtime and of the key."""
    rowtime = next((place for place, each in enumerate(input) if each.is_rowtime), None)
    if rowtime is None:
        raise ValueError("the stream has no rowtime")
    named = next((place for place, each in enumerate(input) if each.name == key), None)
    if named is None:
        names = ", ".join(each.name for each in input)
        raise ValueError(f"the stream has no column {key!r}; it has {names}")
    return rowtime, named


class OpenSessions:
    """The open sessions by their keys: several of a key if rows are out of order."""

    def __init__(self, rowtime: int, key: int, gap: timedelta) -> None:
        self._rowtime, self._key, self._gap = rowtime, key, gap
        self._open: dict[object, list[_Session]] = {}

    def take_row(self, row: tuple[Any, ...], sink: RowSink) -> None:  # noqa: ARG002 (a bound ends)
        """Add a row to the session of its key; two that it connects become one."""
        at, key = row[self._rowtime], row[self._key]
        if datetime.max - at < self._gap:
            raise OverflowError("a session ends after the year 9999")
        joined, others = _Session(at, at, 1), list[_Session]()
        for each in self._open.get(key, ()):
            if each.first - at < self._gap and at - each.last < self._gap:
                joined.first = min(joined.first, each.first)
                joined.last = max(joined.last, each.last)
                joined.count += each.count
            else:
                others.append(each)
        self._open[key] = [*others, joined]

    def state(self) -> dict[object, list[tuple[datetime, datetime, int]]]:
        """The open sessions by their keys: first and last rowtime, number of rows."""
        return {
            key: [(each.first, each.last, each.count) for each in sessions]
            for key, sessions in self._open.items()
        }

    def restore(self, state: dict[object, list[tuple[datetime, datetime, int]]]) -> None:
        """Take over open sessions."""
        self._open = {key: [_Session(*each) for each in found] for key, found in state.items()}

    def take_rowtime_bound(self, at: datetime, sink: RowSink) -> None:
        """End the sessions that no row at ``at`` or later can continue, and set the bound.

        No later session ends before the first of the open ones can, nor before a new one could. One
        that would end after the year 9999 is an error, like a window (S-504).
        """
        over = [
            (each, key)
            for key, sessions in self._open.items()
            for each in sessions
            if at - each.last >= self._gap
        ]
        for each, key in sorted(over, key=lambda one: one[0].last):
            self._open[key].remove(each)
            if not self._open[key]:
                del self._open[key]
            sink.send_row((each.last + self._gap, key, each.first, each.count))
        lasts = [each.last for sessions in self._open.values() for each in sessions]
        first = min([at, *lasts])
        beyond = datetime.max - first < self._gap
        sink.send_rowtime_bound(datetime.max if beyond else first + self._gap)
