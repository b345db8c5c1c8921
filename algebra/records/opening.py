"""Finds and opens files, and decompresses them; every fault of a file is a `FileError`."""

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from algebra.outside.file_names import (
    STANDARD,
    Compression,
    compression_of,
    ending_of,
    natural_order,
    unread_file,
)
from algebra.outside.foreign import Connection, Format

#: The endings of the files in a folder that are read.
ENDINGS: Final = {
    Format.CSV: (".csv", ".tsv"),
    Format.JSON: (".json", ".jsonl", ".ndjson"),
    Format.PARQUET: (".parquet", ".pq"),
    Format.DEBEZIUM: (".json", ".jsonl", ".ndjson"),
}
#: The characters that make a file name a pattern.
_PATTERN: Final = frozenset("*?[")
_MARKS_OF_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


#: Begins the hint at the end of a message.
HINT: Final = "\n  hint: "


class FileError(Exception):
    """A file cannot be read as rows; the text has the file, the place in it, and the reason."""


def is_pipe(path: Path) -> bool:
    """Whether ``path`` is standard input, a pipe, a terminal or a socket.

    A program may still be writing to it.
    """
    if str(path) == STANDARD:
        return True
    if not path.exists():
        return False
    mode = path.stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def open_bytes(path: Path) -> BinaryIO:
    """Open a file, or standard input for ``-``, for reading its decompressed bytes.

    Raises `OSError`, and `FileError` if the package for its compression is missing.
    """
    if str(path) == STANDARD:
        return sys.stdin.buffer
    match compression_of(path):
        case Compression.GZIP:
            return cast("BinaryIO", gzip.open(path))
        case Compression.ZSTD:
            arrow = arrow_library(path, "a .zst file")
            stream = arrow.CompressedInputStream(arrow.OSFile(str(path)), "zstd")
            return cast("BinaryIO", io.BufferedReader(stream))
        case None:
            return path.open("rb")


def _not_utf8(path: Path, error: UnicodeDecodeError) -> str:
    """The message for a file that is not UTF-8, with the line of the first byte that is wrong.

    The file is read again to find the line, unless it is a pipe or the like.
    """
    place, found, encoding = str(path), error.object[error.start], "latin1"
    if path.is_file():
        with open_bytes(path) as file:
            for number, line in enumerate(file, 1):
                try:
                    line.decode()
                except UnicodeDecodeError as first:
                    place, found = f"{path}:{number}", line[first.start]
                    if number == 1 and line.startswith(_MARKS_OF_UTF16):
                        encoding = "utf-16"
                    break
    return (
        f"{place}: not UTF-8 text: the byte 0x{found:02X}: {error.reason}"
        f"{HINT}iconv -f {encoding} -t utf-8 {path}"
    )


@contextmanager
def open_text(path: Path, newline: str | None = None) -> Generator[io.TextIOWrapper]:
    """Open a file in UTF-8 for reading its text, without its byte order mark.

    ``newline`` is the parameter of `open`.  Raises `FileError`.
    """
    with (
        file_faults(path),
        open_bytes(path) as bytes,
        io.TextIOWrapper(bytes, encoding="utf-8-sig", newline=newline) as file,
    ):
        try:
            yield file
        except UnicodeDecodeError as error:
            raise FileError(_not_utf8(path, error)) from None


def text_of_file(path: Path) -> str:
    """The whole text of a file in UTF-8, without its byte order mark.

    Raises `FileError`, and `ValueError` for a NUL in the name.
    """
    with open_text(path) as file:
        return file.read()


def compressed(data: bytes, path: Path) -> bytes:
    """``data``, compressed by the ending of ``path``.

    Several results, one after the other, are the contents of one file.
    """
    match compression_of(path):
        case Compression.GZIP:
            return gzip.compress(data, mtime=0)
        case Compression.ZSTD:
            arrow = arrow_library(path, "a .zst file")
            sink = arrow.BufferOutputStream()
            with arrow.CompressedOutputStream(sink, "zstd") as stream:
                stream.write(data)
            return bytes(sink.getvalue())
        case None:
            return data


@contextmanager
def compressing(to: BinaryIO, path: Path) -> Generator[BinaryIO]:
    """Open a file whose bytes are compressed by the ending of ``path`` and written to ``to``."""
    match compression_of(path):
        case Compression.GZIP:
            with gzip.GzipFile("", "wb", fileobj=to, mtime=0) as packed:
                yield cast("BinaryIO", packed)
        case Compression.ZSTD:
            arrow = arrow_library(path, "a .zst file")
            with arrow.CompressedOutputStream(arrow.PythonFile(to, "w"), "zstd") as packed:
                yield cast("BinaryIO", packed)
        case None:
            yield to


