"""The sinks of a pipeline on Spark: exactly once, after any failure.

A folder has the rows of micro-batch n in files whose names contain n; a repeated micro-batch
replaces them.  A text file is cut to the length in the checkpoint, which removes the rows of an
interrupted micro-batch.  Spark writes many rows, in parts and in order; the driver writes few rows.
"""

import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import Column as Spark
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Stream, Table, row_type_of
from algebra.outside.foreign import Connection, Format
from algebra.records.append_files import append, begin_file
from algebra.records.formats import dialect_of, printer
from algebra.records.parquet import ParquetOutput
from algebra.records.pipeline import Pipeline, connection_of
from algebra.records.printing import write_csv
from algebra.wire import WireRow, row_writer
from grammar.codes import Code
from spark_backend.data.dataframes import to_spark_types
from spark_backend.data.few_rows import FEW, in_memory_if_few
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.relation import column_name
from spark_backend.runtime.failures import SparkFailure, failures
from spark_backend.runtime.filesystem import HERE, FileSystem, plain, qualified
from spark_backend.stream.codec import Json, decoded
from spark_backend.stream.connectors.changes import ChangeSink, lines_stream
from spark_backend.stream.connectors.files import require_parquet_types
from spark_backend.stream.connectors.listing import require_readable
from spark_backend.stream.connectors.sources import connector_error, require_package
from spark_backend.stream.connectors.texts import csv_line, json_line, text_of
from spark_backend.stream.pipeline.checkpoint import CheckpointError
from spark_backend.stream.pipeline.endpoints import Sink
from spark_backend.types import Row


def sink_of(
    pipeline: Pipeline,
    stream: Stream | Table,
    session: SparkSession,
    mark: str,
    *,
    is_new_checkpoint: bool,
) -> Sink:
    """The sink of a foreign stream; nothing is written yet.

    ``mark`` identifies this pipeline to the table of a connector.  Raises BAD_OPTION if the parent
    folder of a file does not exist, or if a folder is not empty although the checkpoint is new
    (``is_new_checkpoint``).
    """
    connection = connection_of(stream)
    if isinstance(stream, Table):
        lines = lines_stream(stream)
        files = _path_sink(pipeline, lines, connection, is_new_checkpoint=is_new_checkpoint)
        return ChangeSink(stream, files)
    match connection.format:
        case Format.CSV | Format.JSON | Format.PARQUET:
            return _path_sink(pipeline, stream, connection, is_new_checkpoint=is_new_checkpoint)
        case Format.CONSOLE:
            return Console(stream)
        case Format.KAFKA | Format.DELTA | Format.ICEBERG:
            require_package(pipeline, connection, session)
            return Connector(pipeline, stream, connection, mark)
        case Format.RATE | Format.SOCKET | Format.DEBEZIUM:
            raise AssertionError("not a sink of rows: it has been checked")


def _path_sink(
    pipeline: Pipeline, stream: Stream, connection: Connection, *, is_new_checkpoint: bool
) -> Sink:
    """The sink of a path: a file that grows (`Text`), or a folder (`Parts`).

    It is a folder if the path is one already, if it has no ending, or if the format is Parquet.
    Raises BAD_OPTION as `sink_of` does.
    """
    path, at = connection.text("path"), connection.at("path")
    require_readable(pipeline, connection)
    require_parquet_types(pipeline, stream, connection)
    files = FileSystem()
    try:
        whole = qualified(path)
        parent = whole.rpartition("/")[0]
        if whole.startswith(HERE) and not files.exists(parent):
            parent = plain(parent)
            message, hint = f"there is no folder {parent}", f"mkdir -p {parent}"
            raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
        is_folder = files.is_folder(whole)
        if is_new_checkpoint and is_folder and files.names(whole):
            message, hint = f"the folder {path} is not empty", "empty it, or name another"
            raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
    except OSError as error:
        message, hint = f"{path}: {error.strerror}", "a path, or one with a scheme: s3a://…"
        raise pipeline.fault(Code.BAD_OPTION, message, at, hint) from None
    if is_folder or not Path(path).suffix or connection.format is Format.PARQUET:
        if files.exists(whole) and not is_folder:
            message, hint = f"{path} is a file", "on Spark a sink of Parquet is a folder"
            raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
        return Parts(stream, connection, whole)
    if not whole.startswith(HERE):
        message, hint = "a file elsewhere cannot grow", "name a folder: a path without an ending"
        raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
    return Text(stream, connection, Path(plain(path)))


def lines_of(stream: Stream, connection: Connection) -> Spark:
    """A Spark column: the line of text of each row of a DataFrame with internal values."""
    values = [col(column_name(i)) for i in range(len(stream.columns))]
    types = [each.type for each in stream.columns]
    if connection.format is not Format.CSV:
        return json_line([each.name for each in stream.columns], values, types)
    texts = [text_of(value, type) for value, type in zip(values, types, strict=True)]
    return csv_line(texts, dialect_of(connection))


