"""`Pipeline`, `Engine` and the records of a run: the interface between command line and engines.

A pipeline is a script whose standing statements run from foreign streams to foreign streams.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from algebra.catalog import Profile, Stream, Table
from algebra.outside.file_names import is_within, resolved
from algebra.outside.foreign import Connection
from algebra.prepare import Prepared
from algebra.records.opening import HINT
from grammar.codes import Code
from grammar.source import Span, SqlError

#: The greatest number of bad or late rows that a report names; it counts all of them.
MAX_REPORTED_ROWS: Final = 10


class RunError(Exception):
    """A run failed; the text is the whole message."""


class EngineStartError(Exception):
    """An engine could not start, for example without Java; the text is the whole message."""


@dataclass(frozen=True, slots=True)
class Input:
    """Files that the user names in addition to the script: the rows of one table or stream.

    ``connection`` has their path and format: CSV, JSON, Parquet or, for changes, Debezium.
    """

    source: Table | Stream
    connection: Connection

    @property
    def path(self) -> Path:
        """The file, folder or pattern that was named."""
        return Path(self.connection.text("path"))

    @property
    def name(self) -> str:
        """The object's name as the protocol writes it: ``SALES.ORDERS``."""
        return ".".join(self.source.name)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A bound script, and its foreign sources and sinks.

    ``sources`` are the foreign streams that a statement reads and no statement writes.  ``sinks``
    are the foreign streams that a statement writes.  ``changing_sources`` and ``changing_sinks``
    are the same for streams WITH CHANGES.  All are in the order of their creation.  ``files`` are
    the contents of tables, and the rows of streams that are not foreign.  ``root`` is the folder to
    which sources and sinks are confined; None: they may be anywhere.
    """

    sql: str
    profile: Profile
    prepared: Prepared
    sources: tuple[Stream, ...]
    sinks: tuple[Stream, ...]
    files: tuple[Input, ...]
    root: Path | None = None
    changing_sources: tuple[Table, ...] = ()
    changing_sinks: tuple[Table, ...] = ()

    def fault(self, code: Code, message: str, at: Span, hint: str) -> SqlError:
        """The error ``code`` at a place of the script."""
        return SqlError(code, message, self.sql, at, hint)

    def unreadable(self, message: str, connection: Connection) -> SqlError:
        """BAD_OPTION at the path of a file that cannot be read; ``message`` may end in a hint."""
        text, _, hint = message.partition(HINT)
        shown = f"this shows the columns of the file: rowtime describe {connection.text('path')}"
        return self.fault(Code.BAD_OPTION, text, connection.at("path"), hint or shown)

    def resolve_in_root(self, path: Path, connection: Connection) -> Path:
        """``path``, a file that was found at a connection's path; with a root, without links.

        Raises BAD_OPTION if ``path`` is a link to a file outside the root.
        """
        if self.root is None:
            return path
        target = resolved(path)
        if not is_within(target, self.root):
            message = f"{path} is a link out of {self.root}, to which this run is confined"
            hint = "take the link out of the folder"
            raise self.fault(Code.BAD_OPTION, message, connection.at("path"), hint)
        return target


@dataclass(frozen=True, slots=True)
class Settings:
    """How a pipeline runs.

    - ``once``: the engine reads the input that exists, and ends.
    - ``trigger``: the seconds from one search for new input, and one commit of output, to the next.
    - ``checkpoint``: a path or, on Spark, a URI from which a later run resumes; None: a later run
      starts from the beginning.
    - ``now`` returns the session's clock as a TIMESTAMP on the wire.
    - ``master`` and ``conf``: a Spark cluster and its settings; None: this machine.
    """

    once: bool
    trigger: float
    checkpoint: str | None
    now: Callable[[], str]
    master: str | None = None
    conf: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EndpointProgress:
    """The progress of one endpoint, a source or sink, of a pipeline.

    ``rows`` counts the rows that were read from a source, or committed to a sink.  ``dropped``
    counts the rows that were dropped at the endpoint; ``reasons`` has the reasons for the first
    `MAX_REPORTED_ROWS` of them.  ``bound`` is None before the first bound, and ``end`` after the
    last row.  ``where`` is the path or address of the endpoint.
    """

    name: str
    rows: int
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    bound: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class PipelineProgress:
    """The progress of all endpoints of a pipeline.

    ``refused`` counts, for each target of statements, the rows that the target has dropped.
    ``state`` is the number of rows and groups that the operators retain.
    """

    sources: tuple[EndpointProgress, ...]
    sinks: tuple[EndpointProgress, ...]
    refused: tuple[EndpointProgress, ...]
    state: int


#: Receives the progress of a pipeline, at each trigger and at the end.
Report: TypeAlias = Callable[[PipelineProgress], None]


class Engine(Protocol):
    """An engine that can run a pipeline."""

    def run(
        self, pipeline: Pipeline, settings: Settings, report: Report, stopping: Callable[[], bool]
    ) -> PipelineProgress:
        """Run ``pipeline`` until all input has ended, or until ``stopping`` returns true.

        Returns the progress at that time, after all determined output has been committed.  Raises
        `SqlError`, `RunError`, `FileError` and `OSError`; then the sinks have the output of earlier
        commits, in whole records, and nothing else.  Raises NOT_SUPPORTED for features that the
        engine lacks, before any file is read or written.
        """
        ...


def connection_of(stream: Stream | Table) -> Connection:
    """The connection of a foreign stream of a `Pipeline`, which always has one."""
    assert stream.connection is not None, stream.name
    return stream.connection


def tables_of(pipeline: Pipeline) -> Iterator[Input]:
    """The files of ``pipeline`` that are the contents of tables."""
    return (each for each in pipeline.files if isinstance(each.source, Table))
