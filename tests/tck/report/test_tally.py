"""Reports say the same of a run in every form."""

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tck.corpus.case import Case
from tck.judging.verdict import PASSED, Kind, Outcome, Result, Verdict, failed, skipped
from tck.protocol import Hello
from tck.report.console import ConsoleListener, print_report
from tck.report.json_lines import jsonl
from tck.report.junit import junit
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
        Result("toy", e, WRONG, known="issue of theirs"),
        Result("toy", f, PASSED, known="was wrong"),
    ]
    return Report({"toy": HELLO}, results)


def printed(report: Report, quiet: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_report(console, report, quiet)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_tally_counts_each_result_once(report: Report) -> None:
    assert tally(report.results) == Tally(passed=1, failed=2, errors=1, skipped=1, known=1)
    text = "1 passed, 2 failed, 1 error, 1 known to fail, 1 skipped"
    assert str(tally(report.results)) == text
    assert str(Tally()) == "no cases"


def test_junit_counts_what_it_lists(report: Report) -> None:
    root = ElementTree.fromstring(junit(report))
    assert root.tag == "testsuites"
    (suite,) = root.findall("testsuite")
    listed = suite.findall("testcase")
    counted = {
        "tests": len(listed),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    assert counted == {"tests": 6, "failures": 2, "errors": 1, "skipped": 2}
    for element in (root, suite):
        assert {key: int(element.attrib[key]) for key in counted} == counted
    assert [case.attrib["name"] for case in listed] == ["a", "b", "c", "d", "e", "f"]
    assert all({"classname", "time", "file", "line"} <= case.attrib.keys() for case in listed)


def test_junit_says_how_a_case_failed_and_survives_any_text(report: Report) -> None:
    failure = ElementTree.fromstring(junit(report)).find(".//testcase[@name='b']/failure")
    assert failure is not None
    assert failure.attrib == {"type": "WRONG_ROWS", "message": "1 row <missing> \ufffd"}
    assert failure.text == "- 10:00 & more"


def test_json_lines_have_one_object_a_result(report: Report) -> None:
    lines = [json.loads(line) for line in jsonl(report).splitlines()]
    assert [(line["case"], line["outcome"], line["kind"], line["known"]) for line in lines] == [
        ("a", "pass", None, None),
        ("b", "fail", "WRONG_ROWS", None),
        ("c", "error", None, None),
        ("d", "skip", None, None),
        ("e", "fail", "WRONG_ROWS", "issue of theirs"),
        ("f", "pass", None, "was wrong"),
    ]
    assert lines[1]["detail"] == ["- 10:00 & more"]


def test_the_console_shows_failures_in_full_each_skip_and_the_table(report: Report) -> None:
    text = printed(report)
    assert "FAIL WRONG_ROWS toy chapter/b: 1 row <missing>" in text
    assert "  - 10:00 & more" in text
    assert "ERROR toy chapter/c: RuntimeError: boom" in text
    assert "PASS toy chapter/f: known to fail, but passes: was wrong" in text
    assert "chapter/e:" not in text
    assert "SKIP toy: no windows: d" in text
    assert "1 / 2 / 1 / 1 (+ 1)" in text
    assert text.rstrip().endswith("toy: 1 passed, 2 failed, 1 error, 1 known to fail, 1 skipped")


def test_quiet_leaves_failures_and_counts(report: Report) -> None:
    text = printed(report, quiet=True)
    assert "FAIL WRONG_ROWS toy chapter/b" in text
    assert "SKIP" not in text
    assert "chapter " not in text
    assert "toy: 1 passed" in text


def progress(console: Console, report: Report) -> str:
    """What the console shows while the cases of a report run."""
    with ConsoleListener(console, len(report.results)) as listener:
        for result in report.results:
            listener.started(result.backend, result.case)
            listener.finished(result)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_progress_is_a_line_for_each_chapter(report: Report) -> None:
    lines = progress(Console(file=io.StringIO(), width=100), report).splitlines()
    assert lines[0].startswith("FAIL WRONG_ROWS toy chapter/b")
    assert lines[-1].startswith("toy chapter: 1 passed, 2 failed")


def test_on_a_terminal_progress_is_live(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    text = progress(Console(file=io.StringIO(), width=100, force_terminal=True), report)
    assert "6/6" in text
    assert "toy chapter:" not in text


def test_on_a_terminal_that_cannot_move_its_cursor_progress_is_lines(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    text = progress(Console(file=io.StringIO(), width=100, force_terminal=True), report)
    assert "6/6" not in text
    assert "toy chapter: 1 passed, 2 failed" in text


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, 1),
        ({"results": []}, 0),
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
