"""The engine on one machine: it runs a pipeline with the reference's incremental operators."""

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
from reference.ingress import Dropped, Fault

if TYPE_CHECKING:
    from pathlib import Path

#: The greatest number of seconds for which a wait does not check whether the run is to stop.
_NAP: Final = 0.05


class EmbeddedEngine:
    """The engine of ``rowtime run --backend reference``: one process, with its state in memory."""

    def run(
        self, pipeline: Pipeline, settings: Settings, report: Report, stopping: Callable[[], bool]
    ) -> PipelineProgress:
        """Run the pipeline until its sources end or ``stopping`` returns true, as `Engine.run`.

        NOT_SUPPORTED for settings of a cluster, and for a checkpoint, because the state is only in
        memory.
        """
        for option, value in (("--master", settings.master), ("--conf", settings.conf)):
            if value:
                raise RunError(
                    f"{Code.NOT_SUPPORTED}: backend 'reference' is one process, without {option}\n"
                    f"  hint: leave {option} out, or --backend spark"
                )
        if settings.checkpoint is not None:
            raise RunError(
                f"{Code.NOT_SUPPORTED}: backend 'reference' keeps its state in memory, "
                "and has no checkpoints\n  hint: leave --checkpoint out, or --backend spark"
            )
        with _open_endpoints(pipeline, settings) as (inputs, outputs):
            watched = [each.name for each in outputs]
            session = Session(
                pipeline.prepared, watched=watched, forms=FAST, changelog_form=ChangesNetwork
            )
            run = _Run(pipeline, session, inputs, outputs, settings, report)
            session.set_clock(parse_timestamp(settings.now()))
            for each in tables_of(pipeline):
                _load(session, each)
            run.run(stopping)
            return run.progress()


@dataclass(slots=True)
class DroppedRows:
    """The number of rows that were dropped, and the reasons for the first of them."""

    count: int = 0
    reasons: list[str] = field(default_factory=list[str])

    def add(self, reason: str) -> None:
        """Count a row, and retain ``reason`` if it is one of the first `MAX_REPORTED_ROWS`."""
        self.count += 1
        if len(self.reasons) < MAX_REPORTED_ROWS:
            self.reasons.append(reason)


@dataclass(slots=True)
class _Input:
    """A source in use; ``offered`` counts the rows that were sent to its stream."""

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
class _Output:
    """A sink in use; ``rows`` counts the rows that have been committed to it.

    ``where`` is its path, or its format if it has none.  ``bound`` is the bound of its stream at
    the last commit, as a text; None if no bound was known.
    """

    stream: Stream | Table
    sink: Sink | ChangeSink
    where: str
    rows: int = 0
    bound: str | None = None

    @property
    def name(self) -> QualifiedName:
        return self.stream.name


