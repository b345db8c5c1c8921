"""The action in a job with `container:`: a bare environment, no home, and the Python of the image.

A container job has nothing that the runner's own machine offers: no sudo, no set-up of Python, and
no files in HOME.  The steps run in such an environment, as the user who runs the tests; the Python
of the image is one into which the kit has not been installed.
"""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.tck.action_steps import run_step
from tests.tck.corpora import write_cases

CASE: Final = """\
id: one
cites: [CAL-049]
sql: SELECT STREAM units FROM Orders
rows: [[4], [1], [7]]
"""
#: A backend of the repository that is tested.
BACKEND: Final = """\
from rowtime.backends.reference import ReferenceBackend


class Engine(ReferenceBackend):
    pass
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a step: commands of the system, and a Python without the kit.

    The Python sees the packages that the kit needs, so that no package index is asked.
    """
    folder = tmp_path_factory.mktemp("image")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "needed.pth").write_text("\n".join(site.getsitepackages()))
    commands = folder / "commands"
    commands.mkdir()
    for each in ("bash", "cat", "cp", "mkdir", "tail", "tee"):
        found = shutil.which(each)
        assert found is not None
        (commands / each).symlink_to(found)
    return {
        "PATH": os.pathsep.join([str(folder / "bin"), str(commands)]),
        "HOME": str(folder / "no-home"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads 0 as: without isolation
    }


def test_the_steps_run_in_a_container(image: dict[str, str], tmp_path: Path) -> None:
    """From the installation to the pages; the repository has a package that is called rowtime."""
    write_cases(tmp_path / "cases", CASE)
    (tmp_path / "engine.py").write_text(BACKEND)
    (tmp_path / "rowtime").mkdir()
    (tmp_path / "rowtime" / "__init__.py").write_text("raise ImportError('not the kit')\n")
    code, output = run_step("Install", tmp_path, image)
    assert code == 0, output
    chosen = {"backend": "engine:Engine", "cases": "cases"}
    code, output = run_step("Run the kit", tmp_path, image, **chosen)
    assert (code, "1 passed" in output) == (0, True), output
    for step in ("Write the summary", "Draw the badge and the pages"):
        code, output = run_step(step, tmp_path, image, **chosen)
        assert code == 0, output
    reports = tmp_path / "rowtime-reports"
    assert "1 passed" in (tmp_path / "summary.md").read_text("utf-8")
    assert (reports / "tck.svg").exists()
    assert (reports / "pages" / "index.html").exists()
    assert not Path(image["HOME"]).exists()
