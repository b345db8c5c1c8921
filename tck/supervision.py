"""A process that supervises another one, so that an exit status of 0 can be trusted.

A backend that is called in the kit's own process can end it, with any status, in the midst of a
run: ``os._exit(0)`` would make the run green.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from tck.exit_codes import EXIT_INCOMPLETE


def supervised(work: Callable[[], int]) -> int:
    """The result of ``work``, called in a fork of this process; returns only in the fork.

    This process ends with the status that ``work`` has returned, or with `EXIT_INCOMPLETE` and a
    message if the fork ended before ``work`` did, whatever its status.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    fork = os.fork()
    if fork:
        _watch(fork, reader, writer)
    os.close(reader)
    status = work()
    os.write(writer, bytes((status,)))
    os.close(writer)
    return status


def _watch(fork: int, reader: int, writer: int) -> NoReturn:
    """Wait for the fork, and end with the right exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the fork, too

    def pass_on(number: int, _: object) -> None:
        os.kill(fork, number)

    signal.signal(signal.SIGTERM, pass_on)
    ended = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
    os.close(writer)
    os.set_blocking(reader, False)  # a child of the fork may keep the other end open
    try:
        returned = os.read(reader, 1)
    except BlockingIOError:
        returned = b""
    if returned:
        os._exit(returned[0])
    how = f"with exit status {ended}" if ended >= 0 else f"by {signal.Signals(-ended).name}"
    os.write(2, f"the run did not reach its end: its process ended {how}\n".encode())
    os._exit(EXIT_INCOMPLETE)