@dataclass(frozen=True, slots=True)
class _TextState:
    """The length of a file, in bytes; None if nothing has been written."""

    length: int | None


class Text:
    """A file of CSV or JSON on this machine.

    The first micro-batch replaces an older file; the later ones append.
    """

    def __init__(self, stream: Stream, connection: Connection, path: Path) -> None:
        self._stream = stream
        self._connection = connection
        self._path = path
        self._wire = row_writer([column.type for column in stream.columns])
        self._print = printer(connection, stream.columns)
        self._length: int | None = None

    def write(self, rows: RowBuffer, _batch: int, session: SparkSession) -> int:
        """Append the rows at the length in the checkpoint; the rest of the file is cut off."""
        with self._open() as file:
            if not rows.framed:  # none of them is in a DataFrame
                few = list(rows.rows())
                append(file, self._printed(self._wire(few)), self._path)
                count = len(few)
            else:
                count = self._append_many(file, rows.in_order(session))
            os.fsync(file.fileno())
            self._length = file.tell()
        return count

    def state(self) -> Json:
        """The length of the file."""
        return {"length": self._length}

    def restore(self, state: Json) -> None:
        """Continue at the length in ``state``; `CheckpointError` if the file is shorter now."""
        self._length = decoded(_TextState, state).length
        if self._length is None:
            return
        found = self._path.stat().st_size if self._path.is_file() else 0
        if found < self._length:
            raise CheckpointError(
                f"{self._path} has {found:,} bytes; when the checkpoint was written it had "
                f"{self._length:,}\n"
                "  hint: put the file back, or begin with a new checkpoint and new sinks"
            )

    def _open(self) -> io.FileIO:
        """Open the file, cut it to the known length, and go to its end.

        If no length is known, begin a new file, with a header if the format has one.
        """
        if self._length is None:
            return begin_file(self._path, self._printed((), first=True))
        file = io.FileIO(self._path, "r+")
        file.truncate(self._length)
        file.seek(self._length)
        return file

    def _printed(self, rows: Sequence[WireRow], *, first: bool = False) -> bytes:
        """The rows as bytes of the file; ``first``: after a header, if the file has one."""
        text = io.StringIO(newline="")
        self._print(rows, text, first)
        return text.getvalue().encode("utf-8")

    def _append_many(self, file: io.FileIO, frame: DataFrame) -> int:
        """Append the rows of a frame, or none of them if one fails; return their number."""
        count, length = 0, file.tell()
        lines = frame.select(lines_of(self._stream, self._connection).alias("value"))
        try:
            for line in lines.toLocalIterator(prefetchPartitions=True):
                file.write(f"{line[0]}\n".encode())
                count += 1
        except BaseException:
            file.truncate(length)  # the rows are computed while they are written
            raise
        return count


