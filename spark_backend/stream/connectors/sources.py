"""The sources of a pipeline on Spark: files, a rate, a socket, and the streams of connectors.

Spark does not keep the order of rows.  So each row has an *arrival key*, by which its place in the
order of arrival is found again.  A micro-batch *is shuffled* if its rows can have another order
than their arrival keys.
"""

import socket
from collections.abc import Mapping, Sequence
from typing import Final

from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Stream, Table
from algebra.outside.foreign import Connection, Format
from algebra.records.csv_fields import DEFAULT_TIMES
from algebra.records.formats import line_record_reader, times_of
from algebra.records.pipeline import Pipeline, RunError, connection_of
from algebra.types import INTEGERS, Kind
from grammar.codes import Code
from spark_backend.data.ingress import LATE, Refusal
from spark_backend.made_once import col
from spark_backend.runtime.failures import SparkFailure, failures
from spark_backend.stream.connectors.changes import change_files_of
from spark_backend.stream.connectors.files import files_of
from spark_backend.stream.connectors.records import (
    BadRecord,
    Reader,
    Texts,
    Values,
    bad_row,
    fails,
    json_texts,
)
from spark_backend.stream.connectors.texts import Reading, of_value
from spark_backend.stream.ingress.arrivals import ARRIVAL_KEY, arrival_key, with_arrival_key
from spark_backend.stream.pipeline.endpoints import Arrived, Source
from spark_backend.types import type_name

#: The packages that bring a connector; ``{}`` stands for Spark's version.
PACKAGES: Final[Mapping[Format, str]] = {
    Format.KAFKA: "org.apache.spark:spark-sql-kafka-0-10_2.13:{}",
    Format.DELTA: "io.delta:delta-spark_2.13:…",
    Format.ICEBERG: "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:…",
}
#: Spark's error conditions for a format that no installed package has.
_ABSENT: Final = ("DATA_SOURCE_NOT_FOUND", "KAFKA_DATA_SOURCE_NOT_ENABLED")


def source_of(
    pipeline: Pipeline, stream: Stream | Table, session: SparkSession, *, once: bool
) -> Source:
    """The source of a foreign stream.

    Raises BAD_OPTION if the file does not exist or its columns do not fit.  Raises NOT_SUPPORTED
    for a connector whose package is missing, and for an unbounded source with ``once``.
    """
    connection = connection_of(stream)
    if isinstance(stream, Table):
        return change_files_of(pipeline, stream, connection)
    match connection.format:
        case Format.CSV | Format.JSON | Format.PARQUET:
            return files_of(pipeline, stream, connection)
        case Format.RATE:
            kinds = [column.type.kind for column in stream.columns]
            at = connection.at("format")
            if len(kinds) != 2 or kinds[0] is not Kind.TIMESTAMP or kinds[1] not in INTEGERS:
                hint = "(rowtime TIMESTAMP(3) ASCENDING, number BIGINT)"
                message = "the rows of a rate are a time and a number"
                raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
            _require_no_once(pipeline, connection, once)
            return Frames(stream, connection, _rate(stream, session, connection))
        case Format.SOCKET:
            _require_no_once(pipeline, connection, once)
            return Lines(stream, connection, _socket(pipeline, connection, session))
        case Format.KAFKA:
            frame = _load(pipeline, connection, session)
            frame = frame.select(
                col("value").cast("string"), arrival_key(frame, "kafka").alias(ARRIVAL_KEY)
            )
            return Lines(stream, connection, frame)
        case Format.DELTA | Format.ICEBERG:
            frame = _load(pipeline, connection, session)
            return Frames(stream, connection, frame.withColumn(ARRIVAL_KEY, arrival_key(frame)))
        case Format.CONSOLE | Format.DEBEZIUM:
            raise AssertionError("not a source of rows: it has been checked")


def _require_no_once(pipeline: Pipeline, connection: Connection, once: bool) -> None:
    """Raise NOT_SUPPORTED if ``once``: a run with --once ends with its input, which has no end."""
    if once:
        message, hint = f"a {connection.format} has no end", "leave --once out"
        raise pipeline.fault(Code.NOT_SUPPORTED, message, connection.at("format"), hint)


def require_package(pipeline: Pipeline, connection: Connection, session: SparkSession) -> None:
    """Check that Spark has the package of a connector; else NOT_SUPPORTED names the package.

    A reader without options is loaded for the check: an installed connector fails with another
    error than the one that Spark raises for an unknown format.
    """
    try:
        session.read.format(str(connection.format)).load()
    except (PySparkException, Py4JError) as error:
        if not any(each in str(error) for each in _ABSENT):
            return
        package = PACKAGES[connection.format].format(session.version)
        hint = f"--conf spark.jars.packages={package}, or its jar with --conf spark.jars=FILE"
        message, at = f"Spark has no package for '{connection.format}'", connection.at("format")
        raise pipeline.fault(Code.NOT_SUPPORTED, message, at, hint) from None


def connector_error(pipeline: Pipeline, connection: Connection, error: Exception) -> Exception:
    """The error BAD_OPTION with the message of a connector that rejects its options."""
    text = str(error).removeprefix("Spark failed: ").partition("\n")[0][:300]
    at, hint = connection.at("format"), "see the options of the connector"
    return pipeline.fault(Code.BAD_OPTION, text, at, hint)


