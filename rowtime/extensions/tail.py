"""Tail: the lines of a file that grows, each a row in JSON."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any, Final, Protocol, Self, runtime_checkable

from rowtime.extensions.protocols import RowSink

#: Seconds between two looks for new lines.
_PAUSE: Final = 0.05
#: Seconds for which a file may be missing, which happens when a log is rotated.
_PATIENCE: Final = 10.0
#: The number of bytes that are compared, to detect that a file was truncated and written again.
_COMPARED: Final = 256


@runtime_checkable
class Reporter(Protocol):
    """A sink that puts a message into the trace."""

    def report(self, code: str, text: str) -> None:
        """Put a message into the trace."""
        ...


class Tail:
    """Sends each line of a file, an array or object of JSON, and waits for further ones.

    A line counts from its line feed on.  With ``follow=False`` it ends at the end of the file.  A
    line that is not a row is reported, and the next one is read.

    A log may be rotated.  If the file was renamed, its last lines are sent, and then those of the
    new file of that name.  If it was truncated, the new lines are sent; lines that were written
    just before it was truncated may be lost, which the trace reports (`MISSED_ROWS`).
    """

    def __init__(self, path: str | Path, follow: bool = True) -> None:
        self._path = Path(path)
        self._follow = follow

    def run(self, sink: RowSink, stopped: Event) -> None:
        """Send the lines until ``stopped`` is set.

        Raises `OSError`, also if the file is missing for ten seconds.
        """
        with _GrowingFile(self._path) as file:
            while not stopped.is_set():
                if file.was_truncated() and isinstance(sink, Reporter):
                    text = f"{self._path} was truncated: lines written just before may be lost"
                    sink.report("MISSED_ROWS", text)
                self._send(file.lines(last=not self._follow), sink, stopped)
                if not self._follow:
                    return
                if file.was_replaced():
                    self._send(file.lines(last=True), sink, stopped)
                    file.open()
                else:
                    stopped.wait(_PAUSE)

    @staticmethod
    def _send(lines: Iterator[str], sink: RowSink, stopped: Event) -> None:
        """Send the rows of some lines until ``stopped`` is set; blank lines are ignored."""
        for line in lines:
            if stopped.is_set():
                return
            if line.strip():
                sink.send_row(_row(line))


class _GrowingFile:
    """A file of lines that others append to, rename and truncate."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._missing_since: float | None = None
        self._file = path.open("rb", buffering=0)
        self._rest = b""
        self._last_bytes = b""

    def open(self) -> None:
        """Open the file that has the name now."""
        new = self._path.open("rb", buffering=0)
        self._file.close()
        self._file, self._rest, self._last_bytes = new, b"", b""

    def lines(self, last: bool) -> Iterator[str]:
        """The new lines; ``last``: also one without a line feed, because no bytes will follow."""
        at_start = self._file.tell() == 0
        found = self._file.readall()
        self._last_bytes = (self._last_bytes + found)[-_COMPARED:]
        if at_start:
            found = found.removeprefix(b"\xef\xbb\xbf")
        *whole, self._rest = (self._rest + found).split(b"\n")
        if last:
            whole, self._rest = [*whole, self._rest], b""
        return (each.decode("utf-8", "replace") for each in whole)

    def was_truncated(self) -> bool:
        """Whether the bytes that were read last are gone, because the file was truncated.

        If so, reading begins again at the start of the file; else it continues where it was.
        """
        offset, length = self._file.tell(), len(self._last_bytes)
        self._file.seek(offset - length)
        if self._file.read(length) == self._last_bytes and self._file.tell() == offset:
            return False
        self._file.seek(0)
        self._rest = self._last_bytes = b""
        return True

    def was_replaced(self) -> bool:
        """Whether another file has the name now.

        Raises `FileNotFoundError` if the file has not existed for ten seconds.
        """
        try:
            named = self._path.stat()
        except FileNotFoundError:
            now = time.monotonic()
            self._missing_since = self._missing_since or now
            if now - self._missing_since > _PATIENCE:
                raise
            return False
        self._missing_since = None
        opened = os.fstat(self._file.fileno())
        return (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _row(line: str) -> list[object] | dict[str, object]:
    """The row that a line holds; for a line that is not JSON a list, which is not a row."""
    try:
        found: Any = json.loads(line)  # Any: a value of JSON
    except (ValueError, RecursionError):
        return [line]
    return found if type(found) in (list, dict) else [found]
