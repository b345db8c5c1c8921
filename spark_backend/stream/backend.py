"""Spark as a streaming backend of the kit: each step is a micro-batch (tier ``exact``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from algebra.catalog import Profile, QualifiedName, Stream, Table, row_type_of
from algebra.mentions import scans
from algebra.monotonicity.progress import Bounds
from algebra.plan import Delta, Plan, Reads, row_type
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP
from algebra.wire import to_wire
from grammar.source import SqlError
from spark_backend.backend import SparkBackend, failed
from spark_backend.data.ingress import Ingress, Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import in_dependency_order, upserted
from spark_backend.relation import types_of
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.session import SMALL_JVM, spark_session
from spark_backend.stream.bounds.bound_propagation import Row
from spark_backend.stream.engine import Engine, Given
from spark_backend.stream.ingress.producers import ENDED, NOTHING, Producers
from spark_backend.stream.pipeline.statements import OWN, Statement, bounds_of, clock_of, delta_of
from tck.protocol import Accepted, Hello, LateRow, Open, Output, Refused, WireRow

#: What a micro-batch engine is not asked.
GAPS: Final = {
    "metadata": "Spark deduces no collation, latency or state of a streaming plan",
    "changing-tables": "a micro-batch reads a table as it is then, not as each row passes",
}


@dataclass(slots=True)
class _Streaming:
    """What a streaming query has beside the session: engines, and the streams that they feed."""

    query: Engine
    statements: list[Statement]
    fed: dict[QualifiedName, Producers] = field(default_factory=dict[QualifiedName, Producers])
    gates: dict[QualifiedName, Ingress] = field(default_factory=dict[QualifiedName, Ingress])
    failed: bool = False

    @property
    def retained(self) -> int:
        """How many input rows the query and the statements keep for later."""
        return self.query.retained + sum(each.engine.retained for each in self.statements)


class SparkStreamBackend(SparkBackend):
    """A `tck.protocol.Backend` of tier ``exact``: Spark, micro-batch by micro-batch.

    Streaming queries, and the statements that feed them, run on `spark_backend.stream.engine`; all
    else is answered as the batch backend does.  Its state is not told: what it keeps are rows of
    the inputs (`retained`), and the kit counts the rows and groups that operators hold.
    """

    def __init__(self) -> None:
        super().__init__()
        self._streaming: _Streaming | None = None

    def start(self) -> Hello:
        """Start Spark, or take the active session; who answers."""
        self._spark = spark_session(conf=SMALL_JVM)
        version = str(self._spark.version)
        profiles = tuple(str(each) for each in Profile)
        return Hello("spark-stream", version, "Python", "exact", profiles, GAPS)

    def open(self, request: Open) -> Accepted | Refused:
        """Judge a query, run the script's relational statements, and start the standing ones."""
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        prepared, contents = self._current.prepared, self._current.contents
        if isinstance(prepared.query, Delta):
            statements = [
                Statement(
                    f"statement {i}", each, Engine(delta_of(each.input), contents, exact=True)
                )
                for i, each in enumerate(in_dependency_order(prepared.standing))
            ]
            fed: dict[QualifiedName, Producers] = {}
            for each in statements:
                target = each.insert.target
                if target.name not in fed:
                    types = types_of(row_type_of(target))
                    fed[target.name] = Producers((), types, ingress_of(target).rowtime)
                fed[target.name].bounds[each.name] = NOTHING
            self._streaming = _Streaming(Engine(prepared.query, contents), statements, fed)
        return answer

    def poll(self) -> Output:
        """What the events since the last poll have set free, and the rows that were dropped."""
        work = self._streaming
        if work is None:
            return super().poll()
        session = self._current
        error, session.error = session.error, None
        given = Given(
            RowBuffer(types_of(row_type(work.query.query))), None, ended=False, retained=0
        )
        if not work.failed:
            try:
                for each in list(session.inputs.values()):
                    self._flush(each)
                given = self._stepped(work)
            except (SqlError, SparkFailure) as raised:
                error, work.failed = failed(raised), True
        late, session.late = tuple(session.late), []
        rows, bound = self._told(work.query.query, given)
        return Output(rows, bound, late, error)

    @property
    def retained(self) -> int:
        """How many input rows the open query and its statements keep for later."""
        return 0 if self._streaming is None else self._streaming.retained

    def close(self) -> None:
        """Forget the query, and its files."""
        if self._streaming is not None:
            self._streaming.query.close()
            for each in self._streaming.statements:
                each.engine.close()
            self._streaming = None
        super().close()

    # --- one micro-batch ------------------------------------------------------------------------

    def _stepped(self, work: _Streaming) -> Given:
        """Every statement's micro-batch, after those that feed what it reads, then the query's."""
        arrived = self._arrived(work)
        for each in work.statements:
            given = self._step(each.engine, work, arrived)
            self._deliver(each, given, work)
        given = self._step(work.query, work, arrived)
        for name in work.fed:
            self._flow(name, work, arrived)
        self._remember()
        return given

    def _arrived(self, work: _Streaming) -> dict[QualifiedName, list[Row]]:
        """The rows that the gates have let in since the last micro-batch, of streams not fed.

        Those of a stream that statements feed, too, go to its producers.
        """
        session = self._current
        arrived: dict[QualifiedName, list[Row]] = {}
        for each in session.inputs.values():
            if not isinstance(each.relation, Stream):
                continue
            name, held = each.relation.name, session.contents.of(each.relation)
            rows = list(held.passed.rows())
            producers = work.fed.get(name)
            if producers is None:
                arrived[name] = rows
                continue
            held.passed = RowBuffer(held.passed.types)
            clock = clock_of(each.ingress)
            if rows or clock > NOTHING:
                producers.send(OWN, RowBuffer.of(producers.types, rows), clock)
            if session.ended or each.ended:
                producers.send(OWN, RowBuffer(producers.types), ENDED)
        return arrived

    def _step(
        self, engine: Engine, work: _Streaming, arrived: dict[QualifiedName, list[Row]]
    ) -> Given:
        for name in engine.streams:
            self._flow(name, work, arrived)
        rows = {
            name: RowBuffer.of(types_of(row_type_of(stream)), arrived.get(name, []))
            for name, stream in engine.streams.items()
        }
        bounds = {n: self._bounds(each, work) for n, each in engine.streams.items()}
        return engine.step(rows, bounds)

    def _bounds(self, stream: Stream, work: _Streaming) -> Bounds:
        """What the gate of a stream knows of its later rows (S-406)."""
        session = self._current
        producers, own = work.fed.get(stream.name), session.inputs.get(".".join(stream.name))
        if producers is not None:
            gate, ended = self._gate(stream, work), producers.clock == ENDED
        else:
            gate = own.ingress if own is not None else ingress_of(stream)
            ended = session.ended or (own is not None and own.ended)
        return bounds_of(gate, ended=ended)

    # --- statements -----------------------------------------------------------------------------

    def _gate(self, stream: Stream, work: _Streaming) -> Ingress:
        """The gate of a stream that statements feed: what its producers send goes through it."""
        if stream.name not in work.gates:
            work.gates[stream.name] = ingress_of(stream)
        return work.gates[stream.name]

    def _deliver(self, statement: Statement, given: Given, work: _Streaming) -> None:
        """What a statement gives goes to its target: into a table, or to a stream's producers."""
        target = statement.insert.target
        if isinstance(target, Table):
            self._fill(target, list(given.rows.rows()), upsert=statement.insert.upsert)
            return
        clock = ENDED if given.ended else NOTHING if given.bound is None else float(given.bound)
        producers = work.fed[target.name]
        producers.send(statement.name, given.rows, clock)

    def _flow(
        self, name: QualifiedName, work: _Streaming, arrived: dict[QualifiedName, list[Row]]
    ) -> None:
        """Let through the gate of a stream what none of its producers holds up, once a step."""
        if name not in work.fed or name in arrived:
            return
        stream = self._current.prepared.catalog.objects[name]
        assert isinstance(stream, Stream), "only streams have producers"
        gate, contents = self._gate(stream, work), self._current.contents
        rows = list(work.fed[name].flow(contents.session).rows())
        kept, refused = gate.judge(rows, contents.checks(stream))
        self._refuse(stream, rows, refused, gate.arrived - len(rows))
        for row in kept:
            contents.of(stream).passed.append(row)
        arrived[name] = kept
        clock = work.fed[name].clock
        if NOTHING < clock < ENDED and clock > clock_of(gate):
            gate.raise_bound(int(clock), strict=False)

    def _fill(self, table: Table, rows: Sequence[Row], *, upsert: bool) -> None:
        """Rows into a table, those that it takes; of a key the last one."""
        contents = self._current.contents
        kept, refused = ingress_of(table).judge(rows, contents.checks(table))
        self._refuse(table, rows, refused, 0)
        held = contents.of(table)
        if upsert:
            before = [*held.before.rows(), *held.passed.rows()]
            kept = upserted(table, before, kept)
            held.before.close()
            held.passed.close()
            held.before, held.passed = RowBuffer(held.before.types), RowBuffer(held.passed.types)
        for row in kept:
            held.passed.append(row)

    def _refuse(
        self, target: Table | Stream, rows: Sequence[Row], refused: Sequence[Refusal], first: int
    ) -> None:
        """Report rows that a statement offered in vain."""
        types = types_of(row_type_of(target))
        name = ".".join(target.name)
        for each in refused:
            row = rows[each.place - first]
            wire = tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            late = LateRow(name, wire, each.place, str(each.code), each.reason)
            self._current.late.append(late)

    def _remember(self) -> None:
        """What has passed is from before the next step; it is kept where it is read again."""
        session = self._current
        plans: list[Plan] = [each.input for each in session.prepared.standing]
        plans += [session.prepared.query] if session.prepared.query is not None else []
        found = [scan for plan in plans for scan in scans(plan)]
        again = {each.source.name for each in found if each.reads is not Reads.STREAM}
        for name, held in session.contents.objects.items():
            if isinstance(session.prepared.catalog.objects.get(name), Stream):
                if name in again:
                    for row in held.passed.rows():
                        held.before.append(row)
                held.passed.close()
                held.passed = RowBuffer(held.passed.types)

    # --- messages -------------------------------------------------------------------------------

    def _told(self, query: Delta, given: Given) -> tuple[tuple[WireRow, ...], str | None]:
        """The rows on the wire, and the bound of their rowtime, or of the clock they leave by."""
        types = types_of(row_type(query))
        rows = tuple(
            tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            for row in given.rows.rows()
        )
        if given.ended:
            return rows, "end"
        at = given.clock if given.bound is None else given.bound
        if at is None:
            return rows, None
        bound = max(MIN_TIMESTAMP, min(at, MAX_TIMESTAMP))
        return rows, str(to_wire(TIMESTAMP, bound))
