"""The engine on one machine: a pipeline run by the reference's incremental operators."""

import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from algebra.catalog import QualifiedName, Stream, Table
from algebra.functions.datetimes import format_bound, parse_timestamp
from algebra.metadata.needed_columns import needed_columns
from algebra.outside.foreign import Connection
from algebra.plan import Changes
from algebra.records.batch import BadRow, Batch, events_of
from algebra.records.formats import input_batches
from algebra.records.malformed import malformed_error
from algebra.records.opening import FileError
from algebra.records.pipeline import (
    MAX_REPORTED_ROWS,
    EndpointProgress,
    Input,
    Pipeline,
    PipelineProgress,
    Report,
    RunError,
    Settings,
    connection_of,
    tables_of,
)
from grammar.codes import Code
from reference.engine.session import Session
from reference.engine.sinks import ChangeSink, Sink, change_sink_of, sink_of
from reference.engine.sources import Source, source_of
from reference.fast.forms import FAST
from reference.incremental.changes.network import ChangesNetwork
from reference.ingress import Dropped, Fault, Ingress

if TYPE_CHECKING:
    from pathlib import Path

#: The greatest number of seconds between two looks for a request to stop.
_NAP: Final = 0.05


class EmbeddedEngine:
    """One process on one core, with its state in memory."""

    def run(
        self, pipeline: Pipeline, settings: Settings, report: Report, stopping: Callable[[], bool]
    ) -> PipelineProgress:
        """As `Engine.run`; NOT_SUPPORTED for a checkpoint, and for settings of a cluster.

        State in memory cannot be resumed.
        """
        for option, file in (("--master", settings.master), ("--conf", settings.conf)):
            if file:
                raise RunError(
                    f"{Code.NOT_SUPPORTED}: backend 'reference' is one process, without {option}\n"
                    f"  hint: leave {option} out, or --backend spark"
                )
        if settings.checkpoint is not None:
            raise RunError(
                f"{Code.NOT_SUPPORTED}: backend 'reference' keeps its state in memory, "
                "and has no checkpoints\n  hint: leave --checkpoint out, or --backend spark"
            )
        with _ends(pipeline, settings) as (inputs, outputs):
            watched = [each.name for each in outputs]
            session = Session(pipeline.prepared, watched=watched, forms=FAST, form=ChangesNetwork)
            run = _Run(pipeline, session, inputs, outputs, settings, report)
            session.now(parse_timestamp(settings.now()))
            for each in tables_of(pipeline):
                _load(session, each)
            run.to_the_end(stopping)
            return run.progress()


@dataclass(slots=True)
class DroppedRows:
    """The number of rows that were dropped, and the reasons for the first of them."""

    count: int = 0
    reasons: list[str] = field(default_factory=list[str])

    def add(self, reason: str) -> None:
        """Count a row."""
        self.count += 1
        if len(self.reasons) < MAX_REPORTED_ROWS:
            self.reasons.append(reason)


@dataclass(slots=True)
class _In:
    """A source that is read; ``offered`` counts the rows that were sent to its stream."""

    stream: Stream | Table
    connection: Connection | None  # None: a file from the command line
    source: Source
    offered: int = 0
    malformed: int = 0  # records that were not offered, because they are not rows
    dropped: DroppedRows = field(default_factory=DroppedRows)

    @property
    def name(self) -> QualifiedName:
        return self.stream.name

    @property
    def where(self) -> str:
        """The path or address that the rows are read from."""
        return str(self.source.path) if self.connection is None else _where(self.connection)


@dataclass(slots=True)
class _Out:
    """A sink in use; ``rows`` counts the rows that have been committed to it."""

    stream: Stream | Table
    sink: Sink | ChangeSink
    where: str
    rows: int = 0
    bound: str | None = None

    @property
    def name(self) -> QualifiedName:
        return self.stream.name


