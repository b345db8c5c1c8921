"""Each release has a frozen list of the cases whose failure fails a run."""

from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.corpus.load import kit_corpus
from tck.corpus.selected.requirements import (
    BEYOND,
    kit_requirements,
    releases,
    required_ids,
    vanished,
)
from tests.release_requirements import requirements_text, write_requirements
from tests.tck.corpora import load_cases

CASE = "id: {id}\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\nrows: []"


def test_every_required_case_is_there() -> None:
    assert list(map(str, vanished(kit_requirements(), kit_corpus().cases))) == []


def test_no_release_requires_what_no_source_asks_for() -> None:
    beyond = {case.id for case in kit_corpus().cases if case.chapter == BEYOND}
    assert beyond
    for release in releases(kit_requirements()):
        assert not beyond & required_ids(kit_requirements(), release)


def test_a_release_requires_all_that_the_release_before_it_requires() -> None:
    """Of releases with the same first number."""
    folder = kit_requirements()
    for earlier, later in pairwise(releases(folder)):
        if earlier.partition(".")[0] == later.partition(".")[0]:
            assert required_ids(folder, earlier) <= required_ids(folder, later)


def test_the_list_of_a_release_is_written_once(tmp_path: Path) -> None:
    cases = load_cases(tmp_path / "cases", CASE.format(id="b"), CASE.format(id="a"))
    write_requirements(tmp_path, "1.1", cases)
    assert (tmp_path / "1.1.yaml").read_text() == "release: '1.1'\nrequired:\n- a\n- b\n"
    with pytest.raises(FileExistsError):
        write_requirements(tmp_path, "1.1", cases[:1])
    assert required_ids(tmp_path, "1.1") == {"a", "b"}


def test_a_required_case_that_has_vanished_is_a_problem(tmp_path: Path) -> None:
    cases = load_cases(tmp_path / "cases", CASE.format(id="a"), CASE.format(id="b"))
    (tmp_path / "1.0.yaml").write_text(requirements_text("1.0", ("a", "b")))
    assert required_ids(tmp_path, "1.0") == {"a", "b"}
    assert not list(vanished(tmp_path, cases))
    (problem,) = vanished(tmp_path, cases[:1])
    assert "1.0 requires b, which no case has" in str(problem)


def test_the_newest_release_is_the_last(tmp_path: Path) -> None:
    for name in ("1.10", "1.9", "0.3"):
        (tmp_path / f"{name}.yaml").write_text(requirements_text(name, ()))
    assert releases(tmp_path) == ("0.3", "1.9", "1.10")


LIMIT = "limit-with-a-comma-has-the-offset-first"
#: A case of release 1.1 that release 1.0 does not require.
LATER = "qualify/qualify-before-distinct-and-order"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--only", f"beyond/{LIMIT}"], 1),
        (["--only", f"beyond/{LIMIT}", "--requirements", "1.0"], 0),
        (["--only", f"beyond/{LIMIT}", "--requirements", "all"], 1),
        (["--only", "limits/limit-and-offset"], 1),
        (["--only", f"{LATER}", "--requirements", "1.0"], 0),
        (["--only", f"{LATER}", "--requirements", "1.1"], 1),
        (["--only", "limits/limit-and-offset", "--requirements", "9.9"], 2),
    ],
)
def test_only_a_required_case_fails_the_run(options: list[str], status: int) -> None:
    backend = "tests.tck.corpus.refuses:Refuses"
    done = CliRunner().invoke(app, ["run", "--in-process", "--backend", backend, *options])
    assert done.exit_code == status, done.output
    assert ("the run does not fail by it" in done.output) is (status == 0)
