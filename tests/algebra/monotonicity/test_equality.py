"""Equal expressions: what conditions, projections, windows and joins make equal."""

import pytest

from algebra.expression import Expression, InputRef, Round
from algebra.monotonicity.equality import equalities
from algebra.monotonicity.normal_form import nests, normal
from algebra.plan import Plan, row_type
from algebra.types import TIMESTAMP
from grammar.tree import TimeUnit
from tests.algebra.orders_schema import plan_of

DAY, HOUR, MINUTE, WEEK = TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.WEEK
MONTH, QUARTER, YEAR = TimeUnit.MONTH, TimeUnit.QUARTER, TimeUnit.YEAR
T = InputRef(0, TIMESTAMP)


def floor(operand: Expression, unit: TimeUnit) -> Round:
    return Round(False, operand, unit, TIMESTAMP)


def ceil(operand: Expression, unit: TimeUnit) -> Round:
    return Round(True, operand, unit, TIMESTAMP)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (floor(floor(T, MINUTE), HOUR), floor(T, HOUR)),
        (floor(floor(T, HOUR), MINUTE), floor(T, HOUR)),
        (floor(floor(T, HOUR), HOUR), floor(T, HOUR)),
        (ceil(ceil(T, MINUTE), HOUR), ceil(T, HOUR)),
        (ceil(floor(T, HOUR), MINUTE), floor(T, HOUR)),
        (floor(ceil(T, DAY), HOUR), ceil(T, DAY)),
        (floor(floor(T, DAY), WEEK), floor(T, WEEK)),
        (floor(floor(floor(T, MINUTE), DAY), YEAR), floor(T, YEAR)),
    ],
)
def test_rounding_twice_is_rounding_once(written: Round, expected: Round) -> None:
    assert normal(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        floor(floor(T, WEEK), MONTH),  # a week may begin in the month before
        floor(floor(T, MONTH), WEEK),
        floor(ceil(T, MINUTE), HOUR),  # 10:59:30 goes up to 11:00
        ceil(floor(T, MINUTE), HOUR),
    ],
)
def test_rounding_twice_is_not_always_once(written: Round) -> None:
    assert normal(written) == written


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (HOUR, DAY, True),
        (DAY, HOUR, False),
        (DAY, WEEK, True),
        (WEEK, MONTH, False),
        (WEEK, YEAR, False),
        (MONTH, WEEK, False),
        (MONTH, QUARTER, True),
        (QUARTER, YEAR, True),
        (WEEK, WEEK, True),
    ],
)
def test_units_nest_where_boundaries_do(part: TimeUnit, whole: TimeUnit, expected: bool) -> None:
    assert nests(part, whole) is expected


def column(plan: Plan, name: str) -> InputRef:
    fields = row_type(plan)
    [place] = (i for i, each in enumerate(fields) if each.name == name)
    return InputRef(place, fields[place].type)


#: A query, and pairs of its columns: equal in every row, or not known to be.
PAIRS = [
    ("SELECT STREAM rowtime AS a, rowtime AS b FROM Orders", "A", "B", True),
    ("SELECT STREAM units AS a, orderId AS b FROM Orders WHERE units = orderId", "A", "B", True),
    ("SELECT STREAM units AS a, orderId AS b FROM Orders WHERE units >= orderId", "A", "B", False),
    (
        ("SELECT STREAM FLOOR(rowtime TO DAY) AS a, FLOOR(FLOOR(rowtime TO HOUR) TO DAY) AS b"
        " FROM Orders"),
        "A",
        "B",
        True,
    ),
    (
        ("SELECT STREAM FLOOR(seen TO HOUR) AS a, FLOOR(rowtime TO HOUR) AS b FROM Orders"
        " WHERE seen = rowtime"),
        "A",
        "B",
        True,
    ),
    (
        ("SELECT STREAM o.orderId AS a, s.orderId AS b FROM Orders AS o JOIN Shipments AS s"
        " ON o.orderId = s.orderId"),
        "A",
        "B",
        True,
    ),
    (
        # A padded row has one of them only.
        ("SELECT STREAM o.orderId AS a, s.orderId AS b FROM Orders AS o LEFT JOIN Shipments AS s"
        " ON o.orderId = s.orderId AND o.rowtime = s.rowtime"),
        "A",
        "B",
        False,
    ),
    (
        ("SELECT STREAM FLOOR(rowtime TO HOUR) AS a,"
        " TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS b FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), FLOOR(rowtime TO HOUR)"),
        "A",
        "B",
        True,
    ),
    (
        ("SELECT STREAM FLOOR(rowtime TO HOUR) AS a,"
        " TUMBLE_START(rowtime, INTERVAL '1' HOUR, TIME '00:12:00') AS b FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR, TIME '00:12:00'), FLOOR(rowtime TO HOUR)"),
        "A",
        "B",
        False,
    ),
    (
        ("SELECT STREAM STEP(rowtime BY INTERVAL '90' MINUTE) AS a,"
        " TUMBLE_START(rowtime, INTERVAL '90' MINUTE) AS b FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '90' MINUTE), STEP(rowtime BY INTERVAL '90' MINUTE)"),
        "A",
        "B",
        True,
    ),
    (
        ("SELECT STREAM FLOOR(rowtime TO QUARTER) AS a,"
        " TUMBLE_START(rowtime, INTERVAL '3' MONTH) AS b FROM Orders"
        " GROUP BY TUMBLE(rowtime, INTERVAL '3' MONTH), FLOOR(rowtime TO QUARTER)"),
        "A",
        "B",
        True,
    ),
    (
        ("SELECT STREAM ROWTIME AS a, o.rowtime AS b FROM Orders AS o"
        " JOIN Shipments OVER (RANGE INTERVAL '1' HOUR FOLLOWING) AS s ON o.orderId = s.orderId"),
        "A",
        "B",
        True,
    ),
    ("SELECT STREAM CURRENT_TIMESTAMP AS a, CURRENT_TIMESTAMP AS b FROM Orders", "A", "B", False),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "a", "b", "expected"), PAIRS)
def test_columns_are_known_to_be_equal(sql: str, a: str, b: str, expected: bool) -> None:
    plan = plan_of(sql)
    assert equalities(plan).agree(column(plan, a), column(plan, b)) is expected
