"""Standard input, output and error of the command line, if they are closed or cannot be written."""

import errno
import os
import sys
from io import TextIOWrapper
from typing import Final

#: The file that replaces a stream closed by the parent process, by descriptor: input is empty,
#: output fails as on a closed file, and messages are lost.
_CLOSED: Final = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)

#: The errors of a stream or a disk to which nothing more can be written.
_UNWRITABLE: Final = (errno.EBADF, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EPIPE)


def open_standard_streams() -> None:
    """Open the streams that the parent process has closed.

    Otherwise the first file that is opened would get the descriptor of such a stream, and all
    printed text would be written into this file.  A character that the terminal does not have is
    printed as an escape.
    """
    for number, flags in enumerate(_CLOSED):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # it gets the lowest descriptor that is free
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def output_fault(error: Exception) -> str | None:
    """The fault of standard output that ``error`` reports; None: it is another error."""
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    return error.strerror if error.errno in _UNWRITABLE else None


def drop_output() -> None:
    """Drop what standard output has in its buffer: Python would try to write it at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
