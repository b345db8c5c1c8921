"""The names that `rowtime.connect` and the shell get: each is a file of its own, or an error."""

import os
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rowtime
from rowtime.cli import app


@pytest.mark.parametrize(
    "name",
    [
        *(" ", "-", "a\nb.db", "a\udc80.db", "a?b#c%20.db", ":memory: ", "\ufeff.db"),
        *("file:a.db", "file:a.db?mode=ro", "file::memory:"),
    ],
)
def test_an_odd_name_is_that_of_its_file(name: str, tmp_path: Path) -> None:
    """A name that SQLite could read as a URI is not one."""
    with chdir(tmp_path):
        with rowtime.connect(name) as db:
            db.execute("CREATE TABLE D (a INTEGER)")
        assert os.listdir() == [name]
        with rowtime.connect(tmp_path / name) as db:
            assert db.execute("SELECT * FROM D").fetchall() == []


def _nothing(_name: str) -> None:
    pass


def _linked_to_itself(name: str) -> None:
    Path(name).symlink_to(name)


@pytest.mark.parametrize(
    ("name", "make", "why"),
    [
        ("", _nothing, "the name of the database file is empty"),
        ("a\0.db", _nothing, "no file has a name with a character NUL"),
        ("a\ud800.db", _nothing, "no file has a name with half of a surrogate pair"),
        ("x" * 300, _nothing, "File name too long"),
        ("no/such.db", _nothing, "No such file or directory"),
        (".", _nothing, "Is a directory"),
        ("folder", os.mkdir, "Is a directory"),
        ("pipe", os.mkfifo, "this is a pipe or a device, not a file"),
        ("/dev/null", _nothing, "this is a pipe or a device, not a file"),
        ("loop", _linked_to_itself, "Too many levels of symbolic links"),
    ],
    ids=lambda each: each[:8] if isinstance(each, str) else None,
)
def test_a_name_that_cannot_be_that_of_a_file_is_an_error(
    name: str, make: Callable[[str], None], why: str, tmp_path: Path
) -> None:
    with chdir(tmp_path):
        make(name)
        before = os.listdir()
        with pytest.raises(rowtime.OperationalError, match=why):
            rowtime.connect(name)
        if name and name not in ("a\0.db", "a\ud800.db"):  # no argument is one of these
            done = CliRunner().invoke(app, ["sql", name, "-c", "VALUES (1)"])
            assert done.exit_code == 1
            assert why in done.stderr
        assert os.listdir() == before
