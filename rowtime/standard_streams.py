"""Lets the command line run although standard input, output or error is closed or has failed."""

import errno
import os
import sys
from io import TextIOWrapper
from typing import Final

#: The flags by which `os.devnull` is opened in place of closed standard input, output and error:
#: input is empty, output fails as on a closed file, and messages are lost.
_REPLACEMENT_FLAGS: Final = (os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)

#: The errors of a stream or a disk to which nothing more can be written.
_UNWRITABLE: Final = (errno.EBADF, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EPIPE)


def open_standard_streams() -> None:
    """Open the streams that the parent process has closed, and let output escape characters.

    If standard output stayed closed, the first file that is opened would get its descriptor, and
    all printed text would be written into this file.  A character that the encoding of the output
    lacks is printed as an escape.
    """
    for number, flags in enumerate(_REPLACEMENT_FLAGS):
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


def standard_output_fault(error: Exception) -> str | None:
    """The text of ``error`` if standard output cannot be written; None for any other error.

    An `OSError` without a file name is about standard output, because opened files have names.
    """
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    return error.strerror if error.errno in _UNWRITABLE else None


def drop_output() -> None:
    """Discard the text in the buffer of standard output, which Python would write at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
