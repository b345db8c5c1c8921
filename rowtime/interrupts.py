"""Ctrl-C and time-outs wait for the end of an event: it is done whole or not at all."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

#: The signals whose handlers may raise an exception: Ctrl-C, and the end of a time limit.
_RAISING: Final = (
    (signal.SIGINT, signal.SIGALRM) if hasattr(signal, "SIGALRM") else (signal.SIGINT,)
)


@contextmanager
def uninterrupted() -> Generator[None]:
    """A context in which Ctrl-C and time-outs wait: their handlers are called at the end.

    These handlers are Python's own, which raises `KeyboardInterrupt`, or the program's. They would
    otherwise run between any two instructions of the main thread; other threads they leave alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {each: h for each in _RAISING if callable(h := signal.getsignal(each))}
    came: list[int] = []
    for each in handlers:
        signal.signal(each, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        for each, handler in handlers.items():
            if each in came:
                handler(each, None)
