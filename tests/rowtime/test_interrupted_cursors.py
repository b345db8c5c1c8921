"""An exception of a signal's handler at any line of a cursor's end: no producer stays open."""

import gc
import signal
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from types import FrameType
from typing import Any

import pytest

import rowtime

START = datetime(2026, 1, 1)
FILES = ("rowtime/driver/cursor.py", "rowtime/interrupts.py")


class SignalError(Exception):
    """The handler was called."""


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise SignalError


def _with_signal_at(line: int, work: Callable[[], object]) -> bool:
    """Whether ``work`` executes that line of `FILES`, counted from 1; a signal arrives there."""
    lines = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.endswith(FILES):
            return None
        if event == "line":
            lines += 1
            if lines == line:
                signal.raise_signal(signal.SIGALRM)
        return trace

    handler, tracer = signal.signal(signal.SIGALRM, _raise), sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except SignalError:
        pass
    finally:
        sys.settrace(tracer)
        signal.signal(signal.SIGALRM, handler)
    return lines >= line


@pytest.mark.parametrize("end", ["close", "execute"])
def test_a_signal_at_any_line_leaves_no_producer_open(end: str) -> None:
    """`execute` ends the producer as well: its statement is a different one."""
    line = 0
    is_reached = True
    insert = "INSERT INTO S VALUES (?)"
    with rowtime.connect() as db:
        db.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING) WITH HISTORY")
        db.execute("CREATE TABLE T (n INTEGER)")
        while is_reached:
            line += 1
            cursor = db.execute(insert, (START + timedelta(days=line),))
            arguments = () if end == "close" else ("SELECT n FROM T",)
            is_reached = _with_signal_at(line, partial(getattr(cursor, end), *arguments))
            del cursor
        gc.collect()
        assert db.execute("SELECT COUNT(*) FROM S").fetchall() == [(line,)]
    assert line > 10
