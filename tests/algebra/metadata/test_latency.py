"""How long rows wait, what is retained, and which plans never end (S-408)."""

from dataclasses import replace

import pytest

from algebra.catalog import Profile
from algebra.expression import AggregateFunction, InputRef, SortKey, WindowCall, WindowFunction
from algebra.metadata.plan_metadata import Summary
from algebra.metadata.schedule.facts import latency, total_latency, unbounded_node
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Frame,
    Join,
    Plan,
    Project,
    RowOffset,
    Scan,
    SetOp,
    Sort,
    Unbounded,
    Window,
    WindowGroup,
    row_type,
)
from algebra.types import BIGINT, BOOLEAN, DOUBLE
from grammar.tree import JoinKind, SetOperator
from tests.algebra.orders_schema import plan_of
from tests.reference.building import literal

SQLSTREAM = Profile.SQLSTREAM

#: A query, its latency, and what it keeps.
WAITS = [
    ("SELECT STREAM * FROM Orders", "none", "none"),
    (
        ("SELECT STREAM FLOOR(rowtime TO DAY) AS rowtime, COUNT(*) AS c FROM Orders"
        " GROUP BY FLOOR(rowtime TO DAY)"),
        "1 DAY",
        "an accumulator per (FLOOR(ROWTIME TO DAY)) for 1 DAY",
    ),
    (
        ("SELECT STREAM EXTRACT(YEAR FROM rowtime) AS y, COUNT(*) AS c FROM Orders"
        " GROUP BY EXTRACT(YEAR FROM rowtime)"),
        "366 DAY",
        "an accumulator per (EXTRACT(YEAR FROM ROWTIME)) for 366 DAY",
    ),
    (
        # The years of an interval are not years of the calendar.
        ("SELECT STREAM EXTRACT(YEAR FROM age) AS y, COUNT(*) AS c FROM (SELECT"
        " MONOTONIC(v * INTERVAL '1-0' YEAR TO MONTH) AS age FROM Ticks)"
        " GROUP BY EXTRACT(YEAR FROM age)"),
        "a run of EXTRACT(YEAR FROM MONOTONIC(12 MONTH * V))",
        ("an accumulator per (EXTRACT(YEAR FROM AGE)) for a run of"
        " EXTRACT(YEAR FROM MONOTONIC(12 MONTH * V))"),
    ),
    (
        ("SELECT STREAM CAST(FLOOR(rowtime TO HOUR) AS VARCHAR(30)) AS h, COUNT(*) AS c FROM Orders"
        " GROUP BY CAST(FLOOR(rowtime TO HOUR) AS VARCHAR(30))"),
        "1 HOUR",
        "an accumulator per (CAST(FLOOR(ROWTIME TO HOUR) AS VARCHAR(30))) for 1 HOUR",
    ),
    (
        ("SELECT STREAM orderId / 100 AS g, COUNT(*) AS c FROM Orders WHERE orderId > 0"
        " GROUP BY orderId / 100"),
        "100 of ORDERID",
        "an accumulator per (ORDERID / 100) for 100 of ORDERID",
    ),
    (
        # Either key completes a group; the one of the stream's own time says more.
        ("SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, orderId, COUNT(*) AS c FROM Orders"
        " GROUP BY FLOOR(rowtime TO HOUR), orderId"),
        "1 HOUR",
        "an accumulator per (FLOOR(ROWTIME TO HOUR), ORDERID) for 1 HOUR",
    ),
    (
        ("SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, MEDIAN(units) AS m,"
        " COUNT(DISTINCT productId) AS d FROM Orders GROUP BY FLOOR(rowtime TO HOUR)"),
        "1 HOUR",
        ("an accumulator per (FLOOR(ROWTIME TO HOUR)) for 1 HOUR; rows of 1 HOUR;"
        " an accumulator per (FLOOR(ROWTIME TO HOUR), PRODUCTID) for 1 HOUR"),
    ),
    (
        "SELECT STREAM k, COUNT(*) AS c FROM Late GROUP BY k",
        "1 of K + 3 rows",
        "an accumulator per (K) for 1 of K + 3 rows",
    ),
    ("SELECT STREAM * FROM Late ORDER BY rowtime", "10 SECOND", "rows of 10 SECOND"),
    (
        "SELECT STREAM * FROM Late ORDER BY rowtime, v",
        "10 SECOND 1 MILLISECOND",
        "rows of 10 SECOND 1 MILLISECOND",
    ),
    (
        "SELECT STREAM * FROM Orders ORDER BY rowtime WITHIN INTERVAL '5' SECOND, units",
        "5 SECOND 1 MILLISECOND",
        "rows of 5 SECOND 1 MILLISECOND",
    ),
    (
        "SELECT STREAM * FROM Orders ORDER BY rowtime, units",
        "1 MILLISECOND",
        "rows of 1 MILLISECOND",
    ),
    ("SELECT STREAM * FROM Countdown ORDER BY rest DESC, v", "1 of REST", "rows of 1 of REST"),
    (
        ("SELECT STREAM rowtime, LEAD(units) OVER (PARTITION BY productId ORDER BY rowtime) AS n"
        " FROM Orders"),
        "1 row",
        "rows of 1 row per (PRODUCTID)",
    ),
    (
        "SELECT STREAM rowtime, LAG(units, 3) OVER (ORDER BY rowtime) AS n FROM Orders",
        "none",
        "rows of 3 rows",
    ),
    (
        "SELECT STREAM rowtime, LAG(units, 1 + 1) OVER (ORDER BY rowtime) AS n FROM Orders",
        "none",
        "rows of 2 rows",
    ),
    (
        ("SELECT STREAM rowtime, LAG(units, productId) OVER"
        " (PARTITION BY FLOOR(rowtime TO HOUR) ORDER BY rowtime) AS n FROM Orders"),
        "none",
        "an accumulator per (FLOOR(ROWTIME TO HOUR)) for 1 HOUR; rows of 1 HOUR",
    ),
    (
        ("SELECT STREAM rowtime, NTH_VALUE(units, productId) OVER"
        " (PARTITION BY FLOOR(rowtime TO HOUR) ORDER BY rowtime) AS n FROM Orders"),
        "1 MILLISECOND",
        "an accumulator per (FLOOR(ROWTIME TO HOUR)) for 1 HOUR; rows of 1 HOUR",
    ),
    (
        # The rows of ten minutes are among those of an hour; the last three of a product are not.
        ("SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime RANGE INTERVAL '10' MINUTE"
        " PRECEDING) AS a, MAX(units) OVER (ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING)"
        " AS b, SUM(units) OVER (PARTITION BY productId ORDER BY rowtime ROWS 3 PRECEDING) AS c"
        " FROM Orders"),
        "1 MILLISECOND",
        "rows of 1 HOUR 1 MILLISECOND; rows of 3 rows per (PRODUCTID)",
    ),
    (
        ("SELECT STREAM rowtime, NTILE(4) OVER (PARTITION BY FLOOR(rowtime TO HOUR)"
        " ORDER BY rowtime) AS n FROM Orders"),
        "1 HOUR",
        "an accumulator per (FLOOR(ROWTIME TO HOUR)) for 1 HOUR; rows of 1 HOUR",
    ),
    (
        ("SELECT STREAM rowtime, RANK() OVER (PARTITION BY FLOOR(rowtime TO HOUR)"
        " ORDER BY units) AS n FROM Orders"),
        "1 HOUR",
        "an accumulator per (FLOOR(ROWTIME TO HOUR)) for 1 HOUR; rows of 1 HOUR",
    ),
    (
        ("SELECT STREAM o.orderId FROM Orders AS o JOIN Shipments AS s"
        " ON o.orderId = s.orderId AND s.rowtime BETWEEN o.rowtime + INTERVAL '1' HOUR"
        " AND o.rowtime + INTERVAL '3' HOUR"),
        "2 HOUR",
        "left: rows of 3 HOUR; right: rows of one instant",
    ),
    (
        ("SELECT STREAM o.orderId FROM Orders AS o RIGHT JOIN Shipments AS s"
        " ON o.orderId = s.orderId AND s.rowtime BETWEEN o.rowtime - INTERVAL '1' HOUR"
        " AND o.rowtime + INTERVAL '3' HOUR"),
        "1 HOUR 1 MILLISECOND",
        "left: rows of 3 HOUR; right: rows of 1 HOUR",
    ),
    (
        "SELECT STREAM o.orderId FROM Orders AS o JOIN Shipments AS s ON o.orderId = s.orderId",
        "none",
        "left: rows of one instant; right: rows of one instant",
    ),
    (
        ("SELECT STREAM ROWTIME, o.units FROM Orders OVER (RANGE INTERVAL '1' HOUR PRECEDING) AS o"
        " JOIN Shipments OVER (RANGE INTERVAL '5' MINUTE FOLLOWING) AS s ON o.orderId = s.orderId"),
        "5 MINUTE",
        "left: rows of 1 HOUR 5 MINUTE; right: rows of one instant",
    ),
    (
        ("SELECT STREAM ROWTIME, o.orderId FROM Orders OVER (ROWS 2 PRECEDING) AS o"
        " JOIN Shipments AS s ON o.orderId = s.orderId"),
        "none",
        "left: rows of 3 rows; right: rows of one instant",
    ),
    (
        "SELECT STREAM DISTINCT rowtime FROM Orders",
        "1 MILLISECOND",
        "an accumulator per (ROWTIME) for 1 MILLISECOND",
    ),
    (
        "SELECT STREAM rowtime FROM Orders INTERSECT SELECT STREAM rowtime FROM Shipments",
        "1 MILLISECOND + the inputs' skew",
        "an accumulator per (ROWTIME) for 1 MILLISECOND + the inputs' skew",
    ),
    (
        # FLOOR'd clocks move by the hour: half an hour more is reached with the next one.
        ("SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY rowtime RANGE BETWEEN CURRENT ROW"
        " AND INTERVAL '30' MINUTE FOLLOWING) AS c"
        " FROM (SELECT FLOOR(rowtime TO HOUR) AS rowtime, v FROM Ticks)"),
        "1 HOUR",
        "rows of 1 HOUR",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "wait", "retained"), WAITS, ids=[each[0] for each in WAITS])
