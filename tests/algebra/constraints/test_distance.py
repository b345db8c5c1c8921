"""Distances of two columns: exact for each spelling of a condition, and never too small."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.constraints.conditions import Linearizer
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.distance import Distance, join_distance, units
from algebra.constraints.extremes import goal_ranges
from algebra.constraints.linear_terms import Term
from algebra.constraints.number_range import Range
from algebra.expression import Call, Case, Expression, InputRef, Literal, Op, Value
from algebra.plan import Filter, Join, Plan, Project, row_type
from algebra.prepare import prepare
from algebra.rewrite import rewritten, subexpressions
from grammar.source import SqlError
from reference.scalar.expression import meaning_of
from tests.algebra.joined_columns import distance
from tests.examples import examples
from tests.reference.building import ENV
from tests.strategies_conditions import COLUMNS, WIDTH, D, J, N, T, U, conditions, pair, values

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

# --- each spelling ------------------------------------------------------------------------------

DDL = """
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER ASCENDING, due TIMESTAMP(3) NOT NULL,
  units INTEGER NOT NULL CHECK (units BETWEEN 1 AND 10), seq INTEGER ASCENDING CHECK (seq >= 0),
  day DATE ASCENDING, price DECIMAL(8, 2)) WITH HISTORY;
CREATE STREAM Shipments (
  rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER ASCENDING, due TIMESTAMP(3) NOT NULL,
  units INTEGER NOT NULL CHECK (units BETWEEN 1 AND 10), seq INTEGER ASCENDING CHECK (seq >= 0),
  day DATE ASCENDING, price DECIMAL(8, 2)) WITH HISTORY;
