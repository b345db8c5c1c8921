"""Pipes as sources: records are read as soon as they are written."""

import csv
import os
import select
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from algebra.catalog import Column
from algebra.outside.file_names import STANDARD
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import Batch
from algebra.records.changing.debezium import batch_of
from algebra.records.changing.debezium import record_reader as change_reader
from algebra.records.csv_files import CsvRows, record_reader
from algebra.records.formats import dialect_of, times_of
from algebra.records.json_lines import JsonRows
from algebra.records.opening import FileError

#: The number of bytes that are read together.
_PART: Final = 1 << 16
#: The greatest number of bytes of one batch.
_MOST: Final = 1 << 20

#: A function from complete lines, and the number of the first line, to the rows of the lines.
_LineParser = Callable[[Sequence[str], int], Batch]


class Pipe:
    """A pipe as a source of records: of CSV, of lines of JSON, or of changes.

    The source ends when the last writer has closed the pipe.  Reading never waits.  ``columns`` are
    those of the stream.  ``needed`` are the places of the columns whose values are needed; None:
    all.  ``key`` are the places of the KEY of a stream WITH CHANGES.

    Defines: S-607.p
    """

    def __init__(
        self,
        connection: Connection,
        columns: Sequence[Column],
        needed: frozenset[int] | None = None,
        key: Sequence[int] = (),
    ) -> None:
        self.path = Path(connection.text("path"))
        self.ended = False
        self._parse = _line_parser(self.path, connection, columns, needed, key)
        is_csv = connection.format is Format.CSV
        self._quote = dialect_of(connection).quote.encode() if is_csv else b""
        self._file = _open(self.path)
        self._rest = b""  # the beginning of a record that is not complete yet
        self._line = 1  # the number of the next line

    def take(self) -> Batch | None:
        """The rows that have been written since the last call; None if no record is complete.

        At the end of the pipe, an incomplete last line is taken as a record.
        """
        data = self._read_available()
        if not data and not self.ended:
            return None
        self._rest += data
        end = len(self._rest) if self.ended else _end_of_records(self._rest, self._quote)
        whole, self._rest = self._rest[:end], self._rest[end:]
        if not whole:
            return None
        try:
            text = whole.decode("utf-8-sig" if self._line == 1 else "utf-8")
        except UnicodeDecodeError as error:
            at = self._line + whole.count(b"\n", 0, error.start)
            reason = f"the byte 0x{whole[error.start]:02X}: {error.reason}"
            raise FileError(f"{self.path}:{at}: not UTF-8 text: {reason}") from None
        lines = _split(text)
        batch = self._parse(lines, self._line)
        self._line += len(lines)
        return batch

    def _read_available(self) -> bytes:
        """Read the available bytes; set ``ended`` at the end of the pipe."""
        parts: list[bytes] = []
        size = 0
        poll = select.poll()
        poll.register(self._file, select.POLLIN)
        while size < _MOST and any(event for _, event in poll.poll(0)):
            try:
                part = os.read(self._file, _PART)
            except BlockingIOError:
                break
            if not part:
                self.ended = True
                break
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close the pipe; standard input stays open."""
        if self._file:
            os.close(self._file)


def _open(path: Path) -> int:
    """Open a pipe, without waiting for a writer; return the file descriptor."""
    if str(path) == STANDARD:
        return 0
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _split(text: str) -> list[str]:
    """The lines of a text, with their ends: line feeds, alone or after a carriage return."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _end_of_records(data: bytes, quote: bytes) -> int:
    """The place after the last line feed that ends a record, because it is not within quotes.

    A line feed is within quotes if the number of quotes before it is odd.  0: no record ends.
    """
    end = data.rfind(b"\n") + 1
    while quote and end and data.count(quote, 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _line_parser(
    path: Path,
    connection: Connection,
    columns: Sequence[Column],
    needed: frozenset[int] | None,
    key: Sequence[int],
) -> _LineParser:
    """The parser of the lines of a pipe; its parameters are those of `Pipe`."""
    times = times_of(connection)
    match connection.format:
        case Format.DEBEZIUM:
            read = change_reader(columns, key, times)
            return lambda lines, first: batch_of(path, list(enumerate(lines, first)), read)
        case Format.JSON:
            rows = JsonRows(path, columns, times, needed)
            return lambda lines, first: rows.batch(list(enumerate(lines, first)))
        case _:
            return _csv_parser(path, connection, columns, needed)


def _csv_parser(
    path: Path, connection: Connection, columns: Sequence[Column], needed: frozenset[int] | None
) -> _LineParser:
    """The parser of CSV.  With a header, the first record names the columns."""
    dialect, times = dialect_of(connection), times_of(connection)
    made: list[CsvRows] = []  # the reader of rows, once the first lines have arrived

    def parse(lines: Sequence[str], first: int) -> Batch:
        reader = record_reader(lines, dialect)
        try:
            records = list(reader)
        except csv.Error as error:
            at = first + reader.line_num - 1
            raise FileError(f"{path}:{at}: not CSV: {error}") from None
        last = first + len(lines) - 1
        if not made:
            header = records.pop(0) if dialect.header else None
            made.append(CsvRows(path, columns, dialect, times, header, needed))
            first += header is not None  # the rows start after the line of the header
        return made[0].batch(records, first, last)

    return parse
