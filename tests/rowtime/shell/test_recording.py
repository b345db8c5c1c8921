"""The session of docs/shell.md, typed again."""

import shutil

import pytest

from tests.rowtime.shell.recording import recorded, session_of_the_page


@pytest.mark.skipif(shutil.which("tmux") is None, reason="a terminal is needed: tmux is not here")
def test_the_session_of_the_page_is_what_the_shell_shows() -> None:
    text, lines = session_of_the_page()
    assert recorded(lines) == text
