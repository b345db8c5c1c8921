"""Appending to files: a piece is written as a whole, or the file stays as it was."""

import io
import os
import stat
from pathlib import Path

from algebra.outside.file_names import resolved


def draft_name(target: Path) -> Path:
    """A new name of a hidden file in the folder of ``target``, for the draft of its new contents.

    The name is random, so that nobody can guess it and put a link there first.
    """
    return target.with_name(f".{target.name}.{os.urandom(8).hex()}")


def keep_mode(draft: Path, target: Path) -> None:
    """Give ``draft`` the permissions of the file that it will replace, if there is one."""
    if target.exists():
        draft.chmod(stat.S_IMODE(target.stat().st_mode))


def begin_file(path: Path, data: bytes) -> io.FileIO:
    """Create the file ``path`` with the contents ``data``, and return it open, for `append`.

    The contents are written to a draft in the same folder, which then replaces an old file
    atomically.  A path that is not an ordinary file, such as a pipe, is written directly.  Raises
    `OSError`.
    """
    if path.exists() and not path.is_file():
        file = io.FileIO(path, "w")
        append(file, data, path)
        return file
    target = resolved(path)  # a link stays, and its target is replaced
    draft = draft_name(target)
    try:
        file = io.FileIO(draft, "x")
        keep_mode(draft, target)
        append(file, data, path)
        draft.replace(target)
        return file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def append(file: io.FileIO, data: bytes, path: Path) -> None:
    """Write ``data`` at the end of an open file.

    If the write fails, the part that was written is removed again, unless the file is a pipe or the
    like.  Raises `OSError` that names ``path``, the path of the file.
    """
    start = file.tell() if file.seekable() else None
    remaining = memoryview(data)
    try:
        while remaining:
            remaining = remaining[file.write(remaining) or 0 :]
    except BaseException as error:
        if start is not None:
            file.seek(start)
            file.truncate()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
