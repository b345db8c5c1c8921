"""ROUND, TRUNCATE, SIGN, and where logarithms are defined (S-202)."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Op, Value
from algebra.types import BIGINT, DOUBLE, INTEGER, REAL, TINYINT, Type, decimal
from grammar.codes import Code
from grammar.source import SqlError
from reference.scalar.arithmetic import rounded_to, sign, transcendental
from reference.values import single

D = Decimal

ROUNDED: list[tuple[Type, Value, int, Value, Value]] = [
    # of integers: digits after the point change nothing
    (INTEGER, 15, 0, 15, 15),
    (INTEGER, 15, 3, 15, 15),
    (INTEGER, 14, -1, 10, 10),
    (INTEGER, 15, -1, 20, 10),
    (INTEGER, -15, -1, -20, -10),
    (INTEGER, 15, -2, 0, 0),
    (INTEGER, 50, -2, 100, 0),
    (INTEGER, 15, -(2**31), 0, 0),
    (INTEGER, 15, 2**31 - 1, 15, 15),
    (BIGINT, 2**53 + 1, -1, 9_007_199_254_740_990, 9_007_199_254_740_990),
    # of DECIMALs: the scale stays
    (decimal(5, 2), D("2.50"), 0, D("3.00"), D("2.00")),
    (decimal(5, 2), D("-2.50"), 0, D("-3.00"), D("-2.00")),
    (decimal(5, 2), D("2.45"), 1, D("2.50"), D("2.40")),
    (decimal(5, 2), D("2.44"), 1, D("2.40"), D("2.40")),
    (decimal(5, 2), D("2.45"), 5, D("2.45"), D("2.45")),
    (decimal(5, 2), D("145.00"), -1, D("150.00"), D("140.00")),
    (decimal(38, 0), D(10**38 - 51), -2, D(10**38 - 100), D(10**38 - 100)),
    # of DOUBLEs: as their digits say
    (DOUBLE, 2.5, 0, 3.0, 2.0),
    (DOUBLE, -2.5, 0, -3.0, -2.0),
    (DOUBLE, 0.49999999999999994, 0, 0.0, 0.0),
    (DOUBLE, 1.005, 2, 1.01, 1.0),
    (DOUBLE, 0.29, 2, 0.29, 0.29),
    (DOUBLE, 1250.0, -2, 1300.0, 1200.0),
    (DOUBLE, 1e300, -299, 1e300, 1e300),
    (DOUBLE, 1.7e308, -308, math.inf, 1e308),
    (DOUBLE, 5e-324, 400, 5e-324, 5e-324),
    (DOUBLE, math.inf, 2, math.inf, math.inf),
    (DOUBLE, -math.inf, -2, -math.inf, -math.inf),
    (DOUBLE, math.nan, 0, math.nan, math.nan),
    (REAL, single(0.15), 1, single(0.2), single(0.1)),
]


@pytest.mark.parametrize(("type", "value", "digits", "half_up", "cut"), ROUNDED)
def test_round_goes_half_up_and_truncate_toward_zero(
    type: Type, value: Value, digits: int, half_up: Value, cut: Value
) -> None:
    assert str(rounded_to(value, type, digits, type, cut=False)) == str(half_up)
    assert str(rounded_to(value, type, digits, type, cut=True)) == str(cut)


@pytest.mark.parametrize(
    ("type", "value", "digits"),
    [(TINYINT, 127, -1), (TINYINT, -128, -1), (decimal(3, 2), D("9.95"), 1)],
)
def test_round_overflows_where_the_next_number_up_is_too_great(
    type: Type, value: Value, digits: int
) -> None:
    with pytest.raises(SqlError) as caught:
        rounded_to(value, type, digits, type, cut=False)
    assert caught.value.code is Code.OVERFLOW
    rounded_to(value, type, digits, type, cut=True)


@given(st.integers(-(10**12), 10**12), st.integers(-14, 8))
def test_a_rounded_number_is_the_nearest_multiple_and_a_cut_one_not_further_from_zero(
    units: int, digits: int
) -> None:
    type = decimal(38, 6)
    value = D(units).scaleb(-6)
    unit = Fraction(10) ** -min(digits, 6)
    for cut in (False, True):
        result = rounded_to(value, type, digits, type, cut=cut)
        assert isinstance(result, Decimal)
        distance = abs(Fraction(result) - Fraction(value))
        assert (Fraction(result) / unit).denominator == 1
        assert abs(result) <= abs(value) if cut else distance <= unit / 2
        assert distance < unit


@pytest.mark.parametrize(
    ("type", "value", "result"),
    [
        (INTEGER, -7, -1),
        (INTEGER, 0, 0),
        (BIGINT, 2**62, 1),
        (decimal(5, 2), D("-0.01"), D("-1.00")),
        (decimal(5, 2), D("0.00"), D("0.00")),
        (DOUBLE, 1e-300, 1.0),
        (DOUBLE, -math.inf, -1.0),
        (DOUBLE, 0.0, 0.0),
        (DOUBLE, -0.0, -0.0),
        (DOUBLE, math.nan, math.nan),
    ],
)
def test_sign_is_of_the_type_of_its_number(type: Type, value: Value, result: Value) -> None:
    assert str(sign(type, value)) == str(result)


@pytest.mark.parametrize("op", [Op.LN, Op.LOG10])
def test_logarithms_are_of_positive_numbers(op: Op) -> None:
    assert transcendental(op, 1.0) == 0.0
    assert transcendental(op, math.inf) == math.inf
    for value in (0.0, -0.0, -1.0, -math.inf):
        with pytest.raises(SqlError) as caught:
            transcendental(op, value)
        assert caught.value.code is Code.INVALID_ARGUMENT


@given(st.integers(0, 22))
def test_log10_of_a_power_of_ten_is_its_exponent(exponent: int) -> None:
    assert transcendental(Op.LOG10, float(10**exponent)) == exponent
