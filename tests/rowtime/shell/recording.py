"""A session of the shell, typed and recorded under tmux: that of docs/shell.md.

python -m tests.rowtime.shell.recording     # prints what was on the screen
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "shell.md"
_PROMPT: Final = "rowtime> "
_CONTINUED: Final = "     ...> "
#: Seconds for which the screen must not change, once it shows a prompt again, before the next line
#: is typed.
_QUIET: Final = 0.3


def recorded(lines: list[str]) -> str:
    """The screen of a terminal of 110 columns on which ``lines`` were typed into the shell."""
    with tempfile.TemporaryDirectory() as folder:
        socket = str(Path(folder) / "tmux")

        def tmux(*arguments: str) -> str:
            done = subprocess.run(
                ["tmux", "-f", "/dev/null", "-S", socket, *arguments],
                capture_output=True,
                text=True,
                check=True,
            )
            return done.stdout

        def screen() -> str:
            return tmux("capture-pane", "-p", "-S", "-")

        def quiet(before: str) -> str:
            """The screen once it is not as ``before``, shows a prompt and does not change."""
            shown, since = before, time.monotonic()
            deadline = since + 60
            while time.monotonic() < deadline:
                now = screen()
                if now != shown:
                    shown, since = now, time.monotonic()
                last = shown.rstrip("\n").rpartition("\n")[2]
                at_prompt = last.strip() in (_PROMPT.strip(), _CONTINUED.strip())
                if shown != before and at_prompt and time.monotonic() - since > _QUIET:
                    return shown
                time.sleep(0.05)
            raise TimeoutError(shown)

        program = "from rowtime.cli import main; main()"
        command = f"env HOME={folder} PYTHONPATH={ROOT} {sys.executable} -c '{program}' sql"
        tmux("new-session", "-d", "-x", "110", "-y", "200", command)
        try:
            shown = quiet("")
            for line in lines:
                # tmux takes a semicolon at the end for the end of its own command.
                tmux("send-keys", "-l", line[:-1] + "\\;" if line.endswith(";") else line)
                tmux("send-keys", "Enter")
                shown = quiet(shown)
        finally:
            tmux("kill-server")
    text = "\n".join(line.rstrip() for line in shown.splitlines())
    return text.strip().removesuffix(_PROMPT.strip()).rstrip() + "\n"


def session_of_the_page() -> tuple[str, list[str]]:
    """The session as docs/shell.md has it, and the lines that are typed in it."""
    (text,) = re.findall("```text\n(rowtime: .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    prompts = f"(?:{re.escape(_PROMPT)}|{re.escape(_CONTINUED)})(.*)"
    return text, re.findall(f"^{prompts}$", text, re.MULTILINE)


if __name__ == "__main__":
    print(recorded(session_of_the_page()[1]), end="")
