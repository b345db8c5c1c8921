"""How long the kit takes to judge a hundred thousand rows: two seconds at the most are wanted."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tck.corpus.case import Case
from tck.judging.judge import judge_at_tiers
from tck.protocol import TIERS, Accepted, ColumnInfo, Output, Rows, WireRow
from tck.result_types import typed
from tck.transcript import Transcript
from tests.tck.corpora import load_case

_ROWS: Final = 100_000
_STEPS: Final = 10
_COLUMNS: Final = (
    ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
    ColumnInfo("PRODUCTID", "INTEGER", False),
    ColumnInfo("UNITS", "INTEGER", True),
)
_CASE: Final = """
id: many
cites: [S-1]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 1, 1]]}
  emit: [['10:00', 1, 1]]
- end: true
"""


def _row(number: int) -> WireRow:
    seconds, milliseconds = divmod(number * 10, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{milliseconds:03}"
    return f"2015-02-15 {clock}", number % 50, number


_RIGHT: Final = tuple(map(_row, range(_ROWS)))

_WRONG: Final = tuple((at, key, number + _ROWS) for number, (at, key, _) in enumerate(_RIGHT))

#: The answers of a backend: the rows, and the kind of failure, if any.
_ANSWERS: Final = {
    "right": (_RIGHT, None),
    "every value wrong": (
        tuple((at, key, units + _ROWS) for at, key, units in _RIGHT),
        "WRONG_ROWS",
    ),
    "one row for all": ((_RIGHT[0],) * _ROWS, "WRONG_ROWS"),
    "reversed": (_RIGHT[::-1], "ORDER"),
}


def _in_steps(rows: tuple[WireRow, ...]) -> list[tuple[WireRow, ...]]:
    size = _ROWS // _STEPS
    return [rows[start : start + size] for start in range(0, _ROWS, size)]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """A stream that is emitted as it is, in ten steps."""
    loaded = typed(load_case(tmp_path, _CASE))
    first, end = loaded.steps
    steps = (
        replace(first, events=(Rows("ORDERS", rows),), emit=rows) for rows in _in_steps(_RIGHT)
    )
    return replace(loaded, steps=(*steps, end))


@pytest.mark.parametrize("answer", _ANSWERS)
def test_many_rows_are_judged(benchmark: BenchmarkFixture, answer: str, case: Case) -> None:
    """At all three tiers, as in a run."""
    rows, kind = _ANSWERS[answer]
    outputs = (*(Output(each) for each in _in_steps(rows)), Output((), "end"))
    transcript = Transcript(Accepted(True, _COLUMNS), outputs)
    benchmark._timer = time.process_time  # other processes' time is not ours
    judged = benchmark.pedantic(
        judge_at_tiers, (case, transcript, None, TIERS), rounds=3, iterations=1
    )
    assert judged["final"].verdict.kind == kind
