"""Files of changes, in the format of Debezium, as sources and sinks on Spark (S-1009).

The driver reads and writes the files itself, because it also stores the valid rows of a stream WITH
CHANGES.
"""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import Column, Stream, Table, row_type_of
from algebra.outside.foreign import Connection
from algebra.records.batch import BadRow
from algebra.records.changing.debezium import batch_of, record_reader, record_writer
from algebra.records.formats import times_of
from algebra.records.malformed import malformed_error
from algebra.records.pipeline import MAX_REPORTED_ROWS, Pipeline
from algebra.types import VARCHAR
from algebra.wire import row_writer
from spark_backend.data.changes import changes_reader, weighted
from spark_backend.data.ingress import BadRowError, Refusal
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import types_of
from spark_backend.runtime.filesystem import FileSystem
from spark_backend.stream.codec import Json
from spark_backend.stream.connectors.listing import Listing, listing_of, local_path
from spark_backend.stream.connectors.records import fails
from spark_backend.stream.pipeline.endpoints import Arrived, Sink


class ChangeFiles:
    """The changes of files; all records of a micro-batch are one event."""

    def __init__(self, table: Table, connection: Connection, files: Listing) -> None:
        self.stream = table
        self._connection = connection
        self._files = files
        self._types = weighted(types_of(row_type_of(table)))
        self._record = record_reader(table.columns, table.primary_key, times_of(connection))
        self._values = changes_reader(table)
        #: The file and the line of each change of the micro-batch.
        self._places: list[tuple[Path, int]] = []

    def frame(self, session: SparkSession) -> DataFrame:
        """A streaming frame of the names of the files, as `read_batch` takes its micro-batches."""
        return self._files.frame(session)

    def read_batch(self, batch: DataFrame) -> Arrived:
        """Read the files of a micro-batch; a malformed record raises, or is dropped."""
        self._files.take(batch)
        rows, bad = RowBuffer(self._types), list[BadRow]()
        self._places = []
        for path in self._files.paths:
            bad += self._read(path, rows)
        reasons = map(str, bad[:MAX_REPORTED_ROWS])
        ended = bool(self._files.paths) and not self._files.folder
        return Arrived(rows, len(bad), tuple(reasons), ended)

    def _read(self, path: str, into: RowBuffer) -> Sequence[BadRow]:
        """Append the changes of a file to ``into``; return its malformed records, in order."""
        local = Path(local_path(path))
        lines = FileSystem().read(path).removeprefix("\ufeff").split("\n")
        batch = batch_of(local, list(enumerate(lines, 1)), self._record)
        bad = list(batch.bad)
        for line, row, weight in zip(batch.lines, batch.rows, batch.weights, strict=True):
            try:
                into.append((*self._values(weight, row), weight))
            except BadRowError as error:
                bad.append(BadRow(local, line, str(error)))
            else:
                self._places.append((local, line))
        bad.sort(key=lambda each: each.line)
        if bad and fails(self._connection):
            raise malformed_error(bad[0], self._connection, self.stream.columns)
        return bad

    def refused(self, refusal: Refusal, place: int) -> str:
        """The reason why a change is dropped, with its file and line.

        Raises instead if the declaration says that a malformed record ends the run.
        """
        fault = BadRow(*self._places[place], refusal.reason)
        if fails(self._connection):
            raise malformed_error(fault, self._connection, self.stream.columns)
        return str(fault)

    def release(self) -> None:
        """Do nothing: the source holds no files or frames."""


def change_files_of(pipeline: Pipeline, table: Table, connection: Connection) -> ChangeFiles:
    """A file or folder of changes; the error BAD_OPTION at its path if it does not exist."""
    return ChangeFiles(table, connection, listing_of(pipeline, connection, readable=()))


class ChangeSink:
    """A sink of changes: the ``lines`` of another sink, a record each."""

    def __init__(self, table: Table, lines: Sink) -> None:
        self._lines = lines
        self._wire = row_writer([column.type for column in table.columns])
        self._records = record_writer(table.columns, table.primary_key)

    def write(self, rows: RowBuffer, batch: int, session: SparkSession) -> int:
        """Write the records of the changes of one event; return the number of records."""
        changes = list(rows.rows())
        wire = self._wire([change[:-1] for change in changes])
        event = [
            (row, 1 if change[-1] == 1 else -1) for row, change in zip(wire, changes, strict=True)
        ]
        texts = RowBuffer.of((VARCHAR,), ((text,) for text in self._records(event)))
        return self._lines.write(texts, batch, session)

    def state(self) -> Json:
        """The state of the lines."""
        return self._lines.state()

    def restore(self, state: Json) -> None:
        """Continue from a `state`."""
        self._lines.restore(state)


def lines_stream(table: Table) -> Stream:
    """The stream of the records of a sink of changes, as texts."""
    return Stream(table.name, (Column("RECORD", VARCHAR),), connection=table.connection)
