"""The endpoints of a pipeline: what a source and a sink must do, and how far they have come."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import QualifiedName, Stream
from spark_backend.data.ingress import Refusal
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.stream.codec import Json


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a source has in a micro-batch: rows in order of arrival, of the right types.

    ``dropped`` counts records that are no rows, ``reasons`` are those of the first few; ``ended``:
    no more will come.  ``decide``: what has arrived for sure; None: this has, and otherwise
    ``rows`` may include a record that is no row, in a frame whose column `DOUBT` is true there.
    """

    rows: RowBuffer
    dropped: int = 0
    reasons: tuple[str, ...] = ()
    ended: bool = False
    decide: Callable[[], "Arrived"] | None = None


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
        """Why a row is refused; ``place`` is its own among those that `arrived` returned last.

        Raises what ends the pipeline, where such a row does.
        """
        ...

    def done(self) -> None:
        """Release what was opened for the micro-batch: it is over."""
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
        """Go on from the `state` of another sink: what that wrote afterwards is to be undone."""
        ...


@dataclass(frozen=True, slots=True)
class EndpointCounts:
    """What has gone through one endpoint since the checkpoint was begun.

    ``rows``: how many came, or were written.  ``reasons``: those of the first dropped rows.
    ``bound``: in milliseconds, the time below which no later row goes through; None: no bound is
    known, or the stream has no rowtime.
    """

    name: QualifiedName
    rows: int
    dropped: int
    reasons: tuple[str, ...]
    bound: int | None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a pipeline is after the micro-batch ``batch``; -1: before the first.

    ``targets``: those that have refused rows of statements.  ``retained``: how many rows are
    retained for later micro-batches.
    """

    batch: int
    sources: tuple[EndpointCounts, ...]
    sinks: tuple[EndpointCounts, ...]
    targets: tuple[EndpointCounts, ...]
    retained: int
