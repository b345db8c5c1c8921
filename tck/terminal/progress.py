"""A line on the terminal that shows the progress of a command that takes seconds."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Final, TextIO

from tck.terminal.printable import printable

#: The least time between two texts, in seconds: faster ones could not be read.
_PAUSE: Final = 0.1
#: Back to the beginning of the line, which is then empty.
_CLEAR: Final = "\r\x1b[2K"


class Progress:
    """The line; a terminal has it on standard error, and nothing is written anywhere else."""

    def __init__(self, to: TextIO) -> None:
        self._to = to
        self._is_shown = to.isatty()
        self._last = -_PAUSE
        self._is_written = False

    def show(self, text: str, *, now: bool = False) -> None:
        """Replace the line; a text that follows too soon is left out, unless ``now``."""
        at = time.monotonic()
        if not self._is_shown or (at - self._last < _PAUSE and not now):
            return
        width = get_terminal_size().columns - 1
        self._to.write(f"{_CLEAR}{printable(text)[:width]}")
        self._to.flush()
        self._last, self._is_written = at, True

    def clear(self) -> None:
        """Remove the line, so that something else can be printed in its place."""
        if self._is_written:
            self._to.write(_CLEAR)
            self._to.flush()
            self._is_written = False


@contextmanager
def progress(text: str) -> Generator[Progress]:
    """The line with a first text, which is removed at the end."""
    line = Progress(sys.stderr)
    line.show(text, now=True)
    try:
        yield line
    finally:
        line.clear()