def test_what_a_query_waits_for_and_keeps(sql: str, wait: str, retained: str) -> None:
    texts = Summary(plan_of(sql))
    assert texts["latency"] == wait
    assert texts["state"] == retained


def test_a_total_is_the_sum_of_its_nodes() -> None:
    inner = (
        "SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
    )
    plan = plan_of(f"SELECT STREAM * FROM ({inner}) ORDER BY rowtime, c")
    assert isinstance(plan, Delta)
    assert str(latency(plan.input)) == "none"  # no two hours agree, so the rows come in this order
    assert str(total_latency(plan)) == "1 HOUR"


# --- what would never end -----------------------------------------------------------------------

STREAM = plan_of("SELECT STREAM * FROM Orders")
assert isinstance(STREAM, Delta)
ORDERS = STREAM.input
TIME, ORDER, PRODUCT, UNITS = (InputRef(i, row_type(ORDERS)[i].type) for i in range(4))
TRUE = literal(True, BOOLEAN)


def rising(key: InputRef) -> tuple[SortKey, ...]:
    return (SortKey(key, False, False),)


def window(
    function: AggregateFunction | WindowFunction, order: InputRef, frame: Frame, *by: InputRef
) -> Window:
    call = WindowCall(function, (UNITS,), DOUBLE)
    return Window(ORDERS, (WindowGroup(by, rising(order), frame, (call,)),), ("W",))


