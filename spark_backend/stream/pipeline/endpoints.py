"""The endpoints of a pipeline: the protocols of sources and sinks, and their progress."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import QualifiedName, Stream, Table
from spark_backend.data.ingress import Refusal
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.stream.codec import Json


@dataclass(frozen=True, slots=True)
class Arrived:
    """The rows of a source in a micro-batch, in order of arrival, of the right types.

    Those of a stream WITH CHANGES have their weights (`spark_backend.data.changes`).
    ``dropped`` counts malformed records; ``reasons`` has the reasons for the first few. ``ended``:
    no more rows will arrive.  If ``decide`` is not None, then ``rows`` is a frame that may include
    malformed records, for which its column `DOUBT` is true, and ``decide`` returns the certain
    result.
    """

    rows: RowBuffer
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    ended: bool = False
    decide: Callable[[], "Arrived"] | None = None


class Source(Protocol):
    """The source of the rows of a stream."""

    @property
    def stream(self) -> Stream | Table:
        """The stream; a `Table` if it is WITH CHANGES."""
        ...

    def frame(self, session: SparkSession, /) -> DataFrame:
        """The frame that Structured Streaming divides into micro-batches: rows or file names."""
        ...

    def read_batch(self, batch: DataFrame) -> Arrived:
        """Read the rows of a micro-batch; ``batch`` is its part of `frame`."""
        ...

    def refused(self, refusal: Refusal, place: int, /) -> str:
        """The reason why a row is dropped; ``place``: its place in the last result of `read_batch`.

        Raises an error if such a row ends the pipeline.
        """
        ...

    def release(self) -> None:
        """Release the resources of the micro-batch, which is done."""
        ...


class Sink(Protocol):
    """The target of the rows of a stream."""

    def write(self, rows: RowBuffer, batch: int, session: SparkSession, /) -> int:
        """Write the rows of the micro-batch ``batch``, replacing earlier ones; return their number.

        The rows of a stream WITH CHANGES have their weights; the number is that of the records.
        Raises `OSError`, and Spark's own errors.
        """
        ...

    def state(self) -> Json:
        """The state from which another sink object continues."""
        ...

    def restore(self, state: Json, /) -> None:
        """Continue from the `state` of another sink; rows that it wrote later are undone."""
        ...


@dataclass(frozen=True, slots=True)
class EndpointCounts:
    """The progress of one endpoint since the start of the checkpoint.

    ``rows`` is the number of rows that arrived or were written. ``reasons`` has the reasons for the
    first dropped rows. ``ended``: no further row follows. ``bound`` is the bound of the stream in
    milliseconds; None if it is not known, or if the stream has no rowtime.
    """

    name: QualifiedName
    rows: int
    dropped: int
    reasons: tuple[str, ...]
    bound: int | None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """The progress of a pipeline after the micro-batch ``batch``; -1 before the first one.

    ``targets`` has the targets that dropped rows of statements. ``retained`` is the number of rows
    that are retained for later micro-batches.
    """

    batch: int
    sources: tuple[EndpointCounts, ...]
    sinks: tuple[EndpointCounts, ...]
    targets: tuple[EndpointCounts, ...]
    retained: int