def _load(pipeline: Pipeline, connection: Connection, session: SparkSession) -> DataFrame:
    """The streaming frame of a connector, which gets the options of the declaration unchanged.

    Raises NOT_SUPPORTED if its package is missing, and BAD_OPTION if it rejects the options.
    """
    require_package(pipeline, connection, session)
    stream = session.readStream.format(str(connection.format))
    for name, value in connection.settings:
        stream = stream.option(name, value)
    try:
        with failures():
            return stream.load()
    except SparkFailure as error:
        raise connector_error(pipeline, connection, error) from None


class Frames:
    """A source whose rows Structured Streaming reads itself: a connector, or ``rate``."""

    def __init__(self, stream: Stream, connection: Connection, frame: DataFrame) -> None:
        self.stream = stream
        self._connection = connection
        self._frame = frame
        self._reader = Reader(stream)

    def frame(self, _session: SparkSession) -> DataFrame:
        """The rows of the stream."""
        return self._frame

    def read_batch(self, batch: DataFrame) -> Arrived:
        """The rows of a micro-batch; a row with a value outside its column's type is malformed."""
        by_name = {each.name.upper(): each for each in batch.schema.fields}
        readings: list[Reading] = []
        for each in self.stream.columns:
            found = by_name.get(each.name.upper())
            if found is None:
                listed = ", ".join(name for name in by_name if name != ARRIVAL_KEY.upper())
                raise RunError(
                    f"{Code.BAD_OPTION}: {self._connection.format}: there is no column {each.name};"
                    f" there are: {listed}"
                )
            times = DEFAULT_TIMES.of(each)
            readings.append(of_value(batch[found.name], found.dataType, each.type, times))
        values = Values(batch, readings, col(ARRIVAL_KEY))
        is_shuffled = self._connection.format is Format.RATE
        return self._reader.of_values(values, is_shuffled=is_shuffled).arrived(self._malformed)

    def _malformed(self, bad: Sequence[BadRecord]) -> tuple[str, ...]:
        """The reasons for malformed records; raises if ``on_error`` is ``fail``."""
        reasons = tuple(map(_reason, bad))
        if reasons and fails(self._connection):
            raise bad_row(reasons[0], str(self._connection.format))
        return reasons

    def refused(self, refusal: Refusal, _place: int) -> str:
        """The reason why a row is dropped; raises for a bad row if ``on_error`` is ``fail``."""
        if refusal.code != LATE and fails(self._connection):
            number = refusal.place + 1
            raise bad_row(refusal.reason, f"{self._connection.format}:{number}")
        return refusal.reason

    def release(self) -> None:
        """Release what was persisted for the micro-batch."""
        self._reader.release()


class Lines(Frames):
    """A source of lines of CSV or JSON, one line for each row."""

    def read_batch(self, batch: DataFrame) -> Arrived:
        """The rows of a micro-batch; empty lines are skipped."""
        columns = self.stream.columns
        # The key has a line's place in its task.  So it is computed before lines are removed.
        batch = with_arrival_key(batch, str(self._connection.format))
        batch = batch.filter(F.trim("value") != F.lit(""))
        line = F.regexp_replace("value", "\r$", "")
        settings = dict(self._connection.settings)
        if self._connection.format is Format.SOCKET and settings["lines"] == "csv":
            # Spark cannot parse these lines by the rules of rowtime.  So for Spark each column is
            # NULL and in doubt, and Python reads all lines with ``decode``.  (Of JSON, Python reads
            # only those lines about which Spark is in doubt.)
            unknown = [Reading(F.lit(None).cast(type_name(c.type)), F.lit(True)) for c in columns]
            decode = line_record_reader(columns, self._connection)
            texts = Texts(batch, col(ARRIVAL_KEY), line, decode, lambda _: (batch, unknown))
        else:
            texts = json_texts(batch, columns, col(ARRIVAL_KEY), line, times_of(self._connection))
        return self._reader.of_texts(texts, is_shuffled=True).arrived(self._malformed)


def _reason(bad: BadRecord) -> str:
    """Why a record is malformed, with its text if it has one."""
    return bad.reason if bad.raw is None else f"{bad.reason}: {bad.raw}"


def _rate(stream: Stream, session: SparkSession, connection: Connection) -> DataFrame:
    """Spark's rate source, its two columns renamed to those of the stream."""
    reader = session.readStream.format("rate")
    frame = reader.option("rowsPerSecond", connection.number("rows_per_second")).load()
    columns = [each.name for each in stream.columns]
    return frame.select("timestamp", "value", arrival_key(frame, "rate")).toDF(
        *columns, ARRIVAL_KEY
    )


def _socket(pipeline: Pipeline, connection: Connection, session: SparkSession) -> DataFrame:
    """The streaming frame of a socket; BAD_OPTION if no server listens."""
    host, port = connection.text("host"), connection.number("port")
    try:
        socket.create_connection((host, port), timeout=10).close()
    except OSError as error:
        message = f"no connection to {host}:{port}: {error.strerror or error}"
        hint = f"start the server first: nc -lk {port}"
        raise pipeline.fault(Code.BAD_OPTION, message, connection.at("port"), hint) from None
    stream = session.readStream.format("socket").option("host", host).option("port", port)
    return stream.load()
