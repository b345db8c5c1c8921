"""The sources of a pipeline on one machine: files and folders, pipes, sockets, and a rate."""

import socket
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from algebra.catalog import Column, Stream, Table
from algebra.functions.datetimes import format_timestamp
from algebra.metadata.needed_columns import needed_columns
from algebra.outside.file_names import STANDARD
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BadRow, Batch
from algebra.records.formats import (
    BATCH_ROWS,
    FileReader,
    file_reader,
    key_of,
    line_record_reader,
    times_of,
)
from algebra.records.json_lines import line_reader
from algebra.records.opening import files_of, is_pattern, is_pipe
from algebra.records.pipeline import Pipeline, connection_of
from algebra.types import INTEGERS, Kind
from algebra.wire import WireRow
from grammar.codes import Code
from reference.engine.pipes import Pipe


class Source(Protocol):
    """A source of rows.

    Defines: S-607.d, S-607.f
    """

    def take(self) -> Batch | None:
        """The next available rows; None if there are none yet. Raises `FileError`."""
        ...

    @property
    def ended(self) -> bool:
        """Whether no more rows can arrive."""
        ...

    @property
    def path(self) -> Path:
        """The file, or a name for the source, to which the line numbers of the last batch refer."""
        ...

    def close(self) -> None:
        """Release what the source has open."""
        ...


def source_of(pipeline: Pipeline, stream: Stream | Table, once: bool) -> Source:
    """The source of a foreign stream; ``once``: it ends when it has read all files.

    Raises BAD_OPTION if the file or server does not exist, or if the columns do not fit;
    NOT_SUPPORTED for a connector, and for an unbounded source with ``once``.
    """
    connection = connection_of(stream)
    match connection.format:
        case Format.CSV | Format.JSON | Format.PARQUET | Format.DEBEZIUM:
            path = Path(connection.text("path"))
            if str(path) != STANDARD and not path.exists() and not is_pattern(path):
                at = connection.at("path")
                near = path.parent if path.parent.is_dir() else Path.cwd()
                listed = ", ".join(sorted(p.name for p in near.iterdir() if p.name[0] != ".")[:8])
                hint = f"{near} has: {listed or 'nothing'}"
                raise pipeline.fault(Code.BAD_OPTION, f"there is no file {path}", at, hint)
            key = key_of(stream)
            needed = needed_columns(stream, pipeline.prepared.standing, pipeline.prepared.query)
            if connection.format is not Format.PARQUET and is_pipe(path):
                return Pipe(connection, stream.columns, needed, key)
            read = file_reader(connection, stream.columns, needed=needed, key=key)
            return Files(pipeline, connection, read, once)
        case Format.RATE:
            if once:
                message, hint = "a rate has no end", "leave --once out"
                raise pipeline.fault(Code.NOT_SUPPORTED, message, connection.at("format"), hint)
            kinds = [column.type.kind for column in stream.columns]
            if len(kinds) != 2 or kinds[0] is not Kind.TIMESTAMP or kinds[1] not in INTEGERS:
                message = "the rows of a rate are a time and a number"
                hint = "(rowtime TIMESTAMP(3) ASCENDING, number BIGINT)"
                raise pipeline.fault(Code.BAD_OPTION, message, connection.at("format"), hint)
            return Rate(connection.number("rows_per_second"))
        case Format.SOCKET:
            return _socket(pipeline, connection, stream.columns)
        case Format.CONSOLE | Format.KAFKA | Format.DELTA | Format.ICEBERG:
            message = f"format '{connection.format}' cannot be read on one machine"
            at, hint = connection.at("format"), "csv, json, parquet, rate or socket"
            raise pipeline.fault(Code.NOT_SUPPORTED, message, at, hint)


