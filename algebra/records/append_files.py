"""Files that grow by whole pieces: a failed write leaves what was there before."""

import io
import os
from pathlib import Path


def begun(path: Path, data: bytes) -> io.FileIO:
    """An open file that begins with ``data``, ready to grow.

    It is written beside ``path`` and then takes the place of an old file at once; what is no
    ordinary file, such as a pipe, is written as it is.  Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        file = io.FileIO(path, "w")
        append(file, data, path)
        return file
    target = path.resolve()  # a link goes on leading there
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        file = io.FileIO(beside, "w")
        append(file, data, path)
        beside.replace(target)
        return file
    finally:
        beside.unlink(missing_ok=True)


def append(file: io.FileIO, data: bytes, path: Path) -> None:
    """All of ``data`` at the end of a file, or none; what cannot seek cannot be cut back.

    Raises `OSError` that names ``path``.
    """
    start = file.tell() if file.seekable() else None
    left = memoryview(data)
    try:
        while left:
            left = left[file.write(left) or 0 :]
    except BaseException as error:
        if start is not None:
            file.seek(start)
            file.truncate()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
