"""Two runs are compared case by case; what is worse has an exit status of its own."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.judging.verdict import PASSED, Kind, KnownFailure, Result, Verdict, failed, skipped
from tck.report.comparison import Change, Comparison, compare
from tck.report.record import read_record
from tests.tck.report.runs import CRASH, WRONG, small_report, write_lines

#: The verdict on each case in an older run, and in a newer; None: the case was not in it.
CHANGES: dict[str, tuple[Verdict | None, Verdict | None]] = {
    "a": (PASSED, WRONG),
    "b": (None, CRASH),
    "c": (PASSED, skipped("gone")),
    "d": (WRONG, skipped("gone")),
    "e": (WRONG, PASSED),
    "f": (WRONG, failed(Kind.ORDER, "`order` <b>")),
}
#: How `compare` sorts them; what is skipped and fails, or the other way round, is in two sorts.
SORTED = {
    "failures": ["a", "b"],
    "vanished": [],
    "unjudged": ["c", "d"],
    "mended": ["e"],
    "changed": ["f"],
}

Write = Callable[..., Path]


def _known(reasons: dict[str, str] | None, case: str) -> KnownFailure | None:
    return KnownFailure(reasons[case]) if reasons and case in reasons else None


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a run with these verdicts by case id; ``None``: without its end."""
    report = small_report(tmp_path / "cases")
    by_id = {result.case.id: result for result in report.results}

    def written(
        name: str,
        verdicts: dict[str, Verdict | None],
        known: dict[str, str] | None = None,
        status: int | None = 0,
    ) -> Path:
        results = [
            Result("toy", by_id[each].case, verdict, known=_known(known, each))
            for each, verdict in verdicts.items()
            if verdict is not None
        ]
        write_lines(tmp_path / name, replace(report, results=results), status)
        return tmp_path / name

    return written


def ids(changes: tuple[Change, ...]) -> list[str]:
    return [change.entry.case for change in changes]


def diff(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["diff", *map(str, arguments)])
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def sorted_ids(comparison: Comparison) -> dict[str, list[str]]:
    return {name: ids(getattr(comparison, name)) for name in SORTED}


def test_each_change_has_its_sort(write: Write) -> None:
    old = write("old", {name: pair[0] for name, pair in CHANGES.items()})
    new = write("new", {name: pair[1] for name, pair in CHANGES.items()})
    there, back = (read_record(old), read_record(new)), (read_record(new), read_record(old))
    assert sorted_ids(compare(*there)) == SORTED
    assert sorted_ids(compare(*back)) == {
        "failures": ["d", "e"],
        "vanished": ["b"],
        "unjudged": [],
        "mended": ["a"],
        "changed": ["f"],
    }


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (PASSED, PASSED, 0),
        (WRONG, WRONG, 0),
        (WRONG, CRASH, 0),
        (WRONG, PASSED, 0),
        (skipped("no"), PASSED, 0),
        (None, PASSED, 0),
        (PASSED, WRONG, 6),
        (PASSED, CRASH, 6),
        (PASSED, None, 6),
        (PASSED, skipped("no"), 6),
        (skipped("no"), WRONG, 6),
        (None, WRONG, 6),
    ],
)
def test_only_what_is_worse_has_exit_code_6(
    old: Verdict | None, new: Verdict | None, code: int, write: Write
) -> None:
    before, after = write("old", {"a": old}), write("new", {"a": new})
    assert diff(before, after)[0] == code
    assert diff(before, after, "--markdown")[0] == code


def test_a_known_failure_is_none_but_one_that_passes_is(write: Write) -> None:
    passing = write("old", {"a": PASSED})
    known = {"a": "theirs"}
    assert diff(passing, write("new", {"a": WRONG}, known))[0] == 0
    assert diff(passing, write("new", {"a": PASSED}, known))[0] == 6


def test_a_newer_run_without_its_end_has_exit_code_4(write: Write) -> None:
    whole, cut = write("whole", {"a": PASSED}), write("cut", {"a": PASSED}, status=None)
    code, output = diff(whole, cut)
    assert code == 4
    assert "cut: the run did not reach its end" in output
    code, output = diff(cut, whole)
    assert code == 0
    assert "cut: the run did not reach its end" in output


def test_the_text_names_each_change_in_its_section(write: Write) -> None:
    old = write("old", {name: pair[0] for name, pair in CHANGES.items()})
    new = write("new", {name: pair[1] for name, pair in CHANGES.items()})
    lines = diff(old, new)[1].splitlines()
    assert lines[0] == "New failures: 2"
    assert lines[1].startswith("  toy chapter/a: PASS -> FAIL WRONG_ROWS: 1 row ")
    assert lines[2] == "  toy chapter/b: ERROR: RuntimeError: boom"
    assert lines[3:5] == ["Judged before, skipped now: 2", "  toy chapter/c: PASS -> SKIP: gone"]
    assert lines[-1] == "  toy chapter/e: FAIL WRONG_ROWS -> PASS"
    assert diff(old, old)[1] == "no differences\n"


def test_in_markdown_what_a_backend_said_is_no_markup(write: Write) -> None:
    old, new = write("old", {"f": WRONG}), write("new", {"f": CHANGES["f"][1]})
    output = diff(old, new, "--markdown")[1]
    assert output.startswith("## Streaming SQL conformance: no worse than before\n")
    assert "### Failing otherwise: 1\n" in output
    assert "- `toy chapter/f`: FAIL WRONG_ROWS -> FAIL ORDER: `` `order` <b> ``\n" in output


def test_another_file_is_one_line_and_exit_code_2(tmp_path: Path, write: Write) -> None:
    (tmp_path / "x").write_text("x\n")
    code, output = diff(write("old", {}), tmp_path / "x")
    assert code == 2
    assert "x:1: not JSON" in output
    assert len(output.splitlines()) == 1
