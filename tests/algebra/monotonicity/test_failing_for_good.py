"""Expressions that fail at a bound: they have ended exactly where all later values fail (S-405)."""

from collections.abc import Sequence
from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.expression import Expression, InputRef, Value
from algebra.monotonicity.progress import Bound, Bounds, is_past_all, progress
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import Delta, Project
from algebra.prepare import prepare
from algebra.types import BIGINT, DATE, INTEGER, MAX_DATE, MAX_TIMESTAMP, TIMESTAMP, VARCHAR, Type
from grammar.source import SqlError
from reference.scalar.expression import meaning_of
from tests.reference.building import ENV, ts

UP: Final = Monotonicity.INCREASING
DDL: Final = """
CREATE STREAM T (n INTEGER NOT NULL ASCENDING, rowtime TIMESTAMP(3) NOT NULL ASCENDING)
"""
#: Where the expressions below reach the ends of their types.
LIMITS: Final = (127, 128, 21_474, 21_475, 46_341, 999_872, 1_000_127, 2_000_000)
#: The least and the greatest number, those around zero, and those around the limits.
NUMBERS: Final = sorted({
    *(-(2**31), 2**31 - 1, *range(-12, 13)),
    *(sign * at + off for at in LIMITS for sign in (-1, 1) for off in (-1, 0, 1)),
})  # fmt: skip
TIMES: Final = sorted(
    ts(each)
    for each in (
        "0001-01-01 00:00:00", "0001-01-01 12:00:00", "0001-01-02 00:00:00", "2015-02-15 10:00:00",
        "9999-11-30 23:59:59.999", "9999-12-01 00:00:00", "9999-12-30 23:59:59.999",
        "9999-12-31 00:00:00", "9999-12-31 23:00:00", "9999-12-31 23:00:00.001",
        "9999-12-31 23:59:59.999",
    )
)  # fmt: skip

OF_A_NUMBER: Final = """
n * 100000
n * (-100000)
-n * 100000
n + 2147483000
n - 2147483000
-n
n + 1
n - 1
CAST(n AS TINYINT)
CAST(-n AS TINYINT)
CAST(n - 1000000 AS TINYINT)
CAST(n AS DECIMAL(2, 1))
n * 100000 / 100000
CAST(n AS SMALLINT) * CAST(100 AS SMALLINT)
SQRT(9 - n)
LN(-n)
LN(n)
SQRT(n)
FLOOR(CAST(n AS DECIMAL(5, 1)))
COALESCE(n * 100000, 0)
GREATEST(n * 100000, 0)
n * 100000 > 5
n * INTERVAL '99999999' HOUR
DATE '9999-12-30' + n * INTERVAL '1' DAY
DATE '0001-01-03' - n * INTERVAL '1' DAY
STEP(n BY 1000)
ROUND(CAST(n AS DECIMAL(3, 0)), -1)
"""

OF_A_TIME: Final = """
rowtime + INTERVAL '1' DAY
rowtime - INTERVAL '1' DAY
CEIL(rowtime TO HOUR)
CEIL(rowtime TO MONTH)
FLOOR(rowtime TO HOUR)
FLOOR(rowtime TO MONTH) + INTERVAL '1' MONTH
FLOOR(rowtime TO MONTH) - INTERVAL '1' MONTH
CAST(rowtime AS DATE) + INTERVAL '1' DAY
CEIL(rowtime + INTERVAL '1' HOUR TO HOUR)
EXTRACT(YEAR FROM rowtime + INTERVAL '1' DAY)
TIMESTAMP '2015-02-15 10:00:00' + (rowtime - TIMESTAMP '2015-02-15 10:00:00') DAY * 2
"""


def expression(text: str) -> Expression:
    """An expression on the columns n and rowtime."""
    plan = prepare(DDL, f"SELECT STREAM {text} AS x FROM T", Profile.CALCITE).query
    assert isinstance(plan, Delta)
    assert isinstance(plan.input, Project)
    return plan.input.expressions[0]


def ends_at(text: str, column: int, values: Sequence[int]) -> tuple[list[int], list[int]]:
    """The values of a column at which an expression has ended as a bound, and from which it fails.

    It fails from a value on if it fails there and at all later ones.
    """
    found = expression(text)
    known = progress(found, (UP, UP), (), lambda each: meaning_of(each, ENV))
    assert known is not None, "the expression has an order"

    def row(value: int) -> tuple[Value, ...]:
        return (value, 0) if column == 0 else (0, value)

    def fails(value: int) -> bool:
        try:
            meaning_of(found, ENV)(row(value))
        except SqlError:
            return True
        return False

    ended = [
        each for each in values if known.has_ended(Bounds(tuple(map(Bound, row(each)))))
    ]  # fmt: skip
    first = next((i for i in range(len(values)) if all(map(fails, values[i:]))), len(values))
    return ended, list(values[first:])


@pytest.mark.parametrize("text", OF_A_NUMBER.strip().splitlines())
def test_an_expression_has_ended_where_it_fails_for_good(text: str) -> None:
    """S-405.e, S-405.f: by numbers."""
    ended, failing = ends_at(text, 0, NUMBERS)
    assert ended == failing


@pytest.mark.parametrize("text", OF_A_TIME.strip().splitlines())
def test_a_time_has_ended_where_it_fails_for_good(text: str) -> None:
    """S-405.e, S-405.f: by the calendar."""
    ended, failing = ends_at(text, 1, TIMES)
    assert ended == failing


def test_a_result_that_is_not_always_evaluated_says_nothing() -> None:
    """S-405.f: at 150 the first result fails, and from 200 on there is the second one."""
    text = "CASE WHEN n < 200 THEN CAST(n AS TINYINT) ELSE n END"
    ended, failing = ends_at(text, 0, [100, 150, 250])
    assert (ended, failing) == ([], [])


@pytest.mark.parametrize(
    ("type", "value", "descending", "expected"),
    [
        (INTEGER, 2**31 - 1, False, False),
        (INTEGER, 2**31, False, True),
        (INTEGER, -(2**31) - 1, True, True),
        (INTEGER, -(2**31) - 1, False, False),
        (BIGINT, 2**31, False, False),
        (DATE, MAX_DATE + 1, False, True),
        (TIMESTAMP, MAX_TIMESTAMP, False, False),
        (TIMESTAMP, MAX_TIMESTAMP + 1, False, True),
        (VARCHAR, "z", False, False),
    ],
)
def test_a_bound_past_the_last_value_is_the_end(
    type: Type, value: Value, descending: bool, expected: bool
) -> None:
    """S-105.c."""
    assert is_past_all(type, Bound(value), descending) == expected


def test_a_column_has_no_end_of_its_own() -> None:
    """Its bound is told by its stream."""
    known = progress(
        InputRef(0, INTEGER), (Monotonicity.INCREASING,), (), lambda _: lambda row: row[0]
    )
    assert known is not None
    assert not known.may_end
