"""Spark's classes as Java holds them in memory, in a file from which Spark starts sooner.

A start of Spark loads 15,000 classes from 300 archives, and parses and verifies each: half of the
time until the first query.  Java can write what it has loaded to one file, and map that into memory
the next time (class data sharing).  The file belongs to one Java and one installation of Spark; for
any other Java ignores it.
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

#: Where Java would say that a file is not for it.
_QUIET: Final = "-Xlog:disable"


class NoArchiveError(RuntimeError):
    """Java has written no archive; the text says why."""


def class_archive() -> Path:
    """The file for the Java and the Spark of this environment, whether it is there or not.

    It is inside of the environment, and goes with it.  Raises `NoJavaError`.
    """
    found = java_home() or os.environ.get("JAVA_HOME")
    java = Path(found) / "bin" / "java" if found else Path(shutil.which("java") or "java").resolve()
    spark = find_spec("pyspark")
    assert spark is not None, "Spark is installed"
    assert spark.origin is not None, "it is a package in a folder"
    of_both = f"{_age(java):x}-{_age(Path(spark.origin)):x}"
    return Path(sys.prefix) / "share" / "rowtime" / f"spark-{of_both}.jsa"


def _age(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def options_of_start() -> str:
    """The options with which Java starts from the archive; empty if there is none."""
    archive = class_archive()
    return f"-XX:SharedArchiveFile={archive} {_QUIET}" if archive.is_file() else ""


def options_of_writing(path: Path) -> str:
    """The options with which Java writes what it has loaded to a file, when it ends."""
    return f"-XX:ArchiveClassesAtExit={path} {_QUIET}"


def write_class_archive(exercise: Sequence[str]) -> Path:
    """Let Java write the archive; returns its path.

    ``exercise`` is a command that starts Spark with `options_of_writing` of the path that is its
    last argument, and lets it do what is to be done sooner from then on.  Raises `NoArchiveError`,
    `NoJavaError`.
    """
    archive = class_archive()
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.unlink(missing_ok=True)  # a Java that starts from one writes none
        with TemporaryDirectory(dir=archive.parent) as folder:
            written = Path(folder) / archive.name
            # Java is still writing when the command has ended; it holds the pipes until it is done.
            command = [*exercise, str(written)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoArchiveError(done.stderr.strip())
            if not written.is_file():
                raise NoArchiveError("this Java writes no archives of classes")
            written.replace(archive)
    except OSError as error:
        raise NoArchiveError(f"{archive.parent}: {error.strerror}") from None
    return archive
