"""Reads CSV files as batches of rows, on the wire or as internal values (`csv_batches`)."""

import csv
import re
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import accumulate, chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from algebra.catalog import Column
from algebra.expression import Value
from algebra.records.batch import BATCH, BadRow, Batch
from algebra.records.column_places import places_of
from algebra.records.column_values import column_readers
from algebra.records.csv_fields import (
    DEFAULT_DIALECT,
    DEFAULT_TIMES,
    QUOTED,
    Dialect,
    TimeForm,
    field_readers,
    marked_lines,
    read_fields,
)
from algebra.records.opening import FileError, open_text
from algebra.wire import Wire, WireRow
from grammar.counts import counted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

#: The number of characters that are read for each row of a batch.
_ROW_SIZE: Final = 32
#: A line break of any system.
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
# A field can have any number of characters (docs/limits.md).
csv.field_size_limit(2**31 - 1)


def csv_batches(
    path: Path,
    columns: Sequence[Column],
    dialect: Dialect = DEFAULT_DIALECT,
    times: TimeForm = DEFAULT_TIMES,
    most: int = BATCH,
    needed: frozenset[int] | None = None,
) -> Generator[Batch]:
    """The rows of a CSV file in batches of up to ``most`` records.

    Columns are found by name, case-insensitively; other columns of the file are ignored.  A value
    that cannot be parsed as its column's type stays a text, which the ingress of the backend
    refuses.  ``needed`` are the places of the columns whose values are needed.  With it, batches of
    valid rows have internal values, and NULL in other columns.  Raises `FileError` if the file does
    not exist, is not CSV in UTF-8, or lacks a column.
    """
    line = 1  # the first line of the next batch
    records: list[list[str]] = []  # of the next batch
    try:
        with open_text(path, newline="") as file:
            reader = record_reader(file, dialect)
            header = next(reader, None) if dialect.header else None
            if dialect.header and header is None:
                raise FileError(f"{path}: the file is empty; its first line names the columns")
            rows = CsvRows(path, columns, dialect, times, header, needed)
            line = reader.line_num + 1
            # With ``needed``, `plain_batch` splits the text as long as it can: it is faster than
            # `csv`.  From the first text that it does not split, `csv` reads the rest of the file.
            rest: list[str] = []
            while needed is not None and not rest and (text := file.read(most * _ROW_SIZE)):
                text += file.readline()
                batch = rows.plain_batch(text, line)
                if batch is None:
                    rest = text.splitlines(keepends=True)
                else:
                    line += batch.count
                    yield batch
            reader = record_reader(chain(rest, file), dialect)
            start = line
            while True:
                records.extend(islice(reader, most))
                yield rows.batch(records, line, start + reader.line_num - 1)
                if len(records) < most:
                    return
                line = start + reader.line_num
                records.clear()
    except csv.Error as error:
        faulty_line = line + sum(map(_line_count, records))
        raise FileError(f"{path}:{faulty_line}: not CSV: {error}") from None


