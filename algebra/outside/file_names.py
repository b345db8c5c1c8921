"""The names of files: the format and compression that a name implies, and its place in a folder."""

import errno
import os
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Final

#: The name of standard input and standard output.
STANDARD: Final = "-"


class Compression(StrEnum):
    """How the bytes of a file are compressed, by the last ending of its name."""

    GZIP = ".gz"
    ZSTD = ".zst"


#: The format that each ending names; the ending of a compression may follow it.
FORMATS: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
#: The number of digits to which `natural_order` pads a number in a name.
NATURAL_DIGITS: Final = 30
#: Endings of compressed files and archives that are not read.
NOT_READ: Final = (".bz2", ".xz", ".lzma", ".lz4", ".snappy", ".br", ".z", ".zip", ".tar", ".7z")


def compression_of(name: str | PurePath) -> Compression | None:
    """The compression that the last ending names, in upper or lower case; None: no compression."""
    ending = PurePath(name).suffix.lower()
    return Compression(ending) if ending in list(Compression) else None


def ending_of(name: str | PurePath) -> str:
    """The ending, in lower case, before that of a compression: ``.csv`` of ``a.CSV.gz``."""
    path = PurePath(name)
    return PurePath(path.stem if compression_of(path) else path).suffix.lower()


def format_named(name: str | PurePath) -> str | None:
    """The format that the ending of a file's name names; None: no format has this ending.

    Defines: S-607.o
    """
    return FORMATS.get(ending_of(name))


def unread_ending(name: str | PurePath) -> str | None:
    """The ending of a file that cannot be read or written because of its compression.

    These are the endings in `NOT_READ`.  Parquet compresses its own pages, so a compressed Parquet
    file, such as ``.parquet.gz``, is not read either.  None: the name has no such ending.
    """
    ending = PurePath(name).suffix.lower()
    if ending in NOT_READ:
        return ending
    compressed_parquet = compression_of(name) is not None and format_named(name) == "parquet"
    return f"{ending_of(name)}{ending}" if compressed_parquet else None


def unread_file(names: Sequence[PurePath], endings: Sequence[str]) -> tuple[PurePath, str] | None:
    """The first file that would be read if its compression were supported, and its ending.

    ``names`` are the files of a folder, of which those with one of ``endings`` are read.  The
    ending of the result is that of `unread_ending`.  None: the folder has no such file.
    """
    for each in names:
        ending = unread_ending(each)
        # `ending_of(each.stem)` finds ``.csv`` in ``a.csv.xz``.
        if ending is not None and {ending_of(each), ending_of(each.stem)} & set(endings):
            return each, ending
    return None


def natural_order(path: PurePath) -> tuple[str, str]:
    """A key that sorts numbers in names by their value: ``9.csv`` before ``10.csv``.

    In the key, numbers are padded with zeros to `NATURAL_DIGITS` digits.  A NUL before them sorts
    them before all letters.  The name itself decides between names with the same numbers.

    Defines: S-607.k
    """
    name = path.name
    # The pattern is a number; its group is the number without leading zeros (0 keeps one).
    return re.sub("0*([0-9]+)", lambda digits: f"\0{digits[1]:0>{NATURAL_DIGITS}}", name), name


def resolved(path: Path) -> Path:
    """``path`` with all its links resolved; the file need not exist.

    Raises `OSError` for a link that leads back to itself, in all versions of Python.
    """
    found = os.path.realpath(path)
    if os.path.islink(found):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(found)


def is_within(path: Path, root: Path) -> bool:
    """Whether ``path`` is in the folder ``root``, or is it, after all links in both are resolved.

    Raises `OSError` as `resolved` does.
    """
    return resolved(path).is_relative_to(resolved(root))
