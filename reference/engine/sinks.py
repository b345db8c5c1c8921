"""The sinks of a pipeline on one machine: files, folders, and standard output.

A commit is permanent, and has only whole records.
"""

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from algebra.catalog import Column, Stream, Table
from algebra.outside.file_names import resolved
from algebra.outside.foreign import Connection, Format
from algebra.records.append_files import append, begin_file, draft_name, keep_mode
from algebra.records.changing.debezium import record_writer
from algebra.records.formats import RowPrinter, printer
from algebra.records.opening import compressed
from algebra.records.parquet import ParquetOutput
from algebra.records.pipeline import Pipeline, connection_of
from algebra.records.printing import write_csv
from algebra.types import VARCHAR
from algebra.wire import row_writer
from grammar.codes import Code
from reference.relation import Relation
from reference.relational.changelog import WeightedRows

#: The only column of a file of changes: the text of a record.
_RECORD: Final = Column("RECORD", VARCHAR)


class Sink(Protocol):
    """A sink of rows."""

    def commit(self, rows: Relation) -> None:
        """Write all of ``rows``, or none.  Raises `OSError`."""
        ...

    def close(self) -> None:
        """Complete the committed output: no more rows will be written."""
        ...

    def abandon(self) -> None:
        """End after a failure: keep what was committed; without a commit, change nothing."""
        ...


class ChangeSink:
    """A sink of changes: it writes each change as a text record into the sink ``records``."""

    def __init__(self, records: Sink, table: Table) -> None:
        self._records = records
        self._wire = row_writer([column.type for column in table.columns])
        self._write = record_writer(table.columns, table.primary_key)

    def commit(self, events: Sequence[WeightedRows]) -> int:
        """Write the records of all ``events``, or none; return their number.  Raises `OSError`."""
        records = [(text,) for each in events for text in self._records_of(each)]
        self._records.commit(records)
        return len(records)

    def _records_of(self, event: WeightedRows) -> Sequence[str]:
        """The changes of an event, as texts."""
        rows = self._wire([row for row, _ in event])
        return self._write([(row, weight) for row, (_, weight) in zip(rows, event, strict=True)])

    def close(self) -> None:
        """Complete what has been committed."""
        self._records.close()

    def abandon(self) -> None:
        """End after a failure, as `Sink.abandon`."""
        self._records.abandon()


def change_sink_of(pipeline: Pipeline, table: Table) -> ChangeSink:
    """The sink of a foreign stream WITH CHANGES; it raises what `sink_of` does."""
    return ChangeSink(sink_of(pipeline, table), table)


def sink_of(pipeline: Pipeline, stream: Stream | Table) -> Sink:
    """The sink of a foreign stream; it changes nothing before its first commit.

    Raises BAD_OPTION if the folder of the path does not exist, or the path is a folder that is not
    empty.  Raises NOT_SUPPORTED for a connector.
    """
    connection = connection_of(stream)
    match connection.format:
        case Format.CSV | Format.JSON | Format.PARQUET | Format.DEBEZIUM:
            path = Path(connection.text("path"))
            at = connection.at("path")
            if not path.parent.is_dir():
                message, hint = f"there is no folder {path.parent}", f"mkdir -p {path.parent}"
                raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
            if path.is_dir() and any(path.iterdir()):
                message, hint = f"the folder {path} is not empty", "empty it, or name another"
                raise pipeline.fault(Code.BAD_OPTION, message, at, hint)
            if path.is_dir() or not path.suffix:
                return Parts(path, connection, stream.columns)
            return _file(path, connection, stream.columns)
        case Format.CONSOLE:
            return Console(stream.columns)
        case Format.RATE | Format.SOCKET | Format.KAFKA | Format.DELTA | Format.ICEBERG:
            message = f"format '{connection.format}' cannot be written on one machine"
            at, hint = connection.at("format"), "csv, json, parquet or console"
            raise pipeline.fault(Code.NOT_SUPPORTED, message, at, hint)


def _file(path: Path, connection: Connection, columns: Sequence[Column]) -> Sink:
    """The sink for one file in the format of ``connection``."""
    if connection.format is Format.PARQUET:
        return Parquet(path, columns)
    texts = (_RECORD,) if connection.format is Format.DEBEZIUM else columns
    return Lines(path, texts, printer(connection, texts))


