"""Run a command in a child process that is supervised, so that an exit status of 0 can be trusted.

A backend that is called in the kit's own process can end this process in the midst of a run, with
any status: ``os._exit(0)`` would make the run green.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from tck.exit_codes import EXIT_INCOMPLETE


def run_supervised(work: Callable[[], int]) -> int:
    """Fork, and call ``work`` in the child; return its result, an exit status, in the child only.

    The parent process never returns from this function.  It ends with the status that ``work`` has
    returned.  If the child ended before ``work`` did, the parent prints a message and ends with
    `EXIT_INCOMPLETE`, whatever the child's status is.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        _watch(child, reader, writer)
    os.close(reader)
    status = work()
    os.write(writer, bytes((status,)))
    os.close(writer)
    return status


def _watch(child: int, reader: int, writer: int) -> NoReturn:
    """Wait for the end of the child, and end this process with the right exit status.

    ``reader`` and ``writer`` are the ends of the pipe in which the child writes its status.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the child, too

    def pass_on(number: int, _: object) -> None:
        """Send a signal that this process has received to the child."""
        os.kill(child, number)

    signal.signal(signal.SIGTERM, pass_on)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(writer)
    # A process that the child has started may still have the other end open, so a read could wait.
    os.set_blocking(reader, False)
    try:
        returned = os.read(reader, 1)
    except BlockingIOError:
        returned = b""
    if returned:
        os._exit(returned[0])
    how = f"with exit status {ended}" if ended >= 0 else f"by {signal.Signals(-ended).name}"
    os.write(2, f"the run did not reach its end: its process ended {how}\n".encode())
    os._exit(EXIT_INCOMPLETE)
