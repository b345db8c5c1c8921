"""Warnings about refused bounds are judged by the bound that they are about, and its step."""

from dataclasses import replace
from pathlib import Path

import pytest

from tck.corpus.case import Case
from tck.judging.judge import judge
from tck.judging.refused_events import warning_faults
from tck.judging.verdict import Kind, Outcome
from tck.protocol import Accepted, Output, SqlWarning
from tck.transcript import Transcript
from tests.tck import toy
from tests.tck.corpora import load_case

#: The events of its steps, from 0: the row, the bound that goes back, one that does not, the end.
CASE = """
id: back
cites: [S-601]
sql: SELECT STREAM * FROM Orders
schema: [ROWTIME TIMESTAMP(3) NOT NULL, PRODUCTID INTEGER NOT NULL, UNITS INTEGER]
steps:
- feed: {Orders: [['10:17', 30, 1]]}
  emit: [['10:17', 30, 1]]
- bound: {Orders: '10:16'}
  warn: {Orders: BOUND_BACKWARDS}
- bound: {Orders: '10:18'}
- end: true
"""
RIGHT = SqlWarning(1, "BOUND_BACKWARDS", "below its clock")
ROW = ("2015-02-15 10:17:00", 30, 1)


def answer(case: Case, *steps: tuple[SqlWarning, ...]) -> Transcript:
    """The right rows, with the warnings of each step; the last steps have none.

    The case's tables are loaded before its steps: those are events, too.
    """
    outputs = [Output((ROW,)), Output(), Output(), Output(bound="end")]
    for step, warnings in enumerate(steps):
        shifted = [replace(each, event=each.event + len(case.tables)) for each in warnings]
        outputs[step] = replace(outputs[step], warnings=tuple(shifted))
    return Transcript(Accepted(True, toy.COLUMNS), tuple(outputs))


@pytest.mark.parametrize(
    ("steps", "final", "exact"),
    [
        ([(), (RIGHT,)], [], []),
        ([(), ()], ["must be refused"], ["must be refused"]),
        ([(), (), (RIGHT,)], [], ["the refusal of the bound of ORDERS was reported at step 3"]),
        ([(), (replace(RIGHT, code="LATE"),)], *[["was refused with LATE, not with BOUND"]] * 2),
        ([(), (RIGHT, RIGHT)], *[["from 0, must not be refused"]] * 2),
        ([(), (replace(RIGHT, event=2),)], *[["must be refused", "from 0, must not"]] * 2),
        ([(), (replace(RIGHT, event=0),)], *[["must be refused", "from 0, must not"]] * 2),
        ([(), (RIGHT,), (replace(RIGHT, event=2),)], *[["from 0, must not"]] * 2),
    ],
)
def test_a_warning_is_about_a_bound_and_comes_at_its_step(
    steps: list[tuple[SqlWarning, ...]], final: list[str], exact: list[str], tmp_path: Path
) -> None:
    case = load_case(tmp_path, CASE)
    for tier, expected in (("final", final), ("bounded", exact), ("exact", exact)):
        faults = list(warning_faults(case, answer(case, *steps), tier))  # type: ignore[arg-type]  # a tier
        assert len(faults) == len(expected)
        assert all(text in fault.reason for fault, text in zip(faults, expected, strict=True))


def test_a_missing_warning_fails_the_case(tmp_path: Path) -> None:
    case = load_case(tmp_path, CASE)
    verdict = judge(case, answer(case), None, "final").verdict
    assert (verdict.outcome, verdict.kind) == (Outcome.FAIL, Kind.WRONG_WARNING)
    assert judge(case, answer(case, (), (RIGHT,)), None, "final").verdict.outcome is Outcome.PASS