class Lines:
    """A file of text, which grows with each commit.

    It replaces an old file at the first commit, or at the end.  A path that is not an ordinary
    file, such as a pipe, is written directly.
    """

    def __init__(self, path: Path, columns: Sequence[Column], print: RowPrinter) -> None:
        self._path = path
        self._wire = row_writer([column.type for column in columns])
        self._print = print
        self._file: io.FileIO | None = None
        self._first = True  # whether nothing has been committed yet

    def commit(self, rows: Relation) -> None:
        """Append the rows; if that fails, cut the file back to its old length."""
        if not rows and not self._first:
            return
        text = io.StringIO(newline="")
        self._print(self._wire(rows), text, self._first)
        data = compressed(text.getvalue().encode("utf-8"), self._path)
        if self._file is None:
            self._file = begin_file(self._path, data)
        else:
            append(self._file, data, self._path)
        self._first = False

    def close(self) -> None:
        """Close the file; if there was no commit, it is created now, without rows."""
        if self._first:
            self.commit(())
        self.abandon()

    def abandon(self) -> None:
        """Close the file, if there was a commit."""
        if self._file is not None:
            self._file.close()


class Parquet:
    """A Parquet file with a row group for each commit.

    It is written under the name of a draft, and gets its own name when it is closed.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._path = resolved(path)  # a link continues to lead to the file
        self._draft = draft_name(self._path)
        self._columns = columns
        self._file: ParquetOutput | None = None

    def commit(self, rows: Relation) -> None:
        """Write a row group."""
        try:
            if self._file is None:
                self._file = ParquetOutput(self._draft, self._columns)
            self._file.write(rows)
        except BaseException as error:
            self._file = None  # a file with half a row group cannot be read
            self._draft.unlink(missing_ok=True)
            raise self._with_path(error) from None

    def close(self) -> None:
        """Finish the file, and give it its name."""
        if self._file is None:
            self.commit(())
        self.abandon()

    def abandon(self) -> None:
        """Finish the file, if there is one: its row groups are complete."""
        if self._file is None:
            return
        try:
            self._file.close()
            keep_mode(self._draft, self._path)
            self._draft.replace(self._path)
        except OSError as error:
            raise self._with_path(error) from None
        finally:
            self._draft.unlink(missing_ok=True)

    def _with_path(self, error: BaseException) -> BaseException:
        """The error of a system call with the sink's path, which Arrow leaves out; others as is."""
        if not isinstance(error, OSError) or error.errno is None:
            return error
        return OSError(error.errno, os.strerror(error.errno), str(self._path))


class Parts:
    """A folder with one file for each commit that has rows: ``part-00000.csv`` and so on."""

    def __init__(self, path: Path, connection: Connection, columns: Sequence[Column]) -> None:
        self._path = path
        self._connection = connection
        self._columns = columns
        self._count = 0

    def commit(self, rows: Relation) -> None:
        """Write a new file under a hidden name, and rename it when it is complete."""
        self._path.mkdir(exist_ok=True)
        if not rows:
            return
        format = self._connection.format
        ending = Format.JSON if format is Format.DEBEZIUM else format
        name = f"part-{self._count:05}.{ending}"
        draft = self._path / f".{name}"
        try:
            part = _file(draft, self._connection, self._columns)
            part.commit(rows)
            part.close()
            draft.replace(self._path / name)
        finally:
            draft.unlink(missing_ok=True)
        self._count += 1

    def close(self) -> None:
        """Create the folder, if no commit has."""
        self.commit(())

    def abandon(self) -> None:
        """Do nothing: its files are complete."""


class Console:
    """Standard output, as CSV: a header, then one record for each row."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        self._wire = row_writer([column.type for column in columns])
        self._first = True  # whether no row has been printed yet

    def commit(self, rows: Relation) -> None:
        """Print the rows."""
        text = io.StringIO(newline="")
        write_csv([self._names] if self._first and rows else [], text)
        write_csv(self._wire(rows), text)
        self._first = self._first and not rows
        sys.stdout.write(text.getvalue())
        sys.stdout.flush()

    def close(self) -> None:
        """Do nothing, because nothing is open."""

    def abandon(self) -> None:
        """Do nothing, because nothing is open."""
