"""The verdict on a changelog: which folds were true, and the report on the first that was not."""

from pathlib import Path
from typing import Final

import pytest

from tck.corpus.case import Case
from tck.judging.judge import judge
from tck.judging.verdict import Kind, Verdict
from tck.protocol import Accepted, ColumnInfo, Output, Tier
from tck.transcript import Transcript
from tests.tck.corpora import load_case

#: A group that grows, a group that comes, and a group that vanishes.
COUNTS: Final = """
    id: counts
    cites: [S-1]
    ddl: CREATE STREAM C (k INTEGER) WITH CHANGES
    sql: SELECT STREAM k, COUNT(*) AS c FROM C GROUP BY k EMIT CHANGES
    schema: [K INTEGER, C BIGINT NOT NULL]
    steps:
    - feed: {C: [[1]]}
      changes: [[1, 1]]
    - feed: {C: [[1], [2]]}
      changes: [-: [1, 1], +: [1, 2], +: [2, 1]]
    - feed: {C: [-: [2]]}
      changes: [-: [2, 1]]
    - end: true
"""
COLUMNS: Final = (ColumnInfo("K", "INTEGER", True), ColumnInfo("C", "BIGINT", False))
NOTHING: Final = Output()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return load_case(tmp_path, COUNTS)


def changed(*changes: tuple[int, int, int]) -> Output:
    """An output of changes, each a weight and a row of two columns."""
    rows = tuple((key, count) for _, key, count in changes)
    return Output(rows, weights=tuple(weight for weight, _, _ in changes))


def verdict(
    case: Case, tier: Tier, *outputs: Output, key: tuple[int, ...] | None = None
) -> Verdict:
    accepted = Accepted(True, COLUMNS, key=key)
    return judge(case, Transcript(accepted, outputs), tier=tier).verdict


RIGHT: Final = (
    changed((1, 1, 1)),
    changed((-1, 1, 1), (1, 1, 2), (1, 2, 1)),
    changed((-1, 2, 1)),
    NOTHING,
)


@pytest.mark.parametrize("tier", ["final", "bounded", "exact"])
def test_the_right_changes_pass_at_every_tier(case: Case, tier: Tier) -> None:
    assert verdict(case, tier, *RIGHT).kind is None


def test_changes_that_cancel_out_do_not_count(case: Case) -> None:
    more = changed((1, 1, 1), (1, 9, 9), (-1, 9, 9))
    assert verdict(case, "exact", more, *RIGHT[1:]).kind is None


def test_the_delete_may_come_before_the_insert_of_its_step(case: Case) -> None:
    swapped = changed((-1, 2, 1), (1, 2, 1), (-1, 1, 1), (1, 1, 2), (1, 2, 1))
    assert verdict(case, "exact", RIGHT[0], swapped, *RIGHT[2:]).kind is None


def test_upserts_have_the_folds_of_whole_rows(case: Case) -> None:
    """A row replaces the one that has its key, and the delete needs no other column."""
    outputs = (
        changed((1, 1, 1)),
        changed((1, 1, 2), (1, 2, 1)),
        changed((-1, 2, 0)),
        NOTHING,
    )
    assert verdict(case, "exact", *outputs, key=(0,)).kind is None


def test_a_step_late_is_stale_and_was_true_once(case: Case) -> None:
    late = (NOTHING, RIGHT[0], RIGHT[1], RIGHT[2])
    assert verdict(case, "bounded", *late).kind is None
    stale = verdict(case, "exact", *late)
    assert stale.kind is Kind.STALE
    assert stale.reason.startswith("step 1 ")


def test_a_fold_that_was_never_true_is_found_at_its_step(case: Case) -> None:
    """The new count comes a step before the old one leaves."""
    outputs = (
        RIGHT[0],
        changed((1, 1, 2), (1, 2, 1)),
        changed((-1, 1, 1), (-1, 2, 1)),
        NOTHING,
    )
    assert verdict(case, "final", *outputs).kind is None
    for tier in ("bounded", "exact"):
        found = verdict(case, tier, *outputs)
        assert found.kind is Kind.INCONSISTENT
        assert found.reason.startswith("step 2 ")
        assert "the nearest true answer is that of step 2" in "\n".join(found.detail)
        assert any(line.strip() == "+ 1  1" for line in found.detail)


def test_an_answer_that_goes_back_is_inconsistent(case: Case) -> None:
    outputs = (
        *RIGHT[:2],
        changed((-1, 1, 2), (1, 1, 1), (-1, 2, 1)),  # the answer of step 1 again
        changed((-1, 1, 1), (1, 1, 2)),
    )
    found = verdict(case, "bounded", *outputs)
    assert found.kind is Kind.INCONSISTENT
    assert "goes back" in found.reason


def test_an_answer_of_a_later_step_is_never_true_before(case: Case) -> None:
    early = (changed((1, 1, 2)), changed((1, 2, 1)), RIGHT[2], NOTHING)
    found = verdict(case, "bounded", *early)
    assert found.kind is Kind.INCONSISTENT
    assert found.reason.startswith("step 1 ")


def test_a_wrong_fold_at_the_end_is_wrong_at_every_tier(case: Case) -> None:
    outputs = (RIGHT[0], changed((1, 1, 2), (1, 2, 1)), RIGHT[2], NOTHING)
    for tier in ("final", "bounded", "exact"):
        found = verdict(case, tier, *outputs)
        assert found.kind is Kind.WRONG_ROWS
        assert "the first step whose fold was never true is step 2" in found.reason


def test_a_delete_of_what_is_not_there_is_wrong_at_every_tier(case: Case) -> None:
    outputs = (*RIGHT[:2], changed((-1, 3, 1)), changed((1, 3, 1), (-1, 2, 1)))
    for tier in ("final", "bounded", "exact"):
        found = verdict(case, tier, *outputs)
        assert found.kind is Kind.NEGATIVE_ROW
        assert found.reason.startswith("step 3 ")
        assert "(3, 1)" in found.reason


def test_a_tombstone_of_a_key_that_is_not_there_is_a_negative_row(case: Case) -> None:
    outputs = (changed((1, 1, 1)), changed((-1, 7, 0), (1, 1, 2), (1, 2, 1)), RIGHT[2], NOTHING)
    assert verdict(case, "final", *outputs, key=(0,)).kind is Kind.NEGATIVE_ROW
