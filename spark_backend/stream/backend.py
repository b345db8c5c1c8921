"""Spark as a streaming backend of the kit: each step is a micro-batch (tier ``exact``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from algebra.catalog import Profile, QualifiedName, Stream, Table, row_type_of
from algebra.functions.datetimes import format_bound
from algebra.plan import Changes, Delta, row_type
from algebra.prepare import Prepared
from algebra.wire import to_wire
from grammar.source import SqlError
from spark_backend.backend import ANSWERS, FAILURE_PLACES, NO_PLACES, SparkBackend
from spark_backend.data.ingress import Refusal, ingress_of
from spark_backend.data.input import Arrivals, Input
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import RefusedRow
from spark_backend.relation import types_of
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.session import spark_session
from spark_backend.stream.ingress.ingress_bounds import bound_of_ingress, bounds_of
from spark_backend.stream.pipeline.changelog import Changelog
from spark_backend.stream.pipeline.statements import MicroBatch, Statements
from spark_backend.stream.step_result import StepResult
from spark_backend.types import Row
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    Event,
    Hello,
    Open,
    OpenProducer,
    Output,
    Refused,
    Unsupported,
    WireRow,
)

if TYPE_CHECKING:
    from algebra.monotonicity.progress import Bounds

#: The features that cases may need and this backend lacks, and why.
GAPS: Final = {
    "metadata": "Spark deduces no collation, latency or state of a streaming plan",
    FAILURE_PLACES: NO_PLACES,
    "changing-tables": "a micro-batch reads a table as it is then, not as each row passes",
}


@dataclass(slots=True)
class _Streaming:
    """A running query, with the statements that feed it.

    ``query`` is None for a relational query, which reads the tables and histories when all input
    has ended. ``rows`` were emitted since the last poll; ``bound`` is the bound after them.
    ``producers`` has the open producers, by stream and name; ``opened`` counts all that were ever
    opened. ``has_news``: an event since the last micro-batch may have an effect. ``error`` is the
    error with which the query has ``failed``; None after a poll has reported it.
    """

    query: Delta | None
    statements: Statements
    rows: list[WireRow] = field(default_factory=list[WireRow])
    bound: str | None = None
    producers: dict[tuple[str, str], "_Producer"] = field(
        default_factory=dict[tuple[str, str], "_Producer"]
    )
    opened: int = 0
    has_news: bool = True
    failed: bool = False
    error: Refused | None = None


@dataclass(frozen=True, slots=True)
class _Producer:
    """An open producer: its input, and its key, which no other producer ever had."""

    key: str
    input: Input


class SparkStreamBackend(SparkBackend):
    """A `tck.protocol.Backend` of tier ``exact``: Spark, micro-batch by micro-batch.

    Streaming queries, and the statements that feed them, run in
    `spark_backend.stream.pipeline.statements`; all other requests are answered by the batch
    backend.  Its state is not reported: it retains rows of the inputs (`retained`), while the kit
    counts the rows and groups that operators buffer.
    """

    def __init__(self) -> None:
        super().__init__()
        self._streaming: _Streaming | None = None
        self._changelog: Changelog | None = None
        #: The changes of the changelog since the last poll.
        self._changes: list[Row] = []

    def start(self) -> Hello:
        """Start Spark, or use the active session; return the backend's name, versions and gaps."""
        self._spark = spark_session(conf=self._conf)
        version = str(self._spark.version)
        profiles = tuple(str(each) for each in Profile)
        return Hello("spark-stream", version, "Python", "exact", profiles, GAPS)

    def open_prepared(self, request: Open, prepared: Prepared) -> Accepted | Refused | Unsupported:
        """Run the script's relational statements, and start the standing ones."""
        answer = super().open_prepared(request, prepared)
        if isinstance(answer, Refused | Unsupported):
            return answer
        if isinstance(prepared.query, Delta) or prepared.standing:
            self._streaming = self._start_statements()
        if isinstance(prepared.query, Changes):
            self._changelog = Changelog(prepared.query, self._current.contents)
        return answer

    def feed(self, event: Event) -> None:
        """Take an event, which the next micro-batch will process.

        Before a bound of a stream without a rowtime column, a micro-batch processes the rows that
        have arrived, because the earlier bound is their time (S-311.b).
        """
        work = self._streaming
        if work is not None:
            sender = self._sender(event.input, event.producer) if isinstance(event, Bound) else None
            if sender is not None and sender.ingress.rowtime is None and work.has_news:
                self._micro_batch(work)
            work.has_news |= not isinstance(event, OpenProducer | CloseProducer)
        super().feed(event)

    def poll(self) -> Output:
        """The output of the events since the last poll, and the rows that were dropped."""
        work = self._streaming
        if work is None:
            return self._take_cached_answer() or super().poll()
        self._micro_batch(work)
        if work.query is None and not work.failed:
            return super().poll()
        session = self._current
        error, work.error = work.error, None
        rows, work.rows = tuple(work.rows), []
        late, session.late = tuple(session.late), []
        warnings, session.warnings = tuple(session.warnings), []
        return Output(rows, work.bound, late, error, warnings=warnings)

    @property
    def retained(self) -> int:
        """The number of input rows that the open query and its statements retain.

        For a changelog this counts all stored rows and the groups.
        """
        changelog = self._changelog
        if changelog is not None:
            rows = sum(changelog.retained.values()) + changelog.groups
            return rows + self._current.contents.count()
        if self._streaming is None:
            return 0
        return sum(count for *_, count in self._streaming.statements.retained_rows)

    def close(self) -> None:
        """End the query, and remove its files."""
        if self._streaming is not None:
            self._streaming.statements.close()
            self._streaming = None
        self._changelog, self._changes = None, []
        super().close()

    # --- relational queries ---------------------------------------------------------------------

    def _take_cached_answer(self) -> Output | None:
        """Answer the query by the cached output of a backend that received the same messages.

        None: no such output is cached (`spark_backend.data.answers`), or the query is not a
        relational query whose input has ended.
        """
        session = self._current
        if not session.ended or session.answered or self._changes_at_each_poll():
            return None
        output = ANSWERS.of(session.conversation)
        if output is not None:
            session.answered, session.late, session.warnings = True, [], []
            for each in session.inputs.values():
                each.pending = Arrivals()
        return output

    # --- one micro-batch ------------------------------------------------------------------------

    def _changes_at_each_poll(self) -> bool:
        """Whether the query is a changelog, so that each poll returns changes."""
        return isinstance(self._current.prepared.query, Changes)

    def _changed(self) -> tuple[tuple[WireRow, ...], tuple[int, ...]]:
        """Take the changes of the answer since the last poll.

        Return the rows on the wire, and for each its weight: 1 for an insert, -1 for a delete.
        """
        changelog, contents = self._changelog, self._current.contents
        assert changelog is not None, "only a changelog has changes"
        if self._streaming is None:
            arrived: dict[QualifiedName, RowBuffer] = {}
            for name, stream in changelog.streams.items():
                content = contents.of(stream)
                arrived[name], content.passed = content.passed, RowBuffer(content.passed.types)
            self._follow(changelog, arrived)
            for rows in arrived.values():
                rows.close()
        changes, self._changes = self._changes, []
        types = types_of(row_type(changelog.query))
        found = [tuple(map(to_wire, types, row[:-1])) for row in changes]
        return tuple(found), tuple(1 if row[-1] == 1 else -1 for row in changes)

    def _follow(self, changelog: Changelog, arrived: Mapping[QualifiedName, RowBuffer]) -> None:
        """Pass the rows that have ``arrived`` to the changelog, and store its new changes."""
        self._changes += changelog.step(arrived).rows()

    def _start_statements(self) -> _Streaming:
        """Start the statements of the script, and its query, if it is streaming."""
        prepared = self._current.prepared
        query = prepared.query if isinstance(prepared.query, Delta) else None
        return _Streaming(query, Statements(prepared, self._current.contents, self._refuse))

    def _run_standing(self) -> None:
        """Do nothing: the statements have run already, micro-batch by micro-batch."""

    def _micro_batch(self, work: _Streaming) -> None:
        """Process the events since the last micro-batch; the output is for the next poll."""
        work.has_news = False
        if work.failed:
            return
        try:
            for each in list(self._current.inputs.values()):
                self._flush(each)
            for producer in work.producers.values():
                self._flush(producer.input)
            batch = self._run_micro_batch(work)
        except (SqlError, SparkFailure) as raised:
            work.error, work.failed, work.bound = self._failed(raised), True, None
            return
        if work.query is not None:
            assert batch.answer is not None, "the query is the last statement"
            emitted, work.bound = self._on_the_wire(work.query, batch.answer)
            work.rows += emitted
        work.statements.release()

    def _run_micro_batch(self, work: _Streaming) -> MicroBatch:
        """Run one micro-batch of all statements over the rows that arrived since the last one."""
        statements = work.statements
        arrived: dict[QualifiedName, RowBuffer] = {}
        bounds: dict[QualifiedName, Bounds] = {}
        session = self._current
        for name, stream in statements.sources.items():
            arrived[name] = RowBuffer(types_of(row_type_of(stream)))
            bounds[name] = bounds_of(ingress_of(stream), ended=session.ended)
        for each in session.inputs.values():
            if not isinstance(each.relation, Stream):
                continue
            name, content = each.relation.name, session.contents.of(each.relation)
            ended = session.ended or each.ingress.ended
            rows, content.passed = content.passed, RowBuffer(content.passed.types)
            # If statements feed a stream, the session is one of its producers only after it has
            # sent something.
            silent = not each.begun and not ended
            if name not in statements.fed or not silent:
                arrived[name] = rows
                bounds[name] = bounds_of(each.ingress, ended=ended)
        self._send_rows_of_producers(work)
        batch = statements.step(arrived, bounds)
        if self._changelog is not None:
            self._follow(self._changelog, {**arrived, **batch.accepted})
        return batch

    def _store(self, sender: Input, rows: Sequence[Row]) -> None:
        """Store accepted rows.

        The micro-batch that reads them determines their rowtime (S-311.b).
        """
        store = sender.sent
        if store is None:
            store = self._current.contents.of(sender.relation).passed
        store.extend(rows)

    # --- producers ------------------------------------------------------------------------------

    def _sender(self, name: str, producer: str | None) -> Input:
        """The sender to a stream: the session itself, or an open producer."""
        if producer is None:
            return self._input(name)
        return self._producer(name, producer).input

    def _producer(self, name: str, producer: str) -> _Producer:
        """The open producer of the stream ``name``; `ValueError` if there is none."""
        work = self._streaming
        if work is None or (name, producer) not in work.producers:
            raise ValueError(f"{producer} is not an open producer of {name}")
        return work.producers[name, producer]

    def _change_producers(self, event: OpenProducer | CloseProducer) -> None:
        """Open a producer at the present bound of the stream, or close one.

        First a micro-batch processes the rows that have arrived, because the bounds of the other
        producers and of the stream depend on the rows sent before a producer opens or closes.
        """
        work = self._streaming = self._streaming or self._start_statements()
        if work.has_news:
            self._micro_batch(work)
        key = event.input, event.producer
        match event:
            case OpenProducer(name, producer):
                if key in work.producers:
                    raise ValueError(f"{producer} is a producer of {name} already")
                own = self._input(name)
                assert isinstance(own.relation, Stream), "a table has no producers"
                own.merges = True
                work.opened += 1
                unique = f"producer {work.opened}"
                ingress = work.statements.open_producer(
                    own.relation, unique, own.ingress, begun=own.begun
                )
                sent = RowBuffer(types_of(row_type_of(own.relation)))
                work.producers[key] = _Producer(unique, Input(own.relation, ingress, sent=sent))
            case CloseProducer(name, producer):
                closed = self._producer(name, producer)
                work.statements.close_producer(closed.input.relation.name, closed.key)
                del work.producers[key]
                work.has_news = True

    def _send_rows_of_producers(self, work: _Streaming) -> None:
        """Pass the rows of producers to the statements; close producers whose stream has ended."""
        session, statements = self._current, work.statements
        for key, producer in list(work.producers.items()):
            sender, name = producer.input, producer.input.relation.name
            assert sender.sent is not None, "a producer's rows are merged with those of others"
            sent, sender.sent = sender.sent, RowBuffer(sender.sent.types)
            statements.send(name, producer.key, sent, bound_of_ingress(sender.ingress))
            if session.ended or self._input(key[0]).ingress.ended:
                statements.close_producer(name, producer.key)
                del work.producers[key]
        for each in list(session.inputs.values()):
            if (session.ended or each.ingress.ended) and each.relation.name in statements.fed:
                statements.end_input(each.relation.name)

    def _refuse(
        self, target: Table | Stream, rows: RowBuffer, refused: Sequence[Refusal], first: int
    ) -> None:
        """Report rows of a statement that its target has dropped.

        The place of a refusal counts all rows of the target; that of the first of ``rows`` is
        ``first``.
        """
        offered = list(rows.rows())
        self._note_refused(
            [RefusedRow(target, offered[each.place - first], each) for each in refused]
        )

    # --- messages -------------------------------------------------------------------------------

    def _on_the_wire(
        self, query: Delta, result: StepResult
    ) -> tuple[tuple[WireRow, ...], str | None]:
        """The rows, and the bound of their explicit or implicit rowtime, as texts of the protocol.

        The bound is None while no bound is known, and ``end`` when no row will follow.
        """
        types = types_of(row_type(query))
        rows = tuple(
            tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            for row in result.rows.rows()
        )
        if result.ended:
            return rows, "end"
        at = result.implicit_bound if result.bound is None else result.bound
        if at is None:
            return rows, None
        return rows, format_bound(at)
