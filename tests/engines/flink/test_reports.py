"""The committed runs on Flink: each spelling is its query."""

from typing import Final

import pytest

from engines.flink.backend import SPELLINGS
from engines.harness.reports import read_report
from engines.harness.spellings import read_texts
from tck.judging.verdict import Outcome

FOLDER: Final = SPELLINGS.parent


@pytest.mark.parametrize("file", ["report.jsonl", "report-stream.jsonl"])
def test_each_spelling_gives_the_rows_of_its_case(file: str) -> None:
    outcomes = {each.case: each.verdict.outcome for each in read_report(FOLDER / file).entries}
    spelled = {case: outcomes[case] for case in read_texts(SPELLINGS)}
    assert set(spelled.values()) == {Outcome.PASS}
