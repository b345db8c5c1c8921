"""The edges of the rules, counted by the ids of the cases that cite them."""

import re
from pathlib import Path
from typing import Final

import pytest

from tck.corpus.load import kit_corpus
from tck.corpus.selected.edges import EDGES, edges, sides_of
from tests.tck.corpora import load_cases

RULES: Final = Path(__file__).parents[3] / "docs" / "semantics.md"

#: A bound, and rows before it, on it, and after it; the last one has no word for its side.
CASES: Final = tuple(
    f"""
    id: row-and-bound-{word}
    cites: [S-601.a]
    sql: SELECT STREAM rowtime, units FROM Orders
    steps:
    - feed: all
      emit: [['10:00', 4], ['10:00', 1], ['10:05', 7]]
    - end: true
    """
    for word in ("before", "at", "after", "somewhere")
)


def test_each_edge_is_a_clause_of_the_rules() -> None:
    clauses = set(re.findall(r"\*\*(S-[0-9]+\.[a-z]+)\*\*", RULES.read_text("utf-8")))
    assert EDGES.keys() <= clauses
    assert all(EDGES.values())


def test_the_id_of_a_case_says_where_it_lies(tmp_path_factory: pytest.TempPathFactory) -> None:
    cases = load_cases(tmp_path_factory.mktemp("toys"), *CASES)
    assert [sorted(sides_of(each)) for each in cases] == [["before"], ["on"], ["after"], []]
    found = {each.clause: each for each in edges(cases)}
    assert (found["S-601.a"].before, found["S-601.a"].on, found["S-601.a"].after) == (1, 1, 1)
    assert found["S-601.a"].is_tried
    assert not found["S-405.a"].is_tried


def test_the_kit_has_a_case_on_each_side_of_each_edge() -> None:
    untried = [each.clause for each in edges(kit_corpus().cases) if not each.is_tried]
    assert untried == []
