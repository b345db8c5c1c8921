"""Each failure in each committed report has a verdict and a reason: unexplained, none."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from engines.harness.reports import (
    ROOT,
    EngineReport,
    read_report,
    report_files,
    unexplained,
)
from tck.judging.verdict import KnownFailure, Outcome

FILES = report_files()
DOCS = ROOT.parent / "docs"
#: A clause of the rules, a difference that is listed for all engines, and a page of the docket.
CITED = re.compile(r"\bS-\d+\.[a-z]+\b|\bD-\d+\b|\bdocket/[a-z-]+")


@cache
def report_of(file: Path) -> EngineReport:
    """The report in a file, read once."""
    return read_report(file)


@pytest.fixture(scope="module")
def sqlite() -> EngineReport:
    """The report of an engine that is always there."""
    return report_of(next(each for each in FILES if each.parent.name == "sqlite"))


def test_each_backend_of_an_engine_has_a_report_the_first_one_s_first() -> None:
    flink = [each.name for each in FILES if each.parent.name == "flink"]
    assert flink == ["report.jsonl", "report-stream.jsonl", "report-upsert.jsonl"]


@pytest.mark.parametrize("file", FILES, ids=lambda each: f"{each.parent.name}-{each.stem}")
def test_no_failure_is_unexplained(file: Path) -> None:
    report = report_of(file)
    assert list(unexplained(report)) == []
    assert report.record.exit is not None, "the run has reached its end"
    assert report.record.date
    assert report.hello.version


def test_a_failure_without_an_entry_or_a_verdict_is_unexplained(sqlite: EngineReport) -> None:
    first, second, *_ = sqlite.known
    known = {**sqlite.known, second: KnownFailure("somehow")}
    del known[first]
    (nothing, no_verdict) = unexplained(replace(sqlite, known=known))
    assert f"{first} fails, and no entry says why" in nothing
    assert no_verdict == f"sqlite: {second} fails, and its entry has no verdict"


def test_an_entry_whose_case_passed_or_was_not_run_is_stale(sqlite: EngineReport) -> None:
    passed = next(e.case for e in sqlite.entries if e.verdict.outcome is Outcome.PASS)
    skipped = next(e.case for e in sqlite.entries if e.verdict.outcome is Outcome.SKIP)
    entry = KnownFailure("r", verdict="open")
    stale = {passed: entry, skipped: entry, "no-such-case": entry}
    found = list(unexplained(replace(sqlite, known={**sqlite.known, **stale})))
    assert [each.split()[1] for each in found] == list(stale)
    sometimes = {passed: replace(entry, sometimes=True)}
    assert list(unexplained(replace(sqlite, known={**sqlite.known, **sometimes}))) == []


def existing() -> frozenset[str]:
    """All that the reason of an open failure can cite."""
    texts = [(DOCS / name).read_text("utf-8") for name in ("semantics.md", "differences.md")]
    listed = re.findall(r"\*\*(S-\d+\.[a-z]+|D-\d+)\*\*", "".join(texts))
    return frozenset([*listed, *(f"docket/{page.stem}" for page in DOCS.glob("docket/*.md"))])


def without_a_rule(report: EngineReport, exists: frozenset[str]) -> Iterator[str]:
    """The open failures that cite nothing, or a rule or page that does not exist."""
    for case, known in report.known.items():
        cited = CITED.findall(known.reason)
        if known.verdict == "open" and (not cited or not exists.issuperset(cited)):
            yield f"{case}: {known.reason}"


@pytest.mark.parametrize("file", FILES, ids=lambda each: f"{each.parent.name}-{each.stem}")
def test_an_open_failure_cites_the_rule_or_the_page_that_keeps_it_open(file: Path) -> None:
    assert list(without_a_rule(report_of(file), existing())) == []


@pytest.mark.parametrize("reason", ["no source says it", f"S-{999}.a", "docket/no-such-page"])
def test_an_open_failure_without_an_existing_rule_is_found(
    sqlite: EngineReport, reason: str
) -> None:
    entry = KnownFailure(reason, verdict="open")
    found = without_a_rule(replace(sqlite, known={"a-case": entry}), existing())
    assert list(found) == [f"a-case: {reason}"]
