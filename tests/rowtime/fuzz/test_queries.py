"""Drawn queries ask nothing that the rules leave open."""

import re

import pytest
from hypothesis import find, given

from rowtime.fuzz.queries import Query, queries

#: What leaves the mutual order of ties open (S-307.b).
_FREE = re.compile(r"JOIN|GROUP BY|SELECT DISTINCT|UNION|INTERSECT|EXCEPT")
#: Calls of a window whose results depend on that order, and frames that do.
_BY_ROWS = re.compile(r"ROW_NUMBER|LAG|LEAD|FIRST_VALUE|LAST_VALUE|NTH_VALUE|ROWS ")
#: A call of a window, and the beginning of its FROM item.
_WINDOW = re.compile(
    r"SELECT rowtime, k, (\w+\([^()]*\) OVER \([^()]*(\([^()]*\))?[^()]*\)) AS v FROM "
)


@given(queries(most_operators=5))
def test_no_window_depends_on_an_order_of_ties_that_is_open(query: Query) -> None:
    """S-307.c."""
    for window in _WINDOW.finditer(query.text):
        below = _operand(query.text[window.end() :])
        assert not (_BY_ROWS.search(window[1]) and _FREE.search(below)), query.text


@given(queries(changelogs=False))
def test_only_the_query_itself_is_sorted(query: Query) -> None:
    """S-507.n."""
    frames = re.sub(r"OVER \([^()]*(\([^()]*\))?[^()]*\)", "", query.text)
    assert "ORDER BY" not in frames[: frames.rfind(" AS a")]


def test_windows_by_rows_are_drawn_over_streams() -> None:
    found = find(queries(), lambda query: _BY_ROWS.search(query.text) is not None)
    assert not found.free_ties
    assert not found.changelog


def test_changelogs_have_operators_of_their_own() -> None:
    found = find(queries(), lambda query: "GROUP BY k" in query.text)
    assert found.streaming.endswith(" GROUP BY k EMIT CHANGES")


def test_windows_by_time_are_drawn_over_joins() -> None:
    found = find(queries(), lambda query: re.search(r"OVER .*JOIN", query.text) is not None)
    assert found.free_ties


@pytest.mark.parametrize(
    "right", [r"\(SELECT rowtime, k, MAX\(v\) AS v FROM .* GROUP BY rowtime, k\)", "T"]
)
def test_an_asof_join_shows_a_value_that_all_nearest_rows_have(right: str) -> None:
    """S-904.m."""
    shown = re.compile(rf"b\.v( AS v)? FROM .* ASOF JOIN {right} AS b MATCH_CONDITION .* ON ")
    assert find(queries(1), lambda query: shown.search(query.text) is not None).free_ties


def test_sessions_are_drawn_over_queries() -> None:
    find(queries(), lambda query: "SESSION((SELECT" in query.text)


def _operand(text: str) -> str:
    """The FROM item at the start of a text: up to the bracket that closes its first one."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth <= 0:
            return text[: place + 1] if text.startswith("(") else text.partition(" ")[0]
    return text
