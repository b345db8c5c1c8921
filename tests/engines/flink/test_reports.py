"""The committed runs on Flink: each spelling is its query, and the page has their counts."""

from typing import Final

import pytest

from engines.flink.backend import SPELLINGS
from engines.harness.reports import read_report
from engines.harness.spellings import read_texts
from tck.judging.verdict import Outcome

FOLDER: Final = SPELLINGS.parent
PAGE: Final = FOLDER.parents[1] / "docs" / "engines" / "flink.md"


@pytest.mark.parametrize("file", ["report.jsonl", "report-stream.jsonl"])
def test_each_spelling_gives_the_rows_of_its_case(file: str) -> None:
    outcomes = {each.case: each.verdict.outcome for each in read_report(FOLDER / file).entries}
    spelled = {case: outcomes[case] for case in read_texts(SPELLINGS)}
    assert set(spelled.values()) == {Outcome.PASS}


@pytest.mark.parametrize(
    ("file", "tier"), [("report.jsonl", "final"), ("report-stream.jsonl", "bounded")]
)
def test_the_page_says_how_many_cases_were_judged_and_passed(file: str, tier: str) -> None:
    outcomes = [each.verdict.outcome for each in read_report(FOLDER / file).entries]
    judged = len(outcomes) - outcomes.count(Outcome.SKIP)
    passed = outcomes.count(Outcome.PASS)
    text = PAGE.read_text(encoding="utf-8")
    assert f"at `{tier}` {judged} cases are judged, and {passed} pass" in text
