"""Which columns rows can be sorted on, and how long they wait for that (S-408)."""

import pytest

from algebra.expression import InputRef, SortKey
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
