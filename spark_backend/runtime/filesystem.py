"""File systems: that of this machine by Python, all others by fsspec."""

import os
import shutil
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from fsspec.core import (  # type: ignore[import-untyped]  # it has no types
    url_to_fs,  # pyright: ignore[reportUnknownVariableType]  # the same
)

from algebra.outside.file_names import Compression, compression_of

#: The scheme of paths on this machine.
HERE: Final = "file:"
#: The parameter ``wbits`` for which `zlib` reads gzip.
_GZIP: Final = 31

_T = TypeVar("_T")


def plain(path: str) -> str:
    """A path of this machine without its scheme; any other path unchanged."""
    return path.removeprefix("file://").removeprefix(HERE)


def qualified(path: str) -> str:
    """The absolute path with its scheme; a relative path is below the current folder."""
    if _is_here(path):
        return f"{HERE}{Path(plain(path)).absolute()}"
    return path


def _is_here(path: str) -> bool:
    """Whether a path is on this machine: it has the scheme ``file:``, or none."""
    return path.startswith(HERE) or "://" not in path


class FileSystem:
    """Files and folders by their paths: with a scheme (``s3a://…``), or on this machine.

    fsspec reaches the schemes that it knows, most of them through a package of their own (s3fs,
    gcsfs, adlfs), with that package's credentials.  Methods raise `OSError` with the path.
    """

    def exists(self, path: str) -> bool:
        """Whether a file or folder exists."""
        return self._of(path).exists(path)

    def is_folder(self, path: str) -> bool:
        """Whether a folder exists."""
        return self._of(path).is_folder(path)

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; of a file, its own name; none if the path is absent."""
        return self._of(path).names(path)

    def read(self, path: str) -> str:
        """The text of a file."""
        return self._of(path).head(path, None).decode("utf-8", "replace")

    def head(self, path: str, most: int) -> str:
        """The beginning of a UTF-8 file, at most ``most`` bytes, decompressed if it is a .gz."""
        found = self._of(path).head(path, most)
        if compression_of(path) is Compression.GZIP:
            found = zlib.decompressobj(_GZIP).decompress(found, most)
        return found.decode("utf-8", "replace")

    def create(self, path: str, data: bytes) -> None:
        """Write a file; while it is written, readers may see a part of it."""
        self._of(path).create(path, data)

    def write(self, path: str, data: bytes) -> None:
        """Write a file under another name and rename it: readers see the old bytes or the new."""
        unfinished, files = _unfinished(path), self._of(path)
        files.create(unfinished, data)
        files.replace(unfinished, path)

    def rename(self, path: str, to: str) -> None:
        """Rename a file or folder; the new name must be free."""
        self._of(path).rename(path, to)

    def make_folder(self, path: str) -> None:
        """Make a folder and its parents."""
        self._of(path).make_folder(path)

    @contextmanager
    def locked(self, path: str) -> Generator[bool]:
        """Lock a folder for the body of the context; false: another user has locked it.

        The system ends the lock with the process.  A folder on another file system than that of
        this machine is not locked.
        """
        if not _is_here(path) or os.name == "nt":  # Windows has no such locks
            yield True
            return
        folder = os.open(plain(path), os.O_RDONLY)
        try:
            yield _try_lock(folder)
        finally:
            os.close(folder)

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it; nothing if it is absent."""
        self._of(path).delete(path)

    def _of(self, path: str) -> "_Files":
        """The object whose methods reach ``path``."""
        return _Here() if _is_here(path) else _There()


class _Files(Protocol):
    """The methods of `FileSystem` for one kind of paths."""

    def exists(self, path: str, /) -> bool: ...
    def is_folder(self, path: str, /) -> bool: ...
    def names(self, path: str, /) -> list[str]: ...
    def head(self, path: str, most: int | None, /) -> bytes: ...
    def create(self, path: str, data: bytes, /) -> None: ...
    def rename(self, path: str, to: str, /) -> None: ...
    def replace(self, path: str, to: str, /) -> None: ...
    def make_folder(self, path: str, /) -> None: ...
    def delete(self, path: str, /) -> None: ...


