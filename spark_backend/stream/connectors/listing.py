"""The files of a path: Structured Streaming divides their names into micro-batches."""

from collections.abc import Collection
from pathlib import Path, PurePath
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from algebra.outside.file_names import (
    NOT_READ,
    Compression,
    compression_of,
    natural_order,
    unread_ending,
)
from algebra.outside.foreign import Connection
from algebra.records.opening import ENDINGS, HINT, is_pipe
from algebra.records.pipeline import Pipeline
from grammar.codes import Code
from spark_backend.runtime.filesystem import FileSystem, plain, qualified

#: The setting with the greatest number of files in a micro-batch, the oldest first; by default all.
FILES_A_BATCH: Final = "spark.rowtime.maxFilesPerTrigger"
#: The compressions of CSV and JSON that Spark reads without native libraries of Hadoop.
GZIP: Final = frozenset({Compression.GZIP})
#: The columns of Spark's source of binary files, from which only paths and lengths are read.
_LISTED: Final = "path string, modificationTime timestamp, length long, content binary"


class Listing:
    """A file, or the files of a folder.

    ``paths`` are those of the current micro-batch, in the order of their names, and ``bytes`` is
    the sum of their lengths.  ``readable`` has the compressions that are read.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        connection: Connection,
        path: str,
        *,
        folder: bool,
        readable: Collection[Compression] = GZIP,
    ) -> None:
        self.path = path
        self.folder = folder
        self.paths: list[str] = []
        self.bytes = 0
        self._pipeline = pipeline
        self._connection = connection
        self._readable = readable

    def frame(self, session: SparkSession) -> DataFrame:
        """A streaming frame of the names of the files, and their lengths."""
        folder, _, name = self.path.rpartition("/")
        endings = ENDINGS[self._connection.format]
        # Spark treats a path without wildcards as a folder, so every path is made a pattern.
        pattern = f"{escaped(folder)}/{{{escaped(name)}}}"
        if self.folder:
            # Files of compressions that are not read are listed, too, so that `take` rejects them.
            packed = ["", *Compression, *NOT_READ]
            named = [_any_case(f"{ending}{each}") for ending in endings for each in packed]
            pattern = f"{escaped(self.path)}/*{{{','.join(named)}}}"
        stream = session.readStream.format("binaryFile").schema(_LISTED)
        most = session.conf.get(FILES_A_BATCH, None)
        if most is not None:
            stream = stream.option("maxFilesPerTrigger", most)
        return stream.load(pattern).select("path", "length")

    def take(self, batch: DataFrame) -> None:
        """Set ``paths`` and ``bytes`` to those of a micro-batch; ``batch`` has a row for each file.

        Raises BAD_OPTION for a link out of the root, and for a compression that is not read
        (S-607.t).
        """
        listed = batch.collect()
        self.paths = sorted((str(each["path"]) for each in listed), key=_reading_order)
        self.bytes = sum(int(each["length"]) for each in listed)
        for path in self.paths:
            self._pipeline.resolve_in_root(Path(local_path(path)), self._connection)
        for path in self.paths if self.folder else ():
            packed = compression_of(path)
            ending = unread_ending(path) or (None if packed in (None, *self._readable) else packed)
            if ending is not None:
                raise self.unreadable(
                    f"{local_path(path)}: Spark does not read files in {ending}{HINT}--backend "
                    "reference, or decompress the file"
                )

    def unreadable(self, message: str) -> Exception:
        """The error BAD_OPTION with ``message``, at the path in the declaration."""
        return self._pipeline.unreadable(message, self._connection)


def listing_of(
    pipeline: Pipeline, connection: Connection, readable: Collection[Compression] = GZIP
) -> Listing:
    """The listing of a connection's path; the error BAD_OPTION if it does not exist."""
    path, at = connection.text("path"), connection.at("path")
    require_readable(pipeline, connection, readable)
    if is_pipe(Path(path)):
        message = "Spark does not read pipes: a micro-batch could not be read again"
        hint = "--backend reference, or format 'socket'"
        raise pipeline.fault(Code.NOT_SUPPORTED, message, at, hint)
    files = FileSystem()
    try:
        whole = qualified(path)
        if not files.exists(whole):
            folder = whole.rpartition("/")[0]
            listed = [name for name in files.names(folder) if name[0] not in "._"]
            hint = f"{folder.removeprefix('file:')} has: {', '.join(listed[:8]) or 'nothing'}"
            raise pipeline.fault(Code.BAD_OPTION, f"there is no file {path}", at, hint)
        is_folder = files.is_folder(whole)
    except OSError as error:
        message, hint = f"{path}: {error.strerror}", "a path, or one with a scheme: s3a://…"
        raise pipeline.fault(Code.BAD_OPTION, message, at, hint) from None
    return Listing(pipeline, connection, whole, folder=is_folder, readable=readable)


def require_readable(
    pipeline: Pipeline, connection: Connection, readable: Collection[Compression] = ()
) -> None:
    """Raise NOT_SUPPORTED if a path's ending names a compression that is not ``readable``."""
    path, at = connection.text("path"), connection.at("path")
    packed = compression_of(path)
    if packed is not None and packed not in readable:
        message = f"files that end in {packed} are read and written on one machine only"
        raise pipeline.fault(Code.NOT_SUPPORTED, message, at, "--backend reference")


def _any_case(ending: str) -> str:
    """An ending as a pattern that matches it in upper and lower case."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in ending)


def escaped(path: str) -> str:
    """A path as a pattern that matches only this path."""
    return "".join(f"\\{each}" if each in "\\*?[]{}," else each for each in path)


def _reading_order(path: str) -> tuple[str, str]:
    """The key by which files are read in natural order."""
    return natural_order(PurePath(file_name(path)))


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def local_path(path: str) -> str:
    """A local path without its scheme, relative to the working folder if it lies below."""
    return plain(path).removeprefix(f"{Path.cwd()}/")