class Parts:
    """A folder with files for each micro-batch with rows: ``part-00012.csv``.

    If Spark has written several parts, they are ``part-00012-0000.csv`` and so on, in order.
    """

    def __init__(self, stream: Stream, connection: Connection, path: str) -> None:
        self._stream = stream
        self._connection = connection
        self._path = path
        is_json = connection.format is Format.DEBEZIUM
        self._ending = Format.JSON if is_json else connection.format
        self._may_repeat = True  # the next micro-batch may have files of an earlier attempt
        self._last_count: int | None = None  # the number of rows of the last micro-batch

    def write(self, rows: RowBuffer, batch: int, session: SparkSession) -> int:
        """Replace the files of the number ``batch`` by one, or several, with these rows."""
        files, name = FileSystem(), f"part-{batch:05}"
        if self._may_repeat:
            files.make_folder(self._path)
            for each in files.names(self._path):
                if each.startswith((f"{name}.", f"{name}-", f"_{name}")):
                    files.delete(f"{self._path}/{each}")
        self._may_repeat = True  # until this micro-batch is written
        few = self._few_in_memory(rows, session) if rows.framed else rows
        if few is None:
            count = self._write_by_spark(files, name, rows.in_order(session))
        else:
            count = self._write_by_driver(files, name, few)
        self._may_repeat, self._last_count = False, count
        return count

    def _few_in_memory(self, rows: RowBuffer, session: SparkSession) -> RowBuffer | None:
        """The rows of a DataFrame in memory, if they are few; else None.

        This is only tried after a micro-batch with few rows, because rows that turn out to be many
        are computed twice.
        """
        if self._last_count is None or self._last_count > FEW:
            return None
        return in_memory_if_few(rows, session)

    def state(self) -> Json:
        """Nothing: the names of the files contain the numbers of the micro-batches."""
        return {}

    def restore(self, _state: Json) -> None:
        """Do nothing but expect that the next micro-batch is repeated, and replaces its files."""
        self._may_repeat = True

    def _write_by_driver(self, files: FileSystem, name: str, rows: RowBuffer) -> int:
        """Write one file, or none without rows; return the number of rows."""
        few = list(rows.rows())
        if few:
            data = self._data(few)
            files.write(f"{self._path}/{name}.{self._ending}", data)
        return len(few)

    def _data(self, rows: Sequence[Row]) -> bytes:
        """The bytes of a file with these rows."""
        columns = self._stream.columns
        if self._connection.format is Format.PARQUET:
            with TemporaryDirectory(prefix="rowtime-") as folder:
                path = Path(folder) / "rows.parquet"
                file = ParquetOutput(path, columns)
                file.write(rows)
                file.close()
                return path.read_bytes()
        text = io.StringIO(newline="")
        wire = row_writer([column.type for column in columns])(rows)
        printer(self._connection, columns)(wire, text, True)
        return text.getvalue().encode("utf-8")

    def _write_by_spark(self, files: FileSystem, name: str, frame: DataFrame) -> int:
        """Write the parts into a folder of their own, then rename them; return the row count."""
        parts_folder, counting = f"{self._path}/_{name}", Observation()
        frame = frame.observe(counting, F.count(F.lit(1)).alias("rows"))
        if self._connection.format is Format.PARQUET:
            typed = to_spark_types(frame, row_type_of(self._stream))
            typed.write.mode("overwrite").parquet(parts_folder)
        else:
            self._lines(frame).write.mode("overwrite").text(parts_folder)
        count = int(counting.get["rows"])
        names = files.names(parts_folder) if count else []
        parts = [each for each in names if each.startswith("part-")]
        for number, part in enumerate(parts):
            suffix = f"-{number:04}" if len(parts) > 1 else ""
            to = f"{self._path}/{name}{suffix}.{self._ending}"
            files.rename(f"{parts_folder}/{part}", to)
        files.delete(parts_folder)
        return count

    def _lines(self, frame: DataFrame) -> DataFrame:
        """The lines of the files, in the column ``value``.

        If CSV has a header, it is at the start of the first line of each part.
        """
        line = lines_of(self._stream, self._connection)
        if self._connection.format is Format.CSV and self._connection.flag("header"):
            text = io.StringIO(newline="")
            names = [each.name for each in self._stream.columns]
            write_csv([names], text, dialect_of(self._connection))
            # In the id, the lower 33 bits are the number of the row in its part.
            first = F.monotonically_increasing_id() % F.lit(2**33) == 0
            line = F.when(first, F.concat(F.lit(text.getvalue()), line)).otherwise(line)
        return frame.select(line.alias("value"))


class Console:
    """Standard output, as CSV; a repeated micro-batch prints its rows again."""

    def __init__(self, stream: Stream) -> None:
        self._names = [each.name for each in stream.columns]
        self._wire = row_writer([column.type for column in stream.columns])
        self._needs_header = True

    def write(self, rows: RowBuffer, _batch: int, _session: SparkSession) -> int:
        """Print the rows; before the first rows, print the names of the columns."""
        few = list(rows.rows())
        text = io.StringIO(newline="")
        write_csv([self._names] if self._needs_header and few else [], text)
        write_csv(self._wire(few), text)
        self._needs_header = self._needs_header and not few
        sys.stdout.write(text.getvalue())
        sys.stdout.flush()
        return len(few)

    def state(self) -> Json:
        """Whether the header has not been printed; no later run reads it."""
        return {"first": self._needs_header}

    def restore(self, _state: Json) -> None:
        """Do nothing: the header is printed once for each run."""


class Connector:
    """A table or topic that Spark writes to by a connector's package.

    Delta accepts each micro-batch once, by its number; Iceberg and Kafka get the rows of a repeated
    micro-batch twice.  The value of a Kafka message is a JSON object.
    """

    def __init__(
        self, pipeline: Pipeline, stream: Stream, connection: Connection, mark: str
    ) -> None:
        self._pipeline = pipeline
        self._stream = stream
        self._connection = connection
        self._mark = mark

    def write(self, rows: RowBuffer, batch: int, session: SparkSession) -> int:
        """Append the rows, with the options of the declaration."""
        # A connector may run the frame as a query of its own, which no Observation observes:
        # waiting for the Observation would never end.
        frame = rows.in_order(session).persist()
        try:
            with failures():
                count = frame.count()
            self._append(frame, batch)
        finally:
            frame.unpersist()
        return count

    def _append(self, frame: DataFrame, batch: int) -> None:
        """Let the connector write the rows; BAD_OPTION if it rejects its options."""
        if self._connection.format is Format.KAFKA:
            frame = frame.select(lines_of(self._stream, self._connection).alias("value"))
        else:
            frame = to_spark_types(frame, row_type_of(self._stream))
        writer = frame.write.format(str(self._connection.format)).mode("append")
        for name, value in self._connection.settings:
            writer = writer.option(name, value)
        if self._connection.format is Format.DELTA:
            writer = writer.option("txnAppId", self._mark).option("txnVersion", batch)
        try:
            with failures():
                writer.save()
        except SparkFailure as error:
            raise connector_error(self._pipeline, self._connection, error) from None

    def state(self) -> Json:
        """Nothing."""
        return {}

    def restore(self, _state: Json) -> None:
        """Do nothing: there is no state."""