RUNNING = Frame(Unbounded(), RowOffset(0))
WHOLE = Frame(Unbounded(), Unbounded())

#: A plan, and the words of why it would never end; None: it does.
UNBOUNDED: list[tuple[str, Plan, str | None]] = [
    ("a scan", ORDERS, None),
    ("groups in no order", Aggregate(ORDERS, (PRODUCT,), ((0,),), (), ("P",)), "never complete"),
    ("one group of all", Aggregate(ORDERS, (), ((),), (), ()), "never complete"),
    (
        "one set without",
        Aggregate(ORDERS, (TIME, PRODUCT), ((0, 1), (1,)), (), ("T", "P")),
        "never complete",
    ),
    ("a sort in no order", Sort(ORDERS, rising(PRODUCT)), "in no order"),
    ("against the order", Sort(ORDERS, (SortKey(TIME, True, True),)), "against the direction"),
    (
        "a frame without an end",
        window(AggregateFunction.SUM, TIME, Frame(RowOffset(0), Unbounded())),
        "UNBOUNDED FOLLOWING",
    ),
    ("a window in no order", window(AggregateFunction.SUM, UNITS, RUNNING), "in no order"),
    (
        "a whole partition",
        window(WindowFunction.NTILE, TIME, WHOLE, PRODUCT),
        "UNBOUNDED FOLLOWING",
    ),
    ("its rows for ever", window(AggregateFunction.MEDIAN, TIME, RUNNING), "kept for ever"),
    ("not while it ends", window(AggregateFunction.MEDIAN, TIME, RUNNING, TIME), None),
    ("a number for ever", window(AggregateFunction.SUM, TIME, RUNNING), None),
    ("no lock step", Join(ORDERS, ORDERS, JoinKind.INNER, TRUE), "lock step"),
    (
        "equal rows in no order",
        SetOp((Project(ORDERS, (PRODUCT,), ("P",)),) * 2, SetOperator.UNION, False),
        "no column is monotonic",
    ),
    (
        "a merge",
        SetOp((Project(ORDERS, (PRODUCT,), ("P",)),) * 2, SetOperator.UNION, True),
        None,
    ),
]


@pytest.mark.parametrize(
    ("plan", "reason"), [each[1:] for each in UNBOUNDED], ids=[each[0] for each in UNBOUNDED]
)
def test_a_plan_that_would_never_end_is_found(plan: Plan, reason: str | None) -> None:
    found = unbounded_node(plan)
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert found[0] == plan
        assert reason in found[1]


def test_the_guilty_node_is_the_first_one() -> None:
    guilty = Aggregate(ORDERS, (PRODUCT,), ((0,),), (), ("P",))
    again = replace(guilty, input=guilty, keys=(InputRef(0, PRODUCT.type),))
    found = unbounded_node(Delta(Filter(again, TRUE)))
    assert found is not None
    assert found[0] == guilty


def test_what_does_not_stream_ends() -> None:
    plan = plan_of("SELECT productId, COUNT(*) AS c FROM Products GROUP BY productId")
    assert unbounded_node(plan) is None
    assert not isinstance(plan, Scan)
    assert row_type(plan)[1].type == BIGINT.as_nullable(False)
