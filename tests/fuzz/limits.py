"""The folders of a process that fuzzes, and the time that an input may take."""

import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final, Never

KEPT: Final = Path("build/fuzz")
#: Where files are made, if there is such a folder: on a disk a database waits to be written.
MEMORY_DISK: Final = Path("/dev/shm")  # noqa: S108  # each file is in a folder of its own
SECONDS: Final = 5


class HangError(Exception):
    """A target has not come to its end in time."""


def prepare_process() -> None:
    """Make the folder of the findings, choose where files are made, and let time run out."""
    KEPT.mkdir(parents=True, exist_ok=True)
    if MEMORY_DISK.is_dir():
        tempfile.tempdir = str(MEMORY_DISK)
    signal.signal(signal.SIGVTALRM, _hang)


def _hang(_signal: int, _frame: FrameType | None) -> Never:
    raise HangError(f"no end after {SECONDS} s")


def run_in_time(run: Callable[[bytes], None], data: bytes) -> None:
    """Run a target on an input; HangError: it takes too long."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # of this process: the machine may be busy
    try:
        run(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
