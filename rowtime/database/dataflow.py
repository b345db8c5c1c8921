"""Moves rows in a database: from streams to statements and readers, and into tables."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import partial

from algebra.catalog import Catalog, QualifiedName, Stream, Table
from algebra.parts.mentions import read_names
from algebra.plan import Plan
from algebra.types import MAX_TIMESTAMP
from reference.acceptance import accept
from reference.dml.modify import changed, inserted
from reference.dml.statements import in_order_of_flow
from reference.environment import Forms
from reference.incremental.standing.named_stream import bound_at, bound_of
from reference.incremental.train import ENDED
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows
from rowtime.database.flows.changelog_flow import ChangelogFlow
from rowtime.database.flows.running_query import start_query
from rowtime.database.named_stream import Passed
from rowtime.database.reader import Reader
from rowtime.database.state import State
from rowtime.database.statement import Statement, failure_of
from rowtime.database.trace_log import ALL_TRACE, SAVED_TRACE, TraceLog

#: The number of the producer by which the database writes its trace.
TRACE_PRODUCER = 0


class Dataflow(State):
    """The part of an `Engine` that runs statements and readers.

    A row that enters a stream goes to its history, to the statements that read it, to the streams
    that these feed, and to the readers.  Changelogs are computed after that, so an event changes
    their answers once.  A run-time error, or an unexpected exception such as MemoryError, ends only
    the statement or reader in which it occurs.

    From `State`: ``_touched`` has the streams and tables that the event has changed, and
    ``_version`` counts the changes of tables and histories, for the cached answers of sub-queries.
    """

    def __init__(self, forms: Forms) -> None:
        super().__init__(forms)
        self.catalog = Catalog()
        self.trace = TraceLog()
        self.statements: dict[int, Statement] = {}
        self.readers: list[Reader] = []

    def read(self, plan: Plan, parameters: Row, capacity: int) -> Reader:
        """Start a streaming query over the rows that enter its streams from now on.

        ``capacity`` is the number of rows with which its buffer is full.
        """
        flow = start_query(plan, self.environment(parameters))
        reader = Reader(self.next_number(), plan, flow, capacity)
        reader.sources = read_names(plan)
        self.readers.append(reader)
        if isinstance(flow, ChangelogFlow):
            self._run_reader(reader, partial(flow.answer, self.tables, self.now))
            return reader
        for name in sorted(reader.sources & self.streams.keys()):
            self._feed_reader(reader, name, ())
        return reader

    @property
    def statements_tick(self) -> bool:
        """Whether a running statement reads the session's clock.

        This property and `readers_tick` can be read without the database's lock.
        """
        return any(each.running and each.ticks for each in tuple(self.statements.values()))

    @property
    def readers_tick(self) -> bool:
        """Whether a query reads the session's clock."""
        return any(each.ticks for each in tuple(self.readers))

    def downstream(self, name: QualifiedName) -> set[QualifiedName]:
        """``name``, and the streams and tables that its rows reach through statements.

        The rows of a table reach only changelogs, because other statements only look them up.
        """
        reached, pending = set[QualifiedName](), [name]
        while pending:
            each = pending.pop()
            if each not in reached:
                reached.add(each)
                running = (one for one in self.statements.values() if one.running)
                reading = (one for one in running if each in one.reads)
                pending += [one.target for one in reading if each in self.streams or one.changelog]
        return reached

    def adds_to(self, reader: Reader, names: AbstractSet[QualifiedName]) -> bool:
        """Whether rows of these streams and tables can add to a reader's buffer."""
        read = reader.sources & names
        return any(each in self.streams for each in read) or (
            bool(read) and isinstance(reader.flow, ChangelogFlow)
        )

    # --- what flows -----------------------------------------------------------------------------

    def _enter(self, name: QualifiedName, passed: Passed) -> None:
        """Send rows that have entered a stream to its readers and statements."""
        stream = self.streams[name]
        for each in passed.refused:
            # None: the stream has dropped the row, and its producer had accepted it.
            self.trace.report_dropped(name, None, each.dropped)
        stream.dropped += len(passed.refused)
        if stream.source.history is not None:
            stream.retain(self.events, passed.rows)
            self._version += 1  # there are new rows, or a bound after which old ones are left out
        if passed.rows:
            self._touched.add(name)
        for statement in list(self.statements.values()):
            if statement.running and name in statement.reads:
                statement.taken += len(passed.rows)
                self._run_guarded(
                    statement,
                    partial(statement.flow.enter, stream.ingress, passed.rows),
                )
        for reader in self.readers:
            if name in reader.sources:
                self._feed_reader(reader, name, passed.rows)

    def _run_guarded(self, statement: Statement, work: Callable[[], object]) -> None:
        """Call ``work``, a step of a statement, and deliver the output of the statement.

        An exception of ``work`` ends the statement.

        Defines: S-608.f, S-608.j, S-608.n
        """
        try:
            work()
        except Exception as error:
            self._fail(statement, error)
        else:
            self._deliver(statement)

    def _fail(self, statement: Statement, error: Exception) -> None:
        """Stop a statement because of an error, and report the error in the trace."""
        name = statement.name or statement.target
        failed = failure_of(error)
        self.trace.report_failure(name, statement.number, failed.code, failed.message)
        self._stop(statement)
        statement.failure, statement.positions = failed, None

    def _deliver(self, statement: Statement) -> None:
        """Send the output of a statement and the bound of its later rows into its target."""
        if isinstance(statement.flow, ChangelogFlow):
            return  # its output follows at the end of the event
        rows = statement.flow.drained()
        statement.sent += len(rows)
        if isinstance(statement.insert.target, Table):
            self._fill(statement.target, rows, statement.insert.upsert, statement.number)
            return
        stream = self.streams[statement.target]
        bounds = statement.flow.network.bounds
        # If the inputs of a statement have ended, it sends no more rows.  But its target does not
        # end, because others can write into it: so the bound is just after the last time.
        has_ended, place = bounds.ended, stream.ingress.rowtime
        bound = MAX_TIMESTAMP + 1 if has_ended else bound_at(bounds, place)
        self._enter(statement.target, stream.forward(statement.number, rows, bound))

    def _feed_reader(self, reader: Reader, name: QualifiedName, rows: Relation) -> None:
        """Send rows that have entered the stream ``name``, and its bound, into a reader's query."""
        ingress = self.streams[name].ingress
        reader.taken += len(rows)
        self._run_reader(reader, partial(reader.flow.enter, ingress, rows))

    def _run_reader(self, reader: Reader, work: Callable[[], object]) -> None:
        """Call ``work``, a step of a reader's query, and put the emitted rows into the buffer.

        An exception of ``work`` ends the query; the rows that it has emitted can be fetched.
        """
        try:
            work()
        except Exception as error:
            failed = failure_of(error)
            self.trace.report_failure(None, reader.number, failed.code, failed.message)
            reader.put(reader.flow.drained(), reader.flow.bound)
            # Without its traceback, whose frames would keep cursors alive.
            self.end_reader(reader, error.with_traceback(None))
        else:
            reader.put(reader.flow.drained(), reader.flow.bound)

    def end_reader(self, reader: Reader, reason: Exception) -> None:
        """End a reader's query, and remove the reader."""
        self.readers = [each for each in self.readers if each is not reader]
        reader.end(reason)

    def _fill(
        self, table: QualifiedName, rows: Relation, upsert: bool, statement: int | None = None
    ) -> None:
        """Insert rows into a table; rows that it rejects are dropped, and reported in the trace.

        ``statement`` is the number of the statement that has sent them; None: no statement has.
        """
        if not rows:
            return
        source = self.catalog.objects[table]
        assert isinstance(source, Table)
        env = self.environment(())
        filled, dropped = inserted(source, self.rows_of(table), rows, upsert=upsert, env=env)
        for _, why in dropped:
            self.trace.report_dropped(table, statement, why)
        self._set_table(table, filled)

    # --- changelogs -----------------------------------------------------------------------------

    def _follow(self) -> None:
        """Compute the changelogs that read changed streams and tables, and clear `_touched`.

        A standing statement comes after those that feed its inputs, and readers come last.

        Defines: S-1008.a
        """
        for statement in self._changelogs():
            flow = statement.changelog
            assert flow is not None
            if statement.running and (statement.due or statement.reads & self._touched):
                statement.due = False
                try:
                    flow.answer(self.tables, self.now)
                except Exception as error:
                    self._fail(statement, error)
                else:
                    self._change(statement, flow.changes())
        for reader in list(self.readers):
            if isinstance(reader.flow, ChangelogFlow) and reader.sources & self._touched:
                self._run_reader(reader, partial(reader.flow.answer, self.tables, self.now))
        self._touched.clear()

    def _changelogs(self) -> list[Statement]:
        """The standing statements with EMIT CHANGES, each after those that feed its inputs.

        Defines: S-1008.d
        """
        found = [each for each in self.statements.values() if each.changelog]
        if len(found) < 2:
            return found
        place = {name: i for i, name in enumerate(in_order_of_flow([e.insert for e in found]))}
        return sorted(found, key=lambda each: place[each.target])

    def _change(self, statement: Statement, weighted: WeightedRows) -> None:
        """Send changes that a statement has computed into its target."""
        target = statement.insert.target
        assert isinstance(target, Table)
        statement.sent += len(weighted)
        self._change_rows(target, weighted, statement.number)

    def _change_rows(self, target: Table, weighted: WeightedRows, number: int | None) -> None:
        """Apply changes to a stream WITH CHANGES; report each change that is dropped.

        ``number`` is that of the statement that has sent them; None: no statement has.

        Defines: S-1008.e
        """
        if weighted:
            env = self.environment(())
            rows, dropped = changed(target, self.rows_of(target.name), weighted, env)
            for _, why in dropped:
                self.trace.report_dropped(target.name, number, why)
            self._set_table(target.name, rows)

    # --- the end of an event --------------------------------------------------------------------

    def _settle(self) -> None:
        """End an event: compute the changelogs, and write the event's messages into the trace.

        The changelogs are computed before and after that, because the first computation can drop
        changes, which causes messages, and changelogs can read the trace.
        """
        self._follow()
        self._write_trace()
        self._follow()

    def _write_trace(self) -> None:
        """Send the messages of this event into the stream and the table of the trace.

        A failure of a query on the trace itself is written only into the table, because in the
        stream each such message could cause another one, without end.

        Defines: S-602.d
        """
        rows = self.trace.take_rows(self.now)
        if rows:
            self._enter(ALL_TRACE, self.streams[ALL_TRACE].send(TRACE_PRODUCER, rows))
            # Queries on the trace may have failed at these rows.  This call saves their messages
            # for the table, and its result is not sent into the stream.
            self.trace.take_rows(self.now)
            self._set_table(SAVED_TRACE, list(self.trace.saved))

    # --- starts and stops -----------------------------------------------------------------------

    def _start(self, statement: Statement) -> None:
        """Start a statement where it was stopped, if the histories have all rows since then.

        If they lack rows, or the statement was never stopped, it starts with the next rows.  The
        trace reports missed rows.

        Defines: S-608.d, S-608.i, S-1008.h
        """
        # None: the histories lack some of the rows since the stop.  Empty: there are no such rows,
        # or the statement was not stopped.
        missed = statement.missed(self.streams)
        # A statement without positions has never run, or has failed.
        if missed is None or statement.positions is None:
            if missed is None:
                text = "rows have passed that no history has: it starts with the next ones"
                self.trace.report_failure(statement.name, statement.number, "MISSED_ROWS", text)
            statement.restart()  # as a new statement, without positions
        positions, statement.positions = statement.positions, None
        statement.running = True
        self.statements[statement.number] = statement
        if isinstance(statement.insert.target, Stream):
            stream = self.streams[statement.target]
            # This makes the statement a producer of its target, whose bound then waits for it.
            stream.forward(statement.number, (), bound_of(stream.ingress))
        statement.due = statement.changelog is not None
        # The missed rows enter one by one, beginning with the ingress at the stop.  So each row
        # raises the bounds as it did when it arrived.
        ingresses = {name: each.ingress for name, each in (positions or {}).items()}
        for _, name, row in missed or ():
            if not statement.running:
                break  # it has failed at a missed row
            ingresses[name], _ = accept(ingresses[name], row, statement.env)
            statement.taken += 1
            ingress = ingresses[name]
            self._run_guarded(
                statement,
                partial(statement.flow.enter, ingress, [row]),
            )
        # Then the statement takes the present bounds, which can be beyond those of the missed rows.
        for name in sorted(statement.reads & self.streams.keys()):
            if statement.running:
                ingress = self.streams[name].ingress
                self._run_guarded(statement, partial(statement.flow.enter, ingress, ()))

    def _stop(self, statement: Statement) -> None:
        """Stop a statement, and close it as a producer of its target; do nothing if it is stopped.

        Defines: S-608.c
        """
        if not statement.running:
            return
        statement.stop(self.events, self.streams)
        if statement.target in self.streams:
            stream = self.streams[statement.target]
            self._enter(statement.target, stream.forward(statement.number, (), ENDED))

    def _end(self, statement: Statement) -> None:
        """Stop and remove a statement."""
        self._stop(statement)
        self.statements.pop(statement.number, None)
