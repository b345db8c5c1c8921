"""Write files atomically, and shorten paths for reports."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replace the contents of a file by ``text``; if the process dies, the file stays as it was.

    Missing parent folders are made.  A symbolic link is not replaced, but the file to which it
    leads.  A path that is not an ordinary file, such as a pipe or ``/dev/stdout``, is written
    directly.  Raises `OSError`, whose ``filename`` is always set.
    """
    try:
        _write(path, text)
    except OSError as error:
        if error.filename is None:  # only an error of opening has the name; one of writing lacks it
            error.filename = str(path)
        raise


def _write(path: Path, text: str) -> None:
    """Write a temporary file in the same folder, and then rename it to ``path``.

    If ``path`` is not an ordinary file, write into it directly.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8", newline="\n")
        return
    path = Path(os.path.realpath(path))
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(draft).chmod(0o644)  # only its owner can read a new temporary file
        Path(draft).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise


def shown_path(path: Path | str) -> str:
    """The path as reports show it: relative to the current folder, if that folder contains it."""
    absolute, here = Path(path).absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)