def arrow_library(path: Path, what: str) -> Any:  # Any: pyarrow is not typed
    """The module pyarrow; `FileError` if it is missing, because ``what`` at ``path`` needs it."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise FileError(f"{path}: {what} needs pyarrow: pip install pyarrow") from None


@contextmanager
def file_faults(path: Path) -> Generator[None]:
    """A context in which a file that cannot be opened or decompressed is a `FileError`."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _not_whole(path, Compression.GZIP, error) from None
    except OSError as error:
        raise fault_of(path, error) from None


def fault_of(path: Path, error: OSError) -> FileError:
    """The `FileError` for an ``error`` of the system or of pyarrow.

    An error of the system has a number, from which the message is made; pyarrow would write another
    message.  An error of pyarrow about the contents of the file has no number, and its own message
    is used.
    """
    if error.errno is not None:
        hint = f"{HINT}chmod u+r {path}" if isinstance(error, PermissionError) else ""
        return FileError(f"{path}: {os.strerror(error.errno)}{hint}")
    if compression_of(path) is Compression.ZSTD:
        return _not_whole(path, Compression.ZSTD, error)
    return FileError(f"{path}: {error}")


def _not_whole(path: Path, compression: Compression, error: Exception) -> FileError:
    """The error for a compressed file that cannot be decompressed."""
    hint = f"write the file again, or take {compression} out of its name if it is not compressed"
    return FileError(f"{path}: not a whole {compression} file: {error}{HINT}{hint}")


def require_readable(connections: Iterable[Connection]) -> None:
    """Raise `FileError` if a file that one of these connections names does not exist.

    Files are not opened, because a pipe can be opened only once.
    """
    for connection in connections:
        for path in some_files_of(connection):
            if str(path) != STANDARD:
                with file_faults(path):
                    path.stat()


def files_of(connection: Connection) -> list[Path]:
    """The files that the path of a connection names now: in natural order, ``9`` before ``10``.

    The path is a file, a folder, or a pattern with ``*``, ``?`` and ``[…]`` in its last part.  A
    folder stands for its files whose names have an ending of the format.  In a folder, and for a
    pattern, files whose names begin with a point or an underscore are left out.  Raises `FileError`
    for a file with a compression that is not supported.
    """
    path = Path(connection.text("path"))
    if path.is_dir():
        return folder_files(path, ENDINGS[connection.format])
    if is_pattern(path):
        found = [each for each in path.parent.glob(path.name) if each.is_file()]
        named = sorted((each for each in found if each.name[0] not in "._"), key=natural_order)
        _require_supported(named, ENDINGS[connection.format])
        return named
    return [path]


def some_files_of(connection: Connection) -> list[Path]:
    """As `files_of`, for files that are read once; it also raises `FileError` if there is no file.

    If it returned no files, a wrong name would not be noticed (S-607.i).
    """
    found = files_of(connection)
    if not found:
        path = Path(connection.text("path"))
        endings = ", ".join(ENDINGS[connection.format])
        reason = f"in the folder has the ending {endings}" if path.is_dir() else "has such a name"
        raise FileError(f"{path}: no file {reason}")
    return found


def is_pattern(path: Path) -> bool:
    """Whether ``path`` is a pattern of file names, and not the path of an existing file."""
    return bool(_PATTERN & set(path.name)) and not path.exists() and path.parent.is_dir()


def folder_files(folder: Path, endings: Sequence[str]) -> list[Path]:
    """The files of a folder with these endings, also compressed, in natural order.

    Raises `FileError` for a file with a compression that is not supported.
    """
    visible = sorted((e for e in folder.iterdir() if e.name[0] not in "._"), key=natural_order)
    _require_supported(visible, endings)
    return [each for each in visible if ending_of(each) in endings]


def _require_supported(files: Sequence[Path], endings: Sequence[str]) -> None:
    """Raise `FileError` for a file with one of ``endings`` and an unsupported compression.

    Defines: S-607.t
    """
    refused = unread_file(files, endings)
    if refused is not None:
        path, ending = refused
        raise FileError(
            f"{path}: files that end in {ending} are not read or written; .gz and .zst are"
            f"{HINT}decompress it, or move it out of the folder"
        )
