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
from rowtime.driver import cursor as cursors
from rowtime.process import interrupts

START = datetime(2026, 1, 1)
FILES = frozenset({cursors.__file__, interrupts.__file__})


class SignalError(Exception):
    """The handler was called."""


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise SignalError


def _with_signal_at(line: int, work: Callable[[], object]) -> str | None:
    """Send a signal when ``work`` executes that line of `FILES`, counted from 1; the line's file.

    None: ``work`` ends before that line.
    """
    lines = 0
    reached: str | None = None

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines, reached
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            lines += 1
            if lines == line:
                reached = frame.f_code.co_filename
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
    return reached


@pytest.mark.parametrize("end", ["close", "execute"])
def test_a_signal_at_any_line_leaves_no_producer_open(end: str) -> None:
    """`execute` ends the producer as well: its statement is a different one."""
    line = 0
    files: list[str | None] = []
    insert = "INSERT INTO S VALUES (?)"
    with rowtime.connect() as db:
        db.execute("CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING) WITH HISTORY")
        db.execute("CREATE TABLE T (n INTEGER)")
        while None not in files:
            line += 1
            cursor = db.execute(insert, (START + timedelta(days=line),))
            arguments = () if end == "close" else ("SELECT n FROM T",)
            files.append(_with_signal_at(line, partial(getattr(cursor, end), *arguments)))
            del cursor
        gc.collect()
        assert db.execute("SELECT COUNT(*) FROM S").fetchall() == [(line,)]
    assert {*files} == {*FILES, None}
