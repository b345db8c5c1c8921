"""Runs adapters, each on its own thread.

An adapter sends rows into a stream, as a producer of the stream (`produce`), or receives the rows
of a streaming query (`deliver`).
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from algebra.catalog import Stream
from grammar.codes import Code
from grammar.names import delimited
from rowtime.driver.errors import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
    Timeout,
)
from rowtime.driver.extensions import row_of
from rowtime.driver.values import Python, rows_of
from rowtime.extensions.protocols import Adapter, RowSink, SentRow

if TYPE_CHECKING:
    from rowtime.driver.connection import Connection
    from rowtime.driver.cursor import Cursor
    from rowtime.driver.prepared import Prepared

#: Seconds after which a waiting thread checks whether it was stopped.
_MOMENT = 0.05


class Attached:
    """The work of an adapter on a thread, which lasts until it ends, fails or is stopped.

    ``rows`` counts the rows that were sent or received, and ``refused`` the bad and late rows.
    ``error`` is the exception that has ended the work; the trace has it, too.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.refused = 0
        self.error: Exception | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, work: Callable[["Attached", threading.Event], None], name: str) -> None:
        """Start ``work`` on a thread with this name.

        The second argument of ``work`` is set when the work must end.
        """
        self._thread = threading.Thread(
            target=work, args=(self, self._stopped), name=name, daemon=True
        )
        self._thread.start()

    def request_stop(self) -> None:
        """Ask the work to end, without waiting for it."""
        self._stopped.set()

    def stop(self, timeout: float | None = None) -> None:
        """Ask the work to end, and wait for it, for ``timeout`` seconds at most."""
        self.request_stop()
        self.join(timeout)

    def join(self, timeout: float | None = None) -> None:
        """Wait until the work has ended, for ``timeout`` seconds at most."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    @property
    def is_running(self) -> bool:
        """Whether the work has not ended."""
        return self._thread is not None and self._thread.is_alive()


class _StoppedError(Exception):
    """The adapter was stopped while it sent a row."""


def produce(connection: "Connection", adapter: Adapter, stream: Stream) -> Attached:
    """Start an adapter that sends rows and bounds into a stream, as a producer of the stream.

    The producer is closed when the adapter ends.

    Defines: S-611.e, S-611.p
    """
    names = ", ".join(delimited(each.name) for each in stream.columns)
    marks = ", ".join("?" for _ in stream.columns)
    target = ".".join(map(delimited, stream.name))
    prepared = connection.prepare(f"INSERT INTO {target} ({names}) VALUES ({marks})")
    prepared.cursor.timeout = _MOMENT

    def work(attached: Attached, stopped: threading.Event) -> None:
        sink = _StreamSink(connection, prepared, stream, attached, stopped)
        try:
            adapter.run(sink, stopped)
        except (_StoppedError, InterfaceError):
            pass  # it was stopped, or the connection closed
        except Exception as error:
            attached.error = error
            sink.report(Code.EXTERNAL_ROUTINE, f"{type(error).__name__}: {error}")
        finally:
            prepared.close()

    attached = Attached()
    attached.start(work, f"rowtime adapter of {'.'.join(stream.name)}")
    return attached


class _StreamSink:
    """The receiver of an adapter's rows: sends them into a stream with a prepared INSERT."""

    def __init__(
        self,
        connection: "Connection",
        prepared: "Prepared",
        stream: Stream,
        attached: Attached,
        stopped: threading.Event,
    ) -> None:
        self._connection = connection
        self._prepared = prepared
        self._stream = stream
        self._attached = attached
        self._stopped = stopped
        self._names = [each.name for each in stream.columns]
        self._types = [each.type for each in stream.columns]

    def send_row(self, row: SentRow) -> None:
        """Send a row; a bad row is reported as BAD_ROW, and dropped."""
        try:
            values = row_of(self._names, self._types, row)
            (parameters,) = rows_of(self._types, [values])
            self._send(lambda: self._prepared.execute(parameters))
            accepted = max(self._prepared.cursor.rowcount, 0)
        except (ValueError, DataError, IntegrityError, ProgrammingError) as error:
            if isinstance(error, ProgrammingError) and error.code is not None:
                raise  # the statement is wrong, not the row: the stream was dropped
            accepted = 0
            self.report(Code.BAD_ROW, str(error))
        self._attached.rows += accepted
        self._attached.refused += 1 - accepted

    def send_rowtime_bound(self, at: datetime) -> None:
        """Set the bound of this producer. Raises `OperationalError` for one that goes back."""
        self._send(lambda: self._prepared.set_rowtime_bound(at))

    def report(self, code: str, text: str) -> None:
        """Put a failure into the trace, unless the connection was closed in the meantime."""
        number = self._prepared.cursor.statement_id or 0
        try:
            self._connection.report(self._stream.name, number, code, text)
        except InterfaceError:
            return

    def _send(self, send: Callable[[], object]) -> None:
        """Call ``send`` until it does not time out: slow readers can delay it without a limit.

        Raises `_StoppedError` if the adapter is stopped.
        """
        while True:
            if self._stopped.is_set():
                raise _StoppedError
            try:
                send()
            except Timeout:
                continue
            return


def deliver(connection: "Connection", cursor: "Cursor", sink: RowSink) -> Attached:
    """Start to send the rows and bounds of the streaming query of ``cursor`` into ``sink``.

    Defines: S-611.f
    """
    cursor.timeout = _MOMENT

    def work(attached: Attached, stopped: threading.Event) -> None:
        bound: datetime | None = None
        with cursor, suppress(InterfaceError):  # raised if the connection is closed
            while not stopped.is_set():
                # The bound is read before the rows, and sent after them: all rows that are below it
                # are then among the rows sent.
                after = cursor.rowtime_bound
                try:
                    # If there is a new bound, it is sent without waiting for rows.
                    rows = _next_rows(cursor, wait=after == bound)
                except DatabaseError as error:
                    if not stopped.is_set():
                        attached.error = error  # the query has ended; the trace has the reason
                    return
                try:
                    for row in rows:
                        sink.send_row(row)
                        attached.rows += 1
                    if after is not None and after != bound:
                        bound = after
                        sink.send_rowtime_bound(after)
                except Exception as error:
                    attached.error = error
                    connection.report(
                        None,
                        cursor.statement_id or 0,
                        str(Code.EXTERNAL_ROUTINE),
                        f"{type(error).__name__}: {error}",
                    )
                    return

    attached = Attached()
    attached.start(work, "rowtime reader of an adapter")
    return attached


def _next_rows(cursor: "Cursor", wait: bool) -> list[tuple[Python, ...]]:
    """The rows that can be fetched; if ``wait`` and there are none, wait a moment for some."""
    if not wait:
        return cursor.fetch_available()
    try:
        return cursor.fetchmany(1_000)
    except Timeout:
        return []
