"""The core: a list of ids, and the commands that select by it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tck.cli import app
from tck.corpus.load import kit_corpus
from tck.corpus.selected.core import kit_core, vanished_from_core
from tck.report.record import read_record
from tests.tck import toy
from tests.tck.corpora import load_cases, write_cases

CASE = """
id: {id}
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""
COUNTED = "tests.tck.toy:Counted"


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three cases, ``a``, ``b`` and ``c``, of which ``a`` and ``b`` are the core."""
    file = tmp_path / "core.yaml"
    file.write_text("core:\n  a: [a reason]\n  b: [another]\n")
    monkeypatch.setattr("tck.commands.options.kit_core", lambda: file)
    toy.Counted.opened = 0
    return write_cases(tmp_path / "cases", *(CASE.format(id=id) for id in "abc"))


def tck(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def run(cases: Path, *arguments: object) -> Result:
    """A run on a backend that counts in `toy.Counted.opened` how many cases it was asked for."""
    return tck("run", "--in-process", "-b", COUNTED, "-c", cases, *arguments)


def test_every_case_of_the_core_is_there() -> None:
    assert list(map(str, vanished_from_core(kit_core(), kit_corpus().cases))) == []


def test_a_case_of_the_core_that_has_vanished_is_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "core.yaml"
    file.write_text("core:\n  a: [a reason]\n  gone: [another]\n")
    (problem,) = vanished_from_core(file, load_cases(tmp_path / "cases", CASE.format(id="a")))
    assert "gone is in the core, but no case has this id" in str(problem)


def test_a_run_of_the_core_says_how_many_cases_there_are_without_it(cases: Path) -> None:
    done = run(cases, "--core")
    assert (done.exit_code, toy.Counted.opened) == (0, 2)
    assert done.output.splitlines()[-1] == "only the core was run: 2 cases; without --core: 3 cases"
    assert "--core" not in run(cases).output


def test_the_core_is_one_condition_among_others(cases: Path) -> None:
    last = run(cases, "--core", "--only", "a", "--only", "c", "--quiet").output.splitlines()[-1]
    assert last == "only the core was run: 1 case; without --core: 2 cases"
    done = run(cases, "--core", "--only", "c")
    assert done.exit_code == 2
    assert "no case is selected: leave out one of the conditions" in done.stderr


@pytest.mark.usefixtures("cases")
def test_cases_of_which_none_is_in_the_core_are_wrong_usage(tmp_path: Path) -> None:
    other = write_cases(tmp_path / "other", CASE.format(id="z"))
    done = run(other, "--core")
    assert done.exit_code == 2
    assert "none of these cases is in the core" in done.stderr


def test_known_failures_of_cases_outside_the_core_do_not_fail_its_run(
    cases: Path, tmp_path: Path
) -> None:
    """Nor does one of no case at all, which a whole run would report; they stay in the file."""
    known = tmp_path / "known.yaml"
    known.write_text(f"'{COUNTED}': {{c: why, gone: why}}\n")
    assert run(cases, "--known", known).exit_code == 1
    assert run(cases, "--core", "--known", known).exit_code == 0
    assert run(cases, "--core", "--known", known, "--write-known", known).exit_code == 0
    assert known.read_text().splitlines()[1:] == [f"{COUNTED}:", "  c: why", "  gone: why"]


def test_a_run_of_the_core_is_brought_up_to_date_to_one_of_everything(
    cases: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "r.jsonl"
    run(cases, "--core", "--jsonl", lines)
    assert (read_record(lines).cases, toy.Counted.opened) == (2, 2)
    assert run(cases, "--update", lines).exit_code == 0
    record = read_record(lines)
    assert (record.cases, toy.Counted.opened) == (3, 3)
    assert [entry.case for entry in record.entries] == ["a", "b", "c"]


def test_a_run_of_everything_is_not_made_one_of_the_core(cases: Path, tmp_path: Path) -> None:
    """Its other results would be lost."""
    lines = tmp_path / "r.jsonl"
    run(cases, "--jsonl", lines)
    before = lines.read_text()
    done = run(cases, "--core", "--update", lines)
    assert done.exit_code == 2
    assert "cannot be updated: the options leave out 1 of its cases" in done.stderr
    assert lines.read_text() == before


def test_an_incomplete_run_of_the_core_is_resumed_as_such_alone(
    cases: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "r.jsonl"
    run(cases, "--core", "--jsonl", lines)
    head, hello, first, *_ = lines.read_text().splitlines(keepends=True)
    lines.write_text(head + hello + first)
    whole = run(cases, "--resume", lines)
    assert whole.exit_code == 2
    assert "it has 2 cases, this run has 3" in whole.stderr
    assert run(cases, "--core", "--resume", lines).exit_code == 0
    assert [entry.case for entry in read_record(lines).entries] == ["a", "b"]
    assert toy.Counted.opened == 3


def test_the_core_is_listed_and_exported(cases: Path) -> None:
    listed = tck("list", "-c", cases, "--core").output.splitlines()
    assert [line.split()[0] for line in listed] == ["chapter/a", "chapter/b"]
    written = json.loads(tck("export", "-c", cases, "--core").output)
    assert [case["id"] for case in written["cases"]] == ["a", "b"]
