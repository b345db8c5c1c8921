"""Arithmetic: exact where it is exact, IEEE 754 where it is not (S-202)."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Op, Value
from algebra.types import (
    BIGINT,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.scalar.arithmetic import (
    absolute,
    arithmetic,
    negated,
    rounded_number,
    step_number,
    transcendental,
)
from reference.values import fit, half_up, nearest, nearest_single, single

D = Decimal
LIMITS = {TINYINT: 2**7, SMALLINT: 2**15, INTEGER: 2**31, BIGINT: 2**63}


def code_of(op: Op, type: Type, a: Value, b: Value) -> Code:
    with pytest.raises(SqlError) as caught:
        arithmetic(op, type, a, b)
    assert caught.value.sql == ""
    return caught.value.code


@pytest.mark.parametrize(("type", "limit"), LIMITS.items())
def test_integers_overflow_one_past_their_bits(type: Type, limit: int) -> None:
    assert arithmetic(Op.PLUS, type, limit - 2, 1) == limit - 1
    assert arithmetic(Op.MINUS, type, 1 - limit, 1) == -limit
    assert code_of(Op.PLUS, type, limit - 1, 1) is Code.OVERFLOW
    assert code_of(Op.MINUS, type, -limit, 1) is Code.OVERFLOW
    assert code_of(Op.TIMES, type, -limit, -1) is Code.OVERFLOW
    assert code_of(Op.DIVIDE, type, -limit, -1) is Code.OVERFLOW
    with pytest.raises(SqlError):
        negated(type, -limit)
    with pytest.raises(SqlError):
        absolute(type, -limit)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "rest"), [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)]
)
def test_integers_divide_toward_zero_and_mod_has_the_dividends_sign(
    a: int, b: int, quotient: int, rest: int
) -> None:
    assert arithmetic(Op.DIVIDE, INTEGER, a, b) == quotient
    assert arithmetic(Op.MOD, INTEGER, a, b) == rest


@given(st.integers(-(2**40), 2**40), st.integers(-(2**20), 2**20).filter(bool))
def test_quotient_and_mod_make_up_the_dividend(a: int, b: int) -> None:
    quotient, rest = (arithmetic(op, BIGINT, a, b) for op in (Op.DIVIDE, Op.MOD))
    assert isinstance(quotient, int)
    assert isinstance(rest, int)
    assert quotient * b + rest == a
    assert abs(rest) < abs(b)
    assert rest == 0 or (rest < 0) == (a < 0)


@pytest.mark.parametrize("type", [INTEGER, BIGINT, decimal(10, 2)])
@pytest.mark.parametrize("op", [Op.DIVIDE, Op.MOD])
def test_exact_division_by_zero_is_an_error(type: Type, op: Op) -> None:
    assert code_of(op, type, fit(type, 1), fit(type, 0)) is Code.DIVISION_BY_ZERO


@pytest.mark.parametrize(
    ("op", "a", "b", "type", "value"),
    [
        (Op.PLUS, "1.50", "0.255", decimal(5, 3), "1.755"),
        (Op.MINUS, "0.1", "0.3", decimal(5, 1), "-0.2"),
        (Op.TIMES, "1.25", "1.25", decimal(5, 4), "1.5625"),
        (Op.TIMES, "1.25", "1.25", decimal(5, 3), "1.563"),
        (Op.TIMES, "-1.25", "1.25", decimal(5, 3), "-1.563"),
        (Op.DIVIDE, "1", "3", decimal(10, 6), "0.333333"),
        (Op.DIVIDE, "2", "3", decimal(10, 6), "0.666667"),
        (Op.DIVIDE, "1", "8", decimal(10, 2), "0.13"),
        (Op.DIVIDE, "-1", "8", decimal(10, 2), "-0.13"),
        (Op.MOD, "-7.5", "2", decimal(3, 1), "-1.5"),
        (Op.TIMES, "9" * 19, "9" * 19, decimal(38, 0), "99999999999999999980000000000000000001"),
        (Op.DIVIDE, "1", "7", decimal(38, 37), "0.1428571428571428571428571428571428571"),
    ],
)
def test_decimals_are_exact_and_rounded_half_up_once(
    op: Op, a: str, b: str, type: Type, value: str
) -> None:
    result = arithmetic(op, type, D(a), D(b))
    assert isinstance(result, Decimal)
    assert str(result) == value


def test_a_decimal_overflows_by_its_digits_also_through_rounding() -> None:
    assert code_of(Op.PLUS, decimal(3, 2), D("9.99"), D("0.01")) is Code.OVERFLOW
    assert code_of(Op.TIMES, decimal(3, 1), D("99.95"), 1) is Code.OVERFLOW
    assert arithmetic(Op.TIMES, decimal(3, 1), D("99.94"), 1) == D("99.9")


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-(10**6), max_value=10**6
    )
)
def test_half_up_is_the_nearest_and_ties_go_away_from_zero(number: Decimal) -> None:
    rounded = half_up(Fraction(number))
    assert abs(rounded - number) <= D("0.5")
    if abs(rounded - number) == D("0.5"):
        assert abs(rounded) > abs(number)


# --- REAL and DOUBLE ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "a", "b", "value"),
    [
        (Op.DIVIDE, 1.0, 0.0, math.inf),
        (Op.DIVIDE, -1.0, 0.0, -math.inf),
        (Op.DIVIDE, 1.0, -0.0, -math.inf),
        (Op.DIVIDE, 0.0, 0.0, math.nan),
        (Op.DIVIDE, math.nan, 0.0, math.nan),
        (Op.DIVIDE, 1.0, math.inf, 0.0),
        (Op.TIMES, 1e308, 10.0, math.inf),
        (Op.PLUS, math.inf, -math.inf, math.nan),
        (Op.PLUS, 0.1, 0.2, 0.30000000000000004),
    ],
)
def test_doubles_follow_ieee_754_and_never_fail(op: Op, a: float, b: float, value: float) -> None:
    result = arithmetic(op, DOUBLE, a, b)
    assert isinstance(result, float)
    assert result == value or (math.isnan(result) and math.isnan(value))


def test_reals_are_rounded_to_24_bits() -> None:
    assert arithmetic(Op.PLUS, REAL, 16_777_216.0, 1.0) == 16_777_216.0
    assert arithmetic(Op.PLUS, REAL, 16_777_216.0, 2.0) == 16_777_218.0
    assert arithmetic(Op.TIMES, REAL, single(1e38), 10.0) == math.inf
    assert single(0.1) == 13_421_773 / 2**27


def test_a_number_is_rounded_to_a_real_once() -> None:
    # Just above the tie between 1 and 1 + 2**-23; as a DOUBLE it would be the tie itself.
    above = 1 + Fraction(1, 2**24) + Fraction(1, 2**70)
    assert nearest_single(above) == 1 + 2**-23
    assert nearest_single(-above) == -1 - 2**-23
    assert nearest_single(1 + Fraction(1, 2**24)) == 1.0
    assert nearest_single(1 + Fraction(1, 2**24) - Fraction(1, 2**70)) == 1.0
    assert nearest_single(Fraction(10) ** 400) == math.inf


@given(st.fractions(min_value=-(10**9), max_value=10**9))
def test_the_nearest_double_has_no_nearer_neighbour(number: Fraction) -> None:
    double = nearest(number)
    for other in (math.nextafter(double, math.inf), math.nextafter(double, -math.inf)):
        assert abs(Fraction(double) - number) <= abs(Fraction(other) - number)


def test_too_great_a_number_is_an_infinite_double() -> None:
    assert nearest(10**400) == math.inf
    assert nearest(-(10**400)) == -math.inf


# --- intervals ----------------------------------------------------------------------------------

HOUR = interval(TimeUnit.HOUR)
MONTH = interval(TimeUnit.MONTH)


@pytest.mark.parametrize(
    ("op", "a", "b", "type", "value"),
    [
        (Op.PLUS, 3_600_000, 60_000, HOUR, 3_660_000),
        (Op.TIMES, 3_600_000, 3, HOUR, 10_800_000),
        (Op.TIMES, 3, 3_600_000, HOUR, 10_800_000),
        (Op.TIMES, 3_600_000, D("1.5"), HOUR, 5_400_000),
        (Op.DIVIDE, 3_600_000, 2, HOUR, 1_800_000),
        (Op.DIVIDE, -5, 2, MONTH, -2),
        (Op.PLUS, 13, -14, MONTH, -1),
        (Op.TIMES, 3, D("-0.5"), MONTH, -1),
        (Op.TIMES, 0.1, 10, HOUR, 1),
        (Op.DIVIDE, 1_000, D("0.3"), HOUR, 3_333),
        (Op.TIMES, 5, 0.5, MONTH, 2),
        (Op.DIVIDE, 5_400_000, 3_600_000, DOUBLE, 1.5),
        (Op.DIVIDE, 1, 3, DOUBLE, 1 / 3),
    ],
)
def test_intervals_are_scaled_and_divided(
    op: Op, a: Value, b: Value, type: Type, value: Value
) -> None:
    assert arithmetic(op, type, a, b) == value


def test_intervals_overflow_and_do_not_divide_by_zero() -> None:
    assert code_of(Op.DIVIDE, HOUR, 1, 0) is Code.DIVISION_BY_ZERO
    assert code_of(Op.DIVIDE, DOUBLE, 1, 0) is Code.DIVISION_BY_ZERO
    assert code_of(Op.PLUS, MONTH, 2**31 - 1, 1) is Code.OVERFLOW
    assert code_of(Op.TIMES, HOUR, 1, math.inf) is Code.OVERFLOW
    assert negated(HOUR, 5) == -5
    assert absolute(HOUR, -5) == 5


# --- functions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "value", "floor", "ceil"),
    [
        (INTEGER, -7, -7, -7),
        (decimal(3, 0), D("-1.5"), D("-2"), D("-1")),
        (decimal(3, 0), D("1.0"), D("1"), D("1")),
        (DOUBLE, 1.5, 1.0, 2.0),
        (DOUBLE, math.inf, math.inf, math.inf),
    ],
)
def test_floor_and_ceil_of_numbers(type: Type, value: Value, floor: Value, ceil: Value) -> None:
    assert rounded_number(False, type, value) == floor
    assert rounded_number(True, type, value) == ceil


def test_floor_of_a_decimal_may_overflow_its_digits() -> None:
    with pytest.raises(SqlError):
        rounded_number(True, decimal(2, 0), D("99.5"))


def test_step_of_an_integer_is_below_it_on_both_sides_of_zero() -> None:
    steps = [step_number(INTEGER, x, 5) for x in (-6, -5, -1, 0, 4, 5)]
    assert steps == [-10, -5, -5, 0, 0, 5]
    with pytest.raises(SqlError) as caught:
        step_number(TINYINT, -128, 10)
    assert caught.value.code is Code.OVERFLOW


@pytest.mark.parametrize(
    ("op", "a", "b", "value"),
    [
        (Op.EXP, 0.0, 0.0, 1.0),
        (Op.EXP, 1000.0, 0.0, math.inf),
        (Op.EXP, -math.inf, 0.0, 0.0),
        (Op.LN, math.e, 0.0, 1.0),
        (Op.SQRT, 2.25, 0.0, 1.5),
        (Op.POWER, 2.0, 10.0, 1024.0),
        (Op.POWER, -2.0, 3.0, -8.0),
        (Op.POWER, 0.0, 0.0, 1.0),
        (Op.POWER, 10.0, 400.0, math.inf),
        (Op.POWER, -10.0, 401.0, -math.inf),
    ],
)
def test_functions_of_doubles(op: Op, a: float, b: float, value: float) -> None:
    assert transcendental(op, a, b) == value


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [
        (Op.LN, 0.0, 0.0),
        (Op.LN, -1.0, 0.0),
        (Op.SQRT, -1.0, 0.0),
        (Op.POWER, -8.0, 1 / 3),
        (Op.POWER, 0.0, -1.0),
    ],
)
def test_outside_its_domain_a_function_is_an_invalid_argument(op: Op, a: float, b: float) -> None:
    with pytest.raises(SqlError) as caught:
        transcendental(op, a, b)
    assert caught.value.code is Code.INVALID_ARGUMENT
