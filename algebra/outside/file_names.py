"""The format and the compression that the name of a file has, and its place in a folder."""

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


#: The formats that an ending names, before the ending of a compression.
FORMATS: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
#: Endings of compressed files and archives that are not read.
_NOT_READ: Final = (".bz2", ".xz", ".lzma", ".lz4", ".snappy", ".br", ".z", ".zip", ".tar", ".7z")


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
    """The ending of a compression that is not read and not written; None: it has no such ending.

    Parquet compresses its own pages, so a compressed Parquet file is among these.
    """
    ending = PurePath(name).suffix.lower()
    if ending in _NOT_READ:
        return ending
    packed = compression_of(name) is not None and format_named(name) == "parquet"
    return f"{ending_of(name)}{ending}" if packed else None


def refused_of(names: Sequence[PurePath], endings: Sequence[str]) -> tuple[PurePath, str] | None:
    """The first file of a folder that would be read if its compression were, and that ending.

    ``endings`` are those of the files that are read.
    """
    for each in names:
        ending = unread_ending(each)
        if ending is not None and {ending_of(each), ending_of(each.stem)} & set(endings):
            return each, ending
    return None


def natural_order(path: PurePath) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts numbers in names by their value: ``9.csv`` before ``10.csv``.

    Defines: S-607.k
    """
    parts = re.split(r"([0-9]+)", path.name)
    return tuple((1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts)


def is_within(path: Path, root: Path) -> bool:
    """Whether a path is in a folder, or is that folder, after all links in both are resolved."""
    return path.resolve().is_relative_to(root.resolve())
