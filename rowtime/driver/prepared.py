"""A prepared statement: executed many times, with other parameters."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rowtime.driver.values import Python

if TYPE_CHECKING:
    from rowtime.driver.cursor import Cursor


class Prepared:
    """A statement with a cursor of its own.

    A prepared INSERT into a stream is a producer of the stream from its first use until it is
    closed (S-603). INSERT EXPEDITED sends the rows of `executemany` together, INSERT one by one;
    the result is the same.
    """

    def __init__(self, cursor: "Cursor", sql: str) -> None:
        self.cursor = cursor
        self.sql = sql
        cursor.check(sql)

    def execute(self, parameters: Sequence[Python] = ()) -> "Cursor":
        """Execute the statement; its cursor."""
        return self.cursor.execute(self.sql, parameters)

    def executemany(self, parameters: Iterable[Sequence[Python]]) -> "Cursor":
        """Execute an INSERT with each of many rows of parameters; its cursor."""
        return self.cursor.executemany(self.sql, parameters)

    def send_changes(self, changes: Iterable[Sequence[Python]]) -> "Cursor":
        """Insert and delete rows of a stream WITH CHANGES, all in one event; the cursor.

        Each of ``changes`` is a weight and the parameters of a row, in the form in which a query
        with EMIT CHANGES returns them: 1 inserts the row, -1 deletes it.  If the stream has a KEY,
        a delete needs only the columns of the key; the other ones can be None.  `rowcount` is the
        number of changes that were carried out.  Raises `IntegrityError` for a row that violates a
        constraint, or a delete of a row that is not there; the other changes are carried out.
        Raises `ProgrammingError` for another statement.
        """
        return self.cursor.send_changes(self.sql, changes)

    def set_rowtime_bound(self, at: datetime | str, strict: bool = False) -> None:
        """Promise that no later row of this statement is below ``at`` or, if ``strict``, at it.

        A datetime with a time zone is converted to UTC; one without is in UTC. Raises
        `OperationalError` (BOUND_BACKWARDS) below an earlier bound, which stays in force, and
        `ProgrammingError` unless the statement is an INSERT into a stream.
        """
        self.cursor.set_rowtime_bound(self.sql, at, strict)

    def close(self) -> None:
        """Close the statement and its cursor."""
        self.cursor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _value: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()
