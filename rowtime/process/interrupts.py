"""Ctrl-C and time-outs wait for the end of an event, so that no event is interrupted half done."""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

#: The signals whose handlers may raise an exception: Ctrl-C, the end of the program or of its
#: terminal, and the end of a time limit.
_RAISING: Final = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
    if hasattr(signal, name)
)

_Handler = Callable[[int, FrameType | None], Any]  # Any: a handler's result is not used


@contextmanager
def uninterrupted() -> Generator[None]:
    """A context in which Ctrl-C and time-outs wait: their handlers are called at the end.

    Outside of such a context, a handler can run between any two instructions of the main thread,
    and raise an exception there, such as `KeyboardInterrupt`.  Handlers never run in other threads,
    so the context has no effect in them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {each: h for each in _RAISING if callable(h := signal.getsignal(each))}
    postponed: list[tuple[_Handler, int]] = []

    def postpone(number: int, _frame: FrameType | None) -> None:
        postponed.append((handlers[number], number))

    try:
        for each in handlers:
            signal.signal(each, postpone)
        yield
    finally:
        _restore(dict(handlers))
        for handler, number in postponed:
            handler(number, None)


def _restore(handlers: dict[int, _Handler]) -> None:
    """Set all handlers again, even if one of them runs and raises an exception meanwhile."""
    try:
        while handlers:
            number, handler = handlers.popitem()
            signal.signal(number, handler)
    finally:
        if handlers:
            _restore(handlers)
