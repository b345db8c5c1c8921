"""The file of Spark's classes: whole or not there.

`tests/spark_backend/workarounds/test_incubator_module.py` starts Spark next to one without classes.
"""

import sys
from pathlib import Path

import pytest

from spark_backend.runtime.class_archive import (
    NoArchiveError,
    class_archive,
    options_of_start,
    options_of_writing,
    write_class_archive,
)
from spark_backend.runtime.java import java_home

#: Like a Java that goes on writing after the command has ended.
WRITER = """
import os, sys, time
if not os.fork():
    time.sleep(0.5)
    open(sys.argv[1], "w").write("classes")
"""


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a virtual environment."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return tmp_path


def test_without_an_archive_java_starts_as_ever() -> None:
    assert options_of_start(java_home(), "") == ""


def test_the_archive_is_there_when_java_has_ended(environment: Path) -> None:
    archive = write_class_archive([sys.executable, "-c", WRITER])
    archive.write_text("classes of before")
    assert write_class_archive([sys.executable, "-c", WRITER]) == archive
    assert archive == class_archive(java_home())
    assert archive.read_text() == "classes"
    assert str(archive) in options_of_start(java_home(), "")
    assert archive.is_relative_to(environment)
    assert list(archive.parent.iterdir()) == [archive]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("pass", "this Java cannot write an archive of classes"),
        ("import sys; open(sys.argv[1], 'w').write('half'); sys.exit('no memory')", "no memory"),
    ],
)
def test_what_has_failed_leaves_nothing(program: str, reason: str) -> None:
    with pytest.raises(NoArchiveError, match=reason):
        write_class_archive([sys.executable, "-c", program])
    assert list(class_archive(java_home()).parent.iterdir()) == []


def test_what_has_failed_leaves_the_archive_of_before() -> None:
    archive = write_class_archive([sys.executable, "-c", WRITER])
    with pytest.raises(NoArchiveError):
        write_class_archive([sys.executable, "-c", "import sys; sys.exit('no memory')"])
    assert archive.read_text() == "classes"


def test_options_of_ones_own_come_last_and_who_writes_starts_from_none(tmp_path: Path) -> None:
    write_class_archive([sys.executable, "-c", WRITER])
    assert options_of_start(java_home(), "-Xmx1g").endswith(" -Xmx1g")
    writing = options_of_writing(tmp_path / "other.jsa")
    assert options_of_start(java_home(), writing) == writing


def test_a_folder_that_cannot_be_made_is_named(environment: Path) -> None:
    (environment / "share").write_text("a file")
    with pytest.raises(NoArchiveError, match="share/rowtime: "):
        write_class_archive([sys.executable, "-c", WRITER])
