"""Rows on the wire as text: a table for people; CSV and JSON for programs."""

import csv
import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from algebra.records.append_files import draft_name
from algebra.wire import Wire, WireRow


class Format(StrEnum):
    """The format in which a result is printed."""

    TABLE = "table"  # columns under their names, as on the pages; NULL is null
    CSV = "csv"  # a header, then a row a record; NULL is an empty field
    JSON = "json"  # an object a row, one a line


def write(format: Format, names: Sequence[str], rows: Sequence[WireRow], to: TextIO) -> None:
    """Write the result to ``to``, in the order of ``rows``."""
    match format:
        case Format.TABLE:
            _write_table(names, rows, to)
        case Format.CSV:
            write_csv([names], to)
            write_csv(rows, to)
        case Format.JSON:
            write_json(names, rows, to)


def write_csv(rows: Iterable[WireRow | Sequence[str]], to: TextIO, delimiter: str = ",") -> None:
    """Write a record for each row; NULL is an empty field."""
    records = csv.writer(to, lineterminator="\n", delimiter=delimiter)
    records.writerows([_text(value) for value in row] for row in rows)


def write_json(names: Sequence[str], rows: Iterable[WireRow], to: TextIO) -> None:
    """Write an object for each row, one per line."""
    to.writelines(
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
    )


@contextmanager
def whole_file(path: Path) -> Generator[TextIO]:
    """A file to write, which replaces ``path`` atomically once all is written.

    A reader sees the old contents or all of the new; if writing fails, the old file stays.  A path
    that is no ordinary file, such as a pipe, is written directly.  Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as to:
            yield to
        return
    target = path.resolve()  # a link goes on leading there
    beside = draft_name(target)
    try:
        with beside.open("x", encoding="utf-8", newline="") as to:
            yield to
        beside.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def _write_table(names: Sequence[str], rows: Sequence[WireRow], to: TextIO) -> None:
    """Write numbers right-aligned, other values left-aligned, then a line with the row count."""
    cells = [["null" if value is None else _text(value) for value in row] for row in rows]
    widths = [
        max([len(name), *(len(line[place]) for line in cells)]) for place, name in enumerate(names)
    ]
    right = [
        bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(names))
    ]
    headings = (name.ljust(width) for name, width in zip(names, widths, strict=True))
    to.write(" | ".join(headings).rstrip() + "\n")
    to.write("-+-".join("-" * width for width in widths) + "\n")
    for line in cells:
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        to.write(" | ".join(padded).rstrip() + "\n")
    to.write(f"({len(rows)} {'row' if len(rows) == 1 else 'rows'})\n")


def _is_number(value: Wire) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: Wire) -> str:
    """A value as text for people; NULL is empty."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
