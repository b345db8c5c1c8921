"""A script of standing statements as one Structured Streaming query, exactly once.

Structured Streaming reads the sources and divides their rows into micro-batches (foreachBatch).
`spark_backend.stream.pipeline.statements` computes the output of each micro-batch. Spark's
watermarks and its state store are not used:

1. micro-batch n starts from the state after micro-batch n - 1;
2. its rows pass the ingress of their sources, and the statements compute their output;
3. the rows of a sink are written under the number n, and replace those of an earlier attempt;
4. the state is written under the number n; then Structured Streaming commits n.

A pipeline that fails at any point repeats n when it is started again: from the same state, with the
same input (Spark's own log records it), into the same place. So each row is written exactly once.

When all sources have ended, a last micro-batch emits the pending rows. It has the next number, and
its state records that the pipeline has ended: a further run does nothing.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.streaming.query import StreamingQuery

from algebra.catalog import Profile, QualifiedName, Stream, Table
from algebra.functions.datetimes import format_bound
from algebra.prepare import Prepared
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import LATE, Ingress, Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.data.standing import run_step
from spark_backend.made_once import col
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import tune_micro_batch
from spark_backend.stream.ingress.ingress_bounds import bounds_of
from spark_backend.stream.ingress.ingress_filter import (
    REPORTED,
    filter_in_bulk,
    filter_rows,
)
from spark_backend.stream.pipeline.checkpoint import Checkpoint
from spark_backend.stream.pipeline.endpoints import (
    Arrived,
    BatchProgress,
    EndpointCounts,
    Sink,
    Source,
)
from spark_backend.stream.pipeline.identity import identity_of
from spark_backend.stream.pipeline.statements import DroppedRows, Statements
from spark_backend.stream.state import (
    DataflowState,
    PipelineState,
    SinkState,
    SourceState,
    ingress_state,
    restore_ingress,
)

if TYPE_CHECKING:
    from algebra.monotonicity.progress import Bounds

#: The column with the number of a row's source.
_SOURCE: Final = "source"
#: The property that Spark's web pages show with a job. For a micro-batch, Spark sets it to the
#: query's ids and the number of the micro-batch.
_DESCRIPTION: Final = "spark.job.description"
#: The number of seconds between two checks whether the pipeline must stop.
_NAP: Final = 0.05


class _StoppedError(Exception):
    """Ends a query between two micro-batches."""


@dataclass(slots=True)
class _Reading:
    """A source with its ingress, and the number of its malformed records and dropped rows."""

    source: Source
    ingress: Ingress
    ended: bool = False
    malformed: int = 0
    dropped: DroppedRows = field(default_factory=DroppedRows)


@dataclass(slots=True)
class StreamingPipeline:
    """The standing statements of a script between sources and sinks.

    ``checkpoint`` has the state from which a later run continues. ``now`` returns the session's
    clock, in milliseconds. ``fill_tables`` fills the tables that are not filled by the script.
    ``report`` is called after each micro-batch.
    """

    session: SparkSession
    prepared: Prepared
    profile: Profile
    sources: Sequence[Source]
    sinks: Mapping[QualifiedName, Sink]
    checkpoint: Checkpoint
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    fill_tables: Callable[[Contents], None] = lambda _: None
    report: Callable[[BatchProgress], None] = lambda _: None
    _contents: Contents = field(init=False)
    _statements: Statements = field(init=False)
    _readings: list[_Reading] = field(init=False)
    #: The number of rows that each sink has written.
    _written: dict[QualifiedName, int] = field(init=False)
    #: The rows of this micro-batch, which are closed at its end.
    _open: list[RowBuffer] = field(default_factory=list[RowBuffer])
    #: Structured Streaming works in a session of its own, a copy of the first.
    _current: SparkSession = field(init=False)
    #: Whether the first micro-batch of this run has been compared with the checkpoint.
    _checked: bool = False
    #: Whether the statements have been set up before, so that the old ones must be closed.
    _begun: bool = False
    #: The last micro-batch that is done; None if one is running or has failed, or at the start.
    _last: int | None = None
    #: Whether the pipeline has ended: its last micro-batch, which has no input, is done or running.
    _over: bool = False
    #: Whether a request to stop ends the query before the next micro-batch.
    _stopping: bool = False
    #: The error that ended the query: the object itself, which Spark would report as a text.
    _failure: Exception | None = None

    def __post_init__(self) -> None:
        """Set up the statements now, so that their errors are raised before the pipeline runs."""
        self._current = self.session
        self._begin()

    def run(self, *, once: bool, trigger: float, stopping: Callable[[], bool]) -> BatchProgress:
        """Run until all sources have ended or ``stopping`` returns true; return the progress then.

        ``stopping`` is called about twenty times a second. With ``once`` the sources end with the
        input that exists now. ``trigger`` is the number of seconds between two looks for input. A
        pipeline that ended in an earlier run does nothing.
        Raises `CheckpointError`, `SqlError`, `SparkFailure`, `OSError`, and the errors of the
        sources.
        """
        with failures():
            self.checkpoint.claim(identity_of(self.prepared, self.profile))
            self._recall(self.checkpoint.last())
            if not self._over and not self._ended:
                self._run_query(once=once, trigger=trigger, stopping=stopping)
            if self._over or (stopping() and not self._ended):
                return self._progress()
            return self._finish()

    def _run_query(self, *, once: bool, trigger: float, stopping: Callable[[], bool]) -> None:
        """Run Structured Streaming's query until its sources end, it fails, or it must stop."""
        query = self._start(once=once, trigger=trigger)
        try:
            while query.isActive:
                if stopping() or self._ended:
                    self._stopping = True
                    if not query.status["isTriggerActive"]:
                        query.stop()
                awaited: Any = query  # PySpark's annotation allows only whole seconds
                awaited.awaitTermination(_NAP)
        except Exception:
            if self._failure is None:
                raise
        finally:
            query.stop()
        if self._failure is not None and not isinstance(self._failure, _StoppedError):
            raise self._failure

    def _start(self, *, once: bool, trigger: float) -> StreamingQuery:
        """Start Structured Streaming's query over the union of all sources."""
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
        """Compute a micro-batch; Structured Streaming calls this.

        If it fails, the query ends, and a later run computes the same micro-batch again.
        """
        try:
            if self._stopping:
                raise _StoppedError
            with failures():
                if not self._checked:  # the first micro-batch of this run
                    self._current = self.checkpoint.session = frame.sparkSession
                    self.checkpoint.check(batch)
                    self._recall(batch - 1)
                    self._checked = True
                elif self._last != batch - 1:  # an earlier run of this object has failed
                    self._recall(batch - 1)
                self._describe()
                self._step(batch, frame)
        except Exception as error:
            self._failure = error
            raise

    def _describe(self) -> None:
        """Append the numbers of retained rows and the bounds to the description of the jobs.

        They are those after the last micro-batch. Spark's web pages show them next to the query's
        ids and the number of the micro-batch.
        """
        context = self._current.sparkContext
        lines = [context.getLocalProperty(_DESCRIPTION) or ""]
        lines += [
            f"{'.'.join(target)} keeps {count:,} rows of {'.'.join(stream)}"
            for target, stream, count in self._statements.retained_rows
            if count
        ]
        lines += [
            f"{'.'.join(target)} keeps {count:,} rows for those that are past"
            for target, count in self._statements.compacted
            if count
        ]
        for each in self._progress().sources:
            if each.bound is not None:
                dropped = f", {each.dropped:,} dropped" if each.dropped else ""
                at = format_bound(each.bound)
                lines.append(f"{'.'.join(each.name)} has come to {at}: {each.rows:,} rows{dropped}")
        context.setJobDescription("\n".join(lines))

    def _finish(self) -> BatchProgress:
        """Compute the last micro-batch, which has no input row and ends all sources."""
        assert self._last is not None, "a micro-batch that fails ends the run"
        for each in self._readings:
            each.ended = True
        self._over = True
        self._step(self._last + 1, None)
        return self._progress()

    def _step(self, batch: int, frame: DataFrame | None) -> None:
        """Run a micro-batch, up to its written state; ``frame`` is its input, if it has any."""
        self._last = None  # if this attempt fails, the next one starts from the written state
        self._contents.now = self.now()
        try:
            arrived: dict[QualifiedName, RowBuffer] = {}
            bounds: dict[QualifiedName, Bounds] = {}
            for number, each in enumerate(self._readings):
                accepted, stream = self._accept_rows(each, number, frame), each.source.stream
                if isinstance(stream, Stream):  # a stream WITH CHANGES has changed already
                    arrived[stream.name] = accepted
                    bounds[stream.name] = bounds_of(each.ingress, ended=each.ended)
            output = self._statements.step(arrived, bounds).accepted
            statements, retained = self._statements.state()
            if any(each.framed for each in (*retained.values(), *output.values())):
                # The last statement may have set Spark up for few rows, and jobs of Spark follow.
                tune_micro_batch(self._current)
            # The retained rows and the output are written at the same time: they are independent.
            with self.checkpoint.saving(batch, retained):
                for name, sink in self.sinks.items():
                    self._written[name] += sink.write(output[name], batch, self._current)
            self.checkpoint.store(batch, self._state(statements), retained)
        finally:
            for each in self._readings:
                each.source.release()
            self._statements.release()
            while self._open:
                self._open.pop().close()
        self._last = batch
        self.report(self._progress())

    def _accept_rows(self, reading: _Reading, number: int, frame: DataFrame | None) -> RowBuffer:
        """Read the rows of a source from ``frame``; return those that its ingress accepts.

        ``number`` is the number of the source among `sources`, from 0. ``frame`` None: no rows. For
        a stream WITH CHANGES, the changes are applied, and the accepted ones are returned.
        """
        source, ingress = reading.source, reading.ingress
        if frame is None:
            return RowBuffer(tuple(each.type for each in source.stream.columns))
        if len(self._readings) > 1:
            frame = frame.filter(col(_SOURCE) == F.lit(number))
        first, checks = ingress.arrived, self._contents.checks(source.stream)
        arrived = source.read_batch(frame.select(f"{_part(number)}.*"))
        if isinstance(source.stream, Table):
            return self._apply_changes(reading, source.stream, arrived)
        found = None
        if arrived.decide is not None:
            # Spark could not decide for each record whether it is malformed.  Usually no record is
            # in doubt, so the rows are first filtered as if all were certain.  If a record is in
            # doubt, the result is None; Python then decides, and the rows are filtered again.
            found = filter_in_bulk(ingress, arrived.rows, checks, in_doubt=True)
            arrived = arrived if found is not None else arrived.decide()
        reading.malformed += arrived.dropped
        reading.dropped.add(arrived.dropped, arrived.reasons)
        if found is None:
            found = filter_rows(ingress, arrived.rows, checks)
        self._open.append(found.rows)
        self._count_dropped(reading, found.refused, first)
        reading.ended = reading.ended or arrived.ended
        return found.rows

    def _apply_changes(self, reading: _Reading, table: Table, arrived: Arrived) -> RowBuffer:
        """Apply the changes of a source to its stream; return those that the stream accepts."""
        taken, refused = self._statements.changelogs.accept(table, arrived.rows)
        reading.ingress.arrived += arrived.rows.count
        reading.malformed += arrived.dropped
        reading.dropped.add(arrived.dropped, arrived.reasons)
        self._count_dropped(reading, refused, 0)
        reading.ended = reading.ended or arrived.ended
        return taken

    def _count_dropped(self, reading: _Reading, refused: Sequence[Refusal], first: int) -> None:
        """Count the ``refused`` rows as dropped, and note the reasons for the first of them.

        ``first`` is the place of the micro-batch's first row among all rows of the source.

        Locating a row in its file costs more than dropping it, so only the first few are located.
        """
        enough = len(reading.dropped.reasons) >= REPORTED
        reasons = [
            each.reason
            if enough and each.code == LATE
            else reading.source.refused(each, each.place - first)
            for each in refused[:REPORTED]
        ]
        reading.dropped.add(len(refused), reasons)

    @property
    def _ended(self) -> bool:
        """Whether all sources have ended, after a micro-batch is done."""
        return self._last is not None and all(each.ended for each in self._readings)

    # --- the state ------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Set up the statements, tables and sources in their initial state, as before any row."""
        if self._begun:
            self._statements.close()
        self._begun = True
        self._contents = Contents(self._current, self.now())
        for step in self.prepared.steps:
            run_step(step, self._contents)
        self.fill_tables(self._contents)
        self._statements = Statements(self.prepared, self._contents)
        self._readings = [_Reading(each, ingress_of(each.stream)) for each in self.sources]
        self._written = dict.fromkeys(self.sinks, 0)

    def _state(self, dataflow: DataflowState) -> PipelineState:
        """The state from which the next micro-batch continues, without rows."""
        sources = (
            SourceState(
                ingress_state(each.ingress),
                each.ended,
                each.malformed,
                (each.dropped.count, tuple(each.dropped.reasons)),
            )
            for each in self._readings
        )
        sinks = (SinkState(self._written[name], each.state()) for name, each in self.sinks.items())
        dropped = (
            (name, each.count, tuple(each.reasons))
            for name, each in self._statements.dropped.items()
        )
        return PipelineState(self._over, dataflow, tuple(sources), tuple(sinks), tuple(dropped))

    def _recall(self, batch: int) -> None:
        """Continue from the state after a micro-batch; ``batch`` -1 is the initial state."""
        self._begin()
        self._last = batch
        if batch < 0:
            return
        state, loaded = self.checkpoint.recall(batch)
        self._over = state.over
        self._statements.restore(state.dataflow, loaded)
        for reading, source in zip(self._readings, state.sources, strict=True):
            restore_ingress(reading.ingress, source.ingress)
            reading.ended, reading.malformed = source.ended, source.malformed
            count, reasons = source.dropped
            reading.dropped = DroppedRows(count, list(reasons))
        for (name, sink), written in zip(self.sinks.items(), state.sinks, strict=True):
            self._written[name] = written.rows
            sink.restore(written.sink)
        for target, count, reasons in state.dropped:
            self._statements.dropped[target] = DroppedRows(count, list(reasons))

    def _progress(self) -> BatchProgress:
        """The progress after the last micro-batch."""
        ingress = self._statements.ingress
        return BatchProgress(
            -1 if self._last is None else self._last,
            tuple(
                EndpointCounts(
                    name=each.source.stream.name,
                    rows=each.ingress.arrived + each.malformed,
                    dropped=each.dropped.count,
                    reasons=tuple(each.dropped.reasons),
                    bound=_bound(each.ingress),
                    ended=each.ended,
                )
                for each in self._readings
            ),
            tuple(
                EndpointCounts(
                    name=name,
                    rows=rows,
                    dropped=0,
                    reasons=(),
                    bound=_bound(ingress[name]),
                    ended=self._over,
                )
                for name, rows in self._written.items()
            ),
            tuple(
                EndpointCounts(name, 0, each.count, tuple(each.reasons), None)
                for name, each in self._statements.dropped.items()
            ),
            self._statements.retained,
        )


def _part(number: int) -> str:
    """The name of the column of the union that has the values of source ``number``."""
    return f"of_{number}"


def _bound(ingress: Ingress) -> int | None:
    """The bound of an ingress in milliseconds; None if it has no bound or no rowtime column."""
    bound = None if ingress.rowtime is None else ingress.bounds[ingress.rowtime].bound
    return bound if isinstance(bound, int) else None
