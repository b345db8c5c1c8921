"""Writes the rows of a query to standard output or to a file, in one of the output formats."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import BinaryIO, TextIO

from algebra.catalog import Column
from algebra.outside.file_names import STANDARD, ending_of, unread_ending
from algebra.records.csv_fields import DEFAULT_DIALECT, Dialect
from algebra.records.parquet import write_arrow, write_parquet
from algebra.records.printing import (
    BINARY,
    OUTPUT_ENDINGS,
    Format,
    format_of_output,
    whole_bytes,
    whole_file,
    write,
    write_csv,
    write_json,
)
from algebra.types import Field
from algebra.wire import WireRow, from_wire
from tck.terminal.messages import print_exactly


def chosen_format(format: Format | None, output: Path | None) -> Format:
    """The format of the output: ``format``, or that of the ending of ``output``, or a table.

    ``output`` is None for standard output.
    """
    by_ending = None if output is None else format_of_output(output)
    return format or by_ending or Format.TABLE


def unwritable_reason(format: Format | None, output: Path) -> str | None:
    """The reason why the file ``output`` cannot be written; None if no reason is known.

    If ``format`` is None, the ending of the file's name must name a format.

    Defines: S-607.u
    """
    if str(output) == STANDARD:
        return None
    ending = unread_ending(output)
    if ending is not None:
        return f"{output}: files that end in {ending} are not written; .gz and .zst are"
    if format is None and format_of_output(output) is None and not output.is_dir():
        listed = ", ".join(OUTPUT_ENDINGS)
        return f"{output}: the file has no ending that names a format: {listed}; or use --format"
    return None if output.parent.is_dir() else f"{output}: there is no folder {output.parent}"


class TextSink:
    """A text file of CSV or JSON, to which rows are written as they are emitted.

    ``path`` is the file's name, which decides between commas and tabs.
    """

    def __init__(self, format: Format, to: TextIO, path: Path) -> None:
        self._format = format
        self._to = to
        self._dialect = dialect_of_file(path)
        self._names: list[str] = []

    def begin(self, fields: Sequence[Field]) -> None:
        """Take the columns of the rows, and write the header that CSV has."""
        self._names = [field.name for field in fields]
        if self._format is Format.CSV:
            write_csv([self._names], self._to, self._dialect)

    def write(self, rows: Sequence[WireRow]) -> None:
        """Write further rows."""
        if self._format is Format.CSV:
            write_csv(rows, self._to, self._dialect)
        else:
            write_json(self._names, rows, self._to)


@contextmanager
def open_text_sink(format: Format, output: Path | None) -> Generator[TextSink | None]:
    """A context with a receiver of rows, or None if the rows cannot be written as they are emitted.

    The receiver writes CSV or JSON into a temporary file, which replaces ``output`` if the context
    ends without an exception.  The value is None for other formats, and for standard output, which
    must get all rows or none: then `write_result` writes the rows.  Raises `OSError`.
    """
    if output is None or str(output) == STANDARD or format not in (Format.CSV, Format.JSON):
        yield None
        return
    with whole_file(output) as to:
        yield TextSink(format, to, output)


def dialect_of_file(path: Path) -> Dialect:
    """The dialect of CSV by the name of a file: tabs separate the values if it ends in ``.tsv``."""
    return Dialect(delimiter="\t") if ending_of(path) == ".tsv" else DEFAULT_DIALECT


def write_result(
    fields: Sequence[Field], rows: Sequence[WireRow], format: Format, output: Path | None
) -> None:
    """Write all rows, or none, to ``output``; None and ``-`` are standard output.

    ``fields`` are the columns of the rows.  Raises `OSError`, and `FileError` if a format needs a
    package that is missing.
    """
    names = [field.name for field in fields]
    standard = output is None or str(output) == STANDARD
    if format in BINARY:
        if standard:
            _write_binary(fields, rows, format, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        with whole_bytes(Path(output or "")) as to:
            _write_binary(fields, rows, format, to)
    elif standard:
        reconfigure = getattr(sys.stdout, "reconfigure", None)  # tests may replace standard output
        if format is not Format.TABLE and reconfigure is not None:
            reconfigure(encoding="utf-8")  # programs read the same bytes as in a file
        if sys.stdout.isatty():
            shown = StringIO()
            write(format, names, rows, shown)
            print_exactly(shown.getvalue())
        else:
            write(format, names, rows, sys.stdout)
        sys.stdout.flush()
    else:
        path = Path(output or "")
        with whole_file(path) as to:
            write(format, names, rows, to, dialect_of_file(path))


def _write_binary(
    fields: Sequence[Field], rows: Sequence[WireRow], format: Format, to: BinaryIO
) -> None:
    """Write the rows as Parquet or Arrow."""
    columns = [Column(field.name, field.type) for field in fields]
    types = [field.type.as_nullable() for field in fields]
    values = [
        tuple([from_wire(type, value) for type, value in zip(types, row, strict=True)])
        for row in rows
    ]
    (write_parquet if format is Format.PARQUET else write_arrow)(to, columns, values)
