"""An embedded database, into which any number of threads write, and from which they read."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from math import inf
from typing import TypeVar

from algebra.catalog import Catalog, Extension, Profile, QualifiedName, Table
from algebra.expression import Expression
from algebra.modify import Modify
from algebra.plan import Plan
from algebra.wire import Wire
from grammar.codes import Code
from grammar.source import SqlError
from grammar.stack import room
from reference.environment import Forms
from reference.evaluate import World, evaluate
from reference.fast.forms import FAST
from reference.ingress import Fault
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows
from reference.snapshot import NoSnapshotError, SnapshotError
from reference.values import failure
from rowtime.database.back_pressure import CAPACITY, BackPressure, wait_for_room
from rowtime.database.binding import standing_insert
from rowtime.database.checkpoint import checkpoint, restore
from rowtime.database.engine import Engine, dropped_object
from rowtime.database.events import (
    Begun,
    Bounded,
    Changed,
    Closed,
    Defined,
    Event,
    Journal,
    Opened,
    Reported,
    Sent,
    Ticked,
)
from rowtime.database.named_stream import Passed
from rowtime.database.outcomes import DatabaseClosedError, Written
from rowtime.database.reader import Reader
from rowtime.database.table_change import rows_inserted, table_change, valid_changes
from rowtime.database.trace_log import ALL_TRACE
from rowtime.process import forks
from rowtime.process.interrupts import uninterrupted

_T = TypeVar("_T")
LOG = logging.getLogger("rowtime.database")

#: Seconds after which a waiting fetch sets the session's clock again.
BETWEEN_LOOKS = 0.1
#: The greatest number of rows in one event: a buffer exceeds its capacity by one event at most.
ROWS_OF_AN_EVENT = 1_000


class Database:
    """An `Engine` with one lock, which each event takes: so the events have one order.

    An event that can add to a full buffer waits without the lock.  A relational query takes the
    lock only to get the rows of one moment.  ``clock`` returns the time in milliseconds.  A buffer
    is full with ``capacity`` rows.
    """

    def __init__(
        self,
        profile: Profile,
        clock: Callable[[], int],
        forms: Forms = FAST,
        capacity: int = CAPACITY,
        extensions: Iterable[Extension] = (),
    ) -> None:
        self.profile = profile
        self.capacity = capacity
        self._clock = clock
        self._forms = forms
        self._engine = Engine(profile, forms, extensions)
        self._lock = threading.RLock()
        self._pressure = BackPressure(self._engine, capacity)
        self._journal: Journal | None = None
        self._abandoned: deque[tuple[Reader | None, tuple[QualifiedName, int] | None]] = deque()
        self._in_event: int | None = None  # the thread that applies an event
        self._closed = False
        self._why_closed = "the database is closed"
        forks.leave_in_child(self)

    def take_up(self, journal: Journal) -> None:
        """Restore the state in ``journal``, and store all later events in it.

        The producers of the earlier process are closed; their rows stay.  Raises `OSError` if the
        journal is damaged, and `SqlError` if an event cannot be applied any more.

        Defines: S-610.c, S-610.f
        """
        with self._working() as engine:
            event_number = 0
            try:
                before = journal.checkpoint()
                if before is not None:
                    restore(engine, *before)
                engine.trace.silent = True
                for event, now in journal.events(engine.catalog_in):
                    event_number += 1
                    engine.apply(event, now)
            except (SqlError, OSError):
                raise
            except SnapshotError as error:
                reason = "it was written by another version of rowtime, or is damaged"
                raise OSError(f"the file cannot be taken up: {reason} ({error})") from error
            except Exception as error:
                # All stored events were applied before, so this one was written by something else.
                where = f"event {event_number}" if event_number else "its checkpoint"
                raise OSError(f"the file is damaged in {where}: {error!r}") from error
            engine.trace.silent = False
            self._journal = journal
            for name, stream in list(engine.streams.items()):
                if name != ALL_TRACE:
                    for number in stream.open_numbers:
                        self._happen(Closed(name, number))

    # --- events ---------------------------------------------------------------------------------

    def define(self, sql: str, schema: QualifiedName = ()) -> None:
        """Execute a statement of DDL.  Raises `SqlError`; then nothing has changed."""
        event = Defined(sql, schema)
        with self._working():
            self._engine.check_defined(event)
            self._happen(event)

    def begin(self, sql: str, schema: QualifiedName, parameters: Sequence[Wire]) -> int:
        """Begin a standing INSERT without a name (`Begun`); return its number."""
        with self._working() as engine:
            catalog = engine.catalog_in(schema)
            insert, _ = standing_insert(sql, catalog, self.profile, parameters)
            engine.check_circles(engine.catalog.objects, [insert])
            number = engine.next_number()
            self._happen(Begun(number, sql, schema, tuple(parameters)))
            return number

    def open_producer(self, stream: QualifiedName) -> int:
        """Open a producer of a stream; return its number."""
        with self._working() as engine:
            if stream not in engine.streams:
                raise dropped_object(stream, "stream")
            number = engine.next_number()
            self._happen(Opened(stream, number))
            self._pressure.record_thread(number)
            return number

    def send(
        self, stream: QualifiedName, number: int, rows: Relation, timeout: float | None
    ) -> Written:
        """Send rows of the producer ``number``; they are in the database when this returns.

        While a buffer is full, it waits for ``timeout`` seconds (None: without a limit), and then
        raises `WriterBlockedError`.  The rows are sent in parts of `ROWS_OF_AN_EVENT` rows, and the
        parts before the one that waited were sent.

        Defines: S-609.a, S-609.b, S-609.j, S-609.k
        """
        accepted = 0
        errors: list[SqlError] = []
        deadline = None if timeout is None else time.monotonic() + timeout
        for first in range(0, len(rows), ROWS_OF_AN_EVENT):
            part = rows[first : first + ROWS_OF_AN_EVENT]
            passed = self._admitted(stream, number, Sent(stream, number, part), deadline)
            accepted += len(part) - len(passed.dropped)
            source = self._engine.streams.get(stream)
            for place, why in passed.dropped:
                if why.fault is Fault.BAD_ROW:
                    message = f"a row of {'.'.join(stream)}: {why.reason}"
                    errors.append(failure(Code.BAD_ROW, message, "correct the row"))
                elif source is not None and source.is_open(number):
                    broken = source.broken_promise(number, part[place], why)
                    errors += [] if broken is None else [broken]
        return Written(accepted, tuple(errors))

    def set_bound(self, stream: QualifiedName, number: int, at: int, timeout: float | None) -> None:
        """Set a producer's bound, in milliseconds.  Raises BOUND_BACKWARDS if it would decrease."""
        deadline = None if timeout is None else time.monotonic() + timeout
        self._admitted(stream, number, Bounded(stream, number, at), deadline)

    def close_producer(self, stream: QualifiedName, number: int) -> None:
        """Close a producer; do nothing if it is closed already, or its stream was dropped."""
        with self._locked():
            self._pressure.closed(number)
            source = self._engine.streams.get(stream)
            if not self._closed and source is not None and source.is_open(number):
                self._happen(Closed(stream, number))

    def report(self, name: QualifiedName | None, number: int, code: str, text: str) -> None:
        """Report a failure of an adapter in the trace (`Reported`)."""
        with self._working():
            self._happen(Reported(name, number, code, text))

    def modify(self, step: Modify, parameters: Row, timeout: float | None) -> int:
        """Execute a statement that writes into a table; return the number of rows that it writes.

        It is -1 for a MERGE.  Raises run-time errors, such as BAD_ROW, and `WriterBlockedError`;
        then nothing has changed.
        """

        def work(engine: Engine) -> int:
            with self._event():
                event, count = table_change(step, parameters, engine, self._forms)
            self._happen(event)
            return count

        return self._with_room(step.target.name, timeout, work)

    def insert_rows(
        self, step: Modify, row: Sequence[Expression], parameters: Relation, timeout: float | None
    ) -> int | None:
        """Insert a row for each row of parameters into a table, as one event; return their number.

        ``row`` has the values as expressions over the parameters.  The result is None if a row is
        not valid; then nothing has changed.  Raises `WriterBlockedError`.
        """

        def work(engine: Engine) -> int | None:
            with self._event():
                event = rows_inserted(step, row, parameters, engine, self._forms)
            if event is None:
                return None
            self._happen(event)
            return len(parameters)

        return self._with_room(step.target.name, timeout, work)

    def send_changes(self, table: Table, weighted: WeightedRows, timeout: float | None) -> Written:
        """Send changes into a stream WITH CHANGES, as one event.

        A change that is not valid is left out, and is an error of the result.  Raises
        `WriterBlockedError`; then nothing has changed.

        Defines: S-1008.g
        """

        def work(engine: Engine) -> Written:
            if engine.catalog.objects.get(table.name) is not table:
                raise dropped_object(table.name, "stream")
            with self._event():
                valid, errors = valid_changes(table, weighted, engine)
            if valid:
                self._happen(Changed(table.name, valid))
            return Written(len(valid), errors)

        return self._with_room(table.name, timeout, work)

    def _happen(self, event: Event) -> Passed:
        """Store an event in the journal, then apply it; Ctrl-C waits until this is done."""
        self._require_no_event()
        now = max(self._clock(), self._engine.now)
        engine = self._engine
        with uninterrupted():
            if self._journal is not None:
                self._journal.append(engine.events, event, now, engine.catalog)
            try:
                with self._event():
                    passed = engine.apply(event, now)
            except BaseException as error:
                # Half of the event is applied in memory, but the file has all of it.
                self._why_closed += f", because an event was broken off by {error!r}"
                self.close()
                raise
            self._pressure.event_happened()
            if self._journal is not None and self._journal.wants_checkpoint:
                self.keep_checkpoint()
        return passed

    @property
    def _is_in_event(self) -> bool:
        """Whether this thread applies an event; then an extension function calls the database."""
        return self._in_event == threading.get_ident()

    @contextmanager
    def _event(self) -> Generator[None]:
        """A context in which an event is computed or applied; no other event can happen in it."""
        self._require_no_event()
        self._in_event = threading.get_ident()
        try:
            yield
        finally:
            self._in_event = None

    def _require_no_event(self) -> None:
        """Raise NOT_SUPPORTED if this thread applies an event: an event must not cause another one.

        Defines: S-611.q
        """
        if self._is_in_event:
            message = "a function that an event calls cannot write into its own database"
            hint = "it may query tables and histories; write outside of the function"
            raise failure(Code.NOT_SUPPORTED, message, hint)

    def keep_checkpoint(self) -> bool:
        """Write a checkpoint; return whether the journal could replace the events by the state.

        If the disk is full, or a table function does not return its state, the journal keeps the
        events, and the result is False.
        """
        with self._working() as engine:
            if self._journal is None:
                return False
            try:
                self._journal.keep_checkpoint(engine.events, engine.definitions, checkpoint(engine))
            except (NoSnapshotError, OSError) as error:
                LOG.warning("no checkpoint was written: %s", error)
                return False
            return True

    # --- waiting --------------------------------------------------------------------------------

    def _admitted(
        self, stream: QualifiedName, number: int, event: Sent | Bounded, deadline: float | None
    ) -> Passed:
        """Wait until every buffer to which a producer's event can add has room; then apply it."""
        while True:
            with self._working() as engine:
                source = engine.streams.get(stream)
                if source is None or not source.is_open(number):
                    raise dropped_object(stream, "stream")
                error = source.check_bound(number, event.at) if isinstance(event, Bounded) else None
                if error is not None:
                    raise error
                self._pressure.record_thread(number)
                obstacle = self._pressure.obstacle(source, number, event)
                if obstacle is None:
                    return self._happen(event)
            wait_for_room(obstacle, deadline)

    def _with_room(
        self, table: QualifiedName, timeout: float | None, work: Callable[[Engine], _T]
    ) -> _T:
        """Wait until every buffer to which rows of ``table`` can add has room; then call ``work``.

        Defines: S-1008.f
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._working() as engine:
                obstacle = self._pressure.full_reader(table)
                if obstacle is None:
                    return work(engine)
            wait_for_room(obstacle, deadline)

    # --- reading --------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Close abandoned readers and producers, and set the session's clock to the present time.

        Queries that read the clock then emit the rows that are complete.  The clock is not set if
        no statement and no query reads it, or if the database is closed.

        Defines: S-609.i
        """
        engine = self._engine
        if self._is_in_event:
            return
        if self._abandoned:
            with self._locked():
                self._close_abandoned()
        if not engine.statements_tick and not engine.readers_tick:
            return
        with self._locked():
            now = self._clock()
            if self._closed or now <= engine.now:
                return
            if engine.statements_tick:
                self._happen(Ticked())
            else:  # no stored state changes, because readers end with their process
                with uninterrupted(), self._event():
                    engine.advance(now)

    def fetch(self, reader: Reader, most: int, timeout: float | None) -> list[Row]:
        """Fetch rows of a reader as `Reader.fetch` does, and call `catch_up` while it waits.

        Defines: S-609.g, S-609.p
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self.catch_up()
            left = inf if deadline is None else deadline - time.monotonic()
            try:
                return reader.fetch(most, min(left, BETWEEN_LOOKS))
            except TimeoutError:
                if left <= BETWEEN_LOOKS:
                    raise

    def read_state(self, at: Callable[[Engine], _T]) -> _T:
        """Call ``at`` with the state between two events, and return its result."""
        with self._reading() as engine:
            return at(engine)

    def catalog(self, schema: QualifiedName = ()) -> Catalog:
        """The present catalog, in which names are looked up in ``schema`` first."""
        with self._working() as engine:
            return engine.catalog_in(schema)

    def world(self, plan: Plan, parameters: Row) -> World:
        """The rows of tables and histories that ``plan`` reads, and the time of the clock."""
        with self._reading() as engine:
            now = engine.now if self._is_in_event else max(self._clock(), engine.now)
            return engine.world(plan, parameters)._replace(now=now)

    def result(self, plan: Plan, parameters: Row) -> Relation:
        """The rows of a relational query over the present state.

        Raises its run-time errors, and INSUFFICIENT_HISTORY.
        """
        with self._reading() as engine:
            engine.check_history(plan, parameters)
            world = self.world(plan, parameters)
        with room():
            return evaluate(plan, world, self._forms)

    def read(self, plan: Plan, parameters: Row) -> Reader:
        """Start a streaming query over the rows that enter its streams from now on."""
        with self._reading() as engine:
            self._require_no_event()
            return engine.read(plan, parameters, self.capacity)

    def release(self, reader: Reader) -> None:
        """Cancel and remove a reader."""
        reader.cancel()
        with self._locked():
            self._engine.end_reader(reader, DatabaseClosedError("the reader was closed"))

    def abandon(self, reader: Reader | None, producer: tuple[QualifiedName, int] | None) -> None:
        """Close a reader and a producer at the next opportunity.

        The garbage collector may call this, at any point of any thread.
        """
        self._abandoned.append((reader, producer))

    def _close_abandoned(self) -> None:
        """Close the readers and producers that `abandon` has noted.  The caller has the lock."""
        while self._abandoned and not self._closed:
            with uninterrupted():  # a reader that has left the queue must be released
                reader, producer = self._abandoned.popleft()
                if reader is not None:
                    self.release(reader)
                if producer is not None:
                    self.close_producer(*producer)

    def close(self) -> None:
        """Close the database: its readers end, and each later request raises an error."""
        with self._locked():
            if self._closed:
                return
            self._closed = True
            for each in list(self._engine.readers):
                self._engine.end_reader(each, DatabaseClosedError("the database was closed"))
            if self._journal is not None:
                self._journal.close()

    def leave_to_parent(self) -> None:
        """Close the database in the child of a fork; it stays as it is in the parent.

        The locks are new ones, because a thread of the parent may have held the old ones.

        Defines: S-610.h
        """
        self._lock = threading.RLock()
        self._closed = True
        self._why_closed = "the database belongs to the process that opened it"
        for each in list(self._engine.readers):
            each.leave_to_parent(DatabaseClosedError(self._why_closed))
        if self._journal is not None:
            self._journal.leave_to_parent()

    @contextmanager
    def _locked(self) -> Generator[None]:
        """A context with the lock, and with room on the stack for the deepest statement."""
        with room(), self._lock:
            yield

    @contextmanager
    def _working(self) -> Generator[Engine]:
        """A context with the lock, whose value is the engine.  Raises `DatabaseClosedError`."""
        with self._locked():
            if self._closed:
                raise DatabaseClosedError(self._why_closed)
            if not self._is_in_event:
                self._close_abandoned()
            yield self._engine

    @contextmanager
    def _reading(self) -> Generator[Engine]:
        """As `_working`, but calls `catch_up` first."""
        with self._working() as engine:
            self.catch_up()
            yield engine
