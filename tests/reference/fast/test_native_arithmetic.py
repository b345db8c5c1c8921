"""Arithmetic at speed has the results of the definition (S-202)."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algebra.expression import Op, Value
from algebra.types import BIGINT, DOUBLE, INTEGER, SMALLINT, Type, decimal, interval
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.fast.native_arithmetic import arithmetic_of
from reference.scalar.arithmetic import arithmetic
from reference.scalar.sums import exact_sum, new_sum, rounding
from reference.values import fit

WIDE = decimal(38, 10)
VALUES: dict[Type, st.SearchStrategy[Value]] = {
    SMALLINT: st.integers(-(2**15), 2**15 - 1),
    INTEGER: st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 2),
    BIGINT: st.integers(-(2**63), 2**63 - 1),
    decimal(4, 2): st.integers(-9999, 9999).map(lambda n: Decimal(n).scaleb(-2)),
    WIDE: st.integers(-(10**38) + 1, 10**38 - 1).map(lambda n: Decimal(f"{n}E-10")),
    interval(TimeUnit.DAY): st.integers(-(2**63), 2**63 - 1),
    DOUBLE: st.floats(),
}
NUMBERS = [each for each in VALUES if each.fields is None]
OPERATORS = [Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE, Op.MOD]


def outcome(function: Callable[[], Value]) -> str:
    """The value with its class and digits, or the error."""
    try:
        return repr(function())
    except SqlError as error:
        return f"{error.code} {error.message}"


@pytest.mark.parametrize("op", OPERATORS)
@given(data=st.data())
def test_results_are_those_of_the_definition(op: Op, data: st.DataObject) -> None:
    first, second = (data.draw(st.sampled_from(NUMBERS)) for _ in "ab")
    type = data.draw(st.sampled_from(NUMBERS))
    assume(op is not Op.MOD or DOUBLE not in (first, second, type))  # it takes exact numbers
    a, b = data.draw(VALUES[first]), data.draw(VALUES[second])
    quick = arithmetic_of(op, type, (first, second))
    # 38 digits hold in Python's own arithmetic, which has 28, only if nothing uses it.
    assert outcome(lambda: quick(a, b)) == outcome(lambda: arithmetic(op, type, a, b))


@pytest.mark.parametrize("op", [Op.PLUS, Op.MINUS])
@given(data=st.data())
def test_intervals_too(op: Op, data: st.DataObject) -> None:
    days = interval(TimeUnit.DAY)
    a, b = data.draw(VALUES[days]), data.draw(VALUES[days])
    quick = arithmetic_of(op, days, (days, days))
    assert outcome(lambda: quick(a, b)) == outcome(lambda: arithmetic(op, days, a, b))


@pytest.mark.parametrize("type", VALUES, ids=str)
@given(st.integers(-(2**70), 2**70), st.integers(1, 10) | st.just(2**1074))
def test_a_quotient_is_rounded_as_its_fraction_is(
    type: Type, numerator: int, denominator: int
) -> None:
    quotient = Fraction(numerator, denominator)
    rounded = rounding(type)
    assert outcome(lambda: rounded(numerator, denominator)) == outcome(lambda: fit(type, quotient))


# --- sums ---------------------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_a_sum_of_doubles_is_that_of_the_fractions_they_are(values: list[Value]) -> None:
    assert exact_sum(values) == sum(Fraction(each) for each in values if isinstance(each, float))


@given(st.lists(VALUES[WIDE], min_size=1))
def test_a_sum_of_decimals_is_exact(values: list[Value]) -> None:
    assert exact_sum(values) == sum(Fraction(e) for e in values if isinstance(e, Decimal))


@pytest.mark.parametrize("type", [INTEGER, decimal(4, 2), DOUBLE], ids=str)
@given(data=st.data())
def test_what_came_and_went_leaves_nothing_in_a_sum(type: Type, data: st.DataObject) -> None:
    gone, kept = (data.draw(st.lists(VALUES[type])) for _ in "ab")
    left, fresh = new_sum(type, type)(), new_sum(type, type)()
    for value in gone + kept:
        left.add(value)
    for value in gone:
        left.add(value, -1)
    for value in kept:
        fresh.add(value)
    mean = data.draw(st.booleans())
    assert outcome(lambda: left.result(mean)) == outcome(lambda: fresh.result(mean))


def test_a_small_number_outlives_a_great_one_in_a_sum() -> None:
    total = new_sum(DOUBLE, DOUBLE)()
    for value in (1e308, 1e308, 5e-324):
        total.add(value)
    total.add(1e308, -1)
    total.add(1e308, -1)
    assert total.result() == 5e-324
