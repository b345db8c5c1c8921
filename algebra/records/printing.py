"""Rows on the wire as text: a table for people; CSV and JSON for programs."""

import csv
import io
import json
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, TextIO
from unicodedata import combining, east_asian_width

from algebra.outside.file_names import FORMATS, ending_of, format_named, resolved
from algebra.records.append_files import draft_name, keep_mode
from algebra.records.csv_fields import DEFAULT_DIALECT, QUOTED, Dialect
from algebra.records.opening import compressing
from algebra.wire import Wire, WireRow, shown
from grammar.printable import printable

#: Begins a field that must be quoted; it is removed again.
_FORCED: Final = f"{QUOTED}\n"


class Format(StrEnum):
    """The format in which a result is printed."""

    TABLE = "table"  # aligned columns under their names; NULL is NULL
    MARKDOWN = "markdown"  # a table of Markdown; NULL is NULL
    CSV = "csv"  # a header, then one record per row; NULL is an empty field
    JSON = "json"  # one object per row and line
    PARQUET = "parquet"
    ARROW = "arrow"  # a file of Arrow IPC


#: The formats that are not text.
BINARY: Final = frozenset({Format.PARQUET, Format.ARROW})
_NAMED: Final = {"csv": Format.CSV, "json": Format.JSON, "parquet": Format.PARQUET}
_ENDINGS: Final = {
    ".md": Format.MARKDOWN,
    ".txt": Format.TABLE,
    ".arrow": Format.ARROW,
    ".feather": Format.ARROW,
}
#: The endings that name a format of output.
OUTPUT_ENDINGS: Final = (*FORMATS, *_ENDINGS)


def text_format(name: str) -> Format:
    """The format of that name that is text.  Raises `ValueError`."""
    format = Format(name)
    if format in BINARY:
        raise ValueError(f"{name} is not text")
    return format


def format_of_output(path: Path) -> Format | None:
    """The format that the ending of a file's name names; None: no format has this ending."""
    named = format_named(path)
    return _ENDINGS.get(ending_of(path)) if named is None else _NAMED[named]


def write(
    format: Format,
    names: Sequence[str],
    rows: Sequence[WireRow],
    to: TextIO,
    dialect: Dialect = DEFAULT_DIALECT,
) -> None:
    """Write the result to ``to``, in the order of ``rows``, in a format that is text."""
    match format:
        case Format.TABLE:
            _write_table(names, rows, to)
        case Format.MARKDOWN:
            write_markdown(names, rows, to)
        case Format.CSV:
            write_csv([names], to, dialect)
            write_csv(rows, to, dialect)
        case Format.JSON:
            write_json(names, rows, to)
        case Format.PARQUET | Format.ARROW:
            raise AssertionError(f"{format} is not text")


def write_csv(
    rows: Iterable[WireRow | Sequence[str]], to: TextIO, dialect: Dialect = DEFAULT_DIALECT
) -> None:
    """Write a record for each row.

    NULL is the dialect's text for it, without quotes.  A text is quoted if it is empty or equal to
    that text, so that reading the file gives the text again.

    Defines: S-607.n
    """
    null, quote = dialect.null, dialect.quote
    writer = partial(
        csv.writer, lineterminator="\n", delimiter=dialect.delimiter, quotechar=dialect.quote
    )
    listed = rows if isinstance(rows, Sequence) else list(rows)
    if _is_plain(listed, null):
        writer(to).writerows(listed)
        return
    part = io.StringIO(newline="")
    records = writer(part)
    marked = False
    for row in listed:
        fields = [null if value is None else shown(value) for value in row]
        if null in fields or "" in fields or any("\r" in field for field in fields):
            # The line break makes `csv` quote the field.  It does not for a carriage return.
            fields = [
                _FORCED + field
                if value is not None and (field in ("", null) or "\r" in field)
                else field
                for field, value in zip(fields, row, strict=True)
            ]
            marked = True
        if fields == [""]:  # `csv` would quote the only field of a record
            part.write("\n")
        else:
            records.writerow(fields)
    text = part.getvalue()
    to.write(text.replace(f"{quote}{_FORCED}", quote) if marked else text)


