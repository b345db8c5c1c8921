"""The line that shows what a command is doing."""

import os
import pty
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from tck.terminal.progress import Progress, progress


class Terminal(StringIO):
    """A text that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return True


def test_each_text_replaces_the_last_and_nothing_is_left() -> None:
    to = Terminal()
    line = Progress(to)
    line.show("reading", now=True)
    line.show("too soon")
    line.show("counting\x1b[2J", now=True)
    line.clear()
    line.clear()
    assert to.getvalue() == "\r\x1b[2Kreading\r\x1b[2Kcounting\\x1b[2J\r\x1b[2K"


def test_a_text_is_not_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    to = Terminal()
    Progress(to).show("x" * 100)
    assert to.getvalue().count("x") == 19


def test_without_a_terminal_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("reading") as line:
        line.show("counting", now=True)
    assert capsys.readouterr() == ("", "")


CASE = """\
subject: counts
cases:
- id: counts
  cites: [S-503]
  sql: SELECT COUNT(*) AS c FROM (VALUES (1)) AS t (a)
  schema: [C BIGINT NOT NULL]
  rows: [[1]]
"""


@pytest.mark.parametrize("command", ["lint", "coverage", "list", "export", "sources"])
def test_a_command_shows_what_it_does_and_its_output_is_as_ever(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "count").mkdir()
    (tmp_path / "count" / "a.yaml").write_text(CASE)
    terminal, inside = pty.openpty()
    program = [str(Path(sys.executable).with_name("rowtime")), "tck", command]
    program += ["--cases", str(tmp_path)]
    done = subprocess.run(program, stdout=subprocess.PIPE, stderr=inside, text=True, check=False)
    os.close(inside)
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert "reading the cases" in shown
    assert shown.endswith("\r\x1b[2K")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert (
        done.stdout == subprocess.run(program, capture_output=True, text=True, check=False).stdout
    )
