"""A session runs one query of the reference, from the input of its streams to the output."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from algebra.catalog import Column, QualifiedName, Stream, Table
from algebra.modify import Insert
from algebra.parts.mentions import streams_read
from algebra.plan import Changes, Delta, Plan
from algebra.prepare import Prepared
from algebra.wire import Wire
from grammar.source import SqlError
from reference.acceptance import DroppedRow, typed_change, typed_rows
from reference.definitions import DEFINITIONS
from reference.dml.modify import changed, inserted
from reference.dml.statements import Refusal, accepted_rows, applied, in_order_of_flow, sources_of
from reference.engine.histories import Memory
from reference.engine.history_scan import check_history, history_streams, remembered
from reference.environment import Environment, Forms
from reference.evaluate import World, evaluate
from reference.incremental.changes.flow import ChangeFlow
from reference.incremental.changes.operator import Form
from reference.incremental.changes.recomputed import Recomputed
from reference.incremental.operator import State
from reference.incremental.standing.pump import Feed, Pump
from reference.incremental.standing.query import Flow
from reference.incremental.train import Train
from reference.ingress import Dropped, Fault, Ingress, Ingresses, ingress_of
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows


class Session:
    """One query on the streams and tables of its script.

    A row that a stream's ingress accepts goes to the stream's history, to the standing statements
    that read the stream, and to the query if it streams.  Each call that changes a stream or a
    table is an event of the changelogs.

    - ``flow`` is the running query if it streams, and ``changes`` if it is a changelog; else None.
    - ``refusals`` has the rows of standing statements that targets dropped; the caller clears it.
    - ``version`` is a new number after each change of the tables, histories and clock, which
      sub-queries and changelogs read.
    """

    def __init__(
        self,
        prepared: Prepared,
        make_flow: Callable[[Plan, Environment], Flow] = Flow,
        watched: Iterable[QualifiedName] = (),
        forms: Forms = DEFINITIONS,
        changelog_form: Form = Recomputed,
    ) -> None:
        """Run the script's DML, and start the query and the standing statements.

        ``make_flow`` starts a streaming query.  ``watched`` are the streams that `watched_rows` and
        `watched_changes` read.  ``forms`` are the definitions of the operators or faster functions;
        ``changelog_form`` is the class that computes changelogs: the definition, or operators.

        Raises the run-time errors of the DML, and NOT_SUPPORTED for standing statements that feed
        each other in a circle.
        """
        self._forms = forms
        objects = prepared.catalog.objects.values()
        self._prepared = prepared
        self._tables = {each.name: each for each in objects if isinstance(each, Table)}
        ingresses: Ingresses = {
            each.name: ingress_of(each) for each in objects if isinstance(each, Stream)
        }
        # The numbers of rows that have arrived, and of rows that were loaded before, by target.
        self._arrived: dict[QualifiedName, int] = defaultdict(int)
        self._loaded: dict[QualifiedName, int] = defaultdict(int)
        self._begun = set[QualifiedName]()  # streams whose own input has sent a row or a bound
        self._ended = False  # whether the end of all inputs has arrived
        self._watched_rows: dict[QualifiedName, list[Row]] = {name: [] for name in watched}
        self._watched_changes = {name: list[WeightedRows]() for name in self._watched_rows}
        self.version = 0
        self.refusals: list[Refusal] = []
        world = World()
        for step in prepared.steps:
            world, ingresses, refused = applied(step, world, ingresses, forms)
            self.refusals += refused
        self._ingresses = dict(ingresses)
        self._memory = Memory(history_streams(prepared))
        self._world = world._replace(histories=self._memory.histories)
        for name, rows in world.histories.items():
            self._memory.add(self._ingresses[name], rows)
        self._env = env = self._environment()
        self._accept = {name: forms.ingress(each, env) for name, each in self._ingresses.items()}
        query = prepared.query
        self.flow = make_flow(query, env) if isinstance(query, Delta) else None
        self.changes = None
        if isinstance(query, Changes):
            self.changes = ChangeFlow(query, env, changelog_form)
        self._answered = -1  # the version at the last event of changelogs
        targets = in_order_of_flow(prepared.standing)
        # Each standing statement stands before those that read its target.
        standing = sorted(
            enumerate(prepared.standing), key=lambda pair: targets.index(pair[1].target.name)
        )
        self._changelogs = [
            (each, ChangeFlow(each.input, env, changelog_form))
            for _, each in standing
            if isinstance(each.input, Changes)
        ]
        read = set[QualifiedName](streams_read(query) if isinstance(query, Changes) else ())
        read.update(*(streams_read(each.input) for each, _ in self._changelogs))
        # The rows that arrived since the last event, of each stream that changelogs read.
        self._rows_of_event: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self._world = self._world._replace(streams=self._rows_of_event)
        self._pumps = [
            Pump(f"statement {place}", each, env)
            for place, each in standing
            if isinstance(each.input, Delta)
        ]
        self._feeds = {
            name: Feed(
                self._ingresses[name],
                [each.name for each in self._pumps if each.target.name == name],
                self._accept[name],
            )
            for name in targets
            if name in self._ingresses
        }

    def _environment(self) -> Environment:
        """The environment of the expressions of this session.

        Defines: S-512.d
        """

        def query(plan: Plan, outer: tuple[Row, ...]) -> Relation:
            return evaluate(plan, self._present_world(), self._forms, outer)

        return Environment(
            lambda: self._world.now,
            self._world.parameters,
            (),
            query,
            self._forms,
            version=lambda: self.version,
        )

    @property
    def names(self) -> tuple[QualifiedName, ...]:
        """The streams and tables, which all can receive rows."""
        return (*self._ingresses, *self._tables)

    def columns(self, name: QualifiedName) -> tuple[Column, ...]:
        """The columns of a stream or table."""
        return (self._tables.get(name) or self._ingresses[name].source).columns

    # --- input ----------------------------------------------------------------------------------

    def load(self, name: QualifiedName, rows: Sequence[tuple[Wire, ...]]) -> list[DroppedRow]:
        """Take rows that a table or a stream's history has before the query starts.

        The rows advance the stream's bound (S-103), but the query does not read them as arriving.
        Returns the dropped rows.

        Defines: S-103.g
        """
        first = self._loaded[name]
        self._loaded[name] += len(rows)
        return self._take(name, rows, first, passing=False)

    def take_rows(
        self,
        name: QualifiedName,
        rows: Sequence[tuple[Wire, ...]],
        producer: str | None = None,
        weights: Sequence[int] = (),
    ) -> list[DroppedRow]:
        """Take arriving rows; return the dropped rows.

        ``producer`` sends the rows; None: the session itself.  A row of one of several producers
        may be dropped later, when it enters the stream; then it is among the ``refusals``.
        ``weights`` are 1 for an insert and -1 for a delete (S-1005); empty: all rows are inserts.
        """
        first = self._arrived[name]
        self._arrived[name] += len(rows)
        changing = name in self._tables and self._tables[name].changing
        if changing or any(weight < 0 for weight in weights):
            late = self._take_changes(name, rows, weights or [1] * len(rows), first)
        else:
            late = self._take(name, rows, first, passing=True, producer=producer)
        self._end_event()
        return late

    def _take_changes(
        self,
        name: QualifiedName,
        offered: Sequence[tuple[Wire, ...]],
        weights: Sequence[int],
        first: int,
    ) -> list[DroppedRow]:
        """Take changes of a stream WITH CHANGES, one after the other; return the dropped changes.

        ``first`` is the place of the first change among all changes of the stream.
        """
        late: list[DroppedRow] = []
        table, columns = self._tables.get(name), self.columns(name)
        key = () if table is None else table.primary_key
        for place, (wire, weight) in enumerate(zip(offered, weights, strict=True), first):
            row = typed_change(columns, key, wire, weight, self._world.now)
            if isinstance(row, Dropped):
                faults = [row]
            elif table is not None:
                faults = [why for _, why in self._change(table, [(row, weight)])]
            else:
                faults = [Dropped(Fault.BAD_ROW, "rows are only added to this stream")]
            late += [DroppedRow(name, wire, place, why) for why in faults]
        return late

    def _change(self, table: Table, weighted: WeightedRows) -> Sequence[tuple[int, Dropped]]:
        """Change a stream WITH CHANGES; return the place and the reason of each dropped change."""
        old = self._world.tables.get(table.name, ())
        rows, dropped = changed(table, old, weighted, self._env)
        self._world = self._world._replace(tables={**self._world.tables, table.name: rows})
        self._count_change()
        return dropped

    def _end_event(self) -> None:
        """Compute the changelogs, that of the query last, if an event has changed something."""
        if self.version == self._answered:
            return
        for statement, flow in self._changelogs:
            self._send_changes(statement, flow.happened(self._present_world()))
        if self.changes is not None:
            self.changes.happened(self._present_world())
        for rows in self._rows_of_event.values():
            rows.clear()
        self._answered = self.version

    def _count_change(self) -> None:
        """Count a change, so that cached sub-queries and changelogs are computed again."""
        self.version += 1

    def _present_world(self) -> World:
        """The tables and histories now, and the rows of streams since the last event (S-1001)."""
        return remembered(self._world, self._ingresses)

    def _send_changes(self, statement: Insert, weighted: WeightedRows) -> None:
        """Send the changes of a standing statement into its target."""
        if not weighted:
            return
        table = self._tables[statement.target.name]
        dropped = dict(self._change(table, weighted))
        for place, why in dropped.items():
            self.refusals.append(Refusal(table.name, weighted[place][0], place, why))
        if table.name in self._watched_changes:
            taken = [each for place, each in enumerate(weighted) if place not in dropped]
            self._watched_changes[table.name].append(taken)

    def take_values(
        self, name: QualifiedName, rows: Relation, passing: bool
    ) -> Sequence[tuple[int, Row, Dropped]]:
        """Take rows of values: as `take_rows` if ``passing`` (the rows arrive), else as `load`.

        Returns, for each dropped row, its place among all rows of the target that arrived, or that
        were loaded; the row; and the reason.
        """
        counts = self._arrived if passing else self._loaded
        first = counts[name]
        counts[name] += len(rows)
        if passing and name in self._feeds:
            places = range(first, first + len(rows))
            dropped = self._feed(name).enter(None, rows, list(places))
            self._release(name)
        else:
            dropped = self.enter(name, rows, passing)
        if passing:
            self._end_event()
        return [(first + place, rows[place], why) for place, why in dropped]

    def set_bound(
        self, name: QualifiedName, at: int, producer: str | None = None
    ) -> SqlError | None:
        """Set the bound of a stream, or of one ``producer`` of the stream, to ``at`` milliseconds.

        Returns None if the bound is accepted; or the error BOUND_BACKWARDS, and the bound stays as
        it is, if ``at`` is below the previous bound of the same sender.
        """
        if name in self._feeds or producer is not None:
            error = self._feed(name).set_bound(producer, at)
            self._release(name)
            self._end_event()
            return error
        self._ingresses[name], error = self._ingresses[name].with_bound(at)
        if error is None:
            self._begun.add(name)
        self._pass_on(name, ())
        self._end_event()
        return error

    def open_producer(self, name: QualifiedName, producer: str) -> None:
        """Open a producer of a stream (S-603).

        Raises ValueError if a producer of that name is open. The session's own input is a further
        producer, if it has begun.
        """
        if name not in self._ingresses:
            raise ValueError(f"{'.'.join(name)} is not a stream: it has no producers")
        ingress = self._ingresses[name]
        if name not in self._feeds:
            begun = name in self._begun
            self._feeds[name] = Feed(ingress, (), self._accept[name], begun)
        self._feeds[name].open(producer, ingress)

    def close_producer(self, name: QualifiedName, producer: str) -> None:
        """Close a producer of a stream.  Raises ValueError if it is not open."""
        self._feed(name).close(producer)
        self._release(name)
        self._end_event()

    def _feed(self, name: QualifiedName) -> Feed:
        """The merged input of a stream; ValueError if only the session writes into the stream."""
        if name not in self._feeds:
            raise ValueError(f"{'.'.join(name)} has no producers")
        return self._feeds[name]

    def set_clock(self, at: int) -> None:
        """Set the session's clock, in milliseconds."""
        self._world = self._world._replace(now=at)
        self._count_change()
        for pump in self._pumps:
            self._deliver(pump, pump.flow.tick())
        if self.flow is not None:
            self.flow.tick()
        self._end_event()

    def end(self, name: QualifiedName | None) -> None:
        """End one input; None: all inputs.

        A stream that standing statements feed ends when all of these have ended, too.
        """
        self._ended = self._ended or name is None
        if name in self._tables:
            return  # a table has no end
        for each in list(self._ingresses) if name is None else [name]:
            if each in self._feeds:
                self._feeds[each].close_all()
                self._release(each)
            else:
                self._ingresses[each] = replace(self._ingresses[each], ended=True)
                self._pass_on(each, ())
        self._end_event()

    def _take(
        self,
        name: QualifiedName,
        offered: Sequence[tuple[Wire, ...]],
        first: int,
        passing: bool,
        producer: str | None = None,
    ) -> list[DroppedRow]:
        """Read rows from the wire, and `enter` the valid ones; return the dropped ones, in order.

        ``first`` is the place of the first row among all rows of the target.
        """
        rows, bad = typed_rows(self.columns(name), offered, self._world.now)
        bad_places = {place for place, _ in bad}
        valid_places = [place for place in range(len(offered)) if place not in bad_places]
        if passing and (name in self._feeds or producer is not None):
            places = [first + place for place in valid_places]
            dropped = self._feed(name).enter(producer, rows, places)
            self._release(name)
        else:
            dropped = self.enter(name, rows, passing)
        # The places of ``dropped`` are those among the valid rows.
        faults = [*bad, *((valid_places[at], why) for at, why in dropped)]
        faults.sort(key=lambda fault: fault[0])
        return [DroppedRow(name, offered[place], first + place, why) for place, why in faults]

    def enter(
        self, name: QualifiedName, rows: Relation, passing: bool
    ) -> Sequence[tuple[int, Dropped]]:
        """Send rows of values into a table, or into a stream that only the session writes into.

        ``passing``: the rows arrive, and readers of the stream get them; else the stream has had
        them before.  Changelogs are not computed.  Returns place and reason of each dropped row.
        """
        if name in self._tables:
            return self._insert(self._tables[name], rows, upsert=False)
        ingress, retained, refused = accepted_rows(self._ingresses[name], rows, self._accept[name])
        self._ingresses[name] = ingress
        self._memory.add(self._ingresses[name], retained)
        if passing and retained:
            self._begun.add(name)
        self._pass_on(name, retained if passing else ())
        return [(each.place, each.dropped) for each in refused]

    # --- what flows -----------------------------------------------------------------------------

    def _pass_on(self, name: QualifiedName, rows: Relation) -> None:
        """Send accepted rows, and the stream's bounds, to everything that reads the stream."""
        ingress = self._ingresses[name]
        if name in self._memory.histories:
            self._count_change()  # by new rows, or by a bound that expires old rows
        if name in self._watched_rows:
            self._watched_rows[name] += rows
        if name in self._rows_of_event and rows:
            self._rows_of_event[name] += rows
            self._count_change()
        for pump in self._pumps:
            if name in pump.reads:
                self._deliver(pump, pump.flow.enter(ingress, rows))
        if self.flow is not None:
            self.flow.enter(ingress, rows)

    def _deliver(self, pump: Pump, train: Train) -> None:
        """Send the output of a standing statement into its target."""
        if isinstance(pump.target, Table):
            rows = pump.flow.drained()
            for place, why in self._insert(pump.target, rows, pump.upsert):
                self.refusals.append(Refusal(pump.target.name, rows[place], place, why))
        else:
            self._feeds[pump.target.name].send(pump.name, pump.flow.drained(), train.bounds)
            self._release(pump.target.name)

    def _release(self, name: QualifiedName) -> None:
        """Send into a stream, and to its readers, the rows that no longer wait for a producer."""
        feed = self._feeds[name]
        self._ingresses[name], retained, refused = feed.release(self._ingresses[name])
        self.refusals += refused
        self._memory.add(self._ingresses[name], retained)
        self._pass_on(name, retained)

    def _insert(self, table: Table, rows: Relation, upsert: bool) -> Sequence[tuple[int, Dropped]]:
        """Insert rows into a table; return the place and the reason of each dropped row."""
        old = self._world.tables.get(table.name, ())
        retained, dropped = inserted(table, old, rows, upsert=upsert, env=self._env)
        self._world = self._world._replace(tables={**self._world.tables, table.name: retained})
        self._count_change()
        return dropped

    # --- output ---------------------------------------------------------------------------------

    def new_changes(self) -> WeightedRows:
        """The changes of the query, a changelog, since the last call.

        The first call also returns the rows of the first answer, as inserts.
        """
        assert self.changes is not None, "only a changelog has changes"
        self._end_event()
        return self.changes.drained()

    def watched_rows(self, name: QualifiedName) -> Relation:
        """The rows that a watched stream has accepted since the last call, in order."""
        rows, self._watched_rows[name] = self._watched_rows[name], []
        return rows

    def watched_changes(self, name: QualifiedName) -> Sequence[WeightedRows]:
        """The changes that statements sent into a watched stream since the last call, by event."""
        events, self._watched_changes[name] = self._watched_changes[name], []
        return events

    def ingress_of(self, name: QualifiedName) -> Ingress:
        """The state of a stream's ingress."""
        return self._ingresses[name]

    def states(self) -> Sequence[State]:
        """The state of each operator of the query and of the statements, and of their feeds."""
        flows = [pump.flow for pump in self._pumps] + ([] if self.flow is None else [self.flow])
        retained = [state for flow in flows for state in flow.network.states().values()]
        return retained + [each.state() for each in self._feeds.values()]

    @property
    def ended(self) -> bool:
        """Whether every stream that the query reads, directly or through statements, has ended.

        Without such a stream, and without a query: whether the end of all inputs has arrived.
        """
        if self._ended or self._prepared.query is None:
            return self._ended
        inputs = sources_of(self._prepared.query, self._prepared.standing)
        fed = {each.target.name for each in self._prepared.standing}
        # A stream into which only statements write is left out: its end follows from ``inputs``.
        streams = [
            each
            for each in inputs
            if each in self._ingresses
            and (each not in fed or self._feeds[each].is_fed_from_outside)
        ]
        return bool(streams) and all(self._ingresses[each].ended for each in streams)

    def result(self) -> Relation:
        """The rows of a relational query over all rows that have been accepted.

        Raises its run-time errors, and INSUFFICIENT_HISTORY.
        """
        query = self._prepared.query
        assert query is not None, "only a query has a result"
        histories, expired = self._memory.histories, self._memory.expired
        check_history(query, histories, expired, self._ingresses, self._env)
        return evaluate(query, self._present_world(), self._forms)
