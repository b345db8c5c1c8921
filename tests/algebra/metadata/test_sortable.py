"""Which columns rows can be sorted on, how long they wait for that, and its cost (S-408)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import InputRef, SortKey
from algebra.metadata.cost import Cost, Rates, cost, rate_of, sort_cost
from algebra.metadata.durations import WHOLE
from algebra.metadata.sortable import sortable_columns, sortable_on
from algebra.plan import Plan, row_type
from tests.algebra.orders_schema import plan_of, requested


def key(plan: Plan, name: str, descending: bool = False) -> SortKey:
    fields = row_type(plan)
    [place] = (i for i, each in enumerate(fields) if each.name == name)
    return SortKey(InputRef(place, fields[place].type), descending, descending)


JOINED = (
    "SELECT STREAM o.rowtime, s.rowtime AS shipped, o.units FROM Orders AS o"
    " JOIN Shipments AS s ON o.orderId = s.orderId"
    " AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR"
)
HOPS = (
    "SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR, INTERVAL '3' HOUR) AS e, COUNT(*) AS c"
    " FROM Orders GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '3' HOUR)"
)
NEAR = (
    "SELECT STREAM seen, FLOOR(seen TO HOUR) AS h, units FROM Orders"
    " WHERE seen BETWEEN rowtime - INTERVAL '5' MINUTE AND rowtime"
)

#: A query, sort keys by name, and how long rows would wait; a reason where they would for ever.
WAITS = [
    ("SELECT STREAM * FROM Orders", ["ROWTIME"], "none"),
    ("SELECT STREAM * FROM Orders", ["ROWTIME", "ORDERID"], "none"),
    ("SELECT STREAM * FROM Orders", ["ROWTIME", "UNITS"], "1 MILLISECOND"),
    ("SELECT STREAM * FROM Orders", ["ORDERID", "UNITS"], "none"),
    ("SELECT STREAM FLOOR(rowtime TO HOUR) AS h, units FROM Orders", ["H", "UNITS"], "1 HOUR"),
    ("SELECT STREAM 1 AS one, rowtime, units FROM Orders", ["ONE", "ROWTIME"], "none"),
    ("SELECT STREAM * FROM Orders", ["UNITS"], "unbounded"),
    ("SELECT STREAM * FROM Orders", ["PRODUCTID"], "unbounded"),
    ("SELECT STREAM * FROM Late", ["ROWTIME"], "10 SECOND"),
    ("SELECT STREAM * FROM Late", ["ROWTIME", "V"], "10 SECOND 1 MILLISECOND"),
    ("SELECT STREAM * FROM Late", ["K"], "3 rows"),
    ("SELECT STREAM * FROM Marked", ["ROWTIME"], "the wait for a bound"),
    (JOINED, ["SHIPPED"], "1 HOUR"),
    (JOINED, ["SHIPPED", "UNITS"], "1 HOUR 1 MILLISECOND"),
    (HOPS, ["E"], "none"),
    (NEAR, ["SEEN"], "5 MINUTE"),
    # The row furthest behind belongs to the hour before: none may come of that any more.
    (NEAR, ["H"], "5 MINUTE"),
    (NEAR, ["H", "UNITS"], "1 HOUR 5 MINUTE"),
    ("SELECT * FROM Products", ["NAME"], "the whole input"),
    ("SELECT * FROM (VALUES (1), (2)) AS t (a)", ["A"], "none"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "names", "wait"), WAITS)
def test_how_long_a_sort_would_wait(sql: str, names: list[str], wait: str) -> None:
    plan = plan_of(sql)
    assert str(sortable_on(plan, [key(plan, each) for each in names])) == wait


def test_a_stream_cannot_be_sorted_against_its_order() -> None:
    plan = plan_of("SELECT STREAM * FROM Orders")
    assert sortable_on(plan, [key(plan, "ROWTIME", descending=True)]).unbounded is not None


def test_a_descending_column_can_be_sorted_downwards() -> None:
    plan = plan_of("SELECT STREAM rest, v FROM Countdown")
    assert (
        str(sortable_on(plan, [key(plan, "REST", descending=True), key(plan, "V")])) == "1 of REST"
    )


def test_columns_are_listed_that_rows_do_not_come_by() -> None:
    plan = plan_of(JOINED)
    assert [str(wait) for _, wait in sortable_columns(plan)] == ["1 HOUR"]
    assert sortable_columns(plan_of("SELECT STREAM * FROM Orders")) == ()


def test_a_table_can_be_sorted_on_any_keys() -> None:
    plan, keys = requested("SELECT name, productId FROM Products ORDER BY name DESC, productId")
    assert sortable_on(plan, keys) == WHOLE


# --- cost ---------------------------------------------------------------------------------------

RATES = Rates(streams={"ORDERS": 10.0, "LATE": 8.0}, tables={"PRODUCTS": 64.0})


def test_the_rows_of_a_slack_wait() -> None:
    """8 rows a second for 10 seconds; log2(80) comparisons a row; 8 + 4 + 4 bytes each."""
    plan = plan_of("SELECT STREAM * FROM Late")
    found = sort_cost(plan, [key(plan, "ROWTIME")], RATES)
    assert found.rows == pytest.approx(80)
    assert found.bytes == pytest.approx(80 * 16)
    assert found.comparisons == pytest.approx(8 * 6.321928)


def test_what_comes_in_order_costs_nothing_to_sort() -> None:
    plan = plan_of("SELECT STREAM * FROM Orders")
    assert sort_cost(plan, [key(plan, "ROWTIME")], RATES) == Cost()


def test_what_cannot_be_sorted_costs_without_end() -> None:
    plan = plan_of("SELECT STREAM * FROM Orders")
    assert sort_cost(plan, [key(plan, "UNITS")], RATES).rows == float("inf")


def test_a_table_is_sorted_once() -> None:
    """64 rows by 6 comparisons each; a number of 4 bytes and a text of 20."""
    plan = plan_of("SELECT * FROM Products")
    found = sort_cost(plan, [key(plan, "NAME")], RATES)
    assert found == Cost(64.0, 64.0 * 24, 64.0 * 6)


def test_groups_are_as_many_as_their_keys() -> None:
    """36,000 orders in an hour are of 50 products: 50 accumulators of 8 + 4 + 16 bytes."""
    plan = plan_of(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c FROM Orders"
        " GROUP BY FLOOR(rowtime TO HOUR), productId"
    )
    rates = replace(RATES, keys={"PRODUCTID": 50.0, "FLOOR(ROWTIME TO HOUR)": 1.0})
    assert cost(plan, rates) == Cost(50.0, 50.0 * 28)
    assert rate_of(plan, rates) == pytest.approx(50 / 3600)


def test_a_join_holds_an_hour_of_one_side() -> None:
    plan = plan_of(JOINED)
    rates = replace(RATES, each=5.0)
    assert cost(plan, rates).rows == pytest.approx(36_000)


_slack = st.integers(0, 3_600)


@given(_slack, _slack, st.floats(0.1, 100))
def test_more_slack_never_costs_less(one: int, other: int, rate: float) -> None:
    """CAL-183: the cost of a sort is not negative, and grows with its slack."""
    costs: list[Cost] = []
    for seconds in sorted((one, other)):
        t_sort = plan_of(
            f"SELECT STREAM * FROM Orders ORDER BY rowtime WITHIN INTERVAL '{seconds}' SECOND(4)"
        )
        found = cost(t_sort, Rates(each=rate))
        assert found.rows == pytest.approx(rate * seconds)
        costs.append(found)
    a, b = costs
    assert 0 <= a.rows <= b.rows
    assert 0 <= a.bytes <= b.bytes
    assert 0 <= a.comparisons <= b.comparisons
