"""Tail: the lines of a file that grows, each a row in JSON."""

import json
from pathlib import Path
from threading import Event
from typing import Any, TextIO

from rowtime.extensions.protocols import RowSink

#: Seconds between two looks for new lines.
_PAUSE = 0.05


class Tail:
    """Sends each line of a file, an array or object of JSON, and waits for further ones.

    A line counts from its line feed on. With ``follow=False`` it ends at the end of the file. A
    line that is no row is reported, and the next one is read.
    """

    def __init__(self, path: str | Path, follow: bool = True) -> None:
        self._path = Path(path)
        self._follow = follow

    def run(self, sink: RowSink, stopped: Event) -> None:
        """Send the lines until ``stopped`` is set. Raises `OSError`."""
        with self._path.open(encoding="utf-8", errors="replace") as file:
            while not stopped.is_set():
                line = self._line(file, stopped)
                if line is None:
                    return
                if line.strip():
                    sink.send_row(_row(line))

    def _line(self, file: TextIO, stopped: Event) -> str | None:
        """The next line, once it is whole; None: there is none any more."""
        line = ""
        while not line.endswith("\n"):
            part = file.readline()
            line += part
            if not part and (not self._follow or stopped.wait(_PAUSE)):
                return line or None
        return line


def _row(line: str) -> list[object] | dict[str, object]:
    """The row that a line holds; a line that is no JSON comes back as it is, and is no row."""
    try:
        found: Any = json.loads(line)  # Any: whatever JSON holds
    except (ValueError, RecursionError):
        return [line]
    return found if type(found) in (list, dict) else [found]
