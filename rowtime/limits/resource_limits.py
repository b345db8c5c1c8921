"""Limits of a query: its time, its memory, and the rows of its result."""

import re
import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

from algebra.records.pipeline import RunError

#: The bytes of each unit in which a size of memory is written.
_UNITS: Final = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The limits of a query: seconds, bytes of memory and rows of its result; None: no limit.

    ``memory`` limits the memory for data of the whole process (RLIMIT_DATA).
    """

    seconds: float | None = None
    memory: int | None = None
    rows: int | None = None

    def check_rows(self, count: int) -> None:
        """Raise `RunError` if ``count``, the number of rows of a result so far, is too great."""
        if self.rows is not None and count > self.rows:
            raise RunError(f"the query was ended: it has more than {self.rows:,} rows (--max-rows)")


#: Nothing is limited.
UNLIMITED: Final = ResourceLimits()


def memory_size(text: str) -> int:
    """The bytes in ``500MB`` or ``2 GB``; a number alone is in bytes.  Raises `ValueError`."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *(KB|MB|GB|)", text.strip().upper())
    if found is None or not float(found[1]):
        raise ValueError(f"{text}: write a size, such as 500MB or 2GB")
    return int(float(found[1]) * _UNITS[found[2]])


@contextmanager
def limited(limits: ResourceLimits) -> Generator[None]:
    """A context in which this process uses no more time and memory than ``limits`` allow.

    Raises `RunError` at the first limit that is exceeded.  Only the main thread can have a limit of
    time.
    """
    with _limited_memory(limits.memory), _limited_time(limits.seconds):
        yield


@contextmanager
def _limited_time(seconds: float | None) -> Generator[None]:
    """A context that raises `RunError` after ``seconds``, by the signal SIGALRM; None: never."""
    if seconds is None:
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise RunError(f"the query was ended: it has run for {seconds:g} s (--timeout)")

    handler = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _limited_memory(size: int | None) -> Generator[None]:
    """A context that raises `RunError` if this process needs more than ``size`` bytes."""
    if size is None:
        yield
        return
    import resource  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    exceeded = False
    try:
        yield
    except MemoryError:
        exceeded = True  # the message is made after the memory of the query has been freed
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    if exceeded:
        used = f"{size / 10**6:,.0f} MB"
        raise RunError(f"the query was ended: it needs more than {used} of memory (--max-memory)")
