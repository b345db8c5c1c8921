"""Spark starts with the wheel's Java alone, which lacks a module that Spark asks for.

Spark's class archive next to it has no classes, and does not prevent a start.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

SCRIPT = """
import sys
sys.prefix = sys.argv[1]
from spark_backend.runtime.class_archive import class_archive, options_of_start
from spark_backend.runtime.java import java_home
archive = class_archive(java_home())
archive.parent.mkdir(parents=True)
archive.write_text("no classes")
assert options_of_start(java_home(), "")
from spark_backend.backend import SparkBackend
from tck.protocol import End, Open
backend = SparkBackend()
backend.start()
backend.open(Open("", "VALUES (1 + 1, 1.0 / 3)"))
backend.feed(End())
print(backend.poll().rows)
"""


def test_the_wheel_is_enough_and_says_nothing(tmp_path: Path) -> None:
    # The shell that Spark's scripts run in, and no Java beside it.
    for name in ("sh", "bash", "env", "dirname", "basename", "ps", "uname", "cat", "rm", "nice"):
        found = next(p for p in (Path("/bin", name), Path("/usr/bin", name)) if p.exists())
        (tmp_path / name).symlink_to(found)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JAVA", "SPARK"))}
    environment |= {"PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "environment")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout == "((2, '0.333333333333'),)\n"
    assert done.stderr == ""
    assert list((tmp_path / "cache" / "rowtime").glob("java-*/bin/java"))
