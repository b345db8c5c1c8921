"""The results of a cursor: their columns, their rows, their bound."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP
from reference.relation import Row
from rowtime.driver.errors import (
    InterfaceError,
    NotSupportedError,
    driver_errors,
)
from rowtime.driver.result import (
    ALL,
    ChangelogResult,
    Description,
    Result,
    StreamResult,
    description,
)
from rowtime.driver.values import Python, python_of, rows_of


class Fetching:
    """The results of PEP 249, over tables and over streams.

    A streaming query has no last row.  Its rows can be fetched as soon as they are emitted: a fetch
    waits for the next row, for ``timeout`` seconds (None: without a limit), and then raises
    `rowtime.Timeout`; the query continues.  It does not return rows from before the query began.
    """

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self.arraysize = 1
        self.rowcount = -1
        self._result: Result | None = None
        self._fetched = 0
        self._closed = False

    @property
    def description(self) -> Sequence[Description] | None:
        """The columns of the result, their types as in SQL; None: there is no result."""
        return None if self._result is None else tuple(map(description, self._result.fields))

    @property
    def rownumber(self) -> int | None:
        """The number of rows that were fetched; None: there is no result."""
        return None if self._result is None else self._fetched

    @property
    def is_streaming(self) -> bool:
        """Whether the result is that of a streaming query."""
        return isinstance(self._result, StreamResult)

    @property
    def is_changelog(self) -> bool:
        """Whether the result is that of a query with EMIT CHANGES."""
        return isinstance(self._result, ChangelogResult)

    @property
    def emitted(self) -> int:
        """The number of rows that a streaming query has emitted by now, fetched or not; else 0."""
        if not isinstance(self._result, StreamResult):
            return 0
        with driver_errors():
            return self._result.emitted

    @property
    def rowtime_bound(self) -> datetime | None:
        """The bound of the result: no row that is not yet in the buffer has a smaller rowtime.

        It never decreases, and is the last instant of the calendar if no row can follow.
        None: there is no streaming query, or no bound is known.

        Defines: S-609.h
        """
        result = self._result
        if not isinstance(result, StreamResult):
            return None
        with driver_errors():
            bound = result.bound
        if bound < MIN_TIMESTAMP:
            return None
        at = python_of(TIMESTAMP)(int(min(bound, MAX_TIMESTAMP)))
        assert isinstance(at, datetime)
        return at

    def fetchone(self) -> tuple[Python, ...] | None:
        """The next row; None after the last one, which a streaming query does not have."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Python, ...]]:
        """The next rows, at most ``size`` (by default `arraysize`); [] after the last one.

        For a streaming query, waits for a row, then returns the available rows.
        """
        size = self.arraysize if size is None else size
        with self._open():
            result = self._required_result()
            return self._python(result, result.fetch(size, self.timeout))

    def fetchall(self) -> list[tuple[Python, ...]]:
        """All further rows. Raises `NotSupportedError` for a streaming query, which has no last."""
        with self._open():
            result = self._required_result()
            if isinstance(result, StreamResult):
                raise NotSupportedError(
                    "a streaming query has no last row: use fetchone, fetchmany or fetch_available"
                )
            return self._python(result, result.fetch(ALL, None))

    def fetch_available(self) -> list[tuple[Python, ...]]:
        """The rows that can be fetched without waiting; [] if there is none at the moment."""
        with self._open():
            result = self._required_result()
            return self._python(result, result.available())

    def fetch_current(self) -> list[tuple[Python, ...]]:
        """The current answer of a query with EMIT CHANGES, as a bag: its rows in any order.

        Equal rows are there as often as the answer has them, and no row has its weight.  The
        changes that are available are fetched, and the answer is the fold of all changes that were
        fetched.  Raises `NotSupportedError` for another query.

        Defines: S-1008.c
        """
        with self._open():
            result = self._required_result()
            if not isinstance(result, ChangelogResult):
                raise NotSupportedError(
                    "only a query with EMIT CHANGES has a current answer: SELECT STREAM … EMIT "
                    "CHANGES"
                )
            self._fetched += len(result.available())
            return rows_of([each.type for each in result.fields[1:]], result.current)

    def fetch_arrow_table(self) -> Any:  # Any: a pyarrow.Table, which has no types
        """All further rows as a table of Arrow; for a streaming query the available rows."""
        from rowtime.driver.arrow import arrow_table

        with self._open():
            result = self._required_result()
            rows = result.available()
            self._fetched += len(rows)
            return arrow_table(result.fields, rows)

    def fetch_df(self) -> Any:  # Any: as pyarrow makes it
        """All further rows as a DataFrame of pandas; for a streaming query the available rows."""
        return self.fetch_arrow_table().to_pandas()

    def _repr_html_(self) -> str:
        """The next rows as a notebook shows them; they can still be fetched."""
        from rowtime.driver.html import SHOWN, html_table

        if self._result is None:
            written = "no result" if self.rowcount < 0 else f"{self.rowcount:,} rows written"
            return f"<p>{written}</p>"
        rows, count = self._result.peek(SHOWN)
        more = f"{count - len(rows):,} more rows" if count > len(rows) else ""
        if self.is_streaming:
            more = f"{more}; " * bool(more) + "a streaming query: it will emit more rows"
        return html_table(self._result.fields, rows, more)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Python, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[Python, ...]:
        """The next row, which is awaited while the event loop continues; `timeout` holds, too."""
        with self._open():
            await self._required_result().ready(self.timeout)
        row = self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row

    def _required_result(self) -> Result:
        if self._result is None:
            raise InterfaceError("the last statement has no result: execute a query first")
        return self._result

    def _python(self, result: Result, rows: Sequence[Row]) -> list[tuple[Python, ...]]:
        """Fetched rows as values of Python."""
        self._fetched += len(rows)
        return rows_of([each.type for each in result.fields], rows)

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("the cursor is closed")

    @contextmanager
    def _open(self) -> Generator[None]:
        """A context of an open cursor, whose errors are those of PEP 249."""
        self._check_open()
        with driver_errors():
            yield