@contextmanager
def _open_endpoints(
    pipeline: Pipeline, settings: Settings
) -> Generator[tuple[list[_Input], list[_Output]]]:
    """Open the sources and sinks of a run, and close them after it.

    If the run fails, sinks keep what was committed, and get no more.
    """
    outputs = [
        *(_Output(each, sink_of(pipeline, each), _where_of(each)) for each in pipeline.sinks),
        *(
            _Output(each, change_sink_of(pipeline, each), _where_of(each))
            for each in pipeline.changing_sinks
        ),
    ]
    inputs: list[_Input] = []
    try:
        opened: list[Stream | Table] = [*pipeline.changing_sources, *pipeline.sources]
        for each in opened:
            source = source_of(pipeline, each, settings.once)
            inputs.append(_Input(each, connection_of(each), source))
        inputs += [
            _Input(file.source, None, _FileSource(file, pipeline))
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
        for each_input in inputs:
            each_input.source.close()


def _where_of(stream: Stream | Table) -> str:
    """The path of a foreign stream; its format if it has no path."""
    return _where(connection_of(stream))


def _where(connection: Connection) -> str:
    """The path of a connection; its format if it has no path."""
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
        """The next rows; None at the end of the file."""
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
        inputs: list[_Input],
        outputs: list[_Output],
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
        #: The rows of standing statements that a target has dropped, by target.
        self._refused: dict[QualifiedName, DroppedRows] = {}
        standing = pipeline.prepared.standing
        self._has_changelogs = any(isinstance(each.input, Changes) for each in standing)

    def run(self, stopping: Callable[[], bool]) -> None:
        """Process input until all sources have ended, or ``stopping`` returns true.

        Output is committed each time the trigger's interval has passed, or no source has rows.
        """
        due = time.monotonic() + self._settings.trigger  # when the next commit is due
        while self._open and not stopping():
            idle = not self._step()
            if time.monotonic() >= due or (idle and self._open):
                self._commit()
                _sleep_until(due if idle else 0, stopping)
                due = time.monotonic() + self._settings.trigger
                self._session.set_clock(parse_timestamp(self._settings.now()))
        if not self._open:
            self._session.end(None)
        self._commit()

    def _step(self) -> bool:
        """Process one batch of a source, or its end; returns whether a source had either.

        It is the first source that has a batch or has ended, in the order of the streams' bounds.
        """
        for each in sorted(self._open, key=self._bound):
            batch = self._take(each)
            if batch is not None:
                self._process(each, batch)
                return True
            if each.source.ended:
                self._open.remove(each)
                if self._open:  # all inputs end together
                    self._session.end(each.name)
                return True
        return False

    def _take(self, each: _Input) -> Batch | None:
        """Take the rows that a source has now; None if it has none.

        If a file cannot be read, the error is at the path in the script.
        """
        try:
            return each.source.take()
        except FileError as error:
            if each.connection is None:
                raise
            raise self._pipeline.unreadable(str(error), each.connection) from None

    def _process(self, each: _Input, batch: Batch) -> None:
        """Send rows into their stream, and count those that are dropped.

        A malformed record or a bad row ends the run, or is dropped (`_reject_bad`).
        """
        faults = list(batch.bad)
        for place, dropped in self._send(each.name, batch):
            line = batch.lines[place - each.offered]
            if dropped.fault is Fault.LATE:
                each.dropped.add(f"{each.source.path}:{line}: {dropped.reason}")
            else:
                faults.append(BadRow(each.source.path, line, dropped.reason))
        each.offered += batch.count
        each.malformed += len(batch.bad)
        self._reject_bad(each, faults)

    def _send(self, name: QualifiedName, batch: Batch) -> list[tuple[int, Dropped]]:
        """Send the rows of a batch; return the place and the reason of each dropped row.

        The place is that among all rows of the stream.  A batch has changes, or rows as internal
        values, or rows on the wire.  Each record of changes is an event.  Rows without changes are
        one event, but if the script has changelogs, each row is an event.
        """
        dropped: list[tuple[int, Dropped]] = []
        if batch.weights:
            for rows, weights in events_of(batch):
                taken = self._session.take_rows(name, rows, weights=weights)
                dropped += [(each.place, each.dropped) for each in taken]
        elif batch.values is not None:
            values = batch.values
            value_events = [[each] for each in values] if self._has_changelogs else [values]
            for event in value_events:
                # ``passing``: the rows arrive; they are not the contents of a table.
                taken_values = self._session.take_values(name, event, passing=True)
                dropped += [(place, why) for place, _, why in taken_values]
        else:
            wire_events = [(each,) for each in batch.rows] if self._has_changelogs else [batch.rows]
            for wires in wire_events:
                taken = self._session.take_rows(name, wires)
                dropped += [(each.place, each.dropped) for each in taken]
        return dropped

    def _reject_bad(self, each: _Input, faults: Sequence[BadRow]) -> None:
        """End the run at the first malformed record or bad row; or count each of them.

        They are counted if the script declares their source with ``on_error 'drop'``.

        Defines: S-607.e, S-607.g
        """
        for fault in sorted(faults, key=lambda fault: fault.line):
            connection = each.connection
            if connection is None:
                raise RunError(f"{Code.BAD_ROW}: {fault.reason}\n{fault.path}:{fault.line}")
            if connection.text("on_error") == "fail":
                raise malformed_error(fault, connection, each.stream.columns)
            each.dropped.add(str(fault))

    def _commit(self) -> None:
        """Commit the new output to the sinks, and report the progress."""
        for refusal in self._session.refusals:
            self._refused.setdefault(refusal.target, DroppedRows()).add(refusal.dropped.reason)
        self._session.refusals.clear()
        for each in self._outputs:
            if isinstance(each.sink, ChangeSink):
                events = self._session.watched_changes(each.name)
                each.rows += each.sink.commit(events)
                continue
            rows = self._session.watched_rows(each.name)
            each.sink.commit(rows)
            each.rows += len(rows)
            each.bound = self._bound_text(each.stream)
        self._report(self.progress())

    def _bound(self, each: _Input) -> float:
        """The bound of a source's stream; minus infinity before the first bound.

        A stream WITH CHANGES never has a bound.
        """
        if isinstance(each.stream, Table):
            return -math.inf
        bound = self._session.ingress_of(each.name).bound
        return -math.inf if bound is None else bound

    def _bound_text(self, stream: Stream | Table) -> str | None:
        """The bound of a stream: ``end``, or a timestamp; None if no bound is known.

        A stream WITH CHANGES never has a bound.
        """
        if isinstance(stream, Table):
            return None
        ingress = self._session.ingress_of(stream.name)
        if ingress.ended:
            return "end"
        return None if ingress.bound is None else format_bound(ingress.bound)

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
                    ".".join(name), rows=0, dropped=refused.count, reasons=tuple(refused.reasons)
                )
                for name, refused in self._refused.items()
            ),
            sum(each.rows + each.groups for each in states),
        )


def _load(session: Session, file: Input) -> None:
    """Load the contents of a table from its file; BAD_ROW if a row is malformed or dropped."""
    bad: list[BadRow] = []
    offered = 0
    for path, batch in input_batches(file):
        bad += batch.bad
        for each in session.load(file.source.name, batch.rows):
            bad.append(BadRow(path, batch.lines[each.place - offered], each.dropped.reason))
        offered += len(batch.rows)
    if bad:
        raise RunError(f"{Code.BAD_ROW}: {bad[0].reason}\n{bad[0].path}:{bad[0].line}")


def _sleep_until(due: float, stopping: Callable[[], bool]) -> None:
    """Wait until a time of the monotonic clock, or until ``stopping`` returns true."""
    while (left := due - time.monotonic()) > 0 and not stopping():
        time.sleep(min(left, _NAP))