class Files:
    """A file, or the files of a folder or pattern in the natural order of their names.

    A folder is searched again for new files, unless ``once``.  A file must be complete when its
    name appears.  Names that begin with a point or an underscore are ignored.
    """

    def __init__(
        self, pipeline: Pipeline, connection: Connection, read: FileReader, once: bool
    ) -> None:
        self.path = Path(connection.text("path"))
        self._pipeline = pipeline
        self._connection = connection
        self._read = read
        self._once = once or not (self.path.is_dir() or is_pattern(self.path))
        self._seen: set[Path] = set()
        self._pending: list[Path] = []
        self._batches: Generator[Batch] | None = None
        self.ended = False

    def take(self) -> Batch | None:
        """The next rows of the current file, or of the next one; None if there are none now."""
        while not self.ended:
            if self._batches is not None:
                batch = next(self._batches, None)
                if batch is not None:
                    return batch
                self._batches = None
            if not self._pending:
                self._pending = self._find_new_files()
            if not self._pending:
                return None
            self.path = self._pending.pop(0)
            self._batches = self._read(self._pipeline.resolve_in_root(self.path, self._connection))
        return None

    def _find_new_files(self) -> list[Path]:
        """The files that have not been read yet; without a new one, the source ends if ``once``."""
        new = [each for each in files_of(self._connection) if each not in self._seen]
        self._seen.update(new)
        self.ended = not new and self._once
        return new

    def close(self) -> None:
        """Close the current file."""
        if self._batches is not None:
            self._batches.close()


class Rate:
    """A source that generates a fixed number of rows per second, and never ends.

    A row has a time and a number.  The times are in even steps; the numbers start at 0.
    """

    ended = False

    def __init__(self, per_second: int) -> None:
        self.path = Path("rate")
        self._per_second = per_second
        self._start = time.time_ns() // 1_000_000
        self._begun = time.monotonic()
        self._emitted = 0

    def take(self) -> Batch | None:
        """The rows that are due by now; None if there are none."""
        due = int((time.monotonic() - self._begun) * self._per_second)
        numbers = range(self._emitted, min(due, self._emitted + BATCH_ROWS))
        if not numbers:
            return None
        self._emitted = numbers.stop
        rows = tuple(
            (format_timestamp(self._start + n * 1_000 // self._per_second), n) for n in numbers
        )
        return Batch(rows, tuple(n + 1 for n in numbers), ())

    def close(self) -> None:
        """Do nothing, because nothing is open."""


# --- a socket -----------------------------------------------------------------------------------


def _socket(pipeline: Pipeline, connection: Connection, columns: Sequence[Column]) -> "Lines":
    """Connect to the server of a socket source; BAD_OPTION if that fails."""
    host, port = connection.text("host"), connection.number("port")
    try:
        peer = socket.create_connection((host, port), timeout=10)
    except OSError as error:
        message = f"no connection to {host}:{port}: {error.strerror or error}"
        hint = f"start the server first: nc -lk {port}"
        raise pipeline.fault(Code.BAD_OPTION, message, connection.at("port"), hint) from None
    peer.setblocking(False)
    if connection.text("lines") == "json":
        read = line_reader(columns, times_of(connection))
    else:
        read = line_record_reader(columns, connection)
    return Lines(peer, f"{host}:{port}", read)


class Lines:
    """The lines that a server sends until it closes the connection, each of them a record.

    ``peer`` is the connection, ``name`` stands for a path in messages, and ``read`` returns the row
    of a line.  The last line may lack its line feed.
    """

    def __init__(self, peer: socket.socket, name: str, read: Callable[[str], WireRow]) -> None:
        self.path = Path(name)
        self._peer = peer
        self._read = read
        self._rest = b""  # the beginning of a line that is not complete yet
        self._count = 0  # the number of lines so far
        self.ended = False

    def take(self) -> Batch | None:
        """The rows of the lines that have arrived; None if there is no line."""
        lines = list(self._lines())
        rows: list[WireRow] = []
        numbers: list[int] = []
        bad: list[BadRow] = []
        for line in lines:
            self._count += 1
            try:
                text = line.decode("utf-8").rstrip("\r")
                if text.strip():
                    rows.append(self._read(text))
                    numbers.append(self._count)
            except ValueError as error:  # UnicodeDecodeError is one
                bad.append(BadRow(self.path, self._count, str(error)))
        return Batch(tuple(rows), tuple(numbers), tuple(bad)) if lines else None

    def _lines(self) -> Iterator[bytes]:
        """The complete lines that have arrived, about as many as a batch has at most.

        Reading does not wait.  The last line before the end need not be complete.
        """
        while not self.ended:
            try:
                received = self._peer.recv(1 << 16)
            except BlockingIOError:
                return
            self.ended = not received
            *whole, self._rest = (self._rest + received).split(b"\n")
            yield from whole
            if self.ended and self._rest:
                yield self._rest
            if len(whole) >= BATCH_ROWS:
                return

    def close(self) -> None:
        """Close the connection."""
        self._peer.close()
