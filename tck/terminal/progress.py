"""A line on the terminal that shows the progress of a command that takes seconds."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Final, TextIO

from tck.terminal.printable import printable

#: The least number of seconds between two texts; nobody could read them faster.
_PAUSE: Final = 0.1
#: The control sequence that empties the line and returns to its beginning.
_CLEAR: Final = "\r\x1b[2K"


class Progress:
    """A line whose text is replaced again and again; it is written only if ``to`` is a terminal."""

    def __init__(self, to: TextIO) -> None:
        self._to = to
        self._is_shown = to.isatty()
        self._last = -_PAUSE  # the time of the last text
        self._is_written = False

    def show(self, text: str, *, now: bool = False) -> None:
        """Replace the line by a text, cut off at the width of the terminal.

        A text that follows the last one within `_PAUSE` is ignored, unless ``now``.
        """
        moment = time.monotonic()
        if not self._is_shown or (moment - self._last < _PAUSE and not now):
            return
        width = get_terminal_size().columns - 1
        self._to.write(f"{_CLEAR}{printable(text)[:width]}")
        self._to.flush()
        self._last, self._is_written = moment, True

    def clear(self) -> None:
        """Remove the line, so that something else can be printed in its place."""
        if self._is_written:
            self._to.write(_CLEAR)
            self._to.flush()
            self._is_written = False


@contextmanager
def progress(text: str) -> Generator[Progress]:
    """A context with a line on standard error; ``text`` is its first text.

    The line is removed at the end of the context.
    """
    line = Progress(sys.stderr)
    line.show(text, now=True)
    try:
        yield line
    finally:
        line.clear()
