"""The action for GitHub: its scripts are run as the runner would run them."""

import os
import re
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.tck.action_steps import ACTION, ROOT, STEPS, run_step
from tests.tck.corpora import write_cases

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
    """The exit status and output of a step, run by this Python with the checkout's kit."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return run_step(name, folder, {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}, **inputs)


DRAW: Final = "Draw the badge and the pages"
ROOTS: Final = "my cases\nother cases\n"


def test_the_steps_run_summarise_and_draw(folder: Path) -> None:
    chosen = {"backend": "reference", "cases": ROOTS, "reports": "reports/of the kit"}
    code, output = run("Run the kit", folder, **chosen, tier="exact")
    assert (code, "2 passed" in output) == (0, True), output
    reports = folder / "reports" / "of the kit"
    assert (folder / "output").read_text() == f"reports={reports}\n"
    assert run("Write the summary", folder, **chosen)[0] == 0
    summary = (folder / "summary.md").read_text("utf-8")
    assert summary.startswith("## Streaming SQL conformance\n\n````text\n")
    assert "reference: 2 passed" in summary
    code, output = run(DRAW, folder, **chosen)
    assert code == 0, output
    written = {str(each.relative_to(reports)) for each in reports.rglob("*")}
    assert written >= {"tck.xml", "tck.jsonl", "tck.log", "tck.svg", "pages/index.html"}


def test_a_baseline_is_compared_in_the_summary(folder: Path) -> None:
    chosen = {"backend": "reference", "cases": ROOTS, "baseline": "last.jsonl"}
    run("Run the kit", folder, **chosen)
    (folder / "last.jsonl").write_bytes((folder / "rowtime-reports" / "tck.jsonl").read_bytes())
    code, output = run("Write the summary", folder, **chosen)
    assert code == 0, output
    summary = (folder / "summary.md").read_text("utf-8")
    assert "reference: 2 passed" in summary
    assert summary.endswith(output)
    assert "## Streaming SQL conformance: no worse than before" in output


def test_what_is_chosen_and_known_reaches_the_kit(folder: Path) -> None:
    (folder / "known.yaml").write_text("reference: {one: it passes}\n")
    run_one = {"backend": "reference", "cases": ROOTS, "only": "one\nnone"}
    code, output = run("Run the kit", folder, **run_one)
    assert (code, "1 passed" in output) == (0, True), output
    assert run("Run the kit", folder, **run_one, known="known.yaml")[0] == 1
    code, output = run("Run the kit", folder, backend="reference", cases=ROOTS, exclude="o*\nt")
    assert (code, "1 passed" in output) == (0, True), output
    code, output = run(
        "Run the kit", folder, backend="reference", cases=ROOTS, requirements="9.9", processes="2"
    )
    assert (code, "there is no release 9.9" in output) == (2, True), output


def test_the_kit_runs_in_a_folder_of_the_repository(folder: Path) -> None:
    (folder / "engine").mkdir()
    (folder / "my cases").rename(folder / "engine" / "cases")
    chosen = {"backend": "reference", "cases": "cases", "working_directory": "engine"}
    code, output = run("Run the kit", folder, **chosen)
    assert (code, "1 passed" in output) == (0, True), output
    assert (folder / "output").read_text() == f"reports={folder / 'engine' / 'rowtime-reports'}\n"


def test_an_earlier_run_is_brought_up_to_date_if_there_is_one(folder: Path) -> None:
    chosen = {"backend": "reference", "cases": ROOTS, "update": "last.jsonl"}
    code, output = run("Run the kit", folder, **chosen)
    assert (code, "2 passed" in output) == (0, True), output
    kept = (folder / "rowtime-reports" / "tck.jsonl").read_text("utf-8")
    (folder / "last.jsonl").write_text(kept.replace('"seconds": ', '"seconds": 7'))
    code, output = run("Run the kit", folder, **chosen)
    assert (code, "2 passed" in output) == (0, True), output
    after = (folder / "rowtime-reports" / "tck.jsonl").read_text("utf-8")
    assert after.count('"seconds": 7') == 2


def test_the_python_of_the_job_can_stay() -> None:
    """And the kit is found by the variable that is right in a container, too."""
    (setup, *_) = ACTION["runs"]["steps"]
    assert setup["if"] == "${{ inputs.python-version != '' }}"
    install = STEPS["Install"]
    assert install["run"] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'
    assert "github.action_path" not in str(ACTION)


def test_a_failed_run_fails_the_job(folder: Path) -> None:
    assert run("Run the kit", folder, backend="nothing:Nothing", cases="my cases")[0] in (2, 3)


def test_no_input_becomes_text_of_a_script() -> None:
    """An input with a quote or a semicolon would be run."""
    assert [name for name, step in STEPS.items() if "${{" in step["run"]] == []


def test_the_page_lists_the_inputs_and_their_defaults() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    listed = re.findall(r"(?m)^\| `([a-z][a-z-]*)` \| [^|]+ \|", page)
    assert listed == list(ACTION["inputs"])
