"""Files to which whole pieces are appended: a failed write leaves the file as it was."""

import io
import os
import stat
from pathlib import Path

from algebra.outside.file_names import resolved


def draft_name(target: Path) -> Path:
    """A new hidden name in the folder of ``target``.

    Nobody can guess it, and so put a link there first.
    """
    return target.with_name(f".{target.name}.{os.urandom(8).hex()}")


def keep_mode(draft: Path, target: Path) -> None:
    """Give ``draft`` the permissions of the file that it will replace, if there is one."""
    if target.exists():
        draft.chmod(stat.S_IMODE(target.stat().st_mode))


def begin_file(path: Path, data: bytes) -> io.FileIO:
    """An open file that begins with ``data``, to be appended to.

    It is written into the folder of ``path``, and then replaces an old file atomically.  A path
    that is not an ordinary file, such as a pipe, is written directly.  Raises `OSError`.
    """
    if path.exists() and not path.is_file():
        file = io.FileIO(path, "w")
        append(file, data, path)
        return file
    target = resolved(path)  # a link stays, and its target is replaced
    beside = draft_name(target)
    try:
        file = io.FileIO(beside, "x")
        keep_mode(beside, target)
        append(file, data, path)
        beside.replace(target)
        return file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def append(file: io.FileIO, data: bytes, path: Path) -> None:
    """Write all of ``data`` at the end of a file, or none of it, if the file can be truncated.

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
