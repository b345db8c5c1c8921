"""The engine on Spark: a pipeline as one Structured Streaming query."""

import shutil
import signal
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from algebra.catalog import Stream, Table
from algebra.functions.datetimes import format_bound, parse_timestamp
from algebra.outside.foreign import FILES, Connection, Format
from algebra.records.formats import input_batches
from algebra.records.opening import FileError
from algebra.records.pipeline import (
    EndpointProgress,
    EngineStartError,
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
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import ingress_of
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.filesystem import FileSystem, qualified
from spark_backend.runtime.java import NoJavaError
from spark_backend.runtime.session import EXACT, SparkStartError, spark_session
from spark_backend.stream.connectors.files import Files
from spark_backend.stream.connectors.listing import Listing
from spark_backend.stream.connectors.records import internal_values
from spark_backend.stream.connectors.sinks import sink_of
from spark_backend.stream.connectors.sources import source_of
from spark_backend.stream.pipeline.checkpoint import Checkpoint, CheckpointError
from spark_backend.stream.pipeline.endpoints import BatchProgress, EndpointCounts, Source
from spark_backend.stream.pipeline.identity import identity_of
from spark_backend.stream.pipeline.micro_batch import StreamingPipeline

if TYPE_CHECKING:
    from spark_backend.types import Row

#: Masters that run in this process, and see the folders of this machine.
_LOCAL: Final = "local"


class SparkEngine:
    """Structured Streaming: exactly once, from a checkpoint, on one machine or a cluster."""

    def run(
        self, pipeline: Pipeline, settings: Settings, report: Report, stopping: Callable[[], bool]
    ) -> PipelineProgress:
        """As `Engine.run`; from a checkpoint it resumes where the previous run stopped.

        Rows are counted from the start of the checkpoint.  A pipeline that has ended does nothing.
        """
        with _session(settings) as session, _checkpoint_directory(session, settings) as place:
            checkpoint = Checkpoint(session, place)
            try:
                with checkpoint.locked():
                    work = _streaming_pipeline(pipeline, settings, session, checkpoint, report)
                    done = work.run(once=settings.once, trigger=settings.trigger, stopping=stopping)
            except CheckpointError as error:
                raise RunError(f"--checkpoint: {error}") from None
            except SparkFailure as error:
                hint = "committed rows stay; mend the cause, and start again with --checkpoint"
                raise RunError(f"{error}\n  hint: {hint}") from None
            return _progress(pipeline, done)


def _streaming_pipeline(
    pipeline: Pipeline,
    settings: Settings,
    session: SparkSession,
    checkpoint: Checkpoint,
    report: Report,
) -> StreamingPipeline:
    """The pipeline as a Structured Streaming query, with its sources and sinks."""
    once = settings.once
    for each in pipeline.sources:
        known = connection_of(each)
        if known.format is Format.SOCKET and settings.checkpoint is not None:
            message, hint = "a socket does not send its rows again", "leave --checkpoint out"
            raise pipeline.fault(Code.NOT_SUPPORTED, message, known.at("format"), hint)
    foreign: Sequence[Stream | Table] = [*pipeline.sources, *pipeline.changing_sources]
    sources: list[Source] = [source_of(pipeline, each, session, once=once) for each in foreign]
    of_streams = [each for each in pipeline.files if isinstance(each.source, Stream)]
    sources += [_file_source(pipeline, each) for each in of_streams]
    parts = sorted(identity_of(pipeline.prepared, pipeline.profile).items())
    digest = sha256(repr(parts).encode()).hexdigest()
    is_new = not FileSystem().exists(f"{checkpoint.directory}/pipeline.json")
    written: Sequence[Stream | Table] = [*pipeline.sinks, *pipeline.changing_sinks]
    sinks = {
        each.name: sink_of(pipeline, each, session, digest, is_new_checkpoint=is_new)
        for each in written
    }
    return StreamingPipeline(
        session=session,
        prepared=pipeline.prepared,
        profile=pipeline.profile,
        sources=sources,
        sinks=sinks,
        checkpoint=checkpoint,
        now=lambda: parse_timestamp(settings.now()),
        fill_tables=lambda contents: _fill_tables(pipeline, contents),
        report=lambda done: report(_progress(pipeline, done)),
    )


def _file_source(pipeline: Pipeline, file: Input) -> Files:
    """The source of a stream that reads a file named on the command line."""
    assert isinstance(file.source, Stream), "a table is loaded"
    path = qualified(str(file.path))
    if not file.path.exists():
        raise FileError(f"{file.path}: No such file or directory")
    files = Listing(pipeline, file.connection, path, folder=file.path.is_dir())
    return Files(pipeline, file.source, file.connection, files)


def _fill_tables(pipeline: Pipeline, contents: Contents) -> None:
    """Fill the tables that have a file on the command line; `RunError` names a bad row."""
    for file in tables_of(pipeline):
        table = file.source
        for path, batch in input_batches(file):
            if batch.bad:
                bad = batch.bad[0]
                raise RunError(f"{Code.BAD_ROW}: {bad.reason}\n{bad.path}:{bad.line}")
            rows: list[Row] = []
            for line, row in zip(batch.lines, batch.rows, strict=True):
                try:
                    rows.append(internal_values(table.columns, row))
                except ValueError as error:
                    raise RunError(f"{Code.BAD_ROW}: {error}\n{path}:{line}") from None
            accepted, refused = ingress_of(table).judge(rows, contents.checks(table))
            if refused:
                at = f"{path}:{batch.lines[refused[0].place]}"
                raise RunError(f"{Code.BAD_ROW}: {refused[0].reason}\n{at}")
            for each in accepted:
                contents.of(table).before.append(each)


# --- the session, and the checkpoint ------------------------------------------------------------


@contextmanager
def _session(settings: Settings) -> Generator[SparkSession]:
    """A Spark session with the user's settings; the handler of Ctrl-C is not changed."""
    for key, value in settings.conf:
        if key in EXACT and value != EXACT[key]:
            raise RunError(
                f"--conf {key}={value}: exact answers need {key}={EXACT[key]}\n  hint: leave it out"
            )
    main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    try:
        with _errors_of_conf():  # Spark reads some settings only when the session is first used
            session = spark_session(settings.master, dict(settings.conf))
    except (NoJavaError, SparkStartError) as error:
        raise EngineStartError(f"backend 'spark' does not start: {error}") from None
    finally:
        if main:  # Spark has set a handler of its own
            signal.signal(signal.SIGINT, handler)
    known: dict[str, str | None] = {key: session.conf.get(key, None) for key, _ in settings.conf}
    try:
        with _errors_of_conf():
            for key, value in settings.conf:
                if session.conf.isModifiable(key):
                    session.conf.set(key, value)
        yield session
    finally:
        for key, before in known.items():
            if session.conf.isModifiable(key) and before is None:
                session.conf.unset(key)
            elif session.conf.isModifiable(key):
                session.conf.set(key, str(before))


@contextmanager
def _errors_of_conf() -> Generator[None]:
    """A context in which an exception of Spark is reported as a wrong --conf."""
    try:
        yield
    except PySparkException as error:
        raise RunError(f"--conf: {str(error).partition(chr(10))[0]}") from None


@contextmanager
def _checkpoint_directory(session: SparkSession, settings: Settings) -> Generator[str]:
    """The directory of the checkpoint; without --checkpoint, a temporary directory."""
    if settings.checkpoint is not None:
        yield qualified(settings.checkpoint.rstrip("/"))
        return
    if not str(session.sparkContext.master).startswith(_LOCAL):
        raise RunError(
            f"{Code.NOT_SUPPORTED}: on a cluster a pipeline needs a checkpoint\n"
            "  hint: --checkpoint DIR, on a file system that all of the cluster see"
        )
    folder = mkdtemp(prefix="rowtime-")
    try:
        yield f"file:{folder}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- the progress ---------------------------------------------------------------------------------


def _progress(pipeline: Pipeline, done: BatchProgress) -> PipelineProgress:
    """The progress of the pipeline after a micro-batch, for the command line."""
    streams: list[Stream | Table] = [*pipeline.sources, *pipeline.sinks]
    streams += [*pipeline.changing_sources, *pipeline.changing_sinks]
    wheres = {each.name: _where(connection_of(each)) for each in streams}
    wheres |= {each.source.name: str(each.path) for each in pipeline.files}
    return PipelineProgress(
        tuple(_endpoint(each, wheres) for each in done.sources),
        tuple(_endpoint(each, wheres) for each in done.sinks),
        tuple(_endpoint(each, wheres) for each in done.targets),
        done.retained,
    )


def _endpoint(counts: EndpointCounts, wheres: Mapping[tuple[str, ...], str]) -> EndpointProgress:
    """The progress of a source, sink or target.

    ``wheres`` has, by the names of the streams outside the database, the text of their `_where`.
    """
    time = None if counts.bound is None else format_bound(counts.bound)
    return EndpointProgress(
        name=".".join(counts.name),
        rows=counts.rows,
        dropped=counts.dropped,
        reasons=counts.reasons,
        bound="end" if counts.ended else time,
        where=wheres.get(counts.name, ""),
    )


def _where(connection: Connection) -> str:
    """The path of a connection, or, if it has no path, its format."""
    path = dict(connection.settings).get("path")
    if connection.format in FILES:
        return str(Path(str(path))) if "://" not in str(path) else str(path)
    return str(path or connection.format)