def _is_plain(rows: Sequence[WireRow | Sequence[str]], null: str) -> bool:
    """Whether `csv` itself writes all rows as `write_csv` does, so that it can write them at once.

    It writes numbers as `str` does and None as an empty field.
    """
    columns = list(zip(*rows, strict=True))
    if len(columns) < 2:
        return False
    for column in columns:
        classes = set(map(type, column))
        if bool in classes or (null and type(None) in classes):
            return False
        if str in classes:
            texts = column if len(classes) == 1 else [t for t in column if isinstance(t, str)]
            if "" in texts or null in texts or "\r" in "".join(texts):
                return False
    return True


def write_json(names: Sequence[str], rows: Iterable[WireRow], to: TextIO) -> None:
    """Write an object for each row, one per line."""
    to.writelines(
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
    )


@contextmanager
def whole_file(path: Path) -> Generator[TextIO]:
    """A text file to write, in UTF-8, as `whole_bytes` replaces ``path``.

    The text is compressed if the name ends in .gz or .zst.  Raises `OSError`.
    """
    with (
        whole_bytes(path) as bytes,
        compressing(bytes, path) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as to,
    ):
        yield to


@contextmanager
def whole_bytes(path: Path) -> Generator[BinaryIO]:
    """A file to write, which replaces ``path`` atomically once all is written.

    A reader sees the old contents or all of the new; if writing fails, the old file stays.  The new
    file has the permissions of the old one.  A path that is not an ordinary file, such as a pipe,
    is written directly.  Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as to:
            yield to
        return
    target = resolved(path)  # a link continues to lead there
    beside = draft_name(target)
    try:
        with beside.open("xb") as to:
            keep_mode(beside, target)
            yield to
        beside.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def write_markdown(
    names: Sequence[str], rows: Sequence[WireRow], to: TextIO, heading: bool = True
) -> None:
    """Write a table of Markdown; its columns are right-aligned where the rows have numbers.

    Without ``heading`` only the lines of the rows are written.
    """
    cells = [[cell(value) for value in row] for row in rows]
    if heading:
        right = _right_aligned(names, rows)
        to.write(f"| {' | '.join(_markdown(printable(name)) for name in names)} |\n")
        to.write(f"|{'|'.join('---:' if each else '---' for each in right)}|\n")
    to.writelines(f"| {' | '.join(map(_markdown, line))} |\n" for line in cells)


def _markdown(text: str) -> str:
    return text.replace("|", "\\|")


def _write_table(names: Sequence[str], rows: Sequence[WireRow], to: TextIO) -> None:
    """Write numbers right-aligned, other values left-aligned, then a line with the row count."""
    cells = [[cell(value) for value in row] for row in rows]
    names = list(map(printable, names))
    widths = [
        max(map(display_width, [name, *(line[place] for line in cells)]))
        for place, name in enumerate(names)
    ]
    right = _right_aligned(names, rows)
    headings = map(padded, names, widths)
    to.write(" | ".join(headings).rstrip() + "\n")
    to.write("-+-".join("-" * width for width in widths) + "\n")
    for line in cells:
        shown = (
            padded(cell, width, to_right=to_right)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        to.write(" | ".join(shown).rstrip() + "\n")
    to.write(f"({len(rows)} {'row' if len(rows) == 1 else 'rows'})\n")


def _right_aligned(names: Sequence[str], rows: Sequence[WireRow]) -> list[bool]:
    """For each column whether all of its values are numbers."""
    return [
        bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(names))
    ]


def cell(value: Wire) -> str:
    """A value in a table: `shown`, without control characters."""
    return printable(shown(value))


def _is_number(value: Wire) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def display_width(text: str) -> int:
    """The number of columns of a terminal that a text takes.

    >>> display_width("日本"), display_width("e\u0301")
    (4, 1)
    """
    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in ("W", "F") else 1 for each in text
    )


def padded(text: str, width: int, *, to_right: bool = False) -> str:
    """The text with blanks after it, or before it, so that it has at least ``width`` columns."""
    blanks = " " * (width - display_width(text))
    return blanks + text if to_right else text + blanks
