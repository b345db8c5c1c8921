"""A failure of a case that the release does not require: it is reported, and makes nothing red."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tck.exit_codes import EXIT_FAILURES, EXIT_OK
from tck.report.badge import badge
from tck.report.comparison import compare
from tck.report.junit import junit
from tck.report.record import RunRecord, read_record
from tck.report.tally import Report
from tests.tck.report.runs import WRONG, small_report, write_lines


def failing(tmp_path: Path, *, required: bool) -> Report:
    """A run of one case, which fails."""
    report = small_report(tmp_path / "cases")
    (first, *_) = report.results
    case = replace(first.case, required=required)
    return replace(report, results=[replace(first, case=case, verdict=WRONG, known=None)])


def recorded(tmp_path: Path, *, required: bool) -> RunRecord:
    path = tmp_path / f"{required}.jsonl"
    write_lines(path, failing(tmp_path, required=required), EXIT_OK)
    return read_record(path)


@pytest.mark.parametrize("required", [True, False])
def test_only_a_required_case_makes_a_run_worse(tmp_path: Path, *, required: bool) -> None:
    new = recorded(tmp_path, required=required)
    (entry,) = new.entries
    assert (entry.bad, entry.failing) == (True, required)
    comparison = compare(replace(new, entries=()), new)
    assert [change.entry.case for change in comparison.failures] == [entry.case]
    assert comparison.worse is required


def test_a_badge_counts_every_judged_case_and_is_red_for_required_ones(tmp_path: Path) -> None:
    red = badge(recorded(tmp_path, required=True), "toy")
    green = badge(recorded(tmp_path, required=False), "toy")
    assert red.right == green.right == "0 of 1, final, no variants"
    assert (red.colour, green.colour) == ("#c62828", "#1a7f37")


@pytest.mark.parametrize(("required", "tag"), [(True, "failure"), (False, "skipped")])
def test_junit_has_it_as_skipped(tmp_path: Path, *, required: bool, tag: str) -> None:
    status = EXIT_FAILURES if required else EXIT_OK
    root = ElementTree.fromstring(junit(failing(tmp_path, required=required), status))
    (case,) = root.iter("testcase")
    assert [child.tag for child in case] == [tag]
    assert root.get("failures" if required else "skipped") == "1"
