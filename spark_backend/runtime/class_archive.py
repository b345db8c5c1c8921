"""Spark's classes as Java holds them in memory, in a file from which Spark starts sooner.

A start of Spark loads some 19,000 classes from 280 files, and parses and verifies each: a third of
the time until the first query has ended.  Java can write the loaded classes to one file, and map
the file into memory the next time (class data sharing).  The file belongs to one Java and one
installation of Spark: any other Java ignores it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from spark_backend.runtime.java import java_home

#: Java prints no message if it cannot use an archive.
_QUIET: Final = "-Xlog:disable"
#: The option by which Java writes an archive when it ends; the path follows it.
_WRITES: Final = "-XX:ArchiveClassesAtExit="


class NoArchiveError(RuntimeError):
    """Java wrote no archive; the message is the reason."""


def class_archive(home: Path | None) -> Path:
    """The path of the file for a Java and the Spark of this environment; it may not exist.

    The file is inside the Python environment, and is deleted with it.  ``home`` is the folder that
    `java_home` returns.
    """
    found = home or os.environ.get("JAVA_HOME")
    java = Path(found) / "bin" / "java" if found else Path(shutil.which("java") or "java").resolve()
    spark = find_spec("pyspark")
    assert spark is not None, "Spark is installed"
    assert spark.origin is not None, "it is a package in a folder"
    # An update of Java or of Spark changes the name, so that an older archive is not used.
    versions = f"{_written_at(java):x}-{_written_at(Path(spark.origin)):x}"
    return folder_of_archives() / f"spark-{versions}.jsa"


def folder_of_archives() -> Path:
    """The folder for the archives of this Python environment; it may not exist."""
    return Path(sys.prefix) / "share" / "rowtime"


def has_archive() -> bool:
    """Whether this Python environment has an archive, for any Java and any Spark."""
    return any(folder_of_archives().glob("spark-*.jsa"))


def _written_at(path: Path) -> int:
    """The time at which a file was written, in nanoseconds; 0 if there is no file."""
    return path.stat().st_mtime_ns if path.exists() else 0


def options_of_start(home: Path | None, own: str) -> str:
    """The options with which Java starts: use the archive, if there is one, then ``own``.

    ``own`` are the options that the caller needs.  If they let Java write an archive, it cannot use
    one at the same time: then they are returned unchanged.
    """
    archive = class_archive(home)
    if _WRITES in own or not archive.is_file():
        return own
    return f"-XX:SharedArchiveFile={archive} {_QUIET} {own}".rstrip()


def options_of_writing(path: Path) -> str:
    """The options with which Java writes the loaded classes to a file when it ends."""
    return f"{_WRITES}{path} {_QUIET}"


def write_class_archive(exercise: Sequence[str]) -> Path:
    """Let Java write the archive; returns its path.

    ``exercise`` is a command that starts Spark with `options_of_writing` of the path that is its
    last argument, and runs the work whose classes the archive will contain.  An old archive remains
    until the new one is complete.  Raises `NoArchiveError`, `NoJavaError`.
    """
    archive = class_archive(java_home())
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=archive.parent) as folder:
            written = Path(folder) / archive.name
            # Java is still writing when the command has ended; it holds the pipes until it is done.
            command = [*exercise, str(written)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoArchiveError(done.stderr.strip())
            if not written.is_file():
                raise NoArchiveError("this Java cannot write an archive of classes")
            written.replace(archive)
    except OSError as error:
        raise NoArchiveError(f"{archive.parent}: {error.strerror}") from None
    return archive
