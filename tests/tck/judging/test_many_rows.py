"""Judging takes time in proportion to the rows, also where many of them are equal or nearly so."""

import time
from decimal import Decimal

import pytest

from tck.corpus.case import Case, Place, Step
from tck.judging.judge import judge_at_tiers
from tck.judging.verdict import Kind
from tck.protocol import TIERS, Accepted, ColumnInfo, End, Output, Rows, WireRow
from tck.transcript import Transcript
from tests.examples import scaled

COLUMNS = (
    ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
    ColumnInfo("N", "INTEGER", False),
    ColumnInfo("X", "DOUBLE", False),
)
COUNT = scaled(30_000, 100_000)
STEPS = 10
#: Two seconds of an idle machine; comparing each row with each other one would take minutes.
SECONDS = 20.0


@pytest.mark.parametrize(
    ("numbers", "values", "wrong"),
    [(COUNT, COUNT, 0), (1, COUNT, 1), (10, 1, 1)],
    ids=["all differ", "all but one are close to another", "a tenth of each, and one other"],
)
def test_many_rows_are_judged_at_once(numbers: int, values: int, wrong: int) -> None:
    minutes = [f"2015-02-15 10:{i * 60 // COUNT:02}:00" for i in range(COUNT)]
    expected = [(minutes[i], i % numbers, Decimal(i % values) / 7) for i in range(COUNT)]
    emitted: list[WireRow] = [(time, n, float(x) * (1 + 1e-12)) for time, n, x in expected]
    emitted[COUNT // 2 : COUNT // 2 + wrong] = [("2015-02-15 10:30:00", -1, 0.5)] * wrong
    size = COUNT // STEPS
    parts = [slice(i * size, (i + 1) * size) for i in range(STEPS)]
    steps = [Step(i, (Rows("O", ()),), emit=tuple(expected[part])) for i, part in enumerate(parts)]
    sql = "SELECT STREAM * FROM O"
    case = Case(
        *("many", "chapter", "subject", Place("f", 1), ("S-1",), "", sql),
        steps=(*steps, Step(STEPS, (End(),))),
        result=COLUMNS,
    )
    outputs = (*(Output(tuple(emitted[part])) for part in parts), Output((), "end"))
    begun = time.process_time()
    judged = judge_at_tiers(case, Transcript(Accepted(True, COLUMNS), outputs), None, TIERS)
    assert time.process_time() - begun < SECONDS
    assert {each.verdict.kind for each in judged.values()} == {Kind.WRONG_ROWS if wrong else None}
