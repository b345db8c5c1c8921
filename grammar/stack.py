"""Room on Python's stack for recursive code, such as the parser.

Python limits the frames of the whole program, so a caller that is itself deep leaves few frames for
a nested expression.  Within a `room` there are enough frames for every text that the limits on
nesting allow (`parsing.nesting`), however deep the caller is.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

#: Frames that `grammar.parsing.nesting.MAX_NESTING` brackets need, with a wide margin.
FRAMES: Final = 20_000


class _Rooms:
    """The number of rooms that are open in all threads, which share one recursion limit."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open = 0
        self._limit_outside = 0

    def enter(self) -> None:
        """Open a room; the first one raises the limit."""
        with self._lock:
            if self._open == 0:
                self._limit_outside = sys.getrecursionlimit()
                sys.setrecursionlimit(self._limit_outside + FRAMES)
            self._open += 1

    def renew_lock(self) -> None:
        """Replace the lock in the child of a fork, because a thread of the parent may hold it."""
        self._lock = Lock()

    def leave(self) -> None:
        """Close a room; the last one restores the limit."""
        with self._lock:
            self._open -= 1
            if self._open == 0:
                sys.setrecursionlimit(self._limit_outside)


_ROOMS: Final = _Rooms()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_ROOMS.renew_lock)


@contextmanager
def room() -> Generator[None]:
    """A context that raises Python's recursion limit by `FRAMES`; rooms may be nested."""
    _ROOMS.enter()
    try:
        yield
    finally:
        _ROOMS.leave()
