"""Chooses the reader or writer of records by the OPTIONS of a connection."""

import csv
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from algebra.catalog import Column, Stream, Table
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BATCH, Batch
from algebra.records.changing.debezium import change_batches
from algebra.records.csv_fields import Dialect, TimeForm, field_readers
from algebra.records.csv_files import csv_batches, record_reader
from algebra.records.json_lines import json_batches
from algebra.records.opening import FileError, some_files_of
from algebra.records.parquet import parquet_batches
from algebra.records.pipeline import Input
from algebra.records.printing import write_csv, write_json
from algebra.wire import WireRow
from grammar.counts import counted

#: The number of rows in a batch of a pipeline: less than `BATCH`, so that a batch is read quickly.
BATCH_ROWS: Final = 5_000

#: Reads the rows of one file, batch by batch.
FileReader: TypeAlias = Callable[[Path], Generator[Batch]]
#: Writes rows as text; the last argument is true for the first rows of a file.
RowPrinter: TypeAlias = Callable[[Sequence[WireRow], TextIO, bool], None]


def dialect_of(connection: Connection) -> Dialect:
    """The form of CSV that a connection's options describe."""
    return Dialect(
        connection.flag("header"),
        connection.text("delimiter"),
        connection.text("null_text"),
        connection.text("quote"),
    )


def times_of(connection: Connection) -> TimeForm:
    """The form of times that a connection's options describe; the default if it has no options."""
    settings = dict(connection.settings)
    return TimeForm(str(settings.get("time_unit", "")), settings.get("strict_times") is True)


def file_reader(
    connection: Connection,
    columns: Sequence[Column],
    most: int = BATCH_ROWS,
    *,
    needed: frozenset[int] | None = None,
    key: Sequence[int] = (),
) -> FileReader:
    """The reader of a connection's files: CSV, JSON, Parquet or Debezium's changes.

    ``most`` is the greatest number of records in a batch.  ``key`` are the places of the KEY of a
    stream WITH CHANGES.  ``needed`` are the places of the columns whose values are needed: a batch
    of valid rows has internal values in them, and NULL in the other columns.  Batches of changes,
    and without ``needed`` all batches, are on the wire.  Raises `FileError` for columns that these
    files cannot have.
    """
    times = times_of(connection)
    require_json_for_paths(connection, columns)
    match connection.format:
        case Format.CSV:
            dialect = dialect_of(connection)
            return lambda path: csv_batches(path, columns, dialect, times, most, needed)
        case Format.JSON:
            return lambda path: json_batches(path, columns, times, most, needed)
        case Format.DEBEZIUM:
            return lambda path: change_batches(path, columns, key, times, most)
        case _:
            return lambda path: parquet_batches(path, columns, times, most, needed)


def key_of(source: Table | Stream) -> Sequence[int]:
    """The places of the KEY of a stream WITH CHANGES; empty for other objects, or without a KEY."""
    return source.primary_key if isinstance(source, Table) and source.changing else ()


def require_json_for_paths(connection: Connection, columns: Sequence[Column]) -> None:
    """Raise `FileError` for a column with a path, unless the records are objects of JSON."""
    lines = dict(connection.settings).get("lines")  # the format of a socket's lines
    is_json = connection.format in (Format.JSON, Format.DEBEZIUM) or lines == Format.JSON
    for column in columns:
        if column.path and not is_json:
            where = dict(connection.settings).get("path", connection.format)
            raise FileError(f"{where}: column {column.name} has a path, which needs JSON")


def input_batches(
    input: Input, needed: frozenset[int] | None = None
) -> Generator[tuple[Path, Batch]]:
    """The rows of the files of an input, each batch with the path of its file.

    ``needed`` is as for `file_reader`.  Raises `FileError` for a file that cannot be read.
    """
    key = key_of(input.source)
    read = file_reader(input.connection, input.source.columns, BATCH, needed=needed, key=key)
    for path in some_files_of(input.connection):
        for batch in read(path):
            yield path, batch


def line_record_reader(
    columns: Sequence[Column], connection: Connection
) -> Callable[[str], WireRow]:
    """The function that converts a line of CSV from a socket to a row.

    The fields of the line are in the order of the columns.  The function raises `ValueError` for a
    line that is not such a record.
    """
    require_json_for_paths(connection, columns)
    dialect = Dialect(False, connection.text("delimiter"), connection.text("null_text"))
    readers = field_readers(columns, dialect, times_of(connection))

    def read(line: str) -> WireRow:
        try:
            (fields,) = record_reader([line], dialect)
        except csv.Error as error:
            raise ValueError(f"not CSV: {error}") from None
        if len(fields) != len(readers):
            found = counted(len(fields), "field")
            raise ValueError(f"{found} for {counted(len(readers), 'column')}")
        return tuple(reader(text) for reader, text in zip(readers, fields, strict=True))

    return read


def printer(connection: Connection, columns: Sequence[Column]) -> RowPrinter:
    """The function that writes rows in the format of a connection: CSV, JSON or Debezium's.

    A row in Debezium's format is the text of one record.
    """
    names = [column.name for column in columns]
    if connection.format is Format.DEBEZIUM:
        return lambda rows, to, _: to.writelines(f"{text}\n" for (text,) in rows)
    if connection.format is Format.JSON:
        return lambda rows, to, _: write_json(names, rows, to)
    dialect = dialect_of(connection)

    def csv(rows: Sequence[WireRow], to: TextIO, first: bool) -> None:
        if first and dialect.header:
            write_csv([names], to, dialect)
        write_csv(rows, to, dialect)

    return csv
