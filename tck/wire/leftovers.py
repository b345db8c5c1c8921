"""Kill a backend's process, or one of the kit's, with all processes that it has started."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psutil

#: The environment variable that identifies a backend's process and the processes it starts.
MARK: Final = "ROWTIME_BACKEND"

#: The number of seconds for which the search for living processes is repeated.
_PATIENCE: Final = 5.0


def kill_all(leader: int | None, mark: str) -> None:
    """Kill a process that leads a session, and all processes that it has started.

    These are its process group, its session, and each process that has the ``mark`` in its
    environment, such as a daemon. With ``leader`` None the process has ended already, and only the
    ``mark`` identifies the others.
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
    """The living processes that belong to a backend, without zombies."""
    for each in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if each.status() != psutil.STATUS_ZOMBIE and _belongs(each, leader, mark):
                yield each


def _belongs(process: psutil.Process, leader: int | None, mark: str) -> bool:
    if leader is not None and leader in (process.pid, os.getsid(process.pid)):
        return True
    return process.environ().get(MARK) == mark
