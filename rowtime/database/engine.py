"""The state of a database, and the effect of each event on it, one after the other."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias, assert_never

from algebra.catalog import Catalog, Extension, Profile, QualifiedName, Stream, Table
from algebra.modify import Insert
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.statement import AlterPump
from reference.dml.statements import in_order_of_flow
from reference.environment import Forms
from reference.values import failure
from rowtime.database.binding import bound_pumps, defined, parsed, standing_insert
from rowtime.database.dataflow import TRACE_PRODUCER, Dataflow
from rowtime.database.events import (
    Begun,
    Bounded,
    Changed,
    Closed,
    Defined,
    Event,
    Inserted,
    Opened,
    Replaced,
    Reported,
    Sent,
    Ticked,
)
from rowtime.database.named_stream import NamedStream, Passed
from rowtime.database.statement import Statement
from rowtime.database.trace_log import ALL_TRACE, DDL, SYSTEM


class Engine(Dataflow):
    """The state of a database: streams, tables, statements and readers.

    Only one thread at a time can use it; `Database` has the lock.
    """

    def __init__(
        self, profile: Profile, forms: Forms, extensions: Iterable[Extension] = ()
    ) -> None:
        super().__init__(forms)
        self.profile = profile
        #: The definitions of the catalog, by the numbers of their events.
        self.definitions: dict[int, Defined] = {}
        #: For each pump, the number of the event that has last started or stopped it.
        self._altered: dict[_AlteredPump, int] = {}
        self.catalog = Catalog(extensions={each.name: each for each in extensions})
        for sql in DDL:
            self._define(Defined(sql))
        self.streams[ALL_TRACE].open(TRACE_PRODUCER)

    # --- events ---------------------------------------------------------------------------------

    def apply(self, event: Event, now: int) -> Passed:
        """Apply an event at ``now``, the session's clock in milliseconds.

        For rows that a producer has sent, the result has the effects on their stream; for all other
        events it is empty.  The caller has already checked the event for errors
        (`rowtime.database.database`).
        """
        self._set_clock(now)
        try:
            passed = self._applied(event)
        finally:
            self.events += 1
        self._settle()
        return passed

    def advance(self, now: int) -> None:
        """Set the session's clock to ``now`` without an event.

        No running statement may read the clock.
        """
        self._set_clock(now)
        self._settle()

    def _applied(self, event: Event) -> Passed:
        """Change the state by an event; return its effects on the stream of a producer."""
        match event:
            case Defined():
                self._define(event)
                self._store_definition(event)
            case Begun(number, sql, schema, parameters):
                catalog = self.catalog_in(schema)
                insert, values = standing_insert(sql, catalog, self.profile, parameters)
                self.numbers = max(self.numbers, number)
                env = self.environment(values)
                self._start(
                    Statement(number, insert, env, name=None, resolved_at=self.events, begun=event)
                )
            case Opened(stream, number):
                self.numbers = max(self.numbers, number)
                self.streams[stream].open(number)
            case Sent(stream, number, rows):
                passed = self.streams[stream].send(number, rows)
                for _, why in passed.dropped:
                    self.trace.report_dropped(stream, number, why)
                self.streams[stream].dropped += len(passed.dropped)
                self._enter(stream, passed)
                return passed
            case Bounded(stream, number, at):
                self._enter(stream, self.streams[stream].set_bound(number, at))
            case Closed(stream, number):
                self._enter(stream, self.streams[stream].close(number))
            case Inserted(table, rows, upsert):
                self._fill(table, rows, upsert)
            case Changed(table, weighted):
                target = self.catalog.objects[table]
                assert isinstance(target, Table)
                self._change_rows(target, weighted, number=None)  # no statement has sent them
            case Replaced(table, rows):
                self._set_table(table, rows)
            case Reported(name, number, code, text):
                self.trace.report_failure(name, number, code, text)
            case Ticked():
                pass  # every event advances the clock
            case _:
                assert_never(event)
        return Passed()

    def _set_clock(self, now: int) -> None:
        """Set the session's clock, which never goes back, and evaluate the queries that read it.

        Defines: S-106.e
        """
        if now <= self.now:
            return
        self.now = now
        for statement in list(self.statements.values()):
            if statement.running and statement.ticks:
                self._run_guarded(statement, statement.flow.tick)
        for reader in self.readers:
            if reader.ticks:
                self._run_reader(reader, reader.flow.tick)

    def restore_definitions(self, definitions: Mapping[int, Defined]) -> None:
        """Take the DDL statements of a restored catalog, without executing them."""
        self.definitions = dict(definitions)
        altered = {number: _altered_pump(each) for number, each in definitions.items()}
        self._altered = {pump: number for number, pump in altered.items() if pump is not None}

    # --- the catalog ----------------------------------------------------------------------------

    def catalog_in(self, schema: QualifiedName = ()) -> Catalog:
        """The catalog in which names without a schema are looked up in ``schema`` first."""
        return replace(self.catalog, schema=schema)

    def check_defined(self, event: Defined) -> None:
        """Raise the errors of a statement of DDL, such as NOT_SUPPORTED for a circle of pumps.

        Defines: S-608.e
        """
        catalog = defined(event.sql, self.catalog_in(event.schema), self.profile)
        self._check_system(catalog, event.sql)
        self._check_foreign(catalog, event.sql)
        pumps = bound_pumps(self.catalog, catalog, self.profile)
        self.check_circles(catalog.objects, pumps.values())

    def _check_system(self, catalog: Catalog, sql: str) -> None:
        """Raise WRONG_OBJECT if the statement ``sql`` changes the objects of the trace.

        ``catalog`` is the catalog after the statement.
        """
        old = {name: each for name, each in self.catalog.objects.items() if name[0] == SYSTEM}
        new = {name: each for name, each in catalog.objects.items() if name[0] == SYSTEM}
        if old != new:
            message = f"schema '{SYSTEM}' is the database's own"
            raise SqlError(Code.WRONG_OBJECT, message, sql, Span(0, len(sql)), "use another schema")

    def _check_foreign(self, catalog: Catalog, sql: str) -> None:
        """Raise NOT_SUPPORTED for a new foreign stream: no statement of a database opens a file.

        Defines: S-607.j
        """
        for name, each in catalog.objects.items():
            is_new = self.catalog.objects.get(name) is not each
            if isinstance(each, Stream | Table) and each.foreign and is_new:
                message = "a database has no foreign streams: its statements open no files"
                hint = (
                    "rowtime run FILE.sql runs the script as a pipeline; here, CREATE STREAM, and "
                    "attach an adapter, or .import a file in the shell"
                )
                raise SqlError(Code.NOT_SUPPORTED, message, sql, Span(0, len(sql)), hint)

    def check_circles(self, objects: Mapping[QualifiedName, object], new: Iterable[Insert]) -> None:
        """Raise NOT_SUPPORTED if the ``new`` statements form a circle with the existing ones.

        ``objects`` are those of the new catalog: existing pumps that it lacks are not counted.
        """
        old = [
            each.insert
            for each in self.statements.values()
            if each.name is None or each.name in objects
        ]
        in_order_of_flow([*old, *new])

    def _define(self, event: Defined) -> None:
        """Apply a statement of DDL to the catalog and to the running statements and readers."""
        old, new = (
            self.catalog,
            defined(event.sql, self.catalog_in(event.schema), self.profile),
        )
        # The new pumps, and those that use a stream or table which this statement replaces.
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
            number, env = self.next_number(), self.environment(())
            statement = Statement(number, insert, env, name=name, resolved_at=self.events)
            self.statements[statement.number] = statement
            statement.stop(self.events, self.streams)  # so it reads rows from this event on
        self._follow_pumps()

    def _store_definition(self, event: Defined) -> None:
        """Add a statement of DDL to `definitions`.

        A start or stop of a pump replaces the last one of the same pump, so that the definitions do
        not grow with each start and stop.
        """
        altered = _altered_pump(event)
        if altered is not None:
            if altered in self._altered:
                del self.definitions[self._altered[altered]]
            self._altered[altered] = self.events
        self.definitions[self.events] = event

    def _follow_pumps(self) -> None:
        """Start and stop the pumps, as the catalog declares.

        Defines: S-608.k
        """
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
        """Whether a pump is started in the catalog."""
        return bool(getattr(self.catalog.objects.get(name), "started", False))

    def _drop(self, name: QualifiedName, kind: str) -> None:
        """End all readers of a dropped stream or table, and statements that use it, with an error.

        Defines: S-608.a, S-608.b, S-608.g, S-608.h
        """
        reason = dropped_object(name, kind)
        self.streams.pop(name, None)
        self.tables = {each: rows for each, rows in self.tables.items() if each != name}
        for statement in list(self.statements.values()):
            if name in statement.reads or name == statement.target:
                self._fail(statement, reason)
                self._end(statement)
        for reader in list(self.readers):
            if name in reader.sources:
                self.end_reader(reader, reason)


#: A pump that a definition starts or stops: its written name, and the schema.
_AlteredPump: TypeAlias = tuple[QualifiedName, QualifiedName]


def _altered_pump(event: Defined) -> _AlteredPump | None:
    """The pump that a definition starts or stops; None if it is another definition."""
    statement = parsed(event.sql)
    if not isinstance(statement, AlterPump):
        return None
    return tuple([each.name for each in statement.name.parts]), event.schema


def dropped_object(name: QualifiedName, kind: str) -> SqlError:
    """The error for a reader or writer of an object that was dropped."""
    hint = "begin again, on objects that are there"
    return failure(Code.UNKNOWN_OBJECT, f"{kind} '{'.'.join(name)}' was dropped", hint)
