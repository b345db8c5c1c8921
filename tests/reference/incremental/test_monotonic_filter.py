"""MONOTONIC inside a streaming query: which rows are late, and what the others complete (S-407)."""

import math

import pytest

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.plan import Delta
from algebra.prepare import prepare
from reference.engine.session import Session
from reference.evaluate import World, evaluate
from tests.reference.building import ts

TEN = ts("10:00:00")
DDL = """CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, n INTEGER);
CREATE STREAM D (rowtime TIMESTAMP(3) ASCENDING, d DOUBLE);"""
BY_K = "SELECT STREAM MONOTONIC(k) AS k, COUNT(*) AS c FROM S GROUP BY MONOTONIC(k)"
BY_K_AND_N = """SELECT STREAM MONOTONIC(k) AS k, MONOTONIC(n) AS n, COUNT(*) AS c FROM S
GROUP BY MONOTONIC(k), MONOTONIC(n)"""


def stepwise(sql: str, rows: list[tuple[Value, ...]]) -> list[list[tuple[Value, ...]]]:
    """What is emitted with each row, and then at the end."""
    session = Session(prepare(DDL, sql, Profile.CALCITE))
    assert session.flow is not None
    found: list[list[tuple[Value, ...]]] = []
    for row in rows:
        session.enter(("S",), [(TEN, *row)], passing=True)
        found.append(list(session.flow.drained()))
    session.end(None)
    return [*found, list(session.flow.drained())]


def test_a_value_as_great_as_the_last_is_on_time_and_a_smaller_one_late() -> None:
    """The 3 may come again, so that its group waits for the 4; the 2 counts nowhere."""
    rows: list[tuple[Value, ...]] = [(1, 0), (1, 0), (3, 0), (2, 0), (3, 0), (4, 0)]
    assert stepwise(BY_K, rows) == [[], [], [(1, 2)], [], [], [(3, 2)], [(4, 1)]]


def test_a_null_is_late_and_says_nothing_of_later_rows() -> None:
    rows: list[tuple[Value, ...]] = [(3, 0), (None, 0), (2, 0), (3, 0)]
    assert stepwise(BY_K, rows) == [[], [], [], [], [(3, 2)]]


def test_a_row_that_is_late_in_one_expression_says_nothing_of_another() -> None:
    """(2, 9) is late by its 2: the 5 after it is none the later for the 9."""
    rows: list[tuple[Value, ...]] = [(3, 4), (2, 9), (3, 5), (4, 4)]
    assert stepwise(BY_K_AND_N, rows) == [[], [], [(3, 4, 1)], [], [(3, 5, 1)]]


@pytest.mark.parametrize("d", [None, math.nan])
def test_what_has_no_place_in_the_order_is_late_in_both_evaluations(d: Value) -> None:
    """S-303: were NaN the greatest value that has come, all numbers after it would be late."""
    sql = "SELECT STREAM MONOTONIC(d) AS d, COUNT(*) AS c FROM D GROUP BY MONOTONIC(d)"
    prepared = prepare(DDL, sql, Profile.CALCITE)
    assert isinstance(prepared.query, Delta)
    rows: list[tuple[Value, ...]] = [(TEN, 1.0), (TEN, d), (TEN, 2.0)]
    session = Session(prepared)
    assert session.flow is not None
    session.enter(("D",), rows, passing=True)
    session.end(None)
    expected = [(1.0, 1), (2.0, 1)]
    assert session.flow.drained() == expected
    assert evaluate(prepared.query, World(streams={("D",): rows})) == expected
