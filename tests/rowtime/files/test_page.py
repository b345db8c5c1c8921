"""The commands of docs/files.md print what the page shows."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import rowtime
from tests.test_docs import blocks

PAGE: Final = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_commands_of_the_page_print_the_text_after_them(tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    env = {"PATH": path, "PYTHONPATH": str(Path(rowtime.__file__).parents[1]), "LC_ALL": "C.UTF-8"}
    found = blocks(PAGE)
    assert len(found) > 10
    printed = ""
    for block in found:
        if block.language == "text":
            assert printed == f"{block.text}\n", block.line
            continue
        script = block.text.replace(".venv/bin/rowtime", "rowtime")
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        failed = "malformed" in done.stderr
        assert done.returncode == int(failed), done.stderr
        printed = done.stderr if failed else done.stdout
    assert (tmp_path / "names.csv.gz").exists()
