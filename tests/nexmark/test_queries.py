"""Each query of Nexmark: as a stream, over tables, and as DuckDB answers a text of its own."""

from functools import cache
from typing import Any

import pytest

from benchmarks.nexmark.generate import Config
from benchmarks.nexmark.run import FOLDER, NAMES, Data, data, duck, prepared, streamed, verdict

EVENTS = 2_000


@cache
def given(disorder: int) -> tuple[Data, Any]:
    """The events, half a minute of them, around midnight; and DuckDB with them."""
    midnight = 1_704_067_200_000
    made = data(Config(EVENTS, start=midnight - 7_000, disorder=disorder))
    return made, duck(made)


def test_all_queries_that_a_stream_can_say_are_there() -> None:
    asked = [
        "q0",
        "q1",
        "q2",
        "q5",
        "q7",
        "q8",
        "q12",
        "q13",
        "q14",
        "q15",
        "q16",
        "q17",
        "q21",
        "q22",
    ]
    assert asked == NAMES
    assert sorted(each.stem for each in (FOLDER / "duckdb").glob("*.sql")) == sorted(NAMES)


@pytest.mark.parametrize("disorder", [0, 700])
@pytest.mark.parametrize("name", NAMES)
def test_three_ways_of_a_query_agree(name: str, disorder: int) -> None:
    events, engine = given(disorder)
    query = prepared(name, events)
    answer = streamed(query, events)
    assert answer.rows
    assert verdict(name, query, answer, events, engine) == "yes"


def test_a_day_is_told_once_it_is_over() -> None:
    """Seven seconds before midnight, and the rest: two days."""
    events, _ = given(0)
    days = [row[:2] for row in streamed(prepared("q15", events), events).rows]
    assert days == [(1_704_067_200_000, 644), (1_704_153_600_000, EVENTS * 46 // 50 - 644)]


def test_a_row_too_many_is_seen() -> None:
    """The comparison can fail."""
    events, engine = given(0)
    query = prepared("q2", events)
    answer = streamed(query, events)
    more = type(answer)((*answer.rows, answer.rows[-1]), answer.read, answer.seconds)
    assert verdict("q2", query, more, events, engine) == "NOT relational, DuckDB"
