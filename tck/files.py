"""Atomic writing of files, and their paths as people read them."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replace the contents of a file by ``text``, or leave it as it is if the process dies.

    Missing parent folders are made.  A link continues to lead to the file.  A path that is not an
    ordinary file, such as a pipe or ``/dev/stdout``, is written directly.  Raises `OSError`, which
    has the name of a file.
    """
    try:
        _write(path, text)
    except OSError as error:
        if error.filename is None:  # the system names a file only if it cannot be opened
            error.filename = str(path)
        raise


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8", newline="\n")
        return
    path = Path(os.path.realpath(path))
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(draft).chmod(0o644)  # a temporary file is its owner's alone
        Path(draft).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise


def shown_path(path: Path | str) -> str:
    """The path as reports show it: relative to the current folder, if it is below it."""
    absolute, here = Path(path).absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)
