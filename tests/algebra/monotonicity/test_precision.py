"""Precision: what is deduced for users' expressions, next to the strongest sound answer."""

from pathlib import Path

import pytest

from algebra.catalog import Profile
from algebra.monotonicity.columns import column_monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.prepare import prepare
from tests.algebra.precision_list import DDL, ENTRIES, GAPS, Entry

PAGE = Path(__file__).parents[3] / "docs" / "monotonicity.md"


def deduced(sql: str) -> Monotonicity:
    """The monotonicity of a column of a streaming query."""
    query = prepare(DDL, f"SELECT STREAM {sql} AS e FROM Ticks", Profile.CALCITE).query
    assert query is not None
    [order] = column_monotonicity(query)
    return order


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda each: each.sql)
def test_the_strongest_sound_answer_is_reached_or_the_gap_is_explained(entry: Entry) -> None:
    """It fails also when a gap closes: then the gap is removed from the list."""
    assert deduced(entry.sql) is (entry.strongest if entry.reached is None else entry.reached)


def test_a_gap_is_less_than_the_strongest_answer() -> None:
    """It is NOT_MONOTONIC, or the same direction without strictness."""
    for each in ENTRIES:
        assert (each.reached is None) == (each.gap == "")
        if each.reached is not None:
            assert each.gap in GAPS, each.sql
            assert each.reached is not each.strongest
            assert each.reached in (Monotonicity.NOT_MONOTONIC, each.strongest.unstrict())


def test_the_list_is_long_and_says_nothing_twice() -> None:
    assert len({each.sql for each in ENTRIES}) == len(ENTRIES) >= 60


def test_most_answers_are_reached() -> None:
    """At least nine in ten of the monotonic expressions."""
    monotonic = [e for e in ENTRIES if e.strongest is not Monotonicity.NOT_MONOTONIC]
    reached = [e for e in monotonic if e.reached is None]
    assert len(reached) >= 0.9 * len(monotonic)


def test_the_page_lists_what_the_table_holds() -> None:
    """docs/monotonicity.md has a line for each entry, and each kind of gap explained."""
    page = PAGE.read_text("utf-8")
    _, _, precision = page.partition("## Precision")
    lines = [each for each in precision.splitlines() if each.startswith("| `")]
    assert lines == [each.line for each in ENTRIES]
    for word, why in GAPS.items():
        assert f"- *{word}*: {why}." in " ".join(page.split())
