"""Reports say the same of a run in every form."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from tck.corpus.case import Case
from tck.judging.verdict import (
    PASSED,
    Kind,
    KnownFailure,
    Outcome,
    Result,
    Verdict,
    failed,
    skipped,
)
from tck.protocol import Hello
from tck.report.console import ConsoleListener, print_report
from tck.report.tally import Report, Tally, tally
from tests.tck.corpora import load_cases

HELLO = Hello("toy", "1.0", "python", "final", ("calcite",))
WRONG = failed(Kind.WRONG_ROWS, "1 row <missing> \x00", ("- 10:00 & more",))
CRASH = Verdict(Outcome.ERROR, None, "RuntimeError: boom", ("toy.py:1 in poll",))


@pytest.fixture
def cases(tmp_path: Path) -> tuple[Case, ...]:
    names = ("a", "b", "c", "d", "e", "f")
    return load_cases(tmp_path, *(f"id: {n}\ncites: [S-1]\nsql: S\nrows: []" for n in names))


@pytest.fixture
def report(cases: tuple[Case, ...]) -> Report:
    a, b, c, d, e, f = cases
    results = [
        Result("toy", a, PASSED, 0.5),
        Result("toy", b, WRONG, 0.25),
        Result("toy", c, CRASH),
        Result("toy", d, skipped("no windows")),
        Result("toy", e, WRONG, known=KnownFailure("issue of theirs")),
        Result("toy", f, PASSED, known=KnownFailure("was wrong")),
    ]
    return Report({"toy": HELLO}, results)


def printed(report: Report, quiet: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_report(console, report, quiet)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_tally_counts_each_result_once(report: Report) -> None:
    assert tally(report.results) == Tally(passed=1, failed=2, errors=1, skipped=1, known=1)
    text = "2 failed, 1 error, 1 passed, 1 known to fail, 1 skipped"
    assert str(tally(report.results)) == text
    assert str(Tally()) == "no cases"
    assert str(Tally(passed=1, missing=2)) == "1 passed, 2 missing"


def test_the_console_shows_failures_in_full_each_skip_and_the_table(report: Report) -> None:
    text = printed(report)
    assert "FAIL WRONG_ROWS toy chapter/b: 1 row <missing>" in text
    assert "  - 10:00 & more" in text
    assert "ERROR toy chapter/c: RuntimeError: boom" in text
    assert "PASS toy chapter/f: known to fail, but passes: was wrong" in text
    assert "chapter/e:" not in text
    assert "SKIP toy: no windows: d" in text
    assert "1 / 2 / 1 / 1 (+ 1)" in text
    assert text.rstrip().endswith("toy: 2 failed, 1 error, 1 passed, 1 known to fail, 1 skipped")


def test_quiet_leaves_failures_and_counts(report: Report) -> None:
    text = printed(report, quiet=True)
    assert "FAIL WRONG_ROWS toy chapter/b" in text
    assert "SKIP" not in text
    assert "chapter " not in text
    assert "toy: 2 failed" in text


def progress(console: Console, report: Report) -> str:
    """What the console shows while the cases of a report run."""
    sizes = {("toy", "chapter"): len(report.results), ("other", "chapter"): 2}
    with ConsoleListener(console, len(report.results), sizes=sizes) as listener:
        for result in report.results:
            listener.started(result.backend, result.case)
            listener.finished(result)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_progress_is_a_line_for_each_chapter(report: Report) -> None:
    lines = progress(Console(file=io.StringIO(), width=100), report).splitlines()
    assert lines[0].startswith("FAIL WRONG_ROWS toy chapter/b")
    assert lines[-1].startswith("toy chapter: 2 failed, 1 error, 1 passed")


def test_on_a_terminal_progress_is_live(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    text = progress(Console(file=io.StringIO(), width=100, force_terminal=True), report)
    assert "6/6" in text
    assert "toy chapter:" not in text
    assert re.search(r"chapter[^\n]*toy[^\n]*other", text)
    assert "1 / 2 / 1 / 1 (+ 1)" in text


def test_on_a_terminal_that_is_lower_than_the_table_only_a_bar_is_live(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    low = Console(file=io.StringIO(), width=100, height=6, force_terminal=True)
    text = progress(low, report)
    assert "6/6" in text
    assert "other" not in text


def test_on_a_terminal_that_cannot_move_its_cursor_progress_is_lines(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    text = progress(Console(file=io.StringIO(), width=100, force_terminal=True), report)
    assert "6/6" not in text
    assert "toy chapter: 2 failed, 1 error, 1 passed" in text


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, 1),
        ({"results": []}, 5),
        ({"results": [], "unknown": ["toy gone"]}, 1),
        ({"failed": True}, 3),
        ({"hellos": {}}, 3),
        ({"interrupted": True}, 130),
    ],
)
def test_the_exit_code_follows_the_run(
    change: dict[str, object], code: int, report: Report
) -> None:
    for name, value in change.items():
        setattr(report, name, value)
    assert report.exit_code == code


def test_the_console_says_what_failures_share(tmp_path: Path) -> None:
    """Of four cases two need HOP, and both fail; a third failure shares nothing with them."""
    needs = ("hop, over", "hop", "over", "over")
    listed = load_cases(
        tmp_path,
        *(f"id: c{i}\ncites: [S-1]\nneeds: [{n}]\nsql: S\nrows: []" for i, n in enumerate(needs)),
    )
    verdicts = (WRONG, WRONG, CRASH, PASSED)
    results = [Result("toy", c, v) for c, v in zip(listed, verdicts, strict=True)]
    text = printed(Report({"toy": HELLO}, results), quiet=True)
    assert "toy: 2 FAIL WRONG_ROWS, 1 ERROR" in text
    assert "2 of the 2 cases that need hop failed" in text
    assert "need over" not in text


def test_many_skips_of_one_reason_are_one_line_with_their_number(tmp_path: Path) -> None:
    listed = load_cases(tmp_path, *(f"id: c{i}\ncites: [S-1]\nsql: S\nrows: []" for i in range(6)))
    reasons = ("hop: no", "hop: no", "hop: no", "hop: no", "dml: none", "dml: none")
    results = [Result("toy", c, skipped(r)) for c, r in zip(listed, reasons, strict=True)]
    text = printed(Report({"toy": HELLO}, results))
    assert "SKIP toy: hop: no: 4 cases\nSKIP toy: dml: none: c4, c5\n" in text
    assert "toy: no case was judged" in text
