"""The file systems that Spark knows: this machine's, and remote ones by Hadoop's own interface."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JJavaError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.sql import SparkSession

#: What of Java's words a person needs.
_MOST: Final = 300

#: The scheme of paths on this machine.
HERE: Final = "file:"


def plain(path: str) -> str:
    """A path of this machine without its scheme; one of another as it is."""
    return path.removeprefix("file://").removeprefix(HERE)


class FileSystem:
    """Files and folders by their paths, which may have a scheme: ``hdfs://…``, ``s3a://…``.

    A path without one is of Spark's default file system.  Raises `OSError` that names the path.
    """

    def __init__(self, session: SparkSession) -> None:
        self._here = _Here()
        self._there = _There(session)

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return self._of(path).exists(path)

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        return self._of(path).is_folder(path)

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; of no folder none."""
        return self._of(path).names(path)

    def qualified(self, path: str) -> str:
        """The whole path, its scheme and folder included."""
        return self._there.qualified(path)

    def read(self, path: str) -> str:
        """The text of a file."""
        return self._of(path).head(path, None).decode("utf-8", "replace")

    def head(self, path: str, most: int) -> str:
        """The beginning of a file of UTF-8 text, of so many bytes at most."""
        return self._of(path).head(path, most).decode("utf-8", "replace")

    def create(self, path: str, data: bytes) -> None:
        """Let a file be these bytes; while it is written, it is there in part."""
        self._of(path).create(path, data)

    def write(self, path: str, data: bytes) -> None:
        """Let a file be these bytes: it is written beside, and takes its place whole."""
        beside, files = _beside(path), self._of(path)
        files.create(beside, data)
        files.replace(beside, path)

    def rename(self, path: str, to: str) -> None:
        """Give a file or folder another name, which nothing has."""
        self._of(path).rename(path, to)

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it."""
        self._of(path).make_folder(path)

    def delete(self, path: str) -> None:
        """Let nothing be there, whatever it was."""
        self._of(path).delete(path)

    def _of(self, path: str) -> "_Files":
        return self._here if path.startswith(HERE) else self._there


class _Files(Protocol):
    """What `FileSystem` says, for the paths of one kind."""

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

    Hadoop would ask another process, for each file and folder, to say who may read it.  What it
    writes itself has a checksum beside it, which is of that content only.
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
        self.rename(path, to)  # at once: one or the other file is there at any time

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
    """The files of any file system that Hadoop knows."""

    def __init__(self, session: SparkSession) -> None:
        self._session: Any = session  # Spark's way into Java is not typed

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
        """The whole path."""
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
            raise OSError(0, "cannot be given its name", to)

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
    """Where Hadoop has the checksum of a file of this machine."""
    return at.with_name(f".{at.name}.crc")


def _is_checksum(name: str) -> bool:
    return name.startswith(".") and name.endswith(".crc")


def _beside(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.new"


def _words(text: str) -> str:
    """Java's message without the class that it comes from."""
    kind, _, message = text.partition(": ")
    return (message if message and " " not in kind else text)[:_MOST]
