"""A badge says how many cases a backend passes, and is never green where a run was not."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.judging.verdict import PASSED, KnownFailure, Outcome, Result, Verdict, skipped
from tck.report.badge import badge as badge_of
from tck.report.record import read_record
from tests.tck.report.runs import CRASH, HELLO, WRONG, small_report, write_lines

GREEN, RED, GREY = "#1a7f37", "#c62828", "#616161"


def badge(folder: Path, *options: object) -> tuple[int, str]:
    arguments = ["badge", folder / "r.jsonl", "-o", folder / "badge.svg", *options]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert "Traceback" not in result.output
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("verdicts", "known", "status", "text", "colour"),
    [
        ((PASSED, PASSED, skipped("no")), None, 0, "2 of 2, final, no variants", GREEN),
        ((PASSED, WRONG), None, 1, "1 of 2, final, no variants", RED),
        ((PASSED, CRASH), None, 1, "1 of 2, final, no variants", RED),
        ((WRONG, WRONG), "theirs", 0, "0 of 2, final, no variants", GREEN),
        ((PASSED, PASSED), None, None, "incomplete run", GREY),
        ((skipped("no"),), None, 5, "nothing judged", GREY),
    ],
)
def test_it_shows_the_run(
    verdicts: tuple[Verdict, ...],
    known: str | None,
    status: int | None,
    text: str,
    colour: str,
    tmp_path: Path,
) -> None:
    report = small_report(tmp_path / "cases")
    results = [
        Result(
            "toy",
            each.case,
            verdict,
            known=KnownFailure(known) if known and verdict.outcome is not Outcome.SKIP else None,
        )
        for each, verdict in zip(report.results, verdicts, strict=False)
    ]
    write_lines(tmp_path / "r.jsonl", replace(report, results=results), status)
    assert badge(tmp_path) == (0, "")
    root = ElementTree.parse(tmp_path / "badge.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert [each.text for each in root.iter(f"{space}text")] == ["streaming SQL", text]
    assert [each.get("fill") for each in root.iter(f"{space}rect")][-1] == colour


def test_of_several_backends_one_must_be_named(tmp_path: Path) -> None:
    report = small_report(tmp_path / "cases")
    report.start("other", HELLO, "exact")
    write_lines(tmp_path / "r.jsonl", report, 1)
    code, output = badge(tmp_path)
    assert (code, "give --backend, which is one of toy, other" in output) == (2, True)
    code, output = badge(tmp_path, "-b", "oter")
    assert (code, "no backend is oter (there are toy, other)" in output) == (2, True)
    assert badge(tmp_path, "-b", "toy") == (0, "")


def test_it_does_not_mention_variants_that_were_run(tmp_path: Path) -> None:
    report = small_report(tmp_path / "cases")
    (first, *_) = report.results
    variant = replace(first, case=replace(first.case, id=f"{first.case.id}~one-at-a-time"))
    path = tmp_path / "run.jsonl"
    write_lines(path, replace(report, results=[first, variant]), 0)
    assert "no variants" not in badge_of(read_record(path), "toy").right
