"""Pipelines: standing statements from foreign streams to foreign streams, and what runs them.

Both engines and the command line share these records.
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
    """An engine has not found its cluster, or Java; the text is the whole message."""


@dataclass(frozen=True, slots=True)
class Input:
    """Files named in addition to the script: the rows of one table or stream.

    ``connection`` has the format of a file: CSV, JSON, Parquet or, for changes, Debezium.
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

    ``sources`` are the foreign streams that a statement reads and none writes; ``sinks`` are those
    that a statement writes; both in the order of their creation.  ``changing_sources`` and
    ``changing_sinks`` are those of them that are WITH CHANGES.  ``files`` are the contents of
    tables, and the rows of streams that are not foreign.  ``root`` is the folder to which sources
    and sinks are confined; None: they may be anywhere.
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
        """The path of a file that was found at a connection's path.

        With a root, all links resolved.  Raises BAD_OPTION for a link to a file outside the root.
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

    ``once``: the engine reads the input that exists, and ends. ``trigger`` is the number of seconds
    between two looks for new input, and between two commits of output. ``checkpoint`` is a path or,
    on Spark, a URI from which a later run resumes; None: a later run starts from the beginning.
    ``now`` returns the session's clock as a TIMESTAMP of the protocol. ``master`` and ``conf`` name
    a Spark cluster and its settings; None: this machine.
    """

    once: bool
    trigger: float
    checkpoint: str | None
    now: Callable[[], str]
    master: str | None = None
    conf: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EndpointProgress:
    """The rows that have passed one endpoint of a pipeline; ``where`` is its path or address.

    ``rows`` counts the rows read from a source, or committed to a sink.  ``dropped`` counts the
    rows that were dropped there; ``reasons`` has the reasons for the first `MAX_REPORTED_ROWS` of
    them.  ``bound`` is None before the first bound, and ``end`` after the last row.
    """

    name: str
    rows: int
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    bound: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class PipelineProgress:
    """The progress of all endpoints, and the rows and groups that the operators retain (``state``).

    ``refused`` counts, by target, the rows that statements have sent and the target has dropped.
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
        """The progress once all input has ended, or ``stopping`` has returned true.

        All output that was determined by then has been committed.  Raises `SqlError`, `RunError`,
        `FileError` and `OSError`; earlier commits then stay, whole records only, and nothing else.
        Features that the engine lacks are NOT_SUPPORTED, before any file is read or written.
        """
        ...


def connection_of(stream: Stream | Table) -> Connection:
    """The connection of a foreign stream, which `Pipeline` has checked to be there."""
    assert stream.connection is not None, stream.name
    return stream.connection


def tables_of(pipeline: Pipeline) -> Iterator[Input]:
    """The files that are contents of tables."""
    return (each for each in pipeline.files if isinstance(each.source, Table))
