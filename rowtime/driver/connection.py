"""`rowtime.connect`, and the connection to an embedded database that it returns."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from algebra.binding.scope.names import parts_of
from algebra.catalog import Catalog, Profile, QualifiedName, Stream, Table
from grammar import tree
from grammar.parse import parse_expression, parse_script
from rowtime.database.back_pressure import CAPACITY
from rowtime.database.database import Database
from rowtime.database.journal import SqliteJournal
from rowtime.driver import errors
from rowtime.driver.attached import Attached, deliver, produce
from rowtime.driver.cursor import Cursor
from rowtime.driver.errors import InterfaceError, NotSupportedError, ProgrammingError, driver_errors
from rowtime.driver.extensions import catalog_functions
from rowtime.driver.prepared import Prepared
from rowtime.driver.values import Python, millis_of
from rowtime.extensions.installed import ADAPTERS, installed
from rowtime.extensions.protocols import Adapter, Function, RowSink, TableFunction


def connect(
    path: str | Path | None = None,
    *,
    profile: Profile | str = Profile.CALCITE,
    clock: Callable[[], datetime] | None = None,
    buffer: int = CAPACITY,
    timeout: float | None = None,
    functions: Iterable[Function] = (),
    table_functions: Iterable[TableFunction] = (),
) -> "Connection":
    """Open the database in the file ``path``; None: a new database that is only in memory.

    The file is created if it does not exist.  It keeps the catalog, the contents of tables, the
    histories of streams and the state of standing statements.  When the file is opened again, all
    of them continue, even after the process was killed.  Raises `OperationalError` if another
    process has opened the file, or if it is not a database file.

    ``clock`` returns the time of the session's clock (S-106), by default the time now in UTC.
    ``buffer`` is the number of rows that a reader can leave unfetched before writers wait for it.
    ``timeout`` is the timeout of the cursors, in seconds.  All threads may share the connection.
    ``functions`` and ``table_functions`` are added to the installed ones (S-611).  If definitions
    in a file use them, they must be passed again when the file is opened.
    """

    def millis() -> int:
        return time.time_ns() // 1_000_000 if clock is None else millis_of(clock())

    with driver_errors():
        extensions = catalog_functions(functions, table_functions)
    database = Database(Profile(profile), millis, capacity=buffer, extensions=extensions)
    if path is not None and str(path) != ":memory:":
        with driver_errors():
            journal = SqliteJournal(path, Profile(profile))
            try:
                database.take_up(journal)
            except BaseException:
                journal.close()  # so that the file can be opened again
                raise
    return Connection(database, timeout)


class Connection:
    """A connection to a database, with the schema in which it looks up names.

    At the end of a `with` block, the connection and its database are closed.
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
        self._attached: list[Attached] = []

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
        """Execute ``sql`` with a new cursor, and return the cursor."""
        return self.cursor().execute(sql, parameters)

    def executescript(self, sql: str) -> None:
        """Execute the statements of a script, one after the other, until one fails.

        The results of queries are lost.
        """
        with driver_errors():
            statements = parse_script(sql)
        for each in statements:
            with self.cursor() as cursor:
                cursor.execute(sql[each.span.start : each.span.end])

    def prepare(self, sql: str) -> Prepared:
        """A prepared statement; for an INSERT into a stream, it is a producer of the stream."""
        return Prepared(self.cursor(), sql)

    def register(self, name: str, frame: Any) -> int:
        """Create a table with the rows of a DataFrame or a table of Arrow; return their number.

        The rows are copied: later changes of ``frame`` do not change the table.  Raises `DataError`
        for a column whose type has no counterpart in SQL.
        """
        from rowtime.driver.frames import create_from_frame

        self._check_open()
        return create_from_frame(self, name, frame)

    def attach(self, adapter: "Adapter | str", stream: str, **options: Any) -> Attached:
        """Start an adapter that sends rows and bounds into a stream, on its own thread (S-611).

        If ``adapter`` is a text, it is the name of an installed adapter, which is created with
        ``options``.  The trace reports a bad row, which is dropped, and an exception of the
        adapter, which ends it.  Raises `ProgrammingError` if there is no such adapter or stream.
        """
        self._check_open()
        if isinstance(adapter, str):
            known = installed(ADAPTERS)
            if adapter not in known:
                names = ", ".join(known)
                raise ProgrammingError(f"there is no adapter {adapter!r}; installed: {names}")
            try:
                created: object = known[adapter](**options)
            except Exception as error:
                raise ProgrammingError(f"adapter {adapter!r} cannot be made: {error}") from None
            if not isinstance(created, Adapter):
                raise ProgrammingError(
                    f"plug-in {adapter!r} is not an adapter: it has no method run"
                )
            adapter = created
        with driver_errors():
            named = parse_expression(stream)
        parts = parts_of(named.name) if isinstance(named, tree.ColumnRef) else ()
        found = self.catalog.find(parts)
        if isinstance(found, Table) and found.changing:
            raise ProgrammingError(f"stream {stream} has changes, and an adapter only adds rows")
        if not isinstance(found, Stream):
            raise ProgrammingError(f"there is no stream {stream}")
        return self._register(produce(self, adapter, found))

    def deliver(self, sql: str, sink: RowSink, parameters: Sequence[Python] = ()) -> Attached:
        """Start a streaming query, and send its rows and bounds into ``sink``, on its own thread.

        An exception of the sink ends the query, and is in the trace.  Raises `ProgrammingError` if
        ``sql`` is not a streaming query.
        """
        cursor = self.execute(sql, parameters)
        if not cursor.is_streaming:
            cursor.close()
            raise ProgrammingError("only a streaming query is delivered: SELECT STREAM")
        return self._register(deliver(self, cursor, sink))

    def report(self, name: QualifiedName | None, number: int, code: str, text: str) -> None:
        """Put a failure of an adapter into the trace.

        ``name`` is the stream at fault; None if a query has failed.  ``number`` is the number of
        the producer or reader.
        """
        with driver_errors():
            self.database.report(name, number, code, text)

    def _register(self, attached: Attached) -> Attached:
        """Register the work of an adapter, so that `close` ends it; return the work."""
        with self._lock:
            self._attached = [each for each in self._attached if each.is_running] + [attached]
        return attached

    def commit(self) -> None:
        """Do nothing: each statement takes effect when it is executed (S-606)."""
        self._check_open()

    def rollback(self) -> None:
        """Raise `NotSupportedError`: executed statements cannot be undone (S-606)."""
        self._check_open()
        raise NotSupportedError("ROLLBACK is not supported: each statement is done when executed")

    def close(self) -> None:
        """Close the connection and its database: all queries end. Closing again does nothing."""
        with self._lock:
            self._closed = True
            attached, self._attached = self._attached, []
        for each in attached:
            each.request_stop()
        self.database.close()
        for each in attached:
            each.join(1.0)

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
