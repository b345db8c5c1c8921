"""CSV and Parquet files as rows on the wire."""

import csv
import re
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import accumulate, islice
from pathlib import Path
from typing import Final

from algebra.catalog import Column
from algebra.records.parquet import ParquetError, parquet_columns
from algebra.types import APPROXIMATE, INTEGERS, Kind
from algebra.wire import Wire, WireRow
from grammar.counts import counted

#: The greatest number of records in a batch.
BATCH: Final = 50_000

_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
#: More digits than a value of any integer type has; Python itself reads a few thousand.
_MOST_DIGITS: Final = 1_000
_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_FLOAT: Final = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", re.ASCII)
_ISO_TIMESTAMP: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9:.]+)", re.ASCII)
_FLOAT_WORDS: Final = {"nan": "NaN", "infinity": "Infinity", "-infinity": "-Infinity"}


class FileError(Exception):
    """A file that cannot be read as rows; the text says which file, where and why."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A record that is no row: its file, its line, counted from 1, and the reason."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        """``orders.csv:17: 3 fields where the header has 4``."""
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a file, the line of each, and the malformed records among them."""

    rows: tuple[WireRow, ...]
    lines: tuple[int, ...]
    bad: tuple[BadRow, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a CSV file: whether its first record names the columns, its delimiter, its NULL.

    Without a ``header`` the fields are in the order of the columns.  A field equal to ``null`` is
    NULL.
    """

    header: bool = True
    delimiter: str = ","
    null: str = ""


#: A header, commas, and NULL as an empty field.
DEFAULT_DIALECT: Final = Dialect()


def batches(path: Path, columns: Sequence[Column]) -> Generator[Batch]:
    """The rows of ``path`` in batches; each row has the values of ``columns``, in that order.

    Columns are found by name, case-insensitively; other columns of the file are ignored.  A value
    that cannot be parsed as its column's type stays text, which the ingress of the backend refuses.
    Raises `FileError` if the file does not exist, is of another kind, or lacks a column.
    """
    match path.suffix.lower():
        case ".csv":
            return csv_batches(path, columns)
        case ".parquet" | ".pq":
            return parquet_batches(path, columns)
        case other:
            raise FileError(f"{path}: files end in .csv or .parquet, not {other or 'nothing'}")


def places_of(path: Path, header: Sequence[str], columns: Sequence[Column]) -> list[int]:
    """The place of each of ``columns`` in ``header``; raises `FileError` if one is missing."""
    exact = {name: place for place, name in enumerate(header)}
    folded = {name.upper(): place for place, name in reversed(list(enumerate(header)))}
    places: list[int] = []
    for column in columns:
        place = exact.get(column.name, folded.get(column.name.upper()))
        if place is None:
            found = ", ".join(header)
            raise FileError(f"{path}: there is no column {column.name}; the header has: {found}")
        places.append(place)
    return places


def csv_batches(
    path: Path, columns: Sequence[Column], dialect: Dialect = DEFAULT_DIALECT, most: int = BATCH
) -> Generator[Batch]:
    """The rows of a CSV file in batches of up to ``most`` records; raises `FileError`."""
    readers = field_readers(columns, dialect)
    line, records = 1, list[list[str]]()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True, delimiter=dialect.delimiter)
            header = next(reader, None) if dialect.header else [each.name for each in columns]
            if header is None:
                raise FileError(f"{path}: the file is empty; its first line names the columns")
            places = places_of(path, [name.strip() for name in header], columns)
            line = reader.line_num + 1
            while True:
                records.extend(islice(reader, most))
                lines = _lines(records, line, reader.line_num)
                yield _batch(path, records, lines, len(header), places, readers)
                if len(records) < most:
                    return
                line = reader.line_num + 1
                records.clear()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        at = line + sum(map(_height, records))
        raise FileError(f"{path}:{at}: not UTF-8 text: {error.reason}") from None
    except csv.Error as error:
        at = line + sum(map(_height, records))
        raise FileError(f"{path}:{at}: not CSV: {error}") from None


def _lines(records: Sequence[Sequence[str]], first: int, last: int) -> Sequence[int]:
    """The line that each record begins in; together they take the lines from first to last."""
    if last - first + 1 == len(records):
        return range(first, last + 1)
    return list(accumulate(map(_height, records[:-1]), initial=first))


def _height(record: Sequence[str]) -> int:
    """The number of lines that a record takes: a quoted field may have line breaks."""
    return 1 + sum(len(_LINE_BREAK.findall(field)) for field in record)


def _batch(
    path: Path,
    records: Sequence[Sequence[str]],
    lines: Sequence[int],
    width: int,
    places: Sequence[int],
    readers: Sequence[Callable[[str], Wire]],
) -> Batch:
    """The rows among these records; one of another width is bad, an empty line is no record."""
    if set(map(len, records)) <= {width}:
        return Batch(_rows(records, places, readers), tuple(lines), ())
    sound = [(r, line) for r, line in zip(records, lines, strict=True) if len(r) == width]
    bad = [
        BadRow(path, line, f"{counted(len(r), 'field')} where the header has {width}")
        for r, line in zip(records, lines, strict=True)
        if r and len(r) != width
    ]
    rows = _rows([r for r, _ in sound], places, readers)
    return Batch(rows, tuple(line for _, line in sound), tuple(bad))


def _rows(
    records: Sequence[Sequence[str]],
    places: Sequence[int],
    readers: Sequence[Callable[[str], Wire]],
) -> tuple[WireRow, ...]:
    """The values at ``places`` of records of one width; columns are converted one at a time."""
    fields = list(zip(*records, strict=True))
    if not fields:
        return ()
    read = [_column(reader, fields[place]) for reader, place in zip(readers, places, strict=True)]
    return tuple(zip(*read, strict=True))


def _column(reader: Callable[[str], Wire], texts: Sequence[str]) -> Iterable[Wire]:
    """``reader`` of each text; where one look at all of them shows how, without it."""
    if reader is _integer and all(texts) and max(map(len, texts)) <= _MOST_DIGITS:
        together = "".join(texts)
        if together.isdecimal() and together.isascii():
            return map(int, texts)
    if reader is _timestamp and all(texts) and "T" not in "".join(texts):
        return texts
    return map(reader, texts)


def field_readers(columns: Sequence[Column], dialect: Dialect) -> list[Callable[[str], Wire]]:
    """For each column the function that converts a field to a value on the wire."""
    readers = [_text_reader(column) for column in columns]
    return readers if not dialect.null else [_with_null(each, dialect.null) for each in readers]


def _with_null(reader: Callable[[str], Wire], null: str) -> Callable[[str], Wire]:
    return lambda text: None if text == null else reader(text)


def _text_reader(column: Column) -> Callable[[str], Wire]:
    """The function that converts a CSV field of ``column`` to a value on the wire."""
    kind = column.type.kind
    if kind in INTEGERS:
        return _integer
    if kind in APPROXIMATE:
        return _float
    match kind:
        case Kind.BOOLEAN:
            return _boolean
        case Kind.TIMESTAMP:
            return _timestamp
        case _:
            return lambda text: text or None


def _integer(text: str) -> Wire:
    if len(text) > _MOST_DIGITS:
        return text
    if text.isdecimal() and text.isascii():
        return int(text)
    return int(text) if _INTEGER.fullmatch(text) else text or None


def _float(text: str) -> Wire:
    if text.lower() in _FLOAT_WORDS:
        return _FLOAT_WORDS[text.lower()]
    # Not whatever Python reads: 1_5 and inf are no numbers of SQL.
    return float(text) if _FLOAT.fullmatch(text) else text or None


def _boolean(text: str) -> Wire:
    return {"true": True, "false": False}.get(text.lower(), text or None)


def _timestamp(text: str) -> Wire:
    iso = _ISO_TIMESTAMP.fullmatch(text)
    return f"{iso[1]} {iso[2]}" if iso else text or None


def parquet_batches(path: Path, columns: Sequence[Column], most: int = BATCH) -> Generator[Batch]:
    """The rows of a Parquet file; a row's "line" is its number from 1.  Raises `FileError`."""
    try:
        with closing(parquet_columns(path, most)) as chunks:
            places = places_of(path, next(chunks).names, columns)
            line = 1
            for chunk in chunks:
                chosen = [chunk.values[place] for place in places]
                rows = tuple(tuple(map(_wire, row)) for row in zip(*chosen, strict=True))
                yield Batch(rows, tuple(range(line, line + len(rows))), ())
                line += len(rows)
    except ParquetError as error:
        raise FileError(str(error)) from None


def _wire(value: object) -> Wire:
    """A pyarrow value as a value on the wire; one whose type SQL lacks becomes its text."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex()
        case datetime():
            # Finer than a millisecond stays visible, so that entry refuses it and nothing is cut.
            whole = value.microsecond % 1000 == 0 and value.microsecond > 0
            return value.isoformat(" ", "milliseconds" if whole else "auto")
        case date() | time():
            return value.isoformat()
        case _:
            return str(value)
