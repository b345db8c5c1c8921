"""The state of a database, and what each event does to it, one after the other."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import assert_never

from algebra.catalog import Catalog, Extension, Profile, QualifiedName, Stream, Table
from algebra.mentions import read_names, reads_clock, scans
from algebra.plan import Insert, Modify, Plan, Reads
from grammar.codes import Code
from grammar.source import Span, SqlError
from reference.dml.modify import inserted
from reference.dml.statements import in_order_of_flow
from reference.engine.history_scan import check_history, remembered
from reference.environment import Environment, Forms
from reference.evaluate import Contents, World, evaluate
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.ingress import Ingresses
from reference.relation import Relation, Row
from reference.values import failure, integer
from rowtime.database.binding import bound_pumps, defined, standing_insert
from rowtime.database.events import (
    Begun,
    Bounded,
    Closed,
    Defined,
    Event,
    Inserted,
    Opened,
    Replaced,
    Reported,
    Sent,
)
from rowtime.database.named_stream import NamedStream, Passed
from rowtime.database.query_flow import QueryFlow
from rowtime.database.reader import Reader
from rowtime.database.statement import Statement
from rowtime.database.trace_log import ALL_TRACE, DDL, SAVED_TRACE, SYSTEM, TraceLog

#: The number of the producer that is the trace.
_TRACE_PRODUCER = 0


class Engine:
    """Streams, tables, statements and readers: one thread at a time applies events and reads.

    A row that enters a stream goes to its history, to the statements that read it, with all that
    follows from there, and to the readers. A run-time error ends the statement or reader that it is
    in, and nothing else.
    """

    def __init__(
        self, profile: Profile, forms: Forms, extensions: Iterable[Extension] = ()
    ) -> None:
        self.profile = profile
        self.catalog = Catalog(extensions={each.name: each for each in extensions})
        self.trace = TraceLog()
        self.now = 0
        self.events = 0
        self.streams: dict[QualifiedName, NamedStream] = {}
        self.statements: dict[int, Statement] = {}
        self.readers: list[Reader] = []
        self._forms = forms
        self._tables: Contents = {}
        self._version = 0  # of what sub-queries read
        self._numbers = 0
        for sql in DDL:
            self._define(Defined(sql))
        self.streams[ALL_TRACE].open(_TRACE_PRODUCER)

    def next_number(self) -> int:
        """A number that no producer, statement or reader had before."""
        self._numbers += 1
        return self._numbers

    # --- what is read ---------------------------------------------------------------------------

    def environment(self, parameters: Row) -> Environment:
        """The environment of expressions that see the database as it is when they are evaluated."""

        def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
            return evaluate(plan, self.world(plan, parameters), self._forms, outer)

        return Environment(
            lambda: self.now, parameters, (), query, self._forms, version=lambda: self._version
        )

    def world(self, plan: Plan | Modify, parameters: Row = ()) -> World:
        """What ``plan`` reads of tables and histories, as it is now; later events change it not."""
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        rows = {name: [row for _, row in self.streams[name].history.rows] for name in read}
        world = World(self._tables, rows, now=self.now, parameters=parameters)
        return remembered(world, self._ingresses(read))

    def check_history(self, plan: Plan, parameters: Row) -> None:
        """INSUFFICIENT_HISTORY if ``plan`` needs rows of streams that are retained no longer."""
        read = {each.source.name for each in scans(plan) if each.reads is Reads.HISTORY}
        histories = {name: self.streams[name].history for name in read}
        expired = {name: h.expired for name, h in histories.items() if h.expired is not None}
        rows = {name: [row for _, row in each.rows] for name, each in histories.items()}
        env = self.environment(parameters)
        check_history(plan, rows, expired, self._ingresses(read), env)

    def _ingresses(self, names: Iterable[QualifiedName]) -> Ingresses:
        return {name: self.streams[name].ingress for name in names}

    def rows_of(self, table: QualifiedName) -> Relation:
        """The rows of a table."""
        return self._tables.get(table, ())

    def read(self, plan: Plan, parameters: Row, capacity: int) -> Reader:
        """A reader of a streaming query; it sees what enters its streams from now on."""
        flow = QueryFlow(plan, self.environment(parameters))
        reader = Reader(self.next_number(), plan, flow, capacity)
        reader.sources = read_names(plan)
        self.readers.append(reader)
        for name in sorted(reader.sources & self.streams.keys()):
            self._feed_reader(reader, name, ())
        return reader

    def downstream(self, name: QualifiedName) -> set[QualifiedName]:
        """The streams and tables that rows of ``name`` reach through statements, itself too."""
        reached, pending = set[QualifiedName](), [name]
        while pending:
            each = pending.pop()
            if each not in reached:
                reached.add(each)
                running = (one for one in self.statements.values() if one.running)
                pending += [one.target for one in running if each in one.reads]
        return reached

    # --- events ---------------------------------------------------------------------------------

    def apply(self, event: Event, now: int) -> Passed:
        """Carry out an event at ``now``, the session's clock in milliseconds.

        A fault of the event itself has been found before (`rowtime.database.database`).
        """
        self._advance(now)
        passed = self._applied(event)
        self.events += 1
        self._write_trace()
        return passed

    def _applied(self, event: Event) -> Passed:
        match event:
            case Defined():
                self._define(event)
            case Begun(number, sql, schema, parameters):
                catalog = self.catalog_in(schema)
                insert, values = standing_insert(sql, catalog, self.profile, parameters)
                self._numbers = max(self._numbers, number)
                self._start(Statement(number, insert, self.environment(values)))
            case Opened(stream, number):
                self._numbers = max(self._numbers, number)
                self.streams[stream].open(number)
            case Sent(stream, number, rows):
                passed = self.streams[stream].send(number, rows)
                for _, why in passed.dropped:
                    self.trace.late(stream, number, str(why.fault), why.reason)
                self.streams[stream].late += len(passed.dropped)
                self._enter(stream, passed)
                return passed
            case Bounded(stream, number, at):
                self._enter(stream, self.streams[stream].bound(number, at))
            case Closed(stream, number):
                self._enter(stream, self.streams[stream].close(number))
            case Inserted(table, rows, upsert):
                self._fill(table, rows, upsert)
            case Replaced(table, rows):
                self._set_table(table, rows)
            case Reported(name, number, code, text):
                self.trace.failure(name, number, code, text)
            case _:
                assert_never(event)
        return Passed()

    def _advance(self, now: int) -> None:
        """Set the session's clock, which never goes back, and evaluate again what reads it."""
        if now <= self.now:
            return
        self.now = now
        for statement in list(self.statements.values()):
            if statement.running and statement.ticks:
                self._guarded(statement, statement.pump.flow.tick)
        for reader in self.readers:
            if reads_clock(reader.plan):
                self._guarded_reader(reader, reader.flow.tick)

    # --- what flows -----------------------------------------------------------------------------

    def _enter(self, name: QualifiedName, passed: Passed) -> None:
        """Send what has entered a stream to all that read it."""
        stream = self.streams[name]
        for each in passed.refused:
            self.trace.late(name, None, str(each.dropped.fault), each.dropped.reason)
        stream.late += len(passed.refused)
        if passed.rows and stream.source.history is not None:
            stream.retain(self.events, passed.rows)
            self._version += 1
        for statement in list(self.statements.values()):
            if statement.running and name in statement.reads:
                statement.taken += len(passed.rows)
                self._guarded(
                    statement,
                    partial(statement.pump.flow.enter, stream.ingress, passed.rows),
                )
        for reader in self.readers:
            if name in reader.sources:
                self._feed_reader(reader, name, passed.rows)

    def _guarded(self, statement: Statement, work: Callable[[], object]) -> None:
        """Let a statement work, and deliver; its run-time error ends it.

        Defines: S-608.f
        """
        try:
            work()
        except SqlError as error:
            self._fail(statement, error)
        else:
            self._deliver(statement)

    def _fail(self, statement: Statement, error: SqlError) -> None:
        name = statement.name or statement.target
        self.trace.failure(name, statement.number, str(error.code), error.message)
        self._stop(statement)
        statement.failure = error.with_traceback(None)  # its frames would keep cursors alive

    def _deliver(self, statement: Statement) -> None:
        """Send the output of a statement into its target, and the bound of what it sends later."""
        rows = statement.pump.flow.drained()
        statement.sent += len(rows)
        if isinstance(statement.insert.target, Table):
            self._fill(statement.target, rows, statement.insert.upsert, statement.number)
            return
        stream = self.streams[statement.target]
        limit = statement.pump.flow.network.bounds.columns
        place = stream.ingress.rowtime
        bound = None if place < 0 else limit[place]
        clock = NOTHING_KNOWN if bound is None else float(integer(bound.value))
        self._enter(statement.target, stream.forward(statement.number, rows, clock))

    def _feed_reader(self, reader: Reader, name: QualifiedName, rows: Relation) -> None:
        ingress = self.streams[name].ingress
        reader.taken += len(rows)
        self._guarded_reader(reader, partial(reader.flow.enter, ingress, rows))

    def _guarded_reader(self, reader: Reader, work: Callable[[], object]) -> None:
        """Let a reader's query work; its run-time error ends it, after what it has emitted."""
        try:
            work()
        except SqlError as error:
            self.trace.failure(None, reader.number, str(error.code), error.message)
            reader.put(reader.flow.drained(), reader.flow.clock)
            self.end_reader(reader, error.with_traceback(None))
        else:
            reader.put(reader.flow.drained(), reader.flow.clock)

    def end_reader(self, reader: Reader, reason: Exception) -> None:
        """End a reader's query; it feeds it no more."""
        self.readers = [each for each in self.readers if each is not reader]
        reader.end(reason)

    def _fill(
        self, table: QualifiedName, rows: Relation, upsert: bool, statement: int | None = None
    ) -> None:
        """Insert rows into a table; one that it may not hold is dropped and reported."""
        if not rows:
            return
        source = self.catalog.objects[table]
        assert isinstance(source, Table)
        env = self.environment(())
        filled, dropped = inserted(source, self.rows_of(table), rows, upsert=upsert, env=env)
        for _, why in dropped:
            self.trace.late(table, statement, str(why.fault), why.reason)
        self._set_table(table, filled)

    def _set_table(self, table: QualifiedName, rows: Relation) -> None:
        self._tables = {**self._tables, table: rows}
        self._version += 1

    def _write_trace(self) -> None:
        """Send the messages of this event into the stream and the table of the trace.

        What goes wrong in queries on the trace itself is in the table alone: else a message could
        cause the next one for ever.
        """
        rows = self.trace.rows(self.now)
        if rows:
            self._enter(ALL_TRACE, self.streams[ALL_TRACE].send(_TRACE_PRODUCER, rows))
            self.trace.rows(self.now)
            self._set_table(SAVED_TRACE, list(self.trace.saved))

    # --- the catalog ----------------------------------------------------------------------------

    def catalog_in(self, schema: QualifiedName = ()) -> Catalog:
        """The catalog in which names without a schema are looked up in ``schema`` first."""
        return replace(self.catalog, schema=schema)

    def check_defined(self, event: Defined) -> None:
        """Raise the faults of a statement of DDL, NOT_SUPPORTED for a circle of pumps among them.

        Defines: S-608.e
        """
        catalog = defined(event.sql, self.catalog_in(event.schema), self.profile)
        self._check_system(catalog, event.sql)
        pumps = bound_pumps(self.catalog, catalog, self.profile)
        self.check_circles(catalog.objects, pumps.values())

    def _check_system(self, catalog: Catalog, sql: str) -> None:
        """WRONG_OBJECT if a statement would change the objects of the trace."""
        old = {name: each for name, each in self.catalog.objects.items() if name[0] == SYSTEM}
        new = {name: each for name, each in catalog.objects.items() if name[0] == SYSTEM}
        if old != new:
            message = f"schema '{SYSTEM}' is the database's own"
            raise SqlError(Code.WRONG_OBJECT, message, sql, Span(0, len(sql)), "use another schema")

    def check_circles(self, objects: Mapping[QualifiedName, object], new: Iterable[Insert]) -> None:
        """NOT_SUPPORTED if ``new`` statements make a circle with those that are there."""
        old = [
            each.insert
            for each in self.statements.values()
            if each.name is None or each.name in objects
        ]
        in_order_of_flow([*old, *new])

    def _define(self, event: Defined) -> None:
        """Carry out a statement of DDL: the catalog, and all that runs, follow it."""
        old, new = (
            self.catalog,
            defined(event.sql, self.catalog_in(event.schema), self.profile),
        )
        pumps = bound_pumps(old, new, self.profile)
        self.catalog = replace(new, schema=())
        for statement in list(self.statements.values()):
            name = statement.name
            if name is not None and (name not in new.objects or name in pumps):
                self._end(statement)
        for name, each in old.objects.items():
            if new.objects.get(name) is not each and isinstance(each, Stream | Table):
                self._drop(name, "stream" if isinstance(each, Stream) else "table")
        for name, each in new.objects.items():
            if old.objects.get(name) is not each and isinstance(each, Stream):
                self.streams[name] = NamedStream(each, self.environment(()))
        for name, insert in pumps.items():
            statement = Statement(self.next_number(), insert, self.environment(()), name)
            self.statements[statement.number] = statement
            statement.stop(self.events, self.streams)
        self._follow_pumps()

    def _follow_pumps(self) -> None:
        """Start and stop the pumps, as the catalog says."""
        for statement in list(self.statements.values()):
            if statement.name is None:
                continue
            started = self.started(statement.name)
            if started and not statement.running and statement.failure is None:
                self._start(statement)
            elif not started:
                self._stop(statement)
                statement.failure = None

    def started(self, name: QualifiedName) -> bool:
        """Whether the catalog says that a pump runs."""
        return bool(getattr(self.catalog.objects.get(name), "started", False))

    def _start(self, statement: Statement) -> None:
        """Start a statement where it was stopped, if what has passed since is in the histories.

        Defines: S-608.c, S-608.d
        """
        missed = statement.missed(self.streams)
        if missed is None or not statement.positions:
            if missed is None:
                text = "rows have passed that no history has: it starts with the next ones"
                self.trace.failure(statement.name, statement.number, "MISSED_ROWS", text)
            statement.restart()
        positions, statement.positions = statement.positions, {}
        statement.running = True
        self.statements[statement.number] = statement
        if isinstance(statement.insert.target, Stream):
            stream = self.streams[statement.target]
            clock = NOTHING_KNOWN if stream.ingress.clock is None else stream.ingress.clock
            stream.forward(statement.number, (), clock)
        ingresses = {name: each.ingress for name, each in positions.items()}
        for _, name, row in missed or ():
            ingresses[name], _ = ingresses[name].accept(row, statement.env)
            statement.taken += 1
            ingress = ingresses[name]
            self._guarded(
                statement,
                partial(statement.pump.flow.enter, ingress, [row]),
            )
        for name in sorted(statement.reads & self.streams.keys()):
            if statement.running:
                ingress = self.streams[name].ingress
                self._guarded(statement, partial(statement.pump.flow.enter, ingress, ()))

    def _stop(self, statement: Statement) -> None:
        """Stop a statement: it is no producer of its target any more."""
        if not statement.running:
            return
        statement.stop(self.events, self.streams)
        if statement.target in self.streams:
            stream = self.streams[statement.target]
            self._enter(statement.target, stream.forward(statement.number, (), ENDED))

    def _end(self, statement: Statement) -> None:
        self._stop(statement)
        self.statements.pop(statement.number, None)

    def _drop(self, name: QualifiedName, kind: str) -> None:
        """End all that reads a stream or table, or feeds it, with an error that says so.

        Defines: S-608.a, S-608.b
        """
        reason = dropped_object(name, kind)
        self.streams.pop(name, None)
        self._tables = {each: rows for each, rows in self._tables.items() if each != name}
        for statement in list(self.statements.values()):
            if name in statement.reads or name == statement.target:
                self._fail(statement, reason)
                self._end(statement)
        for reader in list(self.readers):
            if name in reader.sources:
                self.end_reader(reader, reason)


def dropped_object(name: QualifiedName, kind: str) -> SqlError:
    """The error of what has read, or written into, an object that is there no longer."""
    hint = "begin again, on objects that are there"
    return failure(Code.UNKNOWN_OBJECT, f"{kind} '{'.'.join(name)}' was dropped", hint)
