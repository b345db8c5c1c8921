"""Kill a process of a backend or of the kit, with all processes that it has started."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import psutil

#: The environment variable that identifies a process and the processes that it starts.  The started
#: processes inherit its value.
MARK: Final = "ROWTIME_BACKEND"

#: The number of seconds after which the search for living processes is not repeated.
_PATIENCE: Final = 5.0


def kill_all(leader: int | None, mark: str) -> None:
    """Kill the process ``leader``, which leads a session, and all processes that it has started.

    These processes belong to its group or its session, or have the value ``mark`` of `MARK` in
    their environment, as a daemon has.  ``leader`` None: only the processes with this value are
    killed.  The search is repeated until it finds no process, or until `_PATIENCE` is over.
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
    """The living processes that `kill_all` must kill, without zombies."""
    for each in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if each.status() != psutil.STATUS_ZOMBIE and _belongs(each, leader, mark):
                yield each


def _belongs(process: psutil.Process, leader: int | None, mark: str) -> bool:
    """Whether a process is the leader, or belongs to its session, or has the mark."""
    if leader is not None and leader in (process.pid, os.getsid(process.pid)):
        return True
    return process.environ().get(MARK) == mark
