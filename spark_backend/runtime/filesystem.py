"""File systems: this machine's by Python, all others by Hadoop, through Spark's Java gateway.

The gateway (``_jvm``, ``_jsc``) is a private part of PySpark, used here and nowhere else: PySpark
has no public interface to Hadoop's file systems.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JJavaError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.sql import SparkSession

#: The most characters of a Java message that are shown.
_MOST: Final = 300

#: The scheme of paths on this machine.
HERE: Final = "file:"


def plain(path: str) -> str:
    """A path of this machine without its scheme; any other path unchanged."""
    return path.removeprefix("file://").removeprefix(HERE)


class FileSystem:
    """Files and folders by their paths, which may have a scheme: ``hdfs://…``, ``s3a://…``.

    A path without a scheme is one of Spark's default file system.  Methods raise `OSError` with the
    path.
    """

    def __init__(self, session: SparkSession) -> None:
        self._here = _Here()
        self._there = _There(session)

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there."""
        return self._of(path).exists(path)

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        return self._of(path).is_folder(path)

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; none if it is absent."""
        return self._of(path).names(path)

    def qualified(self, path: str) -> str:
        """The absolute path with its scheme."""
        return self._there.qualified(path)

    def read(self, path: str) -> str:
        """The text of a file."""
        return self._of(path).head(path, None).decode("utf-8", "replace")

    def head(self, path: str, most: int) -> str:
        """The beginning of a UTF-8 file, at most ``most`` bytes."""
        return self._of(path).head(path, most).decode("utf-8", "replace")

    def create(self, path: str, data: bytes) -> None:
        """Write a file; while it is written, readers may see a part of it."""
        self._of(path).create(path, data)

    def write(self, path: str, data: bytes) -> None:
        """Write a file under another name and rename it: readers see the old bytes or the new."""
        beside, files = _beside(path), self._of(path)
        files.create(beside, data)
        files.replace(beside, path)

    def rename(self, path: str, to: str) -> None:
        """Rename a file or folder; the new name must be free."""
        self._of(path).rename(path, to)

    def make_folder(self, path: str) -> None:
        """Make a folder and its parents."""
        self._of(path).make_folder(path)

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it; nothing if it is absent."""
        self._of(path).delete(path)

    def _of(self, path: str) -> "_Files":
        return self._here if path.startswith(HERE) else self._there


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
    """The files of this machine.

    Hadoop would start a process for each file and folder to read its permissions.  Beside a file
    that Hadoop has written stands its checksum, which must go when the file changes.
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
        self.rename(path, to)  # atomic: at any time one of the two files is there

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
    """The files of every file system that Hadoop supports."""

    def __init__(self, session: SparkSession) -> None:
        self._session: Any = session  # PySpark's Java gateway is not typed

    def exists(self, path: str) -> bool:
        return bool(self._of(path, lambda fs, at: fs.exists(at)))

    def is_folder(self, path: str) -> bool:
        found = self._of(path, lambda fs, at: fs.exists(at) and fs.getFileStatus(at).isDirectory())
        return bool(found)

    def names(self, path: str) -> list[str]:
        def listed(fs: Any, at: Any) -> list[str]:  # Any: objects of Java
            found: Any = fs.listStatus(at) if fs.exists(at) else []
            return sorted(str(each.getPath().getName()) for each in found)

        names: list[str] = self._of(path, listed)
        return names

    def qualified(self, path: str) -> str:
        """The absolute path with its scheme."""
        return str(self._of(path, lambda fs, at: fs.makeQualified(at).toString()))

    def head(self, path: str, most: int | None) -> bytes:
        def read(fs: Any, at: Any) -> bytes:  # Any: objects of Java
            stream = fs.open(at)
            try:
                io = self._session._jvm.org.apache.commons.io
                some = stream if most is None else io.input.BoundedInputStream(stream, most)
                return bytes(io.IOUtils.toByteArray(some))
            finally:
                stream.close()

        found: bytes = self._of(path, read)
        return found

    def create(self, path: str, data: bytes) -> None:
        def written(fs: Any, at: Any) -> None:  # Any: objects of Java
            stream = fs.create(at, True)
            try:
                stream.write(data)
            finally:
                stream.close()

        self._of(path, written)

    def rename(self, path: str, to: str) -> None:
        target = self._path(to)
        if not self._of(path, lambda fs, at: fs.rename(at, target)):
            raise OSError(0, "cannot be renamed", to)

    def replace(self, path: str, to: str) -> None:
        self.delete(to)
        self.rename(path, to)

    def make_folder(self, path: str) -> None:
        self._of(path, lambda fs, at: fs.mkdirs(at))

    def delete(self, path: str) -> None:
        self._of(path, lambda fs, at: fs.delete(at, True))

    def _path(self, path: str) -> Any:  # Any: an object of Java
        return self._session._jvm.org.apache.hadoop.fs.Path(path)

    # Any: objects of Java
    def _of(self, path: str, ask: Callable[[Any, Any], Any]) -> Any:
        try:
            at = self._path(path)
            return ask(at.getFileSystem(self._session._jsc.hadoopConfiguration()), at)
        except Py4JJavaError as error:
            of_java: Any = error  # it has no types
            raise OSError(0, _words(str(of_java.java_exception.toString())), path) from None


def _checksum(at: Path) -> Path:
    """Where Hadoop stores the checksum of a file of this machine."""
    return at.with_name(f".{at.name}.crc")


def _is_checksum(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


def _beside(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.new"


def _words(text: str) -> str:
    """The message of a Java exception, without its class."""
    kind, _, message = text.partition(": ")
    return (message if message and " " not in kind else text)[:_MOST]
