"""Writes rows on the wire as text: as a table for people, or as CSV or JSON for programs."""

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

#: With this text at its beginning, `csv` quotes a field; it is then removed from the output.
_FORCED: Final = f"{QUOTED}\n"


class Format(StrEnum):
    """The format in which a result is printed."""

    TABLE = "table"  # aligned columns below their names; NULL is written as NULL
    MARKDOWN = "markdown"  # a Markdown table; NULL is written as NULL
    CSV = "csv"  # a header, then a record for each row; NULL is an empty field
    JSON = "json"  # an object for each row, on a line of its own
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
    """The text format with this name.  Raises `ValueError` for other names."""
    format = Format(name)
    if format in BINARY:
        raise ValueError(f"{name} is not text")
    return format


def format_of_output(path: Path) -> Format | None:
    """The format to which the ending of a file's name belongs; None: it belongs to no format."""
    named = format_named(path)
    return _ENDINGS.get(ending_of(path)) if named is None else _NAMED[named]


def write(
    format: Format,
    names: Sequence[str],
    rows: Sequence[WireRow],
    to: TextIO,
    dialect: Dialect = DEFAULT_DIALECT,
) -> None:
    """Write ``rows``, with columns called ``names``, to ``to`` in a text format."""
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

    NULL is written as the dialect's text for NULL, without quotes.  A text that is empty or equal
    to this text is quoted, so that a reader of the file gets the text again.

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
            # `csv` quotes a field with the line break of `_FORCED`.  By itself it would not quote a
            # field with a carriage return.
            fields = [
                _FORCED + field
                if value is not None and (field in ("", null) or "\r" in field)
                else field
                for field, value in zip(fields, row, strict=True)
            ]
            marked = True
        if fields == [""]:  # `csv` would quote an empty field that is the only one of its record
            part.write("\n")
        else:
            records.writerow(fields)
    text = part.getvalue()
    to.write(text.replace(f"{quote}{_FORCED}", quote) if marked else text)


def _is_plain(rows: Sequence[WireRow | Sequence[str]], null: str) -> bool:
    """Whether `csv` writes all of ``rows`` in the form that `write_csv` needs.

    `csv` writes numbers as `str` does, and None as an empty field.
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
    """Write an object for each row, on a line of its own."""
    to.writelines(
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
    )


@contextmanager
def whole_file(path: Path) -> Generator[TextIO]:
    """Open a text file in UTF-8 for writing, which replaces ``path`` as by `whole_bytes`.

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
    """Open a file for writing, which replaces ``path`` atomically at the end of the context.

    A reader sees either the old contents or all of the new contents.  If writing fails, the old
    file stays.  The new file has the permissions of the old file.  A path that is not an ordinary
    file, such as a pipe, is written directly.  Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as to:
            yield to
        return
    target = resolved(path)  # a link stays, and its target is replaced
    draft = draft_name(target)
    try:
        with draft.open("xb") as to:
            keep_mode(draft, target)
            yield to
        draft.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def write_markdown(
    names: Sequence[str], rows: Sequence[WireRow], to: TextIO, heading: bool = True
) -> None:
    """Write a Markdown table; columns of numbers are right-aligned.

    Without ``heading``, only the lines of the rows are written.
    """
    cells = [[cell(value) for value in row] for row in rows]
    if heading:
        right = _right_aligned(names, rows)
        to.write(f"| {' | '.join(_markdown(printable(name)) for name in names)} |\n")
        to.write(f"|{'|'.join('---:' if each else '---' for each in right)}|\n")
    to.writelines(f"| {' | '.join(map(_markdown, line))} |\n" for line in cells)


def _markdown(text: str) -> str:
    """The text of a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _write_table(names: Sequence[str], rows: Sequence[WireRow], to: TextIO) -> None:
    """Write a table for people, and a line with the number of rows; numbers are right-aligned."""
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
        aligned = (
            padded(cell, width, to_right=to_right)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        to.write(" | ".join(aligned).rstrip() + "\n")
    to.write(f"({len(rows)} {'row' if len(rows) == 1 else 'rows'})\n")


def _right_aligned(names: Sequence[str], rows: Sequence[WireRow]) -> list[bool]:
    """For each column, whether it is right-aligned: there are rows, all with a number or NULL."""
    return [
        bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(names))
    ]


def cell(value: Wire) -> str:
    """The text of a value in a table: that of `shown`, without control characters."""
    return printable(shown(value))


def _is_number(value: Wire) -> bool:
    """Whether ``value`` is a number or NULL."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def display_width(text: str) -> int:
    """The number of columns that a text fills in a terminal.

    >>> display_width("日本"), display_width("e\u0301")
    (4, 1)
    """
    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in ("W", "F") else 1 for each in text
    )


def padded(text: str, width: int, *, to_right: bool = False) -> str:
    """``text`` filled with blanks to ``width`` columns; ``to_right``: the blanks are before it."""
    blanks = " " * (width - display_width(text))
    return blanks + text if to_right else text + blanks
