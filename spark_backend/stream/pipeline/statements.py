"""The running standing statements of a script, micro-batch by micro-batch (S-603, S-605).

Each statement has an engine of its own.  Its rows go into a table; or they pass the producers and
the ingress of a stream, and reach the statements that read the stream, in the same micro-batch.
The query of a session is the last statement; it has no target, and its rows are the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from algebra.catalog import Column, Ordering, QualifiedName, Stream, Table, row_type_of
from algebra.modify import Insert
from algebra.monotonicity.progress import Bounds
from algebra.parts.mentions import scans
from algebra.plan import Changes, Delta, Plan, Reads
from algebra.prepare import Prepared
from spark_backend.data.contents import Contents, ObjectRows
from spark_backend.data.ingress import Ingress, Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import in_dependency_order, upserted, with_new_keys
from spark_backend.order.output_order import output_order
from spark_backend.relation import types_of
from spark_backend.stream.engine import Engine
from spark_backend.stream.ingress.ingress_bounds import (
    bound_of_ingress,
    bound_of_own_rows,
    bounds_of,
)
from spark_backend.stream.ingress.ingress_filter import REPORTED, Filtered, filter_rows
from spark_backend.stream.ingress.producers import ENDED, NOTHING, Producers
from spark_backend.stream.pipeline.changelog import Changelogs
from spark_backend.stream.pipeline.checkpoint import Loaded
from spark_backend.stream.session_groups import are_sessions
from spark_backend.stream.stages import stages
from spark_backend.stream.state import (
    DataflowState,
    FedStreamState,
    StatementState,
    ingress_state,
    restore_ingress,
)
from spark_backend.stream.step_result import StepResult

#: The session's own input of a stream, which is a producer like the statements that feed it.
OWN: Final = ""
#: The only producer of a stream between two stages.
_STAGE: Final = "stage"

#: Rows by their name in a checkpoint.
StoredRows: TypeAlias = Mapping[str, RowBuffer]
#: A function that is called for dropped rows.  It takes the target, the rows offered to it, the
#: refusals, and the place of the first offered row among all rows ever offered to the target.
OnRefused: TypeAlias = Callable[[Table | Stream, RowBuffer, Sequence[Refusal], int], None]


@dataclass(slots=True)
class DroppedRows:
    """The number of dropped rows, and the reasons for the first `REPORTED` of them."""

    count: int = 0
    reasons: list[str] = field(default_factory=list[str])

    def add(self, count: int, reasons: Sequence[str]) -> None:
        """Count more dropped rows; ``reasons`` has the reasons for the first of them."""
        self.count += count
        self.reasons += reasons[: max(0, REPORTED - len(self.reasons))]


@dataclass(slots=True)
class Statement:
    """A statement, or a stage of one: its engine, and its name among its target's producers.

    ``into`` is the INSERT, or the stream that the next stage reads; None for the query of a
    session, which has no target.
    """

    name: str
    into: Insert | Stream | None
    engine: Engine

    @property
    def target(self) -> QualifiedName:
        """The name of the target; empty for a query."""
        match self.into:
            case None:
                return ()
            case Stream(name):
                return name
            case Insert(target):
                return target.name


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """The result of a micro-batch.

    ``accepted`` has an entry for each stream that statements feed: the rows that its ingress
    accepted, in order, or, for a stream WITH CHANGES, the changes that it took, in the form of
    `spark_backend.data.changes`.  ``answer`` is the output of the query; None if there is no
    streaming query.
    """

    accepted: Mapping[QualifiedName, RowBuffer]
    answer: StepResult | None


class Statements:
    """The standing statements of ``prepared`` over ``contents``, and the streams that they feed.

    A streaming query of ``prepared`` runs after them. ``dropped`` has the rows that targets have
    dropped; ``on_refused`` is called for each of them.  Raises NOT_SUPPORTED for statements that
    feed one another in a circle.
    """

    def __init__(
        self,
        prepared: Prepared,
        contents: Contents,
        on_refused: OnRefused = lambda _target, _rows, _refused, _first: None,
    ) -> None:
        self._contents = contents
        self._catalog = prepared.catalog
        self._on_refused = on_refused
        query = prepared.query if isinstance(prepared.query, Delta) else None
        standing = in_dependency_order(prepared.standing)
        ordered = [each for each in standing if not isinstance(each.input, Changes)]
        found = [scan for each in ordered for scan in scans(each.input)]
        found += [] if prepared.query is None else scans(prepared.query)
        read = {each.source.name for each in found if each.reads is Reads.STREAM}
        #: The tables that are read, and the streams whose histories are read.
        self._stored = {each.source.name for each in found if each.reads is not Reads.STREAM}
        names: dict[QualifiedName, list[str]] = {}
        for number, each in enumerate(ordered):
            names.setdefault(each.target.name, []).append(f"statement {number}")

        def is_exact(target: QualifiedName) -> bool:
            """Whether a reader or another producer of a target needs its bound."""
            return query is not None or target in read or len(names[target]) > 1

        #: All statements and stages in the order in which they run.
        self._statements: list[Statement] = []
        #: The streams between two stages.
        self._stages: list[Stream] = []
        for number, each in enumerate(ordered):
            last = self._cut_stages(delta_of(each.input), ".".join(each.target.name))
            target = each.target if isinstance(each.target, Stream) else None
            engine = Engine(last, contents, exact=is_exact(each.target.name), target=target)
            self._statements.append(Statement(f"statement {number}", each, engine))
        if query is not None:
            # The bounds must be exact in two cases: if the rows are not in the order of their time,
            # whose bound would be unknown, and for sessions, whose bound would be lower.
            last = self._cut_stages(query, "query")
            order = output_order(last)
            exact = order is not None and (not order.by_time or are_sessions(last.input))
            engine = Engine(last, contents, exact=exact)
            self._statements.append(Statement("query", None, engine))
        streams = [each.target for each in ordered if isinstance(each.target, Stream)]
        self.ingress = {each.name: ingress_of(each) for each in streams}
        #: The producers of each stream that statements or stages feed.
        self._fed = {
            each.name: Producers(
                names[each.name], types_of(row_type_of(each)), self.ingress[each.name].rowtime
            )
            for each in streams
        }
        for stage in self._stages:
            # All rows of the previous stage are accepted: none is late, and none must be checked.
            unchecked = tuple(Column(e.name, e.type.as_nullable()) for e in stage.columns)
            self.ingress[stage.name] = ingress_of(Stream(stage.name, unchecked))
            self._fed[stage.name] = Producers([_STAGE], types_of(row_type_of(stage)), None)
        self._targets = {each.name: each for each in (*streams, *self._stages)}
        #: The streams whose ingress accepts all rows if they have a single producer.
        self._accepts_all = {e.target for e in self._statements if self._accepts_all_of(e)}
        self._tables = {e.target.name: e.target for e in ordered if isinstance(e.target, Table)}
        changing = [each for each in standing if isinstance(each.input, Changes)]
        self.changelogs = Changelogs(changing, contents, self._drop)
        self.ingress |= {each.target.name: ingress_of(each.target) for each in changing}
        self.dropped: dict[QualifiedName, DroppedRows] = {}
        #: The rows that fed streams have accepted in this step, until `release`.
        self._open: list[RowBuffer] = []

    def _cut_stages(self, query: Delta, label: str) -> Delta:
        """The last stage of a query; the stages before it become statements."""
        found, last = stages(query, f"{label} stage", len(self._stages))
        for each in found:
            engine = Engine(each.query, self._contents, exact=True, has_next_stage=True)
            self._statements.append(Statement(_STAGE, each.into, engine))
            self._stages.append(each.into)
        return last

    @property
    def fed(self) -> frozenset[QualifiedName]:
        """The names of the streams that statements feed."""
        return frozenset(self._fed)

    @property
    def sources(self) -> Mapping[QualifiedName, Stream]:
        """The streams that statements read but do not feed: `step` needs their rows and bounds."""
        read = {name: s for each in self._statements for name, s in each.engine.streams.items()}
        return {name: stream for name, stream in read.items() if name not in self._fed}

    def open_producer(self, stream: Stream, producer: str, own: Ingress, *, begun: bool) -> Ingress:
        """Open a producer of a stream (S-603); return the ingress of its rows.

        ``own`` is the ingress of the session's own input.  It is also that of the stream until the
        first producer opens, unless statements feed the stream. ``begun``: the session's own input
        is a producer itself. If the stream has ended, the rows of the producer are late.
        """
        name = stream.name
        if name not in self._fed:
            self._targets[name], self.ingress[name] = stream, own.copied()
            names = [OWN] if begun else []
            self._fed[name] = Producers(names, types_of(row_type_of(stream)), own.rowtime)
            self._fed[name].bounds.update(dict.fromkeys(names, bound_of_ingress(own)))
        ended = own.ended or self._fed[name].bound == ENDED
        self._fed[name].open(producer, bound_of_ingress(self.ingress[name]))
        return replace(self.ingress[name].for_new_producer(), ended=ended)

    def send(self, name: QualifiedName, producer: str, rows: RowBuffer, bound: float) -> None:
        """Take rows of a producer, and the bound of its later rows, for the next step."""
        self._fed[name].send(producer, rows, bound)

    def close_producer(self, name: QualifiedName, producer: str) -> None:
        """Close a producer before the next step."""
        self._fed[name].close(producer)

    def end_input(self, name: QualifiedName) -> None:
        """End the session's own input of a fed stream, whose producers have been closed."""
        self._fed[name].end(OWN)

    def step(
        self, arrived: Mapping[QualifiedName, RowBuffer], bounds: Mapping[QualifiedName, Bounds]
    ) -> MicroBatch:
        """Run one micro-batch: each statement once, in dependency order.

        ``arrived`` has the accepted rows of each stream of `sources`, and of other streams with an
        input of their own; ``bounds`` has the bounds of later rows.  Raises the run-time errors of
        expressions.
        """
        flow = _Flow(dict(arrived), dict(bounds))
        for name, rows in arrived.items():
            if name in self._fed:
                known = bounds[name]
                bound = ENDED if known.ended else bound_of_own_rows(self.ingress[name], known)
                self._fed[name].send(OWN, rows, bound)
                del flow.rows[name], flow.bounds[name]
            else:
                self._store_accepted(name, rows)
        answer: StepResult | None = None
        for each in self._statements:
            streams = each.engine.streams
            for name in streams:  # all producers of these streams have run
                self._accept_sent_rows(name, flow)
            result = each.engine.step(
                {name: flow.rows[name] for name in streams},
                {name: flow.bounds[name] for name in streams},
            )
            if each.into is None:
                answer = result
            else:
                self._deliver(each.name, each.into, result, flow)
        for name in self._fed:  # also the streams that no statement reads
            self._accept_sent_rows(name, flow)
        self._append_to_histories()
        stages = {each.name for each in self._stages}
        accepted = {name: flow.rows[name] for name in self._fed if name not in stages}
        accepted |= self.changelogs.step(flow.rows)
        return MicroBatch(accepted, answer)

    @property
    def retained(self) -> int:
        """The number of rows that all statements retain."""
        rows = sum(count for *_, count in self.retained_rows)
        return rows + sum(count for _, count in self.compacted)

    @property
    def retained_rows(self) -> list[tuple[QualifiedName, QualifiedName, int]]:
        """For each statement and each stream that it reads: target, stream, number of rows."""
        return [
            *(
                (each.target, stream, each.engine.retained_of(stream))
                for each in self._statements
                for stream in each.engine.streams
            ),
            *self.changelogs.retained_rows,
        ]

    @property
    def compacted(self) -> list[tuple[QualifiedName, int]]:
        """For each statement with state compaction: its target, and its compacted rows."""
        found = [each for each in self._statements if each.engine.compacts]
        rows = [(each.target, each.engine.compacted) for each in found]
        return [*rows, *self.changelogs.groups]

    def release(self) -> None:
        """Release the resources of a step, whose output and state have been written."""
        while self._open:
            self._open.pop().close()

    def close(self) -> None:
        """Evict all rows, and remove the files."""
        self.release()
        for each in self._statements:
            each.engine.close()
        self.changelogs.close()

    # --- rows between statements ----------------------------------------------------------------

    def _deliver(
        self, producer: str, into: Insert | Stream, result: StepResult, flow: "_Flow"
    ) -> None:
        """Send the rows of a statement to its target, with the bound of later rows.

        ``producer`` is the name of the statement.  For the next stage, ``flow`` gets the bounds of
        all columns.
        """
        target = into.target if isinstance(into, Insert) else into
        if isinstance(target, Table):
            self._fill(target, result.rows, upsert=isinstance(into, Insert) and into.upsert)
            return
        if result.bounds is not None:
            flow.bounds[target.name] = result.bounds
        bound = ENDED if result.ended else NOTHING if result.bound is None else float(result.bound)
        self._fed[target.name].send(producer, result.rows, bound)

    def _accept_sent_rows(self, name: QualifiedName, flow: "_Flow") -> None:
        """Let a stream accept the rows that no longer wait for a producer, once in a step.

        Their entries in ``flow`` are set.  Nothing happens if no statement feeds the stream.
        """
        if name not in self._fed or name in flow.rows:
            return
        stream, ingress, producers = self._targets[name], self.ingress[name], self._fed[name]
        rows = producers.flow(self._contents.session)
        if rows.framed and name in self._accepts_all and len(producers.bounds) == 1:
            found = Filtered(rows, ())
        else:
            first = ingress.arrived
            found = filter_rows(ingress, rows, self._contents.checks(stream))
            self._drop(stream, rows, found.refused, first)
        self._open.append(found.rows)
        self._store_accepted(name, found.rows)
        bound = producers.bound
        if NOTHING < bound < ENDED and bound > bound_of_ingress(ingress):
            ingress.raise_bound(int(bound), strict=False)
        flow.rows[name] = found.rows
        flow.bounds.setdefault(name, bounds_of(ingress, ended=bound == ENDED))

    def _accepts_all_of(self, statement: Statement) -> bool:
        """Whether the ingress of the target accepts all rows, so that it need not judge them.

        It does if rows are emitted in rowtime order, none below the bound of the ingress.  Judging
        the rows of a frame computes them once more, before the sink does.  With several statements,
        one may fail after the rows of another have been written; then all rows are judged first.
        """
        into, stages = statement.into, len(self._stages)
        if not isinstance(into, Insert) or len(self._statements) - stages > 1:
            return False
        target, time = into.target, statement.engine.facts.in_time
        orders = {place: each.ordering for place, each in enumerate(target.columns)}
        ordered = {place: each for place, each in orders.items() if each is not None}
        return (
            time is not None
            and ordered == {time: Ordering()}
            and not ingress_of(target).constrained
            and target.name not in self._stored
        )

    def _fill(self, table: Table, rows: RowBuffer, *, upsert: bool) -> None:
        """Add the rows that a table accepts; with ``upsert`` the last row of each key."""
        found = filter_rows(ingress_of(table), rows, self._contents.checks(table))
        self._drop(table, rows, found.refused, 0)
        content, accepted = self._contents.of(table), found.rows.rows()
        _settle(content)
        if upsert:
            merged = upserted(table, list(content.before.rows()), list(accepted))
            content.before.close()
            content.before = RowBuffer.of(content.before.types, merged)
        else:
            new, repeated = with_new_keys(table, content.before.rows(), accepted)
            lost = RowBuffer.of(content.before.types, [each.row for each in repeated])
            self._drop(table, lost, [each.refusal for each in repeated], 0)
            for each in new:
                content.before.append(each)

    def _drop(
        self, target: Table | Stream, rows: RowBuffer, refused: Sequence[Refusal], first: int
    ) -> None:
        """Count the rows that a target drops, and report them; parameters as in `OnRefused`."""
        if refused:
            reasons = [each.reason for each in refused[:REPORTED]]
            self.dropped.setdefault(target.name, DroppedRows()).add(len(refused), reasons)
            self._on_refused(target, rows, refused, first)

    # --- histories ------------------------------------------------------------------------------

    def _store_accepted(self, name: QualifiedName, rows: RowBuffer) -> None:
        """Store the accepted rows of a stream, if a query reads its history."""
        if name in self._stored:
            content = self._contents.of(self._stream(name))
            for each in rows.rows():
                content.passed.append(each)

    def _append_to_histories(self) -> None:
        """Add the rows accepted in this step to the histories for the next step."""
        for name in self._stored:
            if isinstance(self._catalog.objects[name], Stream):
                _settle(self._contents.of(self._stream(name)))

    def _stream(self, name: QualifiedName) -> Stream:
        """The stream with a name in the catalog."""
        found = self._catalog.objects[name]
        assert isinstance(found, Stream), "only streams have rows that pass"
        return found

    # --- state ----------------------------------------------------------------------------------

    def state(self) -> tuple[DataflowState, StoredRows]:
        """The state from which the next step continues: a record, and rows by name."""
        rows: dict[str, RowBuffer] = {}
        engines: list[StatementState] = []
        for number, each in enumerate(self._statements):
            state, retained = each.engine.state()
            rows |= {f"engine{number}.{i}": store for i, store in enumerate(retained.values())}
            engines.append(StatementState(state, tuple(retained)))
        fed: list[FedStreamState] = []
        for number, (name, producers) in enumerate(self._fed.items()):
            rows[f"waiting{number}"] = producers.pending
            bounds = {key: str(value) for key, value in producers.bounds.items()}
            fed.append(FedStreamState(ingress_state(self.ingress[name]), bounds))
        for number, relation in enumerate(self._stored_relations):
            rows[f"held{number}"] = self._contents.of(relation).before
        rows |= self.changelogs.state()
        return DataflowState(tuple(engines), tuple(fed)), rows

    def restore(self, state: DataflowState, loaded: Loaded) -> None:
        """Continue from the `state` of another run of the same script.

        ``loaded`` reads the rows.  Tables are those of the script, except for those that statements
        fill.
        """
        for number, (each, own) in enumerate(zip(self._statements, state.statements, strict=True)):
            rows = {
                name: loaded(f"engine{number}.{i}", each.engine.types_retained(name))
                for i, name in enumerate(own.retained)
            }
            each.engine.restore(own.engine, rows)
        for number, (name, fed) in enumerate(zip(self._fed, state.fed, strict=True)):
            producers = self._fed[name]
            producers.bounds = {key: float(value) for key, value in fed.bounds.items()}
            producers.pending = loaded(f"waiting{number}", producers.types_pending)
            restore_ingress(self.ingress[name], fed.ingress)
        for number, relation in enumerate(self._stored_relations):
            content = self._contents.of(relation)
            content.before.close()
            content.before = loaded(f"held{number}", content.before.types).in_memory()
        self.changelogs.restore(loaded)

    @property
    def _stored_relations(self) -> Sequence[Table | Stream]:
        """The relations whose rows are part of the state.

        They are the tables that statements fill, the streams whose histories are read, and the
        streams WITH CHANGES.
        """
        found = [self._catalog.objects[name] for name in sorted(self._stored)]
        streams = [each for each in found if isinstance(each, Stream)]
        return [*self._tables.values(), *streams, *self.changelogs.tables]


@dataclass(slots=True)
class _Flow:
    """The rows accepted so far in a step, and the bounds of later rows, by stream."""

    rows: dict[QualifiedName, RowBuffer]
    bounds: dict[QualifiedName, Bounds]


def _settle(content: ObjectRows) -> None:
    """Append the rows of this step (``passed``) to those from ``before``."""
    for each in content.passed.rows():
        content.before.append(each)
    content.passed.close()
    content.passed = RowBuffer(content.passed.types)


def delta_of(plan: Plan) -> Delta:
    """The query of a standing statement, whose plan ``plan`` is a Delta."""
    assert isinstance(plan, Delta), "a standing statement streams"
    return plan
