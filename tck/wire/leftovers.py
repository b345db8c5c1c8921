"""The end of a backend's process, or of one of the kit, and of all that it has started."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psutil

#: The variable in the environment of a backend's process, and of what it starts, that names it.
MARK: Final = "ROWTIME_BACKEND"

#: Seconds in which killed processes must be gone.
_PATIENCE: Final = 5.0


def kill_all(leader: int | None, mark: str) -> None:
    """Kill a process that leads a session, and all that it has started, directly or not.

    These are its descendants, its group and session, and processes elsewhere with the ``mark`` in
    their environment, such as one that was made a daemon.  ``leader`` None: the process has ended,
    and what it has started is known by the ``mark`` alone.
    """
    until = time.monotonic() + _PATIENCE
    while True:
        with suppress(ProcessLookupError, PermissionError):
            if leader is not None:
                os.killpg(leader, signal.SIGKILL)
        found = list(_started_by(leader, mark))
        for each in found:
            with suppress(psutil.Error):
                each.kill()
        if not found or time.monotonic() > until:
            return
        time.sleep(0.005)


def _started_by(leader: int | None, mark: str) -> Iterator[psutil.Process]:
    """The living processes that belong to a backend; a zombie is none."""
    for each in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if each.status() != psutil.STATUS_ZOMBIE and _belongs(each, leader, mark):
                yield each


def _belongs(process: psutil.Process, leader: int | None, mark: str) -> bool:
    if leader is not None and leader in (process.pid, os.getsid(process.pid)):
        return True
    return process.environ().get(MARK) == mark
