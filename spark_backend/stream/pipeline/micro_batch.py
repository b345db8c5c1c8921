"""A script of standing statements as one Structured Streaming query, each row once.

Structured Streaming reads the sources and says which input is in which micro-batch (foreachBatch);
what it means is said by `spark_backend.stream.pipeline.statements`.  No watermark and no state
store of Spark's is used:

1. micro-batch n starts from the state that n - 1 left behind;
2. its rows go through the gates of the sources, and through the statements;
3. what passes into a sink is written under the number n, over what a try before has left there;
4. the state is written under n; then Structured Streaming notes that n is done.

A pipeline that dies anywhere does n again when it is started anew: from the same state, with the
same input (Spark's own log says which), to the same place.  So each row is there once.

When all sources have ended, a last micro-batch gives what was waiting for the end.  It has the next
number, its state says that the pipeline has ended, and from there on a run gives nothing more.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.streaming.query import StreamingQuery

from algebra.catalog import Profile, QualifiedName, Stream, Table
from algebra.explain import explain
from algebra.functions.datetimes import format_timestamp
from algebra.mentions import scans
from algebra.prepare import Prepared
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import LATE, Ingress, Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import run_step
from spark_backend.runtime.failures import failures
from spark_backend.stream.ingress.ingress_filter import TOLD, admit
from spark_backend.stream.pipeline.checkpoint import Checkpoint
from spark_backend.stream.pipeline.statements import Lost, Statements, bounds_of
from spark_backend.stream.state import Json, gate_state, restore_gate

#: The column that says which source a row is of.
_SOURCE: Final = "source"
#: What Spark's own pages say of a job; of a micro-batch's: the query's ids, and its number.
_DESCRIPTION: Final = "spark.job.description"
#: The longest sleep, in seconds: so soon a wish to stop is heard.
_NAP: Final = 0.05


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a source has in a micro-batch: rows in order of arrival, of the right types.

    ``dropped`` counts records that are no rows, ``reasons`` are those of the first few; ``ended``:
    no more will come.
    """

    rows: RowBuffer
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    ended: bool = False


class Source(Protocol):
    """Where the rows of a stream come from."""

    @property
    def stream(self) -> Stream:
        """The stream."""
        ...

    def frame(self, session: SparkSession, /) -> DataFrame:
        """What Structured Streaming divides into micro-batches: rows, or the names of files."""
        ...

    def arrived(self, batch: DataFrame) -> Arrived:
        """The rows of a micro-batch, of which ``batch`` is the part of `frame`."""
        ...

    def refused(self, refusal: Refusal, place: int, /) -> str:
        """Why a row does not come in; ``place`` is its own among those that `arrived` last.

        Raises what ends the pipeline, where such a row does.
        """
        ...

    def done(self) -> None:
        """The micro-batch is over: what was held for it may go."""
        ...


class Sink(Protocol):
    """Where the rows of a stream go."""

    def write(self, rows: RowBuffer, batch: int, session: SparkSession, /) -> int:
        """Let exactly these rows be there under a number, whatever was before; how many they are.

        Raises `OSError`, and Spark's own errors.
        """
        ...

    def state(self) -> Json:
        """What a new sink must know to go on."""
        ...

    def restore(self, state: Json, /) -> None:
        """Go on from what `state` told of another one: what came after that is to be as nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Through:
    """What has gone through one end since the checkpoint was begun; ``clock`` in milliseconds.

    ``rows``: those that came, or that were written.
    """

    name: QualifiedName
    rows: int
    dropped: int
    reasons: tuple[str, ...]
    clock: int | None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pipeline is after a micro-batch; ``retained`` are the rows kept for later."""

    batch: int
    sources: tuple[Through, ...]
    sinks: tuple[Through, ...]
    lost: tuple[Through, ...]
    retained: int


class _StoppedError(Exception):
    """Ends a query between two micro-batches."""


@dataclass(slots=True)
class _Read:
    """A source at work."""

    source: Source
    gate: Ingress
    ended: bool = False
    malformed: int = 0
    dropped: Lost = field(default_factory=Lost)


