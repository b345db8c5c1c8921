"""Collations: which orders each node preserves, creates and implies."""

from collections.abc import Sequence

import pytest

from algebra.expression import Call, Cast, Expression, InputRef, Literal, Op, Round, SortKey
from algebra.metadata.collation import collations, orderings
from algebra.metadata.plan_metadata import orders_text
from algebra.plan import Plan, row_type
from algebra.spelling import names_of
from algebra.types import BIGINT, DATE, INTEGER, TIMESTAMP
from grammar.tree import TimeUnit
from tests.algebra.orders_schema import plan_of

#: Queries, and the orders that their rows are known to come in.
ORDERS = [
    ("SELECT STREAM * FROM Orders", "[ROWTIME]; [ORDERID STRICT]"),
    ("SELECT STREAM v FROM Ticks WHERE v = 3", "none"),
    ("SELECT STREAM rowtime, rowtime AS again FROM Ticks", "[ROWTIME STRICT]; [AGAIN STRICT]"),
    (
        "SELECT STREAM CAST(rowtime AS DATE) AS d, CAST(orderId AS BIGINT) AS o FROM Orders",
        "[D]; [O STRICT]",
    ),
    (
        (
            "SELECT STREAM FLOOR(FLOOR(rowtime TO MINUTE) TO HOUR) AS h, w FROM Ticks"
            " ORDER BY FLOOR(rowtime TO HOUR), w"
        ),
        "[H, W]",
    ),
    (
        (
            "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, w, v FROM Ticks"
            " ORDER BY FLOOR(rowtime TO HOUR), w DESC, v NULLS FIRST"
        ),
        "[ROWTIME, W DESC, V NULLS FIRST]",
    ),
    (
        "SELECT STREAM seen FROM Orders WHERE seen = rowtime",
        "[SEEN]",
    ),
    (
        "SELECT STREAM FLOOR(seen TO HOUR) AS h FROM Orders WHERE seen = rowtime",
        "[H]",
    ),
    (
        (
            "SELECT STREAM TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS s,"
            " TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS e FROM Orders"
            " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
        ),
        "[S STRICT]; [E STRICT]",
    ),
    (
        (
            "SELECT STREAM FLOOR(rowtime TO HOUR) AS h, FLOOR(rowtime TO MINUTE) AS m"
            " FROM Orders GROUP BY FLOOR(rowtime TO HOUR), FLOOR(rowtime TO MINUTE)"
        ),
        "[M]; [H, M STRICT]",
    ),
    ("SELECT STREAM DISTINCT rowtime FROM Orders", "[ROWTIME STRICT]"),
    ("SELECT STREAM DISTINCT rowtime, productId FROM Orders", "[ROWTIME]"),
    (
        (
            "SELECT STREAM rowtime, orderId FROM Orders"
            " UNION SELECT STREAM rowtime, orderId FROM Orders"
        ),
        "[ROWTIME]",
    ),
    (
        (
            "SELECT STREAM o.orderId, s.orderId AS other FROM Orders AS o"
            " JOIN Shipments AS s ON o.orderId = s.orderId"
        ),
        "[ORDERID]; [OTHER]",
    ),
    (
        (
            "SELECT STREAM o.rowtime, s.rowtime AS t FROM Orders AS o LEFT JOIN Shipments AS s"
            " ON o.rowtime = s.rowtime"
        ),
        "[ROWTIME]",
    ),
    ("SELECT STREAM * FROM Late", "none"),
    ("SELECT STREAM * FROM Late ORDER BY rowtime", "[ROWTIME]"),
    ("SELECT STREAM rest FROM Countdown", "[REST DESC]"),
    ("SELECT * FROM (VALUES (3, 'a'), (2, 'b'), (1, 'a')) AS t (x, y)", "[X DESC STRICT]"),
    ("SELECT productId, name FROM Products ORDER BY name DESC", "[NAME DESC]"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), ORDERS, ids=[each[0] for each in ORDERS])
def test_the_orders_of_a_query_are_known(sql: str, expected: str) -> None:
    plan = plan_of(sql)
    assert orders_text(collations(plan), names_of(plan)) == expected


# --- sorted on what? ----------------------------------------------------------------------------


def column(plan: Plan, name: str) -> InputRef:
    fields = row_type(plan)
    [place] = (i for i, each in enumerate(fields) if each.name == name)
    return InputRef(place, fields[place].type)


def hour(time: Expression) -> Expression:
    return Round(False, time, TimeUnit.HOUR, time.type)


def rising(*keys: Expression) -> list[SortKey]:
    return [SortKey(each, False, False) for each in keys]


def descending(key: Expression) -> list[SortKey]:
    return [SortKey(key, True, True)]


TICKS = plan_of("SELECT STREAM * FROM Ticks")
STREAM = plan_of("SELECT STREAM * FROM Orders")
TIME, ORDER, PRODUCT = (column(STREAM, each) for each in ("ROWTIME", "ORDERID", "PRODUCTID"))
UNITS = column(STREAM, "UNITS")
BY_HOUR = plan_of("SELECT STREAM * FROM Ticks ORDER BY FLOOR(rowtime TO HOUR), w")
TICK, V, W = (column(BY_HOUR, each) for each in ("ROWTIME", "V", "W"))
ONE = Literal(1, INTEGER.as_nullable(False))


