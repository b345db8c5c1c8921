"""`--core-for`: some backends run only the core, the others all cases, in one run."""

import json
from pathlib import Path

import pytest

from tck.commands import run as command
from tck.report.record import RunRecord, read_record
from tests.tck.corpora import write_cases
from tests.tck.test_cli import GOOD, REFUSED, backend, tck

ALL = ("one", "refused", "three", "four")


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four cases, two of them in the core."""
    kinds = (GOOD, REFUSED, GOOD, GOOD)
    texts = [text.replace(text.split()[1], id, 1) for text, id in zip(kinds, ALL, strict=True)]
    core = tmp_path / "core.yaml"
    core.write_text("core: {one: [x], refused: [y], of-others: [z]}")
    monkeypatch.setattr(command, "kit_core", lambda: core)
    return write_cases(tmp_path / "cases", *texts)


def run(cases: Path, *options: object, core_for: tuple[str, ...] = ("Drops",)) -> tuple[int, str]:
    """The exit status and the output of a run of two backends, one of which drops all rows."""
    backends = [word for name in ("Faithful", "Drops") for word in ("-b", backend(name))]
    core = [word for name in core_for for word in ("--core-for", backend(name))]
    found = tck("run", "-c", cases, *backends, *core, *options)
    return found.exit_code, found.output


def ids(record: RunRecord, name: str) -> set[str]:
    """The ids of the cases that have a result on a backend."""
    return {each.case for each in record.entries if each.backend == backend(name)}


@pytest.mark.parametrize("processes", [1, 2])
def test_one_backend_runs_the_core_and_the_other_all(
    cases: Path, tmp_path: Path, processes: int
) -> None:
    file = tmp_path / "run.jsonl"
    code, output = run(cases, "--jsonl", file, "--processes", processes)
    assert code == 1
    record = read_record(file)
    assert ids(record, "Faithful") == set(ALL)
    assert ids(record, "Drops") == {"one", "refused"}
    assert [record.cases_on(backend(name)) for name in ("Faithful", "Drops")] == [4, 2]
    note = f"{backend('Drops')} ran only the core, 2 of 4 cases; without --core-for: all"
    assert output.rstrip().endswith(note)
    assert output.index(f"{backend('Faithful')}: 4 passed") < output.index("FAIL WRONG_ROWS")


def test_a_failure_outside_of_the_core_fails_the_backend_that_runs_all(cases: Path) -> None:
    assert run(cases, "--exclude", "one", core_for=("Drops",))[0] == 0
    assert run(cases, "--exclude", "one", core_for=("Faithful",))[0] == 1


def test_without_the_option_all_run_all_and_nothing_is_said(cases: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    assert "only the core" not in run(cases, "--jsonl", file, core_for=())[1]
    head = json.loads(file.read_text().splitlines()[0])["rowtime"]
    assert head["cases"] == 4
    assert "cases_on" not in head


def test_where_all_run_the_core_alone_the_line_says_so(cases: Path) -> None:
    _, output = run(cases, core_for=("Faithful", "Drops"))
    names = " and ".join(map(backend, ("Faithful", "Drops")))
    assert f"{names} ran only the core, 2 of 4 cases" in output


def test_a_backend_that_is_not_in_the_run_is_wrong_usage(cases: Path) -> None:
    code, output = run(cases, core_for=("Absent",))
    assert code == 2
    assert f"--core-for {backend('Absent')}: the run has {backend('Faithful')}" in output


def test_a_selection_without_a_case_of_the_core_is_wrong_usage(cases: Path) -> None:
    code, output = run(cases, "--only", "four")
    assert code == 2
    assert "none of these cases is in the core: leave out --core-for" in output


def test_a_run_that_ended_early_is_resumed(cases: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run(cases, "--jsonl", file)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:3]))
    code, output = run(cases, "--resume", file, core_for=())
    assert code == 2
    assert f"it has 2 cases on {backend('Drops')}, this run has 4" in output
    assert run(cases, "--resume", file)[0] == 1
    record = read_record(file)
    assert ids(record, "Faithful") == set(ALL)
    assert ids(record, "Drops") == {"one", "refused"}


def test_a_run_is_updated_from_the_core_to_all_cases(cases: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run(cases, "--jsonl", file)
    assert run(cases, "--update", file, core_for=())[0] == 1
    record = read_record(file)
    assert ids(record, "Drops") == ids(record, "Faithful") == set(ALL)
    assert record.cases_on(backend("Drops")) == 4


def test_an_update_that_would_lose_results_is_wrong_usage(cases: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run(cases, "--jsonl", file, core_for=())
    before = file.read_text()
    code, output = run(cases, "--update", file)
    assert code == 2
    assert "the options leave out 2 of its cases, whose results would be lost" in output
    assert file.read_text() == before


def test_success_needs_a_result_of_each_case_of_each_backend(cases: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run(cases, "--exclude", "one", "--jsonl", file)
    lines = file.read_text().splitlines(keepends=True)
    assert read_record(file).exit == 0
    file.write_text("".join(lines[:-2] + lines[-1:]))
    found = tck("report", file, "--output", tmp_path / "pages")
    assert found.exit_code == 2
    assert "exit 0 with 3 of 4 results" in found.output