@dataclass(slots=True)
class Pipeline:
    """The standing statements of a script between sources and sinks.

    ``tables`` fills the tables that the script itself does not; ``now`` tells the session's clock,
    in milliseconds; ``told`` hears of each micro-batch.
    """

    session: SparkSession
    prepared: Prepared
    profile: Profile
    sources: Sequence[Source]
    sinks: Mapping[QualifiedName, Sink]
    checkpoint: Checkpoint
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    tables: Callable[[Contents], None] = lambda _: None
    told: Callable[[Progress], None] = lambda _: None
    _contents: Contents = field(init=False)
    _statements: Statements = field(init=False)
    _reads: list[_Read] = field(init=False)
    _written: dict[QualifiedName, int] = field(init=False)
    _held: list[RowBuffer] = field(default_factory=list[RowBuffer])
    _current: SparkSession = field(init=False)
    _checked: bool = False
    _begun: bool = False
    _last: int | None = None
    _over: bool = False
    _stopping: bool = False
    _failure: Exception | None = None

    def __post_init__(self) -> None:
        """Set up the statements, so that their faults come early."""
        self._current = self.session
        self._begin()

    def run(self, *, once: bool, trigger: float, stopping: Callable[[], bool]) -> Progress:
        """Run until all sources have ended, or ``stopping`` says so; how far it came.

        ``once``: what is there now is read, and then the sources have ended.  ``trigger``: the
        seconds between two looks for input.  A pipeline that has ended before does nothing.
        Raises `CheckpointError`, `SqlError`, `SparkFailure`, `OSError`, and what a source raises.
        """
        with failures():
            self.checkpoint.claim(mark(self.prepared, self.profile))
            self._recall(self.checkpoint.last())
            if not self._over and not self._ended:
                self._stream(once=once, trigger=trigger, stopping=stopping)
            if self._over or (stopping() and not self._ended):
                return self._progress()
            return self._finish()

    def _stream(self, *, once: bool, trigger: float, stopping: Callable[[], bool]) -> None:
        query = self._start(once=once, trigger=trigger)
        try:
            while query.isActive:
                if stopping() or self._ended:
                    self._stopping = True
                    if not query.status["isTriggerActive"]:
                        query.stop()
                awaited: Any = query  # it takes parts of a second, too
                awaited.awaitTermination(_NAP)
        except Exception:
            if self._failure is None:
                raise
        finally:
            query.stop()
        if self._failure is not None and not isinstance(self._failure, _StoppedError):
            raise self._failure

    def _start(self, *, once: bool, trigger: float) -> StreamingQuery:
        """The running query over the union of all sources."""
        whole: DataFrame | None = None
        for number, each in enumerate(self.sources):
            frame = each.frame(self.session)
            columns = F.struct(*(frame[name] for name in frame.columns)).alias(_part(number))
            frame = frame.select(F.lit(number).alias(_SOURCE), columns)
            whole = frame if whole is None else whole.unionByName(frame, allowMissingColumns=True)
        assert whole is not None, "a pipeline has a source"
        named = whole.writeStream.queryName(", ".join(".".join(each) for each in self.sinks))
        writer = named.option("checkpointLocation", self.checkpoint.of_spark)
        writer = writer.foreachBatch(self._batch)
        if once:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{round(trigger * 1_000)} milliseconds").start()

    # --- one micro-batch ------------------------------------------------------------------------

    def _batch(self, frame: DataFrame, batch: int) -> None:
        """What Structured Streaming calls for each micro-batch, again for one that it began."""
        try:
            if self._stopping:
                raise _StoppedError
            with failures():
                if not self._checked:
                    # Structured Streaming works in a session of its own, a copy of the first.
                    self._current = self.checkpoint.session = frame.sparkSession
                    self.checkpoint.check(batch)
                    self._recall(batch - 1)
                    self._checked = True
                elif self._last != batch - 1:
                    self._recall(batch - 1)
                self._describe()
                self._step(batch, frame)
        except Exception as error:
            self._failure = error
            raise

    def _describe(self) -> None:
        """Append to the description of the micro-batch's jobs what statements retain, and bounds.

        Spark's pages show it beside the query's ids and the number of the micro-batch; the rows
        and bounds are those after the micro-batch before.
        """
        context = self._current.sparkContext
        lines = [context.getLocalProperty(_DESCRIPTION) or ""]
        lines += [
            f"{'.'.join(target)} keeps {count:,} rows of {'.'.join(stream)}"
            for target, stream, count in self._statements.kept
            if count
        ]
        lines += [
            f"{'.'.join(target)} keeps {count:,} rows for those that are past"
            for target, count in self._statements.past
            if count
        ]
        for each in self._progress().sources:
            if each.clock is not None:
                dropped = f", {each.dropped:,} dropped" if each.dropped else ""
                at = format_timestamp(each.clock)
                lines.append(f"{'.'.join(each.name)} has come to {at}: {each.rows:,} rows{dropped}")
        context.setJobDescription("\n".join(lines))

    def _finish(self) -> Progress:
        """The last micro-batch: no row, and the end of all sources."""
        if self._last is None:
            self._recall(self.checkpoint.last())
        assert self._last is not None, "it has been recalled"
        for each in self._reads:
            each.ended = True
        self._over = True
        self._step(self._last + 1, None)
        return self._progress()

    def _step(self, batch: int, frame: DataFrame | None) -> None:
        self._last = None  # should this try fail, the next one starts from what was written
        self._contents.now = self.now()
        try:
            arrived = {
                each.source.stream.name: self._admitted(each, number, frame)
                for number, each in enumerate(self._reads)
            }
            bounds = {
                each.source.stream.name: bounds_of(each.gate, ended=each.ended)
                for each in self._reads
            }
            passed = self._statements.step(arrived, bounds)
            # What is kept is written while what came out is: neither asks for the other.
            with self.checkpoint.saving(batch, self._statements.state()[1]):
                for name, sink in self.sinks.items():
                    self._written[name] += sink.write(passed[name], batch, self._current)
            self._store(batch)
        finally:
            for each in self._reads:
                each.source.done()
            self._statements.done()
            while self._held:
                self._held.pop().close()
        self._last = batch
        self.told(self._progress())

    def _admitted(self, read: _Read, number: int, frame: DataFrame | None) -> RowBuffer:
        """The rows of a source that its gate lets in."""
        source, gate = read.source, read.gate
        if frame is None:
            return RowBuffer(tuple(each.type for each in source.stream.columns))
        if len(self._reads) > 1:
            frame = frame.filter(F.col(_SOURCE) == F.lit(number))
        part = frame.select(f"{_part(number)}.*")
        arrived = source.arrived(part)
        read.malformed += arrived.dropped
        read.dropped.add(arrived.dropped, arrived.reasons)
        first = gate.arrived
        checks = self._contents.checks(source.stream)
        found = admit(gate, arrived.rows, checks)
        self._held.append(found.rows)
        # To say where a row is costs more than to drop it: the first few are told.
        untold = len(read.dropped.reasons) >= TOLD
        reasons = [
            each.reason
            if untold and each.code == LATE
            else source.refused(each, each.place - first)
            for each in found.refused
        ]
        read.dropped.add(found.dropped, reasons)
        read.ended = read.ended or arrived.ended
        return found.rows

    @property
    def _ended(self) -> bool:
        """Whether no source can give any more."""
        return self._last is not None and all(each.ended for each in self._reads)

    # --- the state ------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Be as at the very beginning."""
        if self._begun:
            self._statements.close()
        self._begun = True
        self._contents = Contents(self._current, self.now())
        for step in self.prepared.steps:
            run_step(step, self._contents)
        self.tables(self._contents)
        self._statements = Statements(self.prepared, self._contents)
        self._reads = [_Read(each, ingress_of(each.stream)) for each in self.sources]
        self._written = dict.fromkeys(self.sinks, 0)

    def _store(self, batch: int) -> None:
        """Write what the next micro-batch rests on."""
        words, kept = self._statements.state()
        sources = [
            {
                "gate": gate_state(each.gate),
                "ended": each.ended,
                "malformed": each.malformed,
                "dropped": [each.dropped.count, each.dropped.reasons],
            }
            for each in self._reads
        ]
        sinks = [
            {"rows": self._written[name], "sink": sink.state()} for name, sink in self.sinks.items()
        ]
        lost = [[name, each.count, each.reasons] for name, each in self._statements.lost.items()]
        self.checkpoint.store(
            batch,
            {
                "over": self._over,
                "statements": words,
                "sources": sources,
                "sinks": sinks,
                "lost": lost,
            },
            kept,
        )

    def _recall(self, batch: int) -> None:
        """Go on from the state of a micro-batch; before the first there is none."""
        self._begin()
        self._last = batch
        if batch < 0:
            return
        state = self.checkpoint.recall(batch)
        words = state.words
        self._over = words["over"] is True
        self._statements.restore(cast("Json", words["statements"]), state.loaded)  # as stored
        of_sources = cast("Sequence[Json]", words["sources"])  # the same
        for read, told in zip(self._reads, of_sources, strict=True):
            restore_gate(read.gate, cast("Json", told["gate"]))  # the same
            read.ended = told["ended"] is True
            read.malformed = cast("int", told["malformed"])  # the same
            count, reasons = cast("tuple[int, list[str]]", told["dropped"])  # the same
            read.dropped = Lost(count, list(reasons))
        of_sinks = cast("Sequence[Json]", words["sinks"])  # the same
        for (name, sink), told in zip(self.sinks.items(), of_sinks, strict=True):
            self._written[name] = cast("int", told["rows"])  # the same
            sink.restore(cast("Json", told["sink"]))  # the same
        lost = cast("Sequence[tuple[Sequence[str], int, list[str]]]", words["lost"])  # the same
        for target, count, reasons in lost:
            self._statements.lost[tuple(target)] = Lost(count, list(reasons))

    def _progress(self) -> Progress:
        return Progress(
            -1 if self._last is None else self._last,
            tuple(
                Through(
                    each.source.stream.name,
                    each.gate.arrived + each.malformed,
                    each.dropped.count,
                    tuple(each.dropped.reasons),
                    _clock(each.gate),
                    each.ended,
                )
                for each in self._reads
            ),
            tuple(
                Through(name, rows, 0, (), _clock(self._statements.gates[name]), self._over)
                for name, rows in self._written.items()
            ),
            tuple(
                Through(name, 0, each.count, tuple(each.reasons), None)
                for name, each in self._statements.lost.items()
            ),
            self._statements.retained,
        )