def plus_one(number: Expression) -> Expression:
    return Call(Op.PLUS, (number, ONE), number.type)


#: A plan, sort keys, and whether its rows are known to come in their order.
QUESTIONS: list[tuple[str, Plan, Sequence[SortKey], bool]] = [
    ("the order itself", STREAM, rising(TIME), True),
    ("its reverse", STREAM, descending(TIME), False),
    ("no key", STREAM, [], True),
    ("a column in no order", STREAM, rising(PRODUCT), False),
    ("a function of one in order", STREAM, rising(hour(TIME)), True),
    ("the function, then its argument", STREAM, rising(hour(TIME), TIME), True),
    ("two columns that both rise", STREAM, rising(TIME, ORDER), True),
    ("behind what no two rows share anything is", STREAM, rising(ORDER, PRODUCT), True),
    ("also behind a strict function of that", STREAM, rising(plus_one(ORDER), PRODUCT), True),
    ("but not behind one that comes together", STREAM, rising(hour(TIME), PRODUCT), False),
    ("a constant says nothing", STREAM, rising(ONE, TIME, ONE, ORDER), True),
    ("the same key twice", STREAM, rising(TIME, TIME), True),
    ("against itself", STREAM, [*rising(TIME), *descending(TIME)], True),
    ("a cast that keeps all values", STREAM, rising(Cast(ORDER, BIGINT), UNITS), False),
    (
        "a cast that keeps all values and is not NULL",
        STREAM,
        rising(Cast(ORDER, BIGINT.as_nullable(False)), UNITS),
        True,
    ),
    (
        "a cast that does not",
        STREAM,
        rising(Cast(TIME, DATE.as_nullable(False)), ORDER),
        True,
    ),
    ("the keys of a sort", BY_HOUR, rising(hour(TICK), W), True),
    ("the first of them", BY_HOUR, rising(hour(TICK)), True),
    ("a function of the first", BY_HOUR, rising(Cast(TICK, DATE.as_nullable(False))), True),
    ("not the second alone", BY_HOUR, rising(W), False),
    ("nor in the other order", BY_HOUR, rising(W, hour(TICK)), False),
    ("ties as they came", BY_HOUR, rising(hour(TICK), W, TICK), True),
    ("and no two of them agree", BY_HOUR, rising(hour(TICK), W, TICK, V), True),
    ("but not what came, without the keys", BY_HOUR, rising(TICK), False),
    ("a strict function of the second", BY_HOUR, rising(hour(TICK), plus_one(W), TICK), True),
    ("the second falls not", BY_HOUR, [*rising(hour(TICK)), *descending(W)], False),
    (
        "an expression of the second",
        BY_HOUR,
        rising(hour(TICK), Call(Op.DIVIDE, (W, Literal(2, INTEGER)), W.type)),
        True,
    ),
]


@pytest.mark.parametrize(
    ("plan", "keys", "expected"), [e[1:] for e in QUESTIONS], ids=[e[0] for e in QUESTIONS]
)
def test_whether_rows_are_sorted_is_known(
    plan: Plan, keys: Sequence[SortKey], expected: bool
) -> None:
    assert orderings(plan).sorted_on(keys) is expected


def test_nulls_stand_where_the_sort_put_them() -> None:
    plan = plan_of("SELECT name FROM Products ORDER BY name")
    name = column(plan, "NAME")
    assert orderings(plan).sorted_on([SortKey(name, False, nulls_first=False)])
    assert not orderings(plan).sorted_on([SortKey(name, False, nulls_first=True)])


def test_equal_columns_are_sorted_by_either() -> None:
    plan = plan_of("SELECT STREAM * FROM Orders WHERE seen = rowtime AND units = orderId")
    seen, units = column(plan, "SEEN"), column(plan, "UNITS")
    assert orderings(plan).sorted_on(rising(seen, units))
    assert orderings(plan).sorted_on(rising(units, column(plan, "PRODUCTID")))


def test_a_window_that_starts_on_the_hour_is_its_floor() -> None:
    plan = plan_of(
        "SELECT STREAM TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS s, COUNT(*) AS c FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"
    )
    s = column(plan, "S")
    assert orderings(plan).sorted_on(rising(hour(s), s))
    assert s.type == TIMESTAMP.as_nullable(False)


def test_the_fields_of_an_interval_matter_to_a_cast() -> None:
    """As numbers an hour is 1, sixty minutes are 60: less 30, one decreases, one increases."""
    by = "productId * (CAST(INTERVAL '60' MINUTE AS INTEGER) - 30)"
    other = "productId * (CAST(INTERVAL '1' HOUR AS INTEGER) - 30)"
    plan = plan_of(f"SELECT {by} AS a, {other} AS b FROM Products WHERE productId > 0 ORDER BY a")
    assert orderings(plan).sorted_on(rising(column(plan, "A")))
    assert not orderings(plan).sorted_on(rising(column(plan, "B")))


def test_rows_in_the_order_of_a_float_end_with_what_is_no_number() -> None:
    """S-202: 1, 9, NaN are in order, but whether they are above 5 is FALSE, TRUE, FALSE."""
    plan = plan_of(
        "SELECT x, x > 5 AS above FROM (SELECT CAST(name AS DOUBLE) AS x FROM Products"
        " WHERE name IS NOT NULL) ORDER BY x"
    )
    assert not orderings(plan).sorted_on(rising(column(plan, "ABOVE")))
