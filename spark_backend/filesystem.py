"""The file systems that Spark knows, local and remote, by way of Hadoop's own interface."""

from collections.abc import Callable
from typing import Any, Final

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
        of_session: Any = session  # Spark's way into Java is not typed
        self._jvm: Any = of_session._jvm
        self._conf: Any = of_session._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return bool(self._of(path, lambda fs, at: fs.exists(at)))

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        found = self._of(path, lambda fs, at: fs.exists(at) and fs.getFileStatus(at).isDirectory())
        return bool(found)

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; of no folder none."""

        def listed(fs: Any, at: Any) -> list[str]:  # Any: objects of Java
            found: Any = fs.listStatus(at) if fs.exists(at) else []
            return sorted(str(each.getPath().getName()) for each in found)

        names: list[str] = self._of(path, listed)
        return names

    def qualified(self, path: str) -> str:
        """The whole path, its scheme and folder included."""
        return str(self._of(path, lambda fs, at: fs.makeQualified(at).toString()))

    def read(self, path: str) -> str:
        """The text of a file."""

        def text(fs: Any, at: Any) -> str:  # Any: objects of Java
            stream = fs.open(at)
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

        found: str = self._of(path, text)
        return found

    def head(self, path: str, most: int) -> str:
        """The beginning of a file of UTF-8 text, of so many bytes at most."""

        def text(fs: Any, at: Any) -> str:  # Any: objects of Java
            stream = fs.open(at)
            try:
                io = self._jvm.org.apache.commons.io
                some = io.input.BoundedInputStream(stream, most)
                return str(io.IOUtils.toString(some, "UTF-8"))
            finally:
                stream.close()

        found: str = self._of(path, text)
        return found

    def create(self, path: str, data: bytes) -> None:
        """Let a file be these bytes; while it is written, it is there in part."""

        def written(fs: Any, at: Any) -> None:  # Any: objects of Java
            stream = fs.create(at, True)
            try:
                stream.write(data)
            finally:
                stream.close()

        self._of(path, written)

    def write(self, path: str, data: bytes) -> None:
        """Let a file be these bytes: it is written beside, and takes its place whole."""
        beside = _beside(path)
        self.create(beside, data)
        self.delete(path)
        self.rename(beside, path)

    def rename(self, path: str, to: str) -> None:
        """Give a file or folder another name."""
        target = self._path(to)
        if not self._of(path, lambda fs, at: fs.rename(at, target)):
            raise OSError(0, "cannot be given its name", to)

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it."""
        self._of(path, lambda fs, at: fs.mkdirs(at))

    def delete(self, path: str) -> None:
        """Let nothing be there, whatever it was."""
        self._of(path, lambda fs, at: fs.delete(at, True))

    def _path(self, path: str) -> Any:  # Any: an object of Java
        return self._jvm.org.apache.hadoop.fs.Path(path)

    # Any: objects of Java
    def _of(self, path: str, ask: Callable[[Any, Any], Any]) -> Any:
        try:
            at = self._path(path)
            return ask(at.getFileSystem(self._conf), at)
        except Py4JJavaError as error:
            of_java: Any = error  # it has no types
            raise OSError(0, _words(str(of_java.java_exception.toString())), path) from None


def _beside(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}.new"


def _words(said: str) -> str:
    """Java's message without the class that it comes from."""
    kind, _, message = said.partition(": ")
    return (message if message and " " not in kind else said)[:_MOST]
