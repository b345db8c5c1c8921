"""Readers and writers of records in the format that a connection's OPTIONS name."""

import csv
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from algebra.catalog import Column
from algebra.foreign import Connection, Format
from algebra.records.csv_files import (
    Batch,
    Dialect,
    csv_batches,
    field_readers,
    parquet_batches,
)
from algebra.records.json_lines import json_batches
from algebra.records.printing import write_csv, write_json
from algebra.wire import WireRow
from grammar.counts import counted

#: The number of rows in a batch of a file: a moment's work.
BATCH_ROWS: Final = 5_000
#: The endings of the files in a folder that are read.
ENDINGS: Final = {
    Format.CSV: (".csv",),
    Format.JSON: (".json", ".jsonl", ".ndjson"),
    Format.PARQUET: (".parquet", ".pq"),
}

#: The rows of one file, batch by batch.
FileReader: TypeAlias = Callable[[Path], Generator[Batch]]
#: Writes rows as text; the flag says that nothing stands before them in the file.
RowPrinter: TypeAlias = Callable[[Sequence[WireRow], TextIO, bool], None]


def file_reader(connection: Connection, columns: Sequence[Column]) -> FileReader:
    """The reader of a connection's files: CSV, JSON or Parquet."""
    match connection.format:
        case Format.CSV:
            dialect = Dialect(
                connection.flag("header"),
                connection.text("delimiter"),
                connection.text("null_text"),
            )
            return lambda path: csv_batches(path, columns, dialect, BATCH_ROWS)
        case Format.JSON:
            return lambda path: json_batches(path, columns, BATCH_ROWS)
        case _:
            return lambda path: parquet_batches(path, columns, BATCH_ROWS)


def record_reader(columns: Sequence[Column], dialect: Dialect) -> Callable[[str], WireRow]:
    """The row of one CSV record; `ValueError` says why a record is none."""
    readers = field_readers(columns, dialect)

    def read(line: str) -> WireRow:
        try:
            (fields,) = csv.reader([line], strict=True, delimiter=dialect.delimiter)
        except csv.Error as error:
            raise ValueError(f"not CSV: {error}") from None
        if len(fields) != len(readers):
            found = counted(len(fields), "field")
            raise ValueError(f"{found} for {counted(len(readers), 'column')}")
        return tuple(reader(text) for reader, text in zip(readers, fields, strict=True))

    return read


def printer(connection: Connection, columns: Sequence[Column]) -> RowPrinter:
    """The writer of rows as CSV, with the connection's header, delimiter and NULL; or as JSON."""
    names = [column.name for column in columns]
    if connection.format is Format.JSON:
        return lambda rows, to, _: write_json(names, rows, to)
    header, delimiter = connection.flag("header"), connection.text("delimiter")
    null = connection.text("null_text")

    def csv(rows: Sequence[WireRow], to: TextIO, first: bool) -> None:
        if first and header:
            write_csv([names], to, delimiter)
        if null:
            rows = [tuple([null if value is None else value for value in row]) for row in rows]
        write_csv(rows, to, delimiter)

    return csv
