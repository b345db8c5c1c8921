"""A session: the streams and tables of a catalog, their input, and one query on them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from algebra.catalog import Column, QualifiedName, Stream, Table
from algebra.modify import Insert
from algebra.parts.mentions import scans, streams_read
from algebra.plan import Changes, Delta, Plan, Reads
from algebra.prepare import Prepared
from algebra.wire import Wire
from grammar.source import SqlError
from reference.acceptance import DroppedRow, typed_rows
from reference.definitions import DEFINITIONS
from reference.dml.modify import changed, inserted
from reference.dml.statements import Refusal, accepted_rows, applied, in_order_of_flow, sources_of
from reference.engine.histories import Memory
from reference.engine.history_scan import check_history, remembered
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
    that read the stream, and to the query if it streams (``flow``). ``refusals`` has the rows of
    standing statements that targets have dropped; the caller clears it. Rows that a ``watched``
    stream has accepted are retained until `passed` returns them, and the changes of a ``watched``
    stream WITH CHANGES until `passed_changes` does. ``changes`` has the changes of the query if it
    is a changelog; each call that changes a stream or a table is an event of the changelog.

    Raises the run-time errors of the script's DML, and NOT_SUPPORTED for standing statements that
    feed each other in a circle.
    """

    def __init__(
        self,
        prepared: Prepared,
        flow: Callable[[Plan, Environment], Flow] = Flow,
        watched: Iterable[QualifiedName] = (),
        forms: Forms = DEFINITIONS,
        form: Form = Recomputed,
    ) -> None:
        self._forms = forms
        objects = prepared.catalog.objects.values()
        self._prepared = prepared
        self._tables = {each.name: each for each in objects if isinstance(each, Table)}
        ingresses: Ingresses = {
            each.name: ingress_of(each) for each in objects if isinstance(each, Stream)
        }
        self._offered: dict[QualifiedName, int] = defaultdict(int)  # rows that arrived, by input
        self._loaded: dict[QualifiedName, int] = defaultdict(int)  # rows of contents, by object
        self._begun = set[QualifiedName]()  # streams whose own input has sent a row or a bound
        self._ended = False
        self._passed: dict[QualifiedName, list[Row]] = {name: [] for name in watched}
        self._events: dict[QualifiedName, list[WeightedRows]] = {name: [] for name in watched}
        self.version = 0  # of tables, histories and the clock, which sub-queries read
        self.refusals: list[Refusal] = []
        world = World()
        for step in prepared.steps:
            world, ingresses, refused = applied(step, world, ingresses, forms)
            self.refusals += refused
        self._ingresses = dict(ingresses)
        self._memory = Memory(_read_again(prepared))
        self._world = world._replace(histories=self._memory.histories)
        for name, rows in world.histories.items():
            self._memory.add(self._ingresses[name], rows)
        self._env = env = self._environment()
        self._accept = {
            name: forms.ingress(ingress, env) for name, ingress in self._ingresses.items()
        }
        query = prepared.query
        self.flow = flow(query, env) if isinstance(query, Delta) else None
        self.changes = ChangeFlow(query, env, form) if isinstance(query, Changes) else None
        self._answered = -1  # the version at the last event of changelogs
        read = set[QualifiedName](streams_read(query) if isinstance(query, Changes) else ())
        targets = in_order_of_flow(prepared.standing)
        # The standing changelogs, each statement before those that read its target.
        self._changing = [
            (each, ChangeFlow(each.input, env, form))
            for target in targets
            for each in prepared.standing
            if each.target.name == target and isinstance(each.input, Changes)
        ]
        read.update(*(streams_read(each.input) for each, _ in self._changing))
        # The rows of each stream that changelogs read, since the last event.
        self._came: dict[QualifiedName, list[Row]] = {name: [] for name in read}
        self._world = self._world._replace(streams=self._came)
        self._pumps = [
            Pump(f"statement {place}", each, env)
            for target in targets
            for place, each in enumerate(prepared.standing)
            if each.target.name == target and isinstance(each.input, Delta)
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
            world = remembered(self._world, self._ingresses)
            return evaluate(plan, world, self._forms, outer)

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
        """Take the contents of a table, or the history of a stream; return the dropped rows.

        The rows of a history count as arrived, so they advance the stream's bound (S-103).

        Defines: S-103.g
        """
        first = self._loaded[name]
        self._loaded[name] += len(rows)
        return self._take(name, rows, first, passing=False)

    def rows(
        self,
        name: QualifiedName,
        rows: Sequence[tuple[Wire, ...]],
        producer: str | None = None,
        weights: Sequence[int] = (),
    ) -> list[DroppedRow]:
        """Take arriving rows; return the dropped rows.

        ``producer`` sends them; None: the session itself. A row of one of several producers may be
        dropped later, when it enters the stream; then it is among the ``refusals``. ``weights`` are
        those of S-1005; empty: all rows are inserts.
        """
        first = self._offered[name]
        self._offered[name] += len(rows)
        changing = name in self._tables and self._tables[name].changing
        if changing or any(weight < 0 for weight in weights):
            late = self._take_changes(name, rows, weights or [1] * len(rows), first)
        else:
            late = self._take(name, rows, first, passing=True, producer=producer)
        self._happened()
        return late

    def _take_changes(
        self,
        name: QualifiedName,
        offered: Sequence[tuple[Wire, ...]],
        weights: Sequence[int],
        first: int,
    ) -> list[DroppedRow]:
        """Take changes of a stream WITH CHANGES, one after the other; return the dropped changes.

        The columns of a tombstone other than its key are not read.
        """
        late: list[DroppedRow] = []
        for place, (wire, weight) in enumerate(zip(offered, weights, strict=True), first):
            columns, key = self.columns(name), self._key(name)
            if weight < 0 and key:
                wire = tuple(v if i in key else None for i, v in enumerate(wire))
                columns = tuple(
                    each if i in key else replace(each, type=each.type.as_nullable())
                    for i, each in enumerate(columns)
                )
            rows, bad = typed_rows(columns, [wire], self._world.now)
            faults = [why for _, why in bad]
            if rows and name in self._tables:
                faults += [why for _, why in self._change(self._tables[name], [(rows[0], weight)])]
            elif rows:
                faults.append(Dropped(Fault.BAD_ROW, "rows are only added to this stream"))
            late += [DroppedRow(name, offered[place - first], place, why) for why in faults]
        return late

    def _key(self, name: QualifiedName) -> tuple[int, ...]:
        """The places of the KEY of a stream WITH CHANGES; () without one."""
        return self._tables[name].primary_key if name in self._tables else ()

    def _change(self, table: Table, weighted: WeightedRows) -> Sequence[tuple[int, Dropped]]:
        """Change the rows of a stream WITH CHANGES.

        Return place and reason of each dropped change.
        """
        old = self._world.tables.get(table.name, ())
        rows, dropped = changed(table, old, weighted, self._env)
        self._world = self._world._replace(tables={**self._world.tables, table.name: rows})
        self._relations_changed()
        return dropped

    def _happened(self) -> None:
        """Compute the changelogs after an event: those of statements first, then the query's."""
        if self.version == self._answered:
            return
        for statement, flow in self._changing:
            self._send_changes(statement, flow.happened(self._answerable()))
        if self.changes is not None:
            self.changes.happened(self._answerable())
        for came in self._came.values():
            came.clear()
        self._answered = self.version

    def _relations_changed(self) -> None:
        """Sub-queries and changelogs that were computed before are out of date."""
        self.version += 1

    def _answerable(self) -> World:
        """The tables at this event, and the rows of streams since the last one (S-1001)."""
        return remembered(self._world, self._ingresses)

    def _send_changes(self, statement: Insert, weighted: WeightedRows) -> None:
        """Send the changes of a standing statement into its target."""
        if not weighted:
            return
        table = self._tables[statement.target.name]
        dropped = dict(self._change(table, weighted))
        for place, why in dropped.items():
            self.refusals.append(Refusal(table.name, weighted[place][0], place, why))
        if table.name in self._events:
            taken = [each for place, each in enumerate(weighted) if place not in dropped]
            self._events[table.name].append(taken)

    def values(
        self, name: QualifiedName, rows: Relation, passing: bool
    ) -> Sequence[tuple[int, Row, Dropped]]:
        """Take rows in the internal representation: arriving rows if ``passing``, else contents.

        Returns each row that was dropped, its place among all that arrived, and the reason.
        """
        counts = self._offered if passing else self._loaded
        first = counts[name]
        counts[name] += len(rows)
        if passing and name in self._feeds:
            places = range(first, first + len(rows))
            dropped = self._feed(name).enter(None, rows, list(places))
            self._flows_in(name)
        else:
            dropped = self.enter(name, rows, passing)
        if passing:
            self._happened()
        return [(first + place, rows[place], why) for place, why in dropped]

    def bound(self, name: QualifiedName, at: int, producer: str | None = None) -> SqlError | None:
        """Take a bound, in milliseconds.

        BOUND_BACKWARDS if it is below the sender's previous bound.  None: the bound is accepted.
        ``producer`` is None if the session itself sends it.
        """
        if name in self._feeds or producer is not None:
            error = self._feed(name).set_bound(producer, at)
            self._flows_in(name)
            self._happened()
            return error
        self._ingresses[name], error = self._ingresses[name].with_bound(at)
        if error is None:
            self._begun.add(name)
        self._pass_on(name, ())
        self._happened()
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
        self._flows_in(name)
        self._happened()

    def _feed(self, name: QualifiedName) -> Feed:
        """The producers of a stream.  Raises ValueError if none has ever opened."""
        if name not in self._feeds:
            raise ValueError(f"{'.'.join(name)} has no producers")
        return self._feeds[name]

    def now(self, at: int) -> None:
        """Set the session's clock, in milliseconds."""
        self._world = self._world._replace(now=at)
        self._relations_changed()
        for pump in self._pumps:
            self._deliver(pump, pump.flow.tick())
        if self.flow is not None:
            self.flow.tick()
        self._happened()

    def end(self, name: QualifiedName | None) -> None:
        """End one input, or all (None). A stream that statements feed ends when they all have."""
        self._ended = self._ended or name is None
        if name in self._tables:
            return  # a table has no end
        for each in list(self._ingresses) if name is None else [name]:
            if each in self._feeds:
                self._feeds[each].close_all()
                self._flows_in(each)
            else:
                self._ingresses[each] = replace(self._ingresses[each], ended=True)
                self._pass_on(each, ())
        self._happened()

    def _take(
        self,
        name: QualifiedName,
        offered: Sequence[tuple[Wire, ...]],
        first: int,
        passing: bool,
        producer: str | None = None,
    ) -> list[DroppedRow]:
        """Read rows from the wire, and enter the valid ones; return the dropped ones, in order.

        ``first`` is the place of the first row among all rows of the target.  ``passing``: the rows
        arrive, and readers of the target get them; else they are its contents from before.
        """
        rows, bad = typed_rows(self.columns(name), offered, self._world.now)
        wrong = {place for place, _ in bad}
        sound = [place for place in range(len(offered)) if place not in wrong]
        if passing and (name in self._feeds or producer is not None):
            dropped = self._feed(name).enter(producer, rows, [first + place for place in sound])
            self._flows_in(name)
        else:
            dropped = self.enter(name, rows, passing)
        faults = [*bad, *((sound[at], why) for at, why in dropped)]
        faults.sort(key=lambda fault: fault[0])
        return [DroppedRow(name, offered[place], first + place, why) for place, why in faults]

    def enter(
        self, name: QualifiedName, rows: Relation, passing: bool
    ) -> Sequence[tuple[int, Dropped]]:
        """Send rows into a table, or into a stream without other producers.

        Return place and reason of each dropped row.  ``passing`` is that of `_take`.
        """
        if name in self._tables:
            return self._fill(self._tables[name], rows, upsert=False)
        ingress, retained, refused = accepted_rows(self._ingresses[name], rows, self._accept[name])
        self._ingresses[name] = ingress
        self._memory.add(self._ingresses[name], retained)
        if passing and retained:
            self._begun.add(name)
        self._pass_on(name, retained if passing else ())
        return [(each.place, each.dropped) for each in refused]

    # --- what flows -----------------------------------------------------------------------------

    def _pass_on(self, name: QualifiedName, rows: Relation) -> None:
        """Send accepted rows, and the stream's bounds, to all readers of the stream."""
        ingress = self._ingresses[name]
        if name in self._memory.histories:
            self._relations_changed()  # by new rows, or by a bound that ends the time of old ones
        if name in self._passed:
            self._passed[name] += rows
        if name in self._came and rows:
            self._came[name] += rows
            self._relations_changed()
        for pump in self._pumps:
            if name in pump.reads:
                self._deliver(pump, pump.flow.enter(ingress, rows))
        if self.flow is not None:
            self.flow.enter(ingress, rows)

    def _deliver(self, pump: Pump, train: Train) -> None:
        """Send the output of a standing statement into its target."""
        if isinstance(pump.target, Table):
            rows = pump.flow.drained()
            for place, why in self._fill(pump.target, rows, pump.upsert):
                self.refusals.append(Refusal(pump.target.name, rows[place], place, why))
        else:
            self._feeds[pump.target.name].send(pump.name, pump.flow.drained(), train.bounds)
            self._flows_in(pump.target.name)

    def _flows_in(self, name: QualifiedName) -> None:
        """Send into a stream the rows that do not wait for one of its producers any more."""
        feed = self._feeds[name]
        self._ingresses[name], retained, refused = feed.flow(self._ingresses[name])
        self.refusals += refused
        self._memory.add(self._ingresses[name], retained)
        self._pass_on(name, retained)

    def _fill(self, table: Table, rows: Relation, upsert: bool) -> Sequence[tuple[int, Dropped]]:
        """Insert rows into a table; return the place and the reason of each dropped row."""
        old = self._world.tables.get(table.name, ())
        retained, dropped = inserted(table, old, rows, upsert=upsert, env=self._env)
        self._world = self._world._replace(tables={**self._world.tables, table.name: retained})
        self._relations_changed()
        return dropped

    # --- output ---------------------------------------------------------------------------------

    def changed(self) -> WeightedRows:
        """The changes of a changelog since the last call.

        Before the first event, the first answer.
        """
        assert self.changes is not None, "only a changelog has changes"
        self._happened()
        return self.changes.drained()

    def passed(self, name: QualifiedName) -> Relation:
        """The rows that a watched stream has accepted since the last call, in order."""
        rows, self._passed[name] = self._passed[name], []
        return rows

    def passed_changes(self, name: QualifiedName) -> Sequence[WeightedRows]:
        """The changes that standing statements have sent into a watched stream, by event."""
        events, self._events[name] = self._events[name], []
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
        """Whether every input that the query reads, directly or not, has ended."""
        if self._ended or self._prepared.query is None:
            return self._ended
        inputs = sources_of(self._prepared.query, self._prepared.standing)
        fed = {each.target.name for each in self._prepared.standing}
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
        return evaluate(query, remembered(self._world, self._ingresses), self._forms)


def _read_again(prepared: Prepared) -> set[QualifiedName]:
    """The streams whose history the query or a standing statement reads."""
    found = [] if prepared.query is None else list(scans(prepared.query))
    found += [scan for each in prepared.standing for scan in scans(each.input)]
    return {each.source.name for each in found if each.reads is Reads.HISTORY}
