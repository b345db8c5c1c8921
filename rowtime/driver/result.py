"""The rows of a query that a cursor fetches: all at once, or as a stream emits them."""

import math
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeAlias

from algebra.types import EXACT, INTEGER, INTEGER_DIGITS, TEXT, Field, Kind, Type
from reference.incremental.changes.bag import Bag
from reference.relation import Relation, Row
from reference.values import integer
from rowtime.database.database import BETWEEN_LOOKS, Database
from rowtime.database.reader import Reader

#: A column of `Cursor.description`: name, type, display size, internal size, precision, scale,
#: whether NULL is possible.
Description: TypeAlias = tuple[str, Type, None, int | None, int | None, int | None, bool]

#: The size of a fetch of all available rows.
ALL: Final = sys.maxsize


class Result(Protocol):
    """The rows of a query that were not fetched yet."""

    fields: Sequence[Field]

    def fetch(self, size: int, timeout: float | None) -> Sequence[Row]:
        """Fetch the next rows, at most ``size``; wait for a row if the query can emit one.

        Raises `TimeoutError` if no row arrives within ``timeout`` seconds.
        """
        ...

    def available(self) -> Sequence[Row]:
        """Fetch the available rows without waiting."""
        ...

    def peek(self, size: int) -> tuple[Sequence[Row], int]:
        """The next available rows, at most ``size``, and the number of all available rows.

        The rows can still be fetched.
        """
        ...

    async def ready(self, timeout: float | None) -> None:
        """Wait until `fetch` need not wait.  Raises `TimeoutError` after ``timeout`` seconds."""
        ...


class TableResult:
    """The rows of a relational query."""

    def __init__(self, fields: Sequence[Field], rows: Relation) -> None:
        self.fields = fields
        self.count = len(rows)
        self._rows = rows
        self._next = 0

    def fetch(self, size: int, timeout: float | None) -> Sequence[Row]:  # noqa: ARG002 (no wait)
        """Fetch the next rows; the result is empty after the last row."""
        rows = self._rows[self._next : self._next + max(size, 0)]
        self._next += len(rows)
        return rows

    def available(self) -> Sequence[Row]:
        """Fetch all further rows."""
        return self.fetch(ALL, None)

    def peek(self, size: int) -> tuple[Sequence[Row], int]:
        """The next rows, and the number of all further rows; they can still be fetched."""
        rows = self._rows[self._next : self._next + size]
        return rows, len(self._rows) - self._next

    async def ready(self, timeout: float | None) -> None:
        """Return at once: all rows are available."""


class StreamResult:
    """The rows of a streaming query.

    The query ends only if it fails, or is stopped.  Then the methods return the remaining rows, and
    after them `fetch` and `available` raise `ReaderEndedError`.  Before each answer, the database
    catches up with its clock (S-609.i).
    """

    def __init__(self, fields: Sequence[Field], reader: Reader, database: Database) -> None:
        self.fields = fields
        self.reader = reader
        self._database = database

    @property
    def bound(self) -> float:
        """The bound of the rows that the query emits later, in milliseconds."""
        self._database.catch_up()
        return self.reader.bound

    @property
    def emitted(self) -> int:
        """The number of emitted rows, fetched or not."""
        self._database.catch_up()
        return self.reader.emitted

    def fetch(self, size: int, timeout: float | None) -> Sequence[Row]:
        """Wait for a row; fetch the next rows, at least one if ``size`` is positive."""
        return self._database.fetch(self.reader, size, timeout) if size > 0 else ()

    def available(self) -> Sequence[Row]:
        """Fetch the available rows without waiting."""
        try:
            return self._database.fetch(self.reader, ALL, 0)
        except TimeoutError:
            return ()

    def peek(self, size: int) -> tuple[Sequence[Row], int]:
        """The available rows, at most ``size``, and their number; they can still be fetched."""
        self._database.catch_up()
        return self.reader.peek(size)

    async def ready(self, timeout: float | None) -> None:
        """Wait for a row, or for the end of the query, while the event loop continues."""
        import asyncio  # imported here, because programs that do not wait need no asyncio

        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def notify() -> None:
            with suppress(RuntimeError):  # the event loop was closed in the meantime
                loop.call_soon_threadsafe(changed.set)

        deadline = math.inf if timeout is None else time.monotonic() + timeout
        self._database.catch_up()
        if self.reader.call_when_changed(notify):
            return
        try:
            while not changed.is_set():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("no row in time; the query is still running")
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), min(left, BETWEEN_LOOKS))
                self._database.catch_up()
        finally:
            self.reader.call_no_more(notify)


class ChangelogResult(StreamResult):
    """The changes of a query with EMIT CHANGES: each is a weight, 1 or -1, and the row.

    Defines: S-1008.b
    """

    def __init__(self, fields: Sequence[Field], reader: Reader, database: Database) -> None:
        super().__init__((Field("WEIGHT", INTEGER.as_nullable(False)), *fields), reader, database)
        self._fold = Bag()

    @property
    def current(self) -> Relation:
        """The rows that result from all changes fetched so far."""
        return self._fold.rows()

    def fetch(self, size: int, timeout: float | None) -> Sequence[Row]:
        """Wait for a change; fetch the next changes, at least one if ``size`` is positive."""
        return self._folded(super().fetch(size, timeout))

    def available(self) -> Sequence[Row]:
        """Fetch the available changes without waiting."""
        return self._folded(super().available())

    def _folded(self, changes: Sequence[Row]) -> Sequence[Row]:
        """Apply fetched changes to `current`; return the changes."""
        self._fold.apply([(change[1:], integer(change[0])) for change in changes])
        return changes


def description(field: Field) -> Description:
    """A column of a result as PEP 249 describes it."""
    type = field.type
    size = type.precision or None if type.kind in TEXT | {Kind.VARBINARY} else None
    digits = INTEGER_DIGITS.get(type.kind, type.precision) if type.kind in EXACT else None
    scale = type.scale if type.kind in EXACT else None
    return (field.name, type, None, size, digits, scale, type.nullable)
