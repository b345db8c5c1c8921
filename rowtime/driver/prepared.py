"""Prepared statements, which are executed many times with different parameters."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rowtime.driver.values import Python

if TYPE_CHECKING:
    from rowtime.driver.cursor import Cursor


class Prepared:
    """A statement with its own cursor.

    A prepared INSERT into a stream is a producer of the stream from its first use until it is
    closed (S-603).  INSERT EXPEDITED sends the rows of `executemany` together, and INSERT sends
    them one by one; the result is the same.
    """

    def __init__(self, cursor: "Cursor", sql: str) -> None:
        self.cursor = cursor
        self.sql = sql
        cursor.check(sql)

    def execute(self, parameters: Sequence[Python] = ()) -> "Cursor":
        """Execute the statement; return its cursor."""
        return self.cursor.execute(self.sql, parameters)

    def executemany(self, parameters: Iterable[Sequence[Python]]) -> "Cursor":
        """Execute a statement that writes, once for each row of parameters; return its cursor."""
        return self.cursor.executemany(self.sql, parameters)

    def send_changes(self, changes: Iterable[Sequence[Python]]) -> "Cursor":
        """Insert and delete rows of a stream WITH CHANGES, all in one event; return the cursor.

        The statement is an INSERT into the stream.  Each change is a sequence: a weight, and the
        parameters of a row.  The weight 1 inserts the row, and -1 deletes it, as in the rows of a
        query with EMIT CHANGES.  If the stream has a KEY, a delete needs only the columns of the
        key; the others can be None.

        `rowcount` is the number of changes that were carried out.  Raises `IntegrityError` for a
        row that violates a constraint, and for a delete of a row that does not exist; the other
        changes are carried out.  Raises `ProgrammingError` for any other statement.
        """
        return self.cursor.send_changes(self.sql, changes)

    def set_rowtime_bound(self, at: datetime | str, strict: bool = False) -> None:
        """Promise that no later row of this statement is below ``at`` or, if ``strict``, equal.

        A datetime without a time zone is in UTC; any other is converted to UTC.  Raises
        `OperationalError` (BOUND_BACKWARDS) if ``at`` is below an earlier bound; then the earlier
        bound stays in force.  Raises `ProgrammingError` unless the statement is an INSERT into a
        stream.
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
