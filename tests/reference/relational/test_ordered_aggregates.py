"""Aggregates of pairs, and those with an order of their own (S-203)."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    Literal,
    Op,
    SortKey,
    Value,
    WindowCall,
)
from algebra.plan import Frame, RowOffset, Unbounded, WindowGroup
from algebra.types import BOOLEAN, DOUBLE, VARCHAR, decimal
from reference.relation import Row
from reference.relational.aggregates import aggregate_value
from reference.relational.windows import window
from tests.reference.building import (
    ENV,
    aggregate_call,
    ascending,
    call,
    descending,
    literal,
    ref,
)

A = AggregateFunction


def pairs(function: AggregateFunction, distinct: bool = False) -> AggregateCall:
    """An aggregate of columns 0 and 1."""
    return aggregate_call(function, DOUBLE, ref(0), ref(1), distinct=distinct)


def test_pairs_with_a_null_in_either_place_are_skipped() -> None:
    rows: list[Row] = [(1, 2), (None, 9), (2, 4), (9, None), (None, None), (3, 6)]
    values = [aggregate_value(pairs(f), rows, ENV) for f in (A.COVAR_POP, A.COVAR_SAMP, A.CORR)]
    assert values == [4 / 3, 2.0, 1.0]


def test_distinct_pairs_count_once() -> None:
    rows: list[Row] = [(1, 2), (1, 2), (1, 2), (2, 4), (3, 6)]
    assert aggregate_value(pairs(A.COVAR_SAMP, distinct=True), rows, ENV) == 2.0
    # The pairs (1, 2) and (1, 4) are two, although their first values are one.
    rows = [(1, 2), (1, 4)]
    assert aggregate_value(pairs(A.COVAR_SAMP, distinct=True), rows, ENV) == 0.0


def listed(
    rows: list[Row], *order: SortKey, distinct: bool = False, filter: Expression | None = None
) -> Value:
    """LISTAGG of column 0 with the separator "; "."""
    arguments = (ref(0, VARCHAR), literal("; "))
    measure = AggregateCall(
        A.LISTAGG, arguments, VARCHAR, distinct=distinct, filter=filter, order=order
    )
    return aggregate_value(measure, rows, ENV)


def test_listagg_joins_the_texts_in_their_order_and_skips_nulls() -> None:
    rows: list[Row] = [("b", 2), ("a", 3), (None, 0), ("c", 2), ("", 1)]
    assert listed(rows) == "b; a; c; "
    assert listed(rows, ascending(ref(1))) == "; b; c; a"
    assert listed(rows, descending(ref(1)), ascending(ref(0, VARCHAR))) == "a; b; c; "
    assert listed(rows, ascending(ref(1)), descending(ref(0, VARCHAR))) == "; c; b; a"
    assert listed([("a", 1)]) == "a"
    above_1 = call(Op.GREATER, BOOLEAN, ref(1), literal(1))
    assert listed(rows, ascending(ref(1)), filter=above_1) == "b; c; a"


def test_listagg_sorts_null_keys_where_they_are_said_to_be() -> None:
    rows: list[Row] = [("b", 2), ("x", None), ("a", 3)]
    assert listed(rows, ascending(ref(1))) == "b; a; x"
    assert listed(rows, descending(ref(1))) == "x; a; b"


def test_a_distinct_listagg_keeps_the_first_in_its_order() -> None:
    rows: list[Row] = [("a", 3), ("b", 2), ("a", 1), ("b", 2)]
    assert listed(rows, distinct=True) == "a; b"
    assert listed(rows, descending(ref(1)), distinct=True) == "a; b"
    assert listed(rows, ascending(ref(1)), distinct=True) == "a; b"
    assert listed([("b", 1), ("a", 2), ("b", 3)], descending(ref(1)), distinct=True) == "b; a"


texts = st.lists(st.tuples(st.one_of(st.none(), st.text("ab", max_size=2))), max_size=8)


@given(texts)
def test_listagg_ordered_by_itself_joins_the_sorted_texts(rows: list[tuple[str | None]]) -> None:
    present = [each for (each,) in rows if each is not None]
    given_rows: list[Row] = [*rows]
    key = ascending(ref(0, VARCHAR))
    assert listed(given_rows, key) == ("; ".join(sorted(present)) if present else None)
    assert listed(given_rows, key, distinct=True) == (
        "; ".join(sorted(set(present))) if present else None
    )


def percentile(
    function: AggregateFunction,
    fraction: Literal,
    rows: list[Row],
    key: SortKey,
    filter: Expression | None = None,
) -> Value:
    """A percentile of the values of ``key``."""
    measure = AggregateCall(function, (fraction,), DOUBLE, filter=filter, order=(key,))
    return aggregate_value(measure, rows, ENV)


def test_percentiles_are_of_the_values_of_their_order() -> None:
    rows: list[Row] = [(30,), (None,), (10,), (20,), (20,)]
    quarter = literal(Decimal("0.75"), decimal(3, 2))
    up, down = ascending(ref(0)), descending(ref(0))
    # 10 20 20 30: three quarters of the way is a quarter of the way from 20 to 30.
    assert percentile(A.PERCENTILE_CONT, quarter, rows, up) == 22.5
    assert percentile(A.PERCENTILE_CONT, quarter, rows, down) == 17.5
    assert percentile(A.PERCENTILE_DISC, quarter, rows, up) == 20
    assert percentile(A.PERCENTILE_DISC, quarter, rows, down) == 20
    above_10 = call(Op.GREATER, BOOLEAN, ref(0), literal(10))
    assert percentile(A.PERCENTILE_CONT, literal(0.0), rows, up, filter=above_10) == 20.0


# --- before OVER --------------------------------------------------------------------------------


def running(rows: list[Row], *calls: WindowCall) -> list[tuple[Value, ...]]:
    """What is appended to rows in the order of column 1, of the row itself and all before it."""
    frame = Frame(Unbounded(), RowOffset(0))
    group = WindowGroup((), (ascending(ref(1)),), frame, calls)
    return [tuple(added) for _, _, *added in window(rows, [group], ENV)]


def over(function: AggregateFunction, *arguments: Expression, distinct: bool = False) -> WindowCall:
    return WindowCall(function, arguments, DOUBLE, distinct=distinct)


def test_listagg_over_a_window_is_in_the_windows_order() -> None:
    rows: list[Row] = [("c", 3), ("a", 1), (None, 2), ("a", 4)]
    texts = (ref(0, VARCHAR), literal(","))
    assert running(rows, over(A.LISTAGG, *texts), over(A.LISTAGG, *texts, distinct=True)) == [
        ("a,c", "a,c"), ("a", "a"), ("a", "a"), ("a,c,a", "a,c"),
    ]  # fmt: skip


def test_statistics_over_a_window() -> None:
    rows: list[Row] = [(2, 1), (4, 2), (None, 3), (0, 4)]
    pair = (ref(0), ref(1))
    calls = (over(A.COVAR_POP, *pair), over(A.CORR, *pair), over(A.MEDIAN, ref(0)))
    # Of (2, 1), (4, 2), (0, 4): distances (0, 2, -2) and (-4/3, -1/3, 5/3); sum of products -4,
    # of squares 8 and 42/9.
    corr = -4 / math.sqrt(8 * 42 / 9)
    assert running(rows, *calls) == [
        (0.0, None, 2.0), (0.5, 1.0, 3.0), (0.5, 1.0, 3.0), (-4 / 3, pytest.approx(corr), 2.0),
    ]  # fmt: skip
