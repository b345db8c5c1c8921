"""The program of docs/first-steps.md, as it stands there."""

import re
import subprocess
import sys
from pathlib import Path


def test_the_program_prints_what_the_page_says() -> None:
    text = (Path(__file__).parents[3] / "docs" / "first-steps.md").read_text("utf-8")
    section = text.partition("## An engine in your process")[2].partition("\n## ")[0]
    ((code, output),) = re.findall(r"```python\n(.*?)```.*?```text\n(.*?)```", section, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (output, "")