@contextmanager
def _ends(pipeline: Pipeline, settings: Settings) -> Generator[tuple[list[_In], list[_Out]]]:
    """The open sources and sinks; if the run fails, committed output is not changed."""
    outputs = [
        *(_Out(each, sink_of(pipeline, each), _where_of(each)) for each in pipeline.sinks),
        *(
            _Out(each, change_sink_of(pipeline, each), _where_of(each))
            for each in pipeline.changing_sinks
        ),
    ]
    inputs: list[_In] = []
    try:
        opened: list[Stream | Table] = [*pipeline.changing_sources, *pipeline.sources]
        for each in opened:
            source = source_of(pipeline, each, settings.once)
            inputs.append(_In(each, connection_of(each), source))
        inputs += [
            _In(file.source, None, _FileSource(file, pipeline))
            for file in pipeline.files
            if isinstance(file.source, Stream)
        ]
        yield inputs, outputs
        for out in outputs:
            out.sink.close()
    except BaseException:
        for out in outputs:
            with suppress(OSError):
                out.sink.abandon()
        raise
    finally:
        for open in inputs:
            open.source.close()


def _where_of(stream: Stream | Table) -> str:
    return _where(connection_of(stream))


def _where(connection: Connection) -> str:
    return str(dict(connection.settings).get("path", connection.format))


class _FileSource:
    """A file from the command line, as a source."""

    def __init__(self, file: Input, pipeline: Pipeline) -> None:
        self.path: Path = file.path
        prepared = pipeline.prepared
        needed = needed_columns(file.source, prepared.standing, prepared.query)
        self._batches = input_batches(file, needed)
        self.ended = False

    def take(self) -> Batch | None:
        """The next rows.

        None: there are none any more.
        """
        found = next(self._batches, None)
        if found is None:
            self.ended = True
            return None
        self.path, batch = found
        return batch

    def close(self) -> None:
        """Close the file."""
        self._batches.close()