"""
SELECT = "SELECT o.rowtime FROM Orders AS o JOIN Shipments AS s ON "


def joined(sql: str, ddl: str = DDL) -> Join:
    """The topmost join of a query over histories, which needs no lock step."""
    plan: Plan | None = prepare(ddl, sql, Profile.CALCITE).query
    while not isinstance(plan, Join):
        assert isinstance(plan, Project | Filter), plan
        plan = plan.input
    return plan


def between(join: Join, left: str, right: str) -> Distance:
    names = [[each.name for each in row_type(side)] for side in (join.left, join.right)]
    places = names[0].index(left.upper()), names[1].index(right.upper())
    return join_distance(join, *places)


#: A wrong deduction shows in one example of thousands.
MANY = examples(200, 100_000)

NEVER = (0, -1)  # no pair

#: A condition on o and s, and the least and greatest s.rowtime - o.rowtime, in milliseconds.
TIMES: list[tuple[str, int | None, int | None]] = [
    # BETWEEN, comparisons, either side first, strict and not
    ("s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR", 0, HOUR),
    ("s.rowtime BETWEEN SYMMETRIC o.rowtime + INTERVAL '1' HOUR AND o.rowtime", 0, HOUR),
    ("s.rowtime NOT BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR", None, None),
    ("o.rowtime < s.rowtime AND s.rowtime < o.rowtime + INTERVAL '1' HOUR", 1, HOUR - 1),
    ("s.rowtime - INTERVAL '1' HOUR <= o.rowtime AND o.rowtime <= s.rowtime", 0, HOUR),
    ("s.rowtime >= o.rowtime", 0, None),
    ("o.rowtime - INTERVAL '1' MINUTE < s.rowtime", 1 - MINUTE, None),
    ("s.rowtime = o.rowtime + INTERVAL '90' SECOND", 90 * SECOND, 90 * SECOND),
    ("s.rowtime IN (o.rowtime, o.rowtime + INTERVAL '10' MINUTE)", 0, 10 * MINUTE),
    ("s.rowtime IS NOT DISTINCT FROM o.rowtime", 0, 0),
    (
        (
            "s.rowtime + INTERVAL '2' HOUR > o.rowtime + INTERVAL '90' MINUTE"
            " AND s.rowtime <= o.rowtime"
        ),
        1 - 30 * MINUTE,
        0,
    ),
    (
        "s.rowtime <> o.rowtime AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR",
        1,
        HOUR,
    ),
    # negations, OR, CASE, truth tests
    ("NOT (s.rowtime < o.rowtime) AND NOT (s.rowtime > o.rowtime + INTERVAL '1' HOUR)", 0, HOUR),
    ("NOT (s.rowtime < o.rowtime OR s.rowtime >= o.rowtime + INTERVAL '1' HOUR)", 0, HOUR - 1),
    ("s.rowtime = o.rowtime OR s.rowtime = o.rowtime - INTERVAL '5' MINUTE", -5 * MINUTE, 0),
    ("(s.rowtime = o.rowtime OR s.rowtime > o.rowtime) AND s.rowtime < o.due", 0, None),
    (
        "(s.rowtime <= o.rowtime + INTERVAL '1' HOUR) IS TRUE AND (s.rowtime < o.rowtime) IS FALSE",
        0,
        HOUR,
    ),
    (
        (
            "CASE WHEN o.units > 5 THEN s.rowtime = o.rowtime"
            " ELSE s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR END"
        ),
        0,
        HOUR,
    ),
    (
        (
            "CASE WHEN s.rowtime < o.rowtime THEN FALSE"
            " ELSE s.rowtime <= o.rowtime + INTERVAL '1' HOUR END"
        ),
        0,
        HOUR,
    ),
    (
        (
            "CASE WHEN s.rowtime < o.rowtime THEN o.orderId WHEN s.rowtime > o.rowtime THEN o.units"
            " ELSE 11 END * 2 = 22 AND o.orderId = 5"
        ),
        0,
        0,
    ),
    (
        "CASE WHEN o.price > 1 THEN s.rowtime < o.rowtime ELSE s.rowtime <= o.rowtime END",
        None,
        0,
    ),
    ("COALESCE(s.rowtime, o.rowtime) = o.rowtime", 0, 0),
    ("CASE WHEN o.units > 5 THEN s.rowtime END = o.rowtime", 0, 0),
    ("NULLIF(s.rowtime, o.due) = o.rowtime", 0, 0),
    ("(s.rowtime < o.rowtime) IS NOT TRUE AND s.rowtime <= o.rowtime", 0, 0),
    ("(s.rowtime < CASE WHEN o.price > 1 THEN o.rowtime END) IS NOT TRUE", None, None),
    ("CASE WHEN s.rowtime > o.due THEN 1 END = 1 OR s.rowtime = o.rowtime", None, None),
    (
        "CASE WHEN s.rowtime > o.rowtime THEN 1 END + 1 = 2 OR s.rowtime <= o.rowtime",
        None,
        None,
    ),
    # a comparison with NULL is unknown: CASE skips its result, although it is not false
    (
        (
            "CASE WHEN s.rowtime > CASE WHEN o.price > 1 THEN o.rowtime END THEN FALSE"
            " ELSE s.rowtime >= o.rowtime END"
        ),
        0,
        None,
    ),
    # every time is distinct from NULL, and equal times are not excluded
    (
        (
            "s.rowtime IS DISTINCT FROM CASE WHEN o.price > 1 THEN o.rowtime END"
            " AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR"
        ),
        0,
        HOUR,
    ),
    # NULL is not distinct from NULL, whatever the times are
    (
        (
            "CASE WHEN s.price > 1 THEN s.rowtime END"
            " IS NOT DISTINCT FROM CASE WHEN o.price > 1 THEN o.rowtime END"
        ),
        None,
        None,
    ),
    # the first operand may be NULL, then the second counts
    (
        (
            "s.rowtime = COALESCE(CASE WHEN o.price > 1 THEN o.rowtime END,"
            " o.rowtime + INTERVAL '1' HOUR)"
        ),
        0,
        HOUR,
    ),
    ("s.rowtime > o.rowtime + INTERVAL '1' HOUR AND s.rowtime < o.rowtime", *NEVER),
    # (a - b) unit, TIMESTAMPDIFF: cut toward zero; SECOND keeps milliseconds (S-207)
    (
        "(s.rowtime - o.rowtime) SECOND BETWEEN INTERVAL '0' SECOND AND INTERVAL '90' SECOND",
        0,
        90 * SECOND,
    ),
    ("(s.rowtime - o.rowtime) MINUTE = INTERVAL '2' MINUTE", 2 * MINUTE, 3 * MINUTE - 1),
    ("(s.rowtime - o.rowtime) HOUR = INTERVAL '0' HOUR", 1 - HOUR, HOUR - 1),
    ("(o.rowtime - s.rowtime) HOUR < INTERVAL '1' HOUR AND s.rowtime <= o.rowtime", 1 - HOUR, 0),
    ("(s.rowtime - o.rowtime) HOUR < INTERVAL '-1' HOUR", None, -2 * HOUR),
    ("ABS((s.rowtime - o.rowtime) SECOND) <= INTERVAL '10' SECOND", -10 * SECOND, 10 * SECOND),
    ("TIMESTAMPDIFF(MINUTE, o.rowtime, s.rowtime) BETWEEN 0 AND 10", 1 - MINUTE, 11 * MINUTE - 1),
    ("TIMESTAMPDIFF(SECOND, o.rowtime, s.rowtime) = 1", SECOND, 2 * SECOND - 1),
    ("TIMESTAMPDIFF(WEEK, o.rowtime, s.rowtime) = -1", 1 - 14 * DAY, -7 * DAY),
    ("s.rowtime <= TIMESTAMPADD(DAY, 1, o.rowtime) AND s.rowtime > o.rowtime", 1, DAY),
    (
        (
            "(CAST(s.rowtime AS DATE) - CAST(o.rowtime AS DATE)) DAY <= INTERVAL '1' DAY"
            " AND s.rowtime >= o.rowtime"
        ),
        0,
        2 * DAY - 1,
    ),
    # months: June and July to August are 92 days, July and August 62
    ("s.rowtime >= o.rowtime AND s.rowtime <= TIMESTAMPADD(MONTH, 1, o.rowtime)", 0, 31 * DAY),
    ("s.rowtime >= o.rowtime AND s.rowtime <= o.rowtime + INTERVAL '3' MONTH", 0, 92 * DAY),
    (
        (
            "s.rowtime BETWEEN o.rowtime + INTERVAL '1' MONTH"
            " AND o.rowtime + INTERVAL '1' MONTH + INTERVAL '1' DAY"
        ),
        28 * DAY,
        32 * DAY,
    ),
    ("(s.rowtime - o.rowtime) MONTH = INTERVAL '1' MONTH", 28 * DAY, 62 * DAY - 1),
    ("(s.rowtime - o.rowtime) YEAR = INTERVAL '0' YEAR", 1 - 366 * DAY, 366 * DAY - 1),
    # equal buckets: closer than their size
    ("FLOOR(o.rowtime TO HOUR) = FLOOR(s.rowtime TO HOUR)", 1 - HOUR, HOUR - 1),
    ("CEIL(o.rowtime TO HOUR) = CEIL(s.rowtime TO HOUR)", 1 - HOUR, HOUR - 1),
    ("FLOOR(o.rowtime TO WEEK) = FLOOR(s.rowtime TO WEEK)", 1 - 7 * DAY, 7 * DAY - 1),
    ("FLOOR(o.rowtime TO MONTH) = FLOOR(s.rowtime TO MONTH)", 1 - 31 * DAY, 31 * DAY - 1),
    ("CEIL(o.rowtime TO MONTH) = CEIL(s.rowtime TO MONTH)", 1 - 31 * DAY, 31 * DAY - 1),
    ("CEIL(o.rowtime TO MONTH) = s.rowtime", 0, 31 * DAY - 1),
    ("FLOOR(o.rowtime TO QUARTER) = FLOOR(s.rowtime TO QUARTER)", 1 - 92 * DAY, 92 * DAY - 1),
    ("FLOOR(o.rowtime TO YEAR) = FLOOR(s.rowtime TO YEAR)", 1 - 366 * DAY, 366 * DAY - 1),
    ("EXTRACT(YEAR FROM o.rowtime) = EXTRACT(YEAR FROM s.rowtime)", 1 - 366 * DAY, 366 * DAY - 1),
    (
        (
            "EXTRACT(YEAR FROM o.rowtime) = EXTRACT(YEAR FROM s.rowtime)"
            " AND EXTRACT(MONTH FROM o.rowtime) = EXTRACT(MONTH FROM s.rowtime)"
        ),
        1 - 31 * DAY,
        31 * DAY - 1,
    ),
    ("EXTRACT(HOUR FROM o.rowtime) = EXTRACT(HOUR FROM s.rowtime)", None, None),
    ("CAST(o.rowtime AS DATE) = CAST(s.rowtime AS DATE)", 1 - DAY, DAY - 1),
    ("CAST(o.rowtime AS TIME) = CAST(s.rowtime AS TIME)", None, None),
    (
        (
            "CAST(o.rowtime AS DATE) = CAST(s.rowtime AS DATE)"
            " AND EXTRACT(HOUR FROM o.rowtime) = EXTRACT(HOUR FROM s.rowtime)"
        ),
        1 - HOUR,
        HOUR - 1,
    ),
    (
        "STEP(o.rowtime BY INTERVAL '15' MINUTE) = STEP(s.rowtime BY INTERVAL '15' MINUTE)",
        1 - 15 * MINUTE,
        15 * MINUTE - 1,
    ),
    (  # pairs of months since January 1970: July and August
        "STEP(o.rowtime BY INTERVAL '2' MONTH) = STEP(s.rowtime BY INTERVAL '2' MONTH)",
        1 - 62 * DAY,
        62 * DAY - 1,
    ),
    ("LAST_DAY(o.rowtime) = LAST_DAY(s.rowtime)", 1 - 31 * DAY, 31 * DAY - 1),
    # buckets next to one another
    ("FLOOR(s.rowtime TO HOUR) = CEIL(o.rowtime TO HOUR)", 0, 2 * HOUR - 2),
    ("FLOOR(s.rowtime TO DAY) = FLOOR(o.rowtime TO DAY) + INTERVAL '1' DAY", 1, 2 * DAY - 1),
    ("CAST(s.rowtime AS DATE) = CAST(o.rowtime AS DATE) + INTERVAL '1' DAY", 1, 2 * DAY - 1),
    (
        (
            "FLOOR(o.rowtime TO HOUR) < FLOOR(s.rowtime TO HOUR)"
            " AND s.rowtime < o.rowtime + INTERVAL '1' DAY"
        ),
        1,
        DAY - 1,
    ),
    (
        (
            "s.rowtime >= FLOOR(o.rowtime TO MONTH)"
            " AND s.rowtime < FLOOR(o.rowtime TO MONTH) + INTERVAL '1' MONTH"
        ),
        1 - 31 * DAY,
        31 * DAY - 1,
    ),
    (
        "EXTRACT(EPOCH FROM s.rowtime) - EXTRACT(EPOCH FROM o.rowtime) BETWEEN 0 AND 5",
        1 - SECOND,
        6 * SECOND - 1,
    ),
    # through other columns
    (
        (
            "o.rowtime <= s.due AND s.due <= o.rowtime + INTERVAL '5' MINUTE"
            " AND s.rowtime BETWEEN s.due AND s.due + INTERVAL '10' MINUTE"
        ),
        0,
        15 * MINUTE,
    ),
    (
        "s.rowtime = o.due AND o.due BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR",
        0,
        HOUR,
    ),
    ("o.rowtime = s.due AND s.rowtime = o.due", None, None),
    (
        "GREATEST(s.rowtime, o.rowtime) <= LEAST(s.rowtime, o.rowtime) + INTERVAL '1' MINUTE",
        -MINUTE,
        MINUTE,
    ),
    # how much is added is known from CHECK
    (
        "s.rowtime BETWEEN o.rowtime AND o.rowtime + o.units * INTERVAL '1' MINUTE",
        0,
        10 * MINUTE,
    ),
    (
        (
            "o.rowtime BETWEEN TIMESTAMP '2015-02-15 10:00:00' AND TIMESTAMP '2015-02-15 11:00:00'"
            " AND s.rowtime >= TIMESTAMP '2015-02-15 10:30:00'"
            " AND s.rowtime <= TIMESTAMP '2015-02-15 12:00:00'"
        ),
        -30 * MINUTE,
        2 * HOUR,
    ),
    # weeks start on Monday, and the days of EXTRACT(DOW) on Sunday (S-207, S-208)
    (
        (
            "FLOOR(o.rowtime TO WEEK) = TIMESTAMP '2015-02-16 00:00:00'"
            " AND s.rowtime = TIMESTAMP '2015-02-16 00:00:00'"
        ),
        1 - 7 * DAY,
        0,
    ),
    (
        (
            "s.rowtime = o.rowtime"
            " + EXTRACT(DOW FROM TIMESTAMP '2015-02-22 00:00:00') * INTERVAL '1' DAY"
        ),
        DAY,
        DAY,
    ),
    (
        (
            "s.rowtime = o.rowtime"
            " + EXTRACT(ISODOW FROM TIMESTAMP '2015-02-22 00:00:00') * INTERVAL '1' DAY"
        ),
        7 * DAY,
        7 * DAY,
    ),
    # what says nothing
    ("o.orderId = s.orderId", None, None),
    ("o.rowtime >= TIMESTAMP '2015-02-15 10:00:00'", None, None),
    ("EXISTS (SELECT 1 FROM Orders AS x WHERE x.rowtime = s.rowtime)", None, None),
    ("s.rowtime = CURRENT_TIMESTAMP AND o.rowtime = CURRENT_TIMESTAMP", None, None),
    ("FALSE", *NEVER),
    ("s.rowtime = CAST(NULL AS TIMESTAMP(3))", *NEVER),
]

#: A condition on o and s, a column of either, and their least and greatest distance.
NUMBERS: list[tuple[str, str, int | None, int | None]] = [
    ("o.orderId = s.orderId", "orderId", 0, 0),
    ("s.orderId - o.orderId BETWEEN -3 AND 3", "orderId", -3, 3),
    ("ABS(s.orderId - o.orderId) < 5", "orderId", -4, 4),
    ("ABS(s.orderId - o.orderId) < 5 AND SIGN(s.orderId - o.orderId) = 1", "orderId", 1, 4),
    ("o.orderId < s.orderId AND s.orderId <= o.orderId + o.units", "orderId", 1, 10),
    # -99 to 99 are cut to 0 (S-202)
    ("o.orderId / 100 = s.orderId / 100", "orderId", -198, 198),
    ("o.seq / 100 = s.seq / 100", "seq", -99, 99),
    (
        "o.orderId / 100 = s.orderId / 100 AND MOD(o.orderId, 100) = MOD(s.orderId, 100)",
        "orderId",
        0,
        0,
    ),
    ("MOD(o.orderId, 100) = MOD(s.orderId, 100)", "orderId", None, None),
    ("STEP(o.orderId BY 10) = STEP(s.orderId BY 10)", "orderId", -9, 9),
    ("FLOOR(o.orderId / 100.0) = FLOOR(s.orderId / 100.0)", "orderId", -99, 99),
    ("FLOOR(-o.orderId / 10.0) = -FLOOR(s.orderId / 10.0)", "orderId", 0, 18),
    ("ROUND(o.orderId, -1) = ROUND(s.orderId, -1)", "orderId", -9, 9),
    ("TRUNCATE(o.orderId, -1) = TRUNCATE(s.orderId, -1)", "orderId", -18, 18),
    ("2 * s.orderId <= 2 * o.orderId + 1 AND s.orderId >= o.orderId", "orderId", 0, 0),
    ("3 * s.orderId = 3 * o.orderId + 1", "orderId", *NEVER),
    ("CAST(o.orderId AS DECIMAL(12, 2)) = CAST(s.orderId AS DECIMAL(12, 2))", "orderId", 0, 0),
    ("CAST(o.orderId AS DOUBLE) = CAST(s.orderId AS DOUBLE)", "orderId", 0, 0),
    ("CAST(o.orderId AS VARCHAR) = CAST(s.orderId AS VARCHAR)", "orderId", None, None),
    ("-s.orderId BETWEEN -o.orderId AND 2 - o.orderId", "orderId", -2, 0),
    ("o.orderId * s.units = s.orderId", "orderId", None, None),
    ("o.day = s.day", "day", 0, 0),
    ("FLOOR(o.day TO MONTH) = FLOOR(s.day TO MONTH)", "day", -30, 30),
    ("CEIL(o.day TO MONTH) = s.day", "day", 0, 30),
    ("s.day BETWEEN o.day AND o.day + INTERVAL '1' MONTH", "day", 0, 31),
    ("s.day < o.day + INTERVAL '7' DAY AND s.day >= o.day", "day", 0, 6),
]


@pytest.mark.parametrize(("on", "lower", "upper"), TIMES, ids=[each[0] for each in TIMES])
def test_each_spelling_bounds_the_times_exactly(
    on: str, lower: int | None, upper: int | None
) -> None:
    """S-510: the expected intervals are derived by hand, both ends included."""
    assert between(joined(SELECT + on), "rowtime", "rowtime") == Distance(lower, upper)


@pytest.mark.parametrize(
    ("on", "name", "lower", "upper"), NUMBERS, ids=[each[0] for each in NUMBERS]
)
def test_each_spelling_bounds_numbers_and_days_exactly(
    on: str, name: str, lower: int | None, upper: int | None
) -> None:
    assert between(joined(SELECT + on), name, name) == Distance(lower, upper)


def test_a_date_and_a_timestamp_are_apart_by_milliseconds() -> None:
    """A row of the day itself may be 23:59:59.999 after its midnight."""
    on = "CAST(s.rowtime AS DATE) BETWEEN o.day AND o.day + INTERVAL '1' DAY"
    assert between(joined(SELECT + on), "day", "rowtime") == Distance(0, 2 * DAY - 1)


# --- what is known of the sides -----------------------------------------------------------------

HOURLY = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime,"
    " TUMBLE_START(rowtime, INTERVAL '1' HOUR) AS startTime, MAX(rowtime) AS latest"
    " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
)
DUE = "SELECT rowtime, rowtime + INTERVAL '1' HOUR AS due FROM Orders"
NEAR = "SELECT * FROM Orders WHERE due BETWEEN rowtime AND rowtime + INTERVAL '5' MINUTE"
EITHER = (
    "SELECT rowtime, rowtime + INTERVAL '1' HOUR AS due FROM Orders"
    " UNION ALL SELECT rowtime, rowtime - INTERVAL '2' HOUR AS due FROM Shipments"
)
PAIRED = (
    "SELECT a.rowtime, b.rowtime AS other FROM Orders AS a {} JOIN Shipments AS b"
    " ON b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '1' HOUR"
)

#: A sub-query, a condition on its rows v and those of a stream s, and the distance of their times.
VIEWS: list[tuple[str, str, int | None, int | None]] = [
    (DUE, "s.rowtime BETWEEN v.rowtime AND v.due", 0, HOUR),
    (NEAR, "s.rowtime = v.due", 0, 5 * MINUTE),
    (EITHER, "s.rowtime = v.due", -2 * HOUR, HOUR),
    (HOURLY, "s.rowtime >= v.startTime AND s.rowtime < v.rowtime", -HOUR, -1),
    (HOURLY, "s.rowtime BETWEEN v.latest AND v.rowtime", -HOUR, 0),
    (HOURLY, "s.rowtime = v.latest + INTERVAL '1' HOUR", 0, HOUR - 1),
    (HOURLY, "FLOOR(s.rowtime TO HOUR) = v.startTime", -HOUR, -1),
    (PAIRED.format(""), "s.rowtime BETWEEN v.other AND v.other + INTERVAL '1' HOUR", 0, 2 * HOUR),
    # The condition has a shipment, so it is of a row that is not padded.
    (PAIRED.format("LEFT"), "s.rowtime = v.other", 0, HOUR),
    (PAIRED.format("LEFT"), "COALESCE(v.other, s.rowtime) = s.rowtime", None, None),
    (PAIRED.format("RIGHT"), "s.rowtime = v.other AND v.rowtime IS NOT NULL", 0, HOUR),
    (
        (
            "SELECT a.rowtime, b.due FROM Orders AS a"
            " LEFT JOIN (SELECT * FROM Shipments WHERE FALSE) AS b ON a.orderId = b.orderId"
        ),
        "s.rowtime = v.rowtime",
        0,
        0,
    ),
    (
        (
            "SELECT rowtime, units, MIN(due) AS due FROM Orders WHERE due >= rowtime"
            " GROUP BY rowtime, units"
        ),
        "s.rowtime BETWEEN v.due AND v.rowtime + INTERVAL '1' HOUR",
        0,
        HOUR,
    ),
    (
        (
            "SELECT rowtime, MIN(due) AS due FROM Orders WHERE due >= rowtime"
            " GROUP BY GROUPING SETS ((rowtime), (units))"
        ),
        "s.rowtime BETWEEN v.due AND v.rowtime + INTERVAL '1' HOUR",
        None,
        HOUR,
    ),
    (
        (
            "SELECT rowtime, due FROM Orders WHERE due >= rowtime"
            " EXCEPT ALL SELECT rowtime, due FROM Shipments"
        ),
        "s.rowtime = v.due",
        0,
        None,
    ),
    (
        (
            "SELECT rowtime, due FROM Orders WHERE due >= rowtime"
            " INTERSECT SELECT rowtime, due FROM Shipments WHERE due <= rowtime"
        ),
        "s.rowtime = v.due",
        0,
        0,
    ),
    (
        (
            "SELECT ROWTIME AS rowtime, a.rowtime AS one, b.rowtime AS other"
            " FROM Orders OVER (RANGE INTERVAL '10' MINUTE PRECEDING) AS a JOIN Shipments AS b"
            " ON a.orderId = b.orderId"
        ),
        "s.rowtime = v.one",
        -10 * MINUTE,
        0,
    ),
    (
        ("SELECT rowtime, SUM(units) OVER (ROWS 3 PRECEDING) AS c FROM Orders"),
        "s.rowtime = v.rowtime",
        0,
        0,
    ),
]


@pytest.mark.parametrize(("view", "on", "lower", "upper"), VIEWS, ids=[e[1] for e in VIEWS])
def test_what_a_sub_query_makes_sure_of_counts(
    view: str, on: str, lower: int | None, upper: int | None
) -> None:
    """S-510: computed columns, dropped rows, groups, windows, joins and set operations below."""
    sql = f"SELECT v.rowtime FROM ({view}) AS v JOIN Shipments AS s ON {on}"
    assert between(joined(sql), "rowtime", "rowtime") == Distance(lower, upper)


@pytest.mark.parametrize(
    ("text", "value"), [("1.5E-1", 2), ("2.5E-1", 3), ("1E0", 10), ("1.4999999999999999E-1", 1)]
)
def test_a_float_is_compared_as_the_decimal_of_its_digits(text: str, value: int) -> None:
    """S-202: 0.15 becomes 0.2, although as a float it is slightly less than 0.15."""
    sql = (
        f"SELECT v.n FROM (SELECT seq, CAST(10 * CAST({text} AS DECIMAL(2, 1)) AS INTEGER) AS n"
        " FROM Orders) AS v JOIN Shipments AS s ON s.seq = v.n"
    )
    found = between(joined(sql), "n", "seq")
    assert found == Distance(0, 0)
    condition = joined(sql.replace("s.seq = v.n", "s.seq = 0"))
    known = between(condition, "n", "seq")
    assert known.lower is None or known.lower <= -value
    assert known.upper is None or -value <= known.upper


def test_a_check_that_only_null_passes_leaves_its_rows() -> None:
    """S-301: it is unknown for NULL, so such rows come in, and COALESCE takes the other operand."""
    ddl = DDL.replace("units INTEGER NOT NULL CHECK (units BETWEEN 1 AND 10)", "{}", 1)
    ddl = ddl.format("units INTEGER CHECK (units > 5 AND units < 3)")
    sql = (
        "SELECT v.n FROM (SELECT COALESCE(units, seq) AS n FROM Orders) AS v"
        " JOIN Shipments AS s ON s.seq = v.n"
    )
    assert between(joined(sql, ddl), "n", "seq") == Distance(0, 0)


def test_a_check_that_may_be_unknown_proves_nothing() -> None:
    """S-301: a NULL passes a CHECK."""
    for null, expected in (("NOT NULL", Distance(0, 0)), ("", Distance(None, 0))):
        ddl = (
            f"CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, due TIMESTAMP(3) {null},"
            f" last TIMESTAMP(3) {null}, CHECK (rowtime <= due AND due <= last)) WITH HISTORY;"
            "CREATE STREAM Shipments (rowtime TIMESTAMP(3) ASCENDING) WITH HISTORY"
        )
        sql = SELECT + "s.rowtime = o.last AND s.rowtime <= o.rowtime"
        assert between(joined(sql, ddl), "rowtime", "rowtime") == expected


# --- values -------------------------------------------------------------------------------------


@given(values(), st.integers(0, 2**32))
@MANY
def test_of_one_row_each_value_is_read_exactly(expression: Expression, seed: int) -> None:
    """Over constants, every operator is exactly the value that the reference computes."""
    row = pair(Random(seed))
    assume(None not in row)
    constant = rewritten(
        expression, lambda e: Literal(row[e.index], e.type) if isinstance(e, InputRef) else e
    )
    try:
        value = meaning_of(constant, ENV)(())
    except SqlError:
        reject()
    system = ConstraintSystem()
    reading = Linearizer(system, lambda _: Term()).value_of(constant)
    assume(isinstance(reading, Term))
    assert isinstance(reading, Term)
    assert isinstance(value, int | float | Decimal)
    exact = Fraction(value)
    found = goal_ranges(system, (), [reading])
    assert found is not None
    if not any(map(_chooses, subexpressions(expression))):
        assert found == [Range(exact, exact)]
    [known] = found
    assert known.lower is None or known.lower <= exact
    assert known.upper is None or exact <= known.upper


def _chooses(expression: Expression) -> bool:
    """Whether the value is one of several, of which it is not known which."""
    choices = {Op.GREATEST, Op.LEAST, Op.COALESCE, Op.ABS, Op.SIGN}
    return isinstance(expression, Case) or (
        isinstance(expression, Call) and expression.op in choices
    )


# --- soundness ----------------------------------------------------------------------------------

#: Columns of either side whose distance is asked for.
MAX_PAIRS = ((T, T), (U, T), (N, N), (D, D), (D, T), (J, N))
#: How far beyond an end of the interval rows are tried.
BEYOND = (1, 2, 499, 999, MINUTE, HOUR - 1, HOUR, DAY - 1, DAY, 31 * DAY)


@given(conditions(), st.integers(0, 2**32))
@MANY
def test_no_pair_outside_the_interval_satisfies_the_condition(
    condition: Expression, seed: int
) -> None:
    """S-510: all types and operators, over random rows and rows just outside the interval."""
    random = Random(seed)
    accepts = _where(condition)
    i, j = random.choice(MAX_PAIRS)
    known = distance((condition,), COLUMNS, i, j)
    scales = units(COLUMNS[i], COLUMNS[j])
    for row in _rows(random, i, j, known, scales):
        a, b = row[i], row[WIDTH + j]
        if accepts(row):
            assert isinstance(a, int | None)
            assert isinstance(b, int | None)
            # A condition that bounds a distance is never true of a NULL.
            assert known == Distance() or (a is not None and b is not None), row
            if a is not None and b is not None:
                days_between = b * scales[1] - a * scales[0]
                assert known.lower is None or known.lower <= days_between, row
                assert known.upper is None or days_between <= known.upper, row


def _where(condition: Expression) -> Callable[[list[Value]], bool]:
    meaning = meaning_of(condition, ENV)

    def accepts(row: list[Value]) -> bool:
        try:
            return meaning(tuple(row)) is True
        except SqlError:
            return False  # a year or number out of range: no pair of a join

    return accepts


def _rows(
    random: Random, i: int, j: int, known: Distance, scales: tuple[int, int]
) -> Iterator[list[Value]]:
    """Random rows, and rows whose columns are just outside the interval."""
    for _ in range(12):
        yield pair(random)
    ends = [(known.upper, 1), (known.lower, -1)]
    for end, sign in ends:
        if end is None or abs(end) > 10_000 * DAY:
            continue
        for _ in range(6):
            row = pair(random)
            a = row[i]
            if isinstance(a, int):
                days_between = end + sign * random.choice(BEYOND)
                row[WIDTH + j] = (a * scales[0] + days_between) // scales[1]
                yield row
