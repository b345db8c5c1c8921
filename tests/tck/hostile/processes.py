"""The processes that a test has started, directly or not, by a mark in their environment."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


def new_mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """What the environment of each process has that is started from now on, and of no other."""
    mark = str(uuid.uuid4())
    monkeypatch.setenv("HOSTILE_TEST", mark)
    return f"HOSTILE_TEST={mark}"


def living(mark: str) -> Iterator[int]:
    """The numbers of the processes with the mark that are not zombies, other than this one."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                environment = (folder / "environ").read_bytes().decode(errors="replace")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:  # it has ended, or is another user's
                continue
            if mark in environment.split("\0") and state != "Z":
                yield int(folder.name)