class _Run:
    """A session that reads the sources in the order of their bounds, and commits to the sinks."""

    def __init__(
        self,
        pipeline: Pipeline,
        session: Session,
        inputs: list[_In],
        outputs: list[_Out],
        settings: Settings,
        report: Report,
    ) -> None:
        self._pipeline = pipeline
        self._session = session
        self._inputs = inputs
        self._open = list(inputs)
        self._outputs = outputs
        self._settings = settings
        self._report = report
        self._lost: dict[QualifiedName, DroppedRows] = {}
        standing = pipeline.prepared.standing
        self._has_changes = any(isinstance(each.input, Changes) for each in standing)

    def to_the_end(self, stopping: Callable[[], bool]) -> None:
        """Process input until all sources have ended, or ``stopping`` returns true."""
        due = time.monotonic() + self._settings.trigger
        while self._open and not stopping():
            idle = not self._step()
            if time.monotonic() >= due or (idle and self._open):
                self._trigger()
                _sleep_until(due if idle else 0, stopping)
                due = time.monotonic() + self._settings.trigger
                self._session.now(parse_timestamp(self._settings.now()))
        if not self._open:
            self._session.end(None)
        self._trigger()

    def _step(self) -> bool:
        """Process rows of the source with the least bound among those with rows.

        False if none has rows.
        """
        for each in sorted(self._open, key=self._bound):
            batch = self._taken(each)
            if batch is not None:
                self._enter(each, batch)
                return True
            if each.source.ended:
                self._open.remove(each)
                if self._open:  # all inputs end together
                    self._session.end(each.name)
                return True
        return False

    def _taken(self, each: _In) -> Batch | None:
        """The rows that a source has now; a file that cannot be read is a fault of its path."""
        try:
            return each.source.take()
        except FileError as error:
            if each.connection is None:
                raise
            raise self._pipeline.unreadable(str(error), each.connection) from None

    def _enter(self, each: _In, batch: Batch) -> None:
        """Send rows into their stream; a malformed row ends the run, or is dropped."""
        faults = list(batch.bad)
        for place, dropped in self._send(each.name, batch):
            line = batch.lines[place - each.offered]
            if dropped.fault is Fault.LATE:
                each.dropped.add(f"{each.source.path}:{line}: {dropped.reason}")
            else:
                faults.append(BadRow(each.source.path, line, dropped.reason))
        each.offered += batch.count
        each.malformed += len(batch.bad)
        self._reject_malformed(each, faults)

    def _send(self, name: QualifiedName, batch: Batch) -> list[tuple[int, Dropped]]:
        """Send the rows of a batch; return the place and the reason of each dropped row.

        The place is that among all rows of the stream.  A batch has changes, or rows as values of
        SQL, or rows on the wire.  If the script has changelogs, which are computed after each
        event, each row is an event, and so is each record of changes.
        """
        found: list[tuple[int, Dropped]] = []
        if batch.weights:
            for rows, weights in events_of(batch):
                taken = self._session.rows(name, rows, weights=weights)
                found += [(each.place, each.dropped) for each in taken]
        elif batch.values is not None:
            for values in (
                [[each] for each in batch.values] if self._has_changes else [batch.values]
            ):
                # ``passing``: the rows arrive; they are not the contents of a table.
                refused = self._session.values(name, values, passing=True)
                found += [(place, dropped) for place, _, dropped in refused]
        else:
            for wire in [(each,) for each in batch.rows] if self._has_changes else [batch.rows]:
                taken = self._session.rows(name, wire)
                found += [(each.place, each.dropped) for each in taken]
        return found

    def _reject_malformed(self, each: _In, faults: Sequence[BadRow]) -> None:
        """End the run at a malformed record; with ``on_error 'drop'`` drop it.

        Defines: S-607.e, S-607.g
        """
        for fault in sorted(faults, key=lambda fault: fault.line):
            connection = each.connection
            if connection is None:
                raise RunError(f"{Code.BAD_ROW}: {fault.reason}\n{fault.path}:{fault.line}")
            if connection.text("on_error") == "fail":
                raise malformed_error(fault, connection, each.stream.columns)
            each.dropped.add(str(fault))

    def _trigger(self) -> None:
        """Commit the new output, and report the progress."""
        for refusal in self._session.refusals:
            self._lost.setdefault(refusal.target, DroppedRows()).add(refusal.dropped.reason)
        self._session.refusals.clear()
        for each in self._outputs:
            if isinstance(each.sink, ChangeSink):
                events = self._session.passed_changes(each.name)
                each.rows += each.sink.commit(events)
                continue
            rows = self._session.passed(each.name)
            each.sink.commit(rows)
            each.rows += len(rows)
            each.bound = _bound_text(self._session.ingress_of(each.name))
        self._report(self.progress())

    def _bound(self, each: _In) -> float:
        """A stream's bound; minus infinity before the first one, and where changes have none."""
        if isinstance(each.stream, Table):
            return -math.inf
        bound = self._session.ingress_of(each.name).bound
        return -math.inf if bound is None else bound

    def _bound_text(self, stream: Stream | Table) -> str | None:
        return (
            None
            if isinstance(stream, Table)
            else _bound_text(self._session.ingress_of(stream.name))
        )

    def progress(self) -> PipelineProgress:
        """The progress of all endpoints."""
        states = self._session.states()
        return PipelineProgress(
            tuple(
                EndpointProgress(
                    ".".join(each.name),
                    rows=each.offered + each.malformed,
                    dropped=each.dropped.count,
                    reasons=tuple(each.dropped.reasons),
                    bound=self._bound_text(each.stream),
                    where=each.where,
                )
                for each in self._inputs
            ),
            tuple(
                EndpointProgress(
                    ".".join(each.name),
                    rows=each.rows,
                    bound=each.bound,
                    where=each.where,
                )
                for each in self._outputs
            ),
            tuple(
                EndpointProgress(
                    ".".join(name), rows=0, dropped=lost.count, reasons=tuple(lost.reasons)
                )
                for name, lost in self._lost.items()
            ),
            sum(each.rows + each.groups for each in states),
        )


def _load(session: Session, file: Input) -> None:
    """Load the contents of a table from its file."""
    bad: list[BadRow] = []
    offered = 0
    for path, batch in input_batches(file):
        bad += batch.bad
        for each in session.load(file.source.name, batch.rows):
            bad.append(BadRow(path, batch.lines[each.place - offered], each.dropped.reason))
        offered += len(batch.rows)
    if bad:
        raise RunError(f"{Code.BAD_ROW}: {bad[0].reason}\n{bad[0].path}:{bad[0].line}")


def _bound_text(ingress: Ingress) -> str | None:
    if ingress.ended:
        return "end"
    return None if ingress.bound is None else format_bound(ingress.bound)


def _sleep_until(due: float, stopping: Callable[[], bool]) -> None:
    """Wait until a time of the monotonic clock, or until ``stopping`` returns true."""
    while (left := due - time.monotonic()) > 0 and not stopping():
        time.sleep(min(left, _NAP))