class _Here:
    """The files of this machine, which Python reads and writes without Hadoop.

    Hadoop would start a process for each file and folder to read its permissions.  A file that
    Hadoop has written has a checksum file next to it, which must be removed when the file changes.
    """

    def exists(self, path: str) -> bool:
        return Path(plain(path)).exists()

    def is_folder(self, path: str) -> bool:
        return Path(plain(path)).is_dir()

    def names(self, path: str) -> list[str]:
        at = Path(plain(path))
        if not at.exists():
            return []
        found = [each.name for each in at.iterdir()] if at.is_dir() else [at.name]
        return sorted(each for each in found if not _is_checksum(each))

    def head(self, path: str, most: int | None) -> bytes:
        with Path(plain(path)).open("rb") as file:
            return file.read() if most is None else file.read(most)

    def create(self, path: str, data: bytes) -> None:
        at = Path(plain(path))
        at.parent.mkdir(parents=True, exist_ok=True)
        _checksum(at).unlink(missing_ok=True)
        at.write_bytes(data)

    def rename(self, path: str, to: str) -> None:
        at, target = Path(plain(path)), Path(plain(to))
        _checksum(target).unlink(missing_ok=True)
        if _checksum(at).exists():
            _checksum(at).rename(_checksum(target))
        at.rename(target)

    def replace(self, path: str, to: str) -> None:
        self.rename(path, to)  # atomic: at any time one of the two files exists

    def make_folder(self, path: str) -> None:
        Path(plain(path)).mkdir(parents=True, exist_ok=True)

    def delete(self, path: str) -> None:
        at = Path(plain(path))
        if at.is_dir() and not at.is_symlink():
            shutil.rmtree(at)
        else:
            at.unlink(missing_ok=True)
            _checksum(at).unlink(missing_ok=True)


class _There:
    """The files of every file system that fsspec knows."""

    def exists(self, path: str) -> bool:
        return bool(_done_on(path, lambda fs, at: fs.exists(at)))

    def is_folder(self, path: str) -> bool:
        return bool(_done_on(path, lambda fs, at: fs.isdir(at)))

    def names(self, path: str) -> list[str]:
        def listed(fs: Any, at: str) -> list[str]:  # Any: fsspec has no types
            found: list[str] = fs.ls(at, detail=False) if fs.exists(at) else []
            return sorted(each.rstrip("/").rpartition("/")[2] for each in found)

        return _done_on(path, listed)

    def head(self, path: str, most: int | None) -> bytes:
        def read(fs: Any, at: str) -> bytes:
            found: bytes = fs.cat_file(at, end=most)
            return found

        return _done_on(path, read)

    def create(self, path: str, data: bytes) -> None:
        _done_on(path, lambda fs, at: fs.pipe_file(at, data))

    def rename(self, path: str, to: str) -> None:
        _, target = _split(to)
        _done_on(path, lambda fs, at: fs.mv(at, target, recursive=True))

    def replace(self, path: str, to: str) -> None:
        self.delete(to)
        self.rename(path, to)

    def make_folder(self, path: str) -> None:
        _done_on(path, lambda fs, at: fs.makedirs(at, exist_ok=True))

    def delete(self, path: str) -> None:
        _done_on(path, lambda fs, at: fs.rm(at, recursive=True) if fs.exists(at) else None)


def _try_lock(folder: int) -> bool:
    """Lock an open folder, given by its file descriptor; return false if it is locked already.

    On a file system without locks the result is true.
    """
    import fcntl  # not on Windows

    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def _done_on(path: str, do: Callable[[Any, str], _T]) -> _T:
    """Call ``do`` with the file system of a path and the path in it; return its result.

    An error is raised as an `OSError` with the path.
    """
    try:
        return do(*_split(path))
    except OSError as error:
        raise OSError(error.errno or 0, error.strerror or str(error), path) from None
    except (ImportError, ValueError) as error:  # no package for the scheme, or no such scheme
        raise OSError(0, str(error), path) from None


def _split(path: str) -> tuple[Any, str]:
    """The file system of a path, which has no type, and the path in it."""
    found: tuple[Any, str] = url_to_fs(path)  # pyright: ignore[reportUnknownVariableType]  # the same
    return found


def _checksum(at: Path) -> Path:
    """Where Hadoop stores the checksum of a file of this machine."""
    return at.with_name(f".{at.name}.crc")


def _is_checksum(name: str) -> bool:
    """Whether a file of this name is a checksum that Hadoop has written."""
    return name.startswith(".") and name.endswith(".crc")


def _unfinished(path: str) -> str:
    """The path, in the same folder, under which a file is written before it is renamed."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.new"
