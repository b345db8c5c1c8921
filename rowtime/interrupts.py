"""Ctrl-C while an event is carried out: it waits, so that the event is done whole or not at all."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Generator[None]:
    """A context in which Ctrl-C waits: its handler is called at the end.

    That handler is Python's own, which raises `KeyboardInterrupt`, or the program's. It would
    otherwise run between any two instructions of the main thread; other threads it leaves alone.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came = list[int]()
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(signal.SIGINT, None)
