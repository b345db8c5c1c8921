"""The action for GitHub: its scripts are run as the runner would run them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.tck.corpora import write_cases

ROOT: Final = Path(__file__).parents[2]
#: What GitHub reads; its types are those of a YAML document.
ACTION: Final[Mapping[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step
}
CASE: Final = """\
id: one
cites: [CAL-049]
sql: SELECT STREAM units FROM Orders
rows: [[4], [1], [7]]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with cases in two others whose names have a blank."""
    write_cases(tmp_path / "my cases", CASE)
    write_cases(tmp_path / "other cases", CASE.replace("one", "two"))
    return tmp_path


def run(name: str, folder: Path, **inputs: str) -> tuple[int, str]:
    """The exit status and output of a step with these inputs; others have their defaults."""
    given = {key: str(each.get("default", "")) for key, each in ACTION["inputs"].items()}
    given |= inputs
    variables = {
        key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: given[found[1]], value)
        for key, value in STEPS[name]["env"].items()
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        env={
            **os.environ,
            **variables,
            "PATH": path,
            "PYTHONPATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": "summary.md",
        },
    )
    return done.returncode, done.stdout


def test_the_steps_run_compare_and_draw(folder: Path) -> None:
    roots = "my cases\nother cases\n"
    code, output = run("Run the kit", folder, backend="reference", cases=roots, tier="exact")
    assert (code, "2 passed" in output) == (0, True), output
    (folder / "last.jsonl").write_bytes((folder / "rowtime-reports" / "tck.jsonl").read_bytes())
    code, output = run("Compare with the baseline", folder, baseline="last.jsonl")
    assert code == 0, output
    assert (folder / "summary.md").read_text("utf-8").strip() == output.strip()
    assert run("Draw the badge", folder)[0] == 0
    written = {each.name for each in (folder / "rowtime-reports").iterdir()}
    assert written >= {"tck.xml", "tck.jsonl", "tck.svg"}


def test_what_is_chosen_and_known_reaches_the_kit(folder: Path) -> None:
    (folder / "known.yaml").write_text("reference: {one: it passes}\n")
    run_one = {"backend": "reference", "cases": "my cases\nother cases", "only": "one\nnone"}
    code, output = run("Run the kit", folder, **run_one)
    assert (code, "1 passed" in output) == (0, True), output
    assert run("Run the kit", folder, **run_one, known="known.yaml")[0] == 1


def test_a_failed_run_fails_the_job(folder: Path) -> None:
    assert run("Run the kit", folder, backend="nothing:Nothing", cases="my cases")[0] in (2, 3)


def test_no_input_becomes_text_of_a_script() -> None:
    """An input with a quote or a semicolon would be run."""
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []


def test_the_page_lists_the_inputs_and_their_defaults() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    listed = re.findall(r"(?m)^\| `([a-z][a-z-]*)` \| [^|]+ \|", page)
    assert listed == list(ACTION["inputs"])
