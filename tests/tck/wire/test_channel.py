"""A backend in this process: the failure of a call is an answer."""

import weakref
from typing import NoReturn

import pytest

from tck.wire import channel
from tck.wire.faults import innermost_frames
from tck.wire.messages import MOST_BYTES, MOST_ROWS, PROTOCOL, Poll, Start
from tests.tck.toy import Faithful


class Rows:
    """Rows that fill the memory."""


def test_what_a_failed_call_held_is_free_before_its_failure_is_described(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else there is no memory in which a `MemoryError` could be described."""
    held = list["weakref.ref[Rows]"]()

    class RunsOutOfMemory(Faithful):
        def poll(self) -> NoReturn:
            rows = Rows()
            held.append(weakref.ref(rows))
            raise MemoryError

    def described(error: BaseException) -> tuple[str, ...]:
        assert [each() for each in held] == [None]
        return innermost_frames(error)

    monkeypatch.setattr(channel, "innermost_frames", described)
    asked = channel.LocalChannel(RunsOutOfMemory)
    asked.ask(Start(PROTOCOL, MOST_ROWS, MOST_BYTES))
    answer = asked.ask(Poll())
    assert (answer["answer"], answer["message"]) == ("error", "MemoryError")
    assert "test_channel.py" in str(answer["trace"])