class CsvRows:
    """Converts the records of one file to rows.

    ``header`` is the first record of the file; None: the file does not have a header.  Raises
    `FileError` if the header lacks a column.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[Column],
        dialect: Dialect,
        times: TimeForm,
        header: Sequence[str] | None,
        needed: frozenset[int] | None = None,
    ) -> None:
        self._path = path
        self._dialect = dialect
        self._readers = field_readers(columns, dialect, times)
        self._column_readers = column_readers(columns, dialect, times, needed)
        names = [c.name for c in columns] if header is None else list(map(header_name, header))
        self._width = len(names)
        self._needed = needed
        self._places = places_of(path, names, columns)

    def plain_batch(self, text: str, first: int) -> Batch | None:
        """The rows of ``text``, which consists of whole lines, as internal values.

        ``first`` is the number of the first line.  None if a field is quoted or not valid, if a
        line is empty or has another number of fields than the header, if lines end with carriage
        returns alone, or if the file has only one column.
        """
        delimiter = self._dialect.delimiter
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        if self._dialect.quote in text or "\r" in text or self._width == 1:
            return None
        lines = text.removesuffix("\n").split("\n")
        if set(map(str.count, lines, repeat(delimiter))) != {self._width - 1}:
            return None
        fields = text.removesuffix("\n").replace("\n", delimiter).split(delimiter)
        values = self._values([fields[place :: self._width] for place in self._places])
        return None if values is None else Batch((), range(first, first + len(lines)), (), values)

    def batch(self, records: Sequence[list[str]], first: int, last: int) -> Batch:
        """The rows of ``records``, which are in the lines from ``first`` to ``last``.

        They are internal values if ``needed`` is given and all fields of all records are valid.
        """
        if self._needed is not None and records and set(map(len, records)) == {self._width}:
            columns = list(zip(*records, strict=True))
            values = self._values([columns[place] for place in self._places])
            if values is not None:
                return Batch((), _lines(records, first, last), (), values)
        if self._width == 1:  # in a file of one column, an empty line is a NULL
            records = [record or [""] for record in records]
        lines = _lines(records, first, last)
        return _batch(self._path, records, lines, self._width, self._places, self._readers)

    def _values(self, columns: Sequence[Sequence[str]]) -> Sequence[tuple[Value, ...]] | None:
        """The rows with these columns of fields, as internal values.

        None: a field is not a value of its column's type.
        """
        try:
            pairs = zip(self._column_readers, columns, strict=True)
            return list(zip(*[read(fields) for read, fields in pairs], strict=True))
        except ValueError:
            return None


def record_reader(lines: Iterable[str], dialect: Dialect) -> "CsvReader":
    """A reader of the records in ``lines``.

    A quoted field that would be NULL without quotes begins with the mark `QUOTED`.
    """
    marked = marked_lines(lines, dialect)
    return csv.reader(marked, strict=True, delimiter=dialect.delimiter, quotechar=dialect.quote)


def header_name(field: str) -> str:
    """The name of a column, from a field of the header."""
    return field.lstrip(QUOTED).strip()


def _lines(records: Sequence[Sequence[str]], first: int, last: int) -> Sequence[int]:
    """The first line of each record; the records are in the lines from ``first`` to ``last``."""
    if last - first + 1 == len(records):
        return range(first, last + 1)
    return list(accumulate(map(_line_count, records[:-1]), initial=first))


def _line_count(record: Sequence[str]) -> int:
    """The number of lines of a record, whose quoted fields may have line breaks."""
    return 1 + sum(len(_LINE_BREAK.findall(field)) for field in record)


def _batch(
    path: Path,
    records: Sequence[Sequence[str]],
    lines: Sequence[int],
    width: int,
    places: Sequence[int],
    readers: Sequence[Callable[[str], Wire]],
) -> Batch:
    """The rows of ``records``, which begin in ``lines``.

    A record that does not have ``width`` fields is bad, but an empty line is left out.
    """
    if set(map(len, records)) <= {width}:
        return Batch(_rows(records, places, readers), tuple(lines), ())
    good = [(r, line) for r, line in zip(records, lines, strict=True) if len(r) == width]
    bad = [
        BadRow(path, line, f"{counted(len(r), 'field')} where the header has {width}")
        for r, line in zip(records, lines, strict=True)
        if r and len(r) != width
    ]
    rows = _rows([r for r, _ in good], places, readers)
    return Batch(rows, tuple(line for _, line in good), tuple(bad))


def _rows(
    records: Sequence[Sequence[str]],
    places: Sequence[int],
    readers: Sequence[Callable[[str], Wire]],
) -> tuple[WireRow, ...]:
    """The rows of ``records``, which have the same number of fields.

    ``places`` are the places of the columns in a record.  Values are converted column by column.
    """
    fields = list(zip(*records, strict=True))
    if not fields:
        return ()
    pairs = zip(readers, places, strict=True)
    read = [read_fields(reader, fields[place]) for reader, place in pairs]
    return tuple(zip(*read, strict=True))
