"""The part of a cursor that returns results: their columns, their rows and their bound."""

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
    """The results of a cursor, as in PEP 249, for relational and for streaming queries.

    A streaming query has no last row, and no rows from before it began.  Its rows can be fetched as
    soon as they are emitted.  If there is none, a fetch waits for ``timeout`` seconds (None:
    without a limit), and then raises `rowtime.Timeout`; the query continues.
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
        """The columns of the result, with their types in SQL; None if there is no result."""
        return None if self._result is None else tuple(map(description, self._result.fields))

    @property
    def rownumber(self) -> int | None:
        """The number of rows that were fetched; None if there is no result."""
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
        """The number of rows that the streaming query has emitted, fetched or not.

        It is 0 if the result is not that of a streaming query.
        """
        if not isinstance(self._result, StreamResult):
            return 0
        with driver_errors():
            return self._result.emitted

    @property
    def rowtime_bound(self) -> datetime | None:
        """The bound of a streaming query: no row that it emits later has a smaller rowtime.

        Rows that were emitted, but not fetched, can be below the bound.  It never decreases, and is
        the last instant of the calendar if no row can follow.  None if no bound is known, or if
        there is no streaming query.

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
        """The next rows, at most ``size`` (by default `arraysize`); [] after the last row.

        For a streaming query, this waits for a row, and then returns the available rows.
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
        """The current answer of a query with EMIT CHANGES: its rows in any order, without weights.

        This fetches the available changes, and folds them with all changes that were fetched
        before.  If the answer has a row several times, the result has it as often.  Raises
        `NotSupportedError` for any other query.

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
        """The next rows as HTML, for a notebook; they can still be fetched."""
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
        """The next row; the event loop continues while it is awaited, for `timeout` seconds."""
        with self._open():
            await self._required_result().ready(self.timeout)
        row = self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row

    def _required_result(self) -> Result:
        """The result.  Raises `InterfaceError` if there is none."""
        if self._result is None:
            raise InterfaceError("the last statement has no result: execute a query first")
        return self._result

    def _python(self, result: Result, rows: Sequence[Row]) -> list[tuple[Python, ...]]:
        """Fetched rows as values of Python, which are counted for `rownumber`."""
        self._fetched += len(rows)
        return rows_of([each.type for each in result.fields], rows)

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("the cursor is closed")

    @contextmanager
    def _open(self) -> Generator[None]:
        """A context that converts errors to those of PEP 249; it raises one for a closed cursor."""
        self._check_open()
        with driver_errors():
            yield