def mark(prepared: Prepared, profile: Profile) -> Mapping[str, str]:
    """What a checkpoint is of, part by part: the statements, what they read, and where it is.

    A script that says the same in other words has the same mark; so has one that is to go on
    where malformed records are (``on_error``).
    """
    parts = {"the profile": str(profile)}
    found: dict[QualifiedName, Table | Stream] = {}
    for number, each in enumerate(prepared.standing, 1):
        how = "UPSERT" if each.upsert else "INSERT"
        into = ".".join(each.target.name)
        parts[f"statement {number} (into {into})"] = f"{how} {into}\n{explain(each.input)}"
        found[each.target.name] = each.target
        found |= {scan.source.name: scan.source for scan in scans(each.input)}
    for name, relation in found.items():
        parts[f"the declaration of {'.'.join(name)}"] = _declared(relation)
    return parts


def _declared(relation: Table | Stream) -> str:
    """The declaration of a table or stream, and the other end of a foreign one."""
    columns = [f"{each.name} {each.type!r} {each.ordering!r}" for each in relation.columns]
    lines = [*columns, *(repr(each) for each in relation.checks)]
    if isinstance(relation, Stream) and relation.connection is not None:
        settings = [each for each in relation.connection.settings if each[0] != "on_error"]
        lines += [str(relation.connection.format), repr(settings)]
    return "\n".join(lines)


def _part(number: int) -> str:
    """The column of a source's values."""
    return f"of_{number}"


def _clock(gate: Ingress) -> int | None:
    """The time below which no later row comes through a gate, if it has a rowtime."""
    bound = None if gate.rowtime is None else gate.bounds[gate.rowtime].bound
    return bound if isinstance(bound, int) else None
