"""`rowtime.connect` and its connection."""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from algebra.catalog import Catalog, Profile, QualifiedName
from grammar.parse import parse_script
from rowtime.database.database import CAPACITY, Database
from rowtime.database.journal import SqliteJournal
from rowtime.driver import errors
from rowtime.driver.cursor import Cursor
from rowtime.driver.errors import InterfaceError, NotSupportedError, driver_errors
from rowtime.driver.prepared import Prepared
from rowtime.driver.values import Python, millis_of


def connect(
    path: str | Path | None = None,
    *,
    profile: Profile | str = Profile.CALCITE,
    clock: Callable[[], datetime] | None = None,
    buffer: int = CAPACITY,
    timeout: float | None = None,
) -> "Connection":
    """A connection to the database in the file ``path``; None: to a new one in memory alone.

    The file is made if it is not there. It has the catalog, the contents of tables, the histories
    of streams and the state of standing statements, and is taken up again as it was, also after the
    process was killed. Raises `OperationalError` if another process has the file, or it is none.

    ``clock`` returns the session's clock (S-106): the time in UTC, unless it is said otherwise.
    ``buffer`` is the number of rows that a reader may leave unfetched before writers wait for it.
    ``timeout`` is that of the cursors, in seconds. All threads may share the connection.
    """

    def millis() -> int:
        return time.time_ns() // 1_000_000 if clock is None else millis_of(clock())

    database = Database(Profile(profile), millis, capacity=buffer)
    if path is not None and str(path) != ":memory:":
        with driver_errors():
            database.take_up(SqliteJournal(Path(path), Profile(profile)))
    return Connection(database, timeout)


class Connection:
    """A connection to a database, with the schema in which it looks up names.

    As a context it closes itself at the end, and so its database.
    """

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, database: Database, timeout: float | None = None) -> None:
        self.database = database
        self.timeout = timeout
        self.schema: QualifiedName = ()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def catalog(self) -> Catalog:
        """The catalog as it is now."""
        with driver_errors():
            return self.database.catalog(self.schema)

    def cursor(self) -> Cursor:
        """A new cursor."""
        self._check_open()
        return Cursor(self, self.timeout)

    def execute(self, sql: str, parameters: Sequence[Python] = ()) -> Cursor:
        """A new cursor that has executed ``sql``."""
        return self.cursor().execute(sql, parameters)

    def executescript(self, sql: str) -> None:
        """Execute the statements of a script, one after the other; queries have no effect.

        A statement that fails is the last one executed.
        """
        with driver_errors():
            statements = parse_script(sql)
        for each in statements:
            with self.cursor() as cursor:
                cursor.execute(sql[each.span.start : each.span.end])

    def prepare(self, sql: str) -> Prepared:
        """A statement that is executed many times; of an INSERT into a stream, a producer."""
        return Prepared(self.cursor(), sql)

    def commit(self) -> None:
        """Do nothing: each statement is done when it is executed (S-606)."""
        self._check_open()

    def rollback(self) -> None:
        """Raise `NotSupportedError`: what was executed is done (S-606)."""
        self._check_open()
        raise NotSupportedError("ROLLBACK is not supported: each statement is done when executed")

    def close(self) -> None:
        """Close the connection and its database: all queries end. Closing again does nothing."""
        with self._lock:
            self._closed = True
        self.database.close()

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("the connection is closed")

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _value: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()
