"""Streams without a rowtime column: the times of their rows, in memory and in frames (S-311.b)."""

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final, Self

import pytest

from algebra.functions.datetimes import parse_timestamp
from spark_backend.data.ingress import Ingress, ingress_of
from spark_backend.stream.ingress.ingress_bounds import bounds_of
from spark_backend.stream.retention.policy import RetentionPolicy
from spark_backend.stream.step_result import StepResult
from tests.examples import NIGHTLY
from tests.spark_backend.stream.drives import Drive, Name, Row

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend")]

DDL: Final = """
CREATE STREAM A (k INTEGER ASCENDING, v INTEGER);
CREATE STREAM B (k INTEGER ASCENDING, v INTEGER);
CREATE STREAM C (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, v INTEGER);
"""
UNION: Final = "SELECT STREAM k, v FROM A UNION ALL SELECT STREAM k, v FROM B"
MIXED: Final = "SELECT STREAM k, v FROM A UNION ALL SELECT STREAM k, v FROM C"
GROUPS: Final = "SELECT STREAM k, COUNT(*) AS c FROM A GROUP BY k"


def at(time: str) -> int:
    """A time of the day that all is about, in milliseconds."""
    return parse_timestamp(f"2015-02-15 {time}:00")


@dataclass(slots=True)
class Steps(Drive):
    """A query whose streams are given rows and bounds, each call a micro-batch."""

    ingresses: dict[Name, Ingress] = field(default_factory=dict[Name, Ingress])

    def come(self, stream: str = "", *rows: Row, **bounds: str) -> StepResult:
        """What comes out when bounds come, then rows of one stream; all in order."""
        arrived = {name: rows if name[-1] == stream else () for name in self.engine.sources}
        for name, each in self.engine.sources.items():
            ingress = self.ingresses.setdefault(name, ingress_of(each))
            if name[-1] in bounds:
                ingress.raise_bound(at(bounds[name[-1]]), strict=False)
            ingress.judge(arrived[name], lambda rows: [True] * len(rows))
        stores = {
            name: self.buffer(tuple(c.type for c in each.columns), arrived[name])
            for name, each in self.engine.sources.items()
        }
        known = {name: bounds_of(each, ended=False) for name, each in self.ingresses.items()}
        answer = self.engine.step(stores, known).answer
        assert answer is not None
        self.rows = list(answer.rows.rows())
        self.engine.release()
        return answer

    def __enter__(self) -> Self:
        """It is closed when the test is over."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.engine.close()

    @property
    def left(self) -> int:
        """How many rows are retained."""
        return sum(count for *_, count in self.engine.retained_rows)


@pytest.mark.parametrize("bulk", [False, True])
def test_a_row_waits_for_the_bound_of_the_other_input_and_outlives_a_restart(
    bulk: bool, tmp_path: Path
) -> None:
    """The row of A came at 10:30, where B comes later; the bound is told anew at once."""
    with Steps(DDL, UNION, bulk) as s:
        s.come(A="10:30", B="10:00")
        assert (s.come("A", (1, 10)).implicit_bound, s.rows) == (at("10:00"), [])
        s.restart(tmp_path)
        assert (s.come("B", (2, 20)).implicit_bound, s.rows) == (at("10:00"), [(2, 20)])
        assert (s.come(B="10:30").implicit_bound, s.rows) == (at("10:30"), [(1, 10)])
        out = s.come("B", (3, 30), (3, 31))
        assert (out.implicit_bound, s.rows) == (at("10:30"), [(3, 30), (3, 31)])
        s.restart(tmp_path)
        assert s.left == 0


@pytest.mark.parametrize(
    ("sql", "bulk"),
    [*product((UNION, MIXED), (False, True))] if NIGHTLY else [(UNION, True), (MIXED, False)],
)
def test_before_the_first_bound_rows_come_at_once_and_none_is_retained(
    sql: str, bulk: bool, tmp_path: Path
) -> None:
    """Nobody need ever set a bound of A or B."""
    with Steps(DDL, sql, bulk) as s:
        for k in range(3):
            out = s.come("A", (k, 10), (k, 11))
            assert (out.implicit_bound, s.rows) == (None, [(k, 10), (k, 11)])
            s.restart(tmp_path)
            assert s.left == 0


def test_rows_with_and_without_a_rowtime_are_merged() -> None:
    """The row of A came at 10:15, before that of C at 10:30, and waits until C is there."""
    with Steps(DDL, MIXED) as s:
        s.come(A="10:15")
        s.come("A", (1, 10))
        assert s.rows == []
        assert s.come("C", (at("10:30"), 2, 20)).implicit_bound == at("10:15")
        assert (s.rows, s.left) == ([(1, 10)], 1)
        assert (s.come(A="10:45").implicit_bound, s.rows) == (at("10:30"), [(2, 20)])


@pytest.mark.parametrize("bulk", [False, True] if NIGHTLY else [True])
def test_an_open_group_holds_the_bound_at_its_time_after_a_restart(
    bulk: bool, tmp_path: Path
) -> None:
    """The last row of group 1 came at 10:00; that of 2 at 10:30, where it completes the group."""
    with Steps(DDL, GROUPS, bulk) as s:
        assert s.come("A", (1, 10)).implicit_bound is None
        assert s.come("A", (1, 20), A="10:00").implicit_bound == at("10:00")
        s.restart(tmp_path)
        assert (s.come(A="10:30").implicit_bound, s.rows) == (at("10:00"), [])
        assert (s.come("A", (2, 30)).implicit_bound, s.rows) == (at("10:30"), [(1, 2)])


@pytest.mark.parametrize("bulk", [False, True] if NIGHTLY else [False])
def test_groups_before_the_first_bound_are_evicted(
    bulk: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is retained is the open group, and that which came out in this micro-batch."""
    policy = RetentionPolicy(compaction=0, eviction=0)
    monkeypatch.setattr("spark_backend.stream.engine.POLICY", policy)
    with Steps(DDL, GROUPS, bulk) as s:
        for k in range(1, 5):
            s.come("A", (k, 0), (k, 1))
            assert s.rows == [(k - 1, 2)] * (k > 1)
            s.restart(tmp_path)
            assert s.left <= 4
