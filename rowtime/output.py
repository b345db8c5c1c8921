"""The rows of a query as output: on standard output or in a file, in the format that it names."""

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from algebra.catalog import Column
from algebra.outside.file_names import STANDARD, ending_of, unread_ending
from algebra.records.csv_fields import DEFAULT_DIALECT, Dialect
from algebra.records.parquet import write_arrow, write_parquet
from algebra.records.printing import (
    BINARY,
    Format,
    format_of_output,
    whole_bytes,
    whole_file,
    write,
)
from algebra.types import Field
from algebra.wire import WireRow, from_wire


def chosen_format(format: Format | None, output: Path | None) -> Format:
    """The format of the output: as it is named, or as the ending of the file says, or a table."""
    named = None if output is None else format_of_output(output)
    return format or named or Format.TABLE


def output_fault(output: Path) -> str | None:
    """Why a file cannot be written; None: nothing is known that stands in the way."""
    if str(output) == STANDARD:
        return None
    ending = unread_ending(output)
    if ending is not None:
        return f"{output}: files that end in {ending} are not written; .gz and .zst are"
    return None if output.parent.is_dir() else f"{output}: there is no folder {output.parent}"


def write_result(
    fields: Sequence[Field], rows: Sequence[WireRow], format: Format, output: Path | None
) -> None:
    """Write all rows, or none, to a file; None and ``-`` are standard output.

    Raises `OSError`, and `FileError` if a format needs a package that is missing.
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
        if format is not Format.TABLE and isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # programs read the same bytes as in a file
        write(format, names, rows, sys.stdout)
        sys.stdout.flush()
    else:
        path = Path(output or "")
        dialect = Dialect(delimiter="\t") if ending_of(path) == ".tsv" else DEFAULT_DIALECT
        with whole_file(path) as to:
            write(format, names, rows, to, dialect)


def _write_binary(
    fields: Sequence[Field], rows: Sequence[WireRow], format: Format, to: BinaryIO
) -> None:
    columns = [Column(field.name, field.type) for field in fields]
    types = [field.type.as_nullable() for field in fields]
    values = [
        tuple([from_wire(type, value) for type, value in zip(types, row, strict=True)])
        for row in rows
    ]
    (write_parquet if format is Format.PARQUET else write_arrow)(to, columns, values)
