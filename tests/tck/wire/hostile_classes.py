"""Backends in Python that end their process, or give what is not a message."""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

import os

from tck.protocol import Output
from tests.tck.toy import Faithful


class Prints(Faithful):
    """Says where it is, and aborts."""

    def poll(self) -> Output:
        print(f"about to die in process of its own: {os.getsid(0) == os.getpid()}")
        os.abort()


class GivesNone(Faithful):
    """Has forgotten to return its output."""

    def poll(self) -> Output:
        return None  # type: ignore[return-value]  # that is the fault
