"""What the committed runs on Flink say: nothing is unexplained, and every spelling is its query."""

import pytest

from engines.flink.backend import SPELLINGS
from engines.harness.reports import read_report, unexplained
from engines.harness.spellings import read_texts
from tck.judging.verdict import Outcome

FOLDER = SPELLINGS.parent
REPORTS = ("report.jsonl", "report-stream.jsonl")


@pytest.mark.parametrize("file", REPORTS)
def test_no_failure_is_unexplained(file: str) -> None:
    report = read_report(FOLDER, file)
    assert list(unexplained(report)) == []
    assert report.record.exit is not None, "the run has reached its end"


@pytest.mark.parametrize("file", REPORTS)
def test_each_spelling_gives_the_rows_of_its_case(file: str) -> None:
    outcomes = {each.case: each.verdict.outcome for each in read_report(FOLDER, file).entries}
    spelled = {case: outcomes[case] for case in read_texts(SPELLINGS)}
    assert set(spelled.values()) == {Outcome.PASS}
