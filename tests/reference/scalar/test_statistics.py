"""Covariances, correlation, percentiles: exact, rounded once (S-203)."""

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Value
from algebra.types import DOUBLE, INTEGER, REAL, decimal
from reference.relation import Row
from reference.scalar.statistics import (
    correlation,
    covariance,
    percentile_cont,
    percentile_disc,
    share_of,
    variance,
)
from reference.values import single

D = Decimal
HALF = Fraction(1, 2)


# --- covariance and correlation -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "population", "sample"),
    [
        # means 2 and 4: (-1)(-2) + 0 + 1*2 = 4
        ([(1, 2), (2, 4), (3, 6)], 4 / 3, 2.0),
        ([(1, 6), (2, 4), (3, 2)], -4 / 3, -2.0),
        ([(1, 5), (2, 5), (3, 5)], 0.0, 0.0),
        ([(7, 9)], 0.0, None),
        ([(D("0.1"), D("0.1")), (D("0.3"), D("0.2"))], 0.005, 0.01),
        # near 2**53 a DOUBLE would lose the ones
        ([(2**53 + 1, 0), (2**53 + 3, 2)], 1.0, 2.0),
        ([(math.inf, 1), (1, 2)], math.nan, math.nan),
        ([(1, 1), (1, math.nan)], math.nan, math.nan),
    ],
)
def test_covariance_is_the_mean_product_of_the_distances(
    pairs: list[Row], population: Value, sample: Value
) -> None:
    assert str(covariance(pairs, len(pairs))) == str(population)
    assert str(covariance(pairs, len(pairs) - 1)) == str(sample)


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([(1, 2), (2, 4), (3, 6)], 1.0),
        ([(1, 6), (2, 4), (3, 2)], -1.0),
        # distances (-1, 0, 1) and (-1, 2, -1): uncorrelated
        ([(1, 0), (2, 3), (3, 0)], 0.0),
        # distances (-1, 0, 1) and (-2, 1, 1): 3 / sqrt(2 * 6)
        ([(1, 0), (2, 3), (3, 3)], math.sqrt(0.75)),
        ([(1, 5), (2, 5)], None),
        ([(5, 1), (5, 2)], None),
        ([(1, 1)], None),
        ([(1e-200, 1), (2e-200, 3)], 1.0),
        ([(1e200, 1), (2e200, 3)], 1.0),
        ([(1, math.nan), (2, 1.0)], math.nan),
    ],
)
def test_correlation_is_covariance_by_both_deviations(pairs: list[Row], value: Value) -> None:
    assert str(correlation(pairs)) == str(value)


numbers = st.integers(-50, 50)
floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(floats, min_size=1, max_size=6))
def test_the_covariance_with_itself_is_the_variance(values: list[float]) -> None:
    pairs: list[Row] = [(each, each) for each in values]
    assert covariance(pairs, len(pairs)) == variance(values, len(values), root=False)
    assert covariance(pairs, len(pairs) - 1) == variance(values, len(values) - 1, root=False)


@given(st.lists(floats, min_size=2, max_size=6), st.sampled_from([1, -1]))
def test_the_correlation_with_itself_is_1(values: list[float], sign: int) -> None:
    expected = sign if len(set(values)) > 1 else None
    assert correlation([(each, sign * each) for each in values]) == expected


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=8))
def test_covariance_and_correlation_are_those_of_the_definition(
    pairs: list[tuple[int, int]],
) -> None:
    n = len(pairs)
    # E(xy) - E(x)E(y), and Cauchy-Schwarz.
    mean_product = Fraction(sum(x * y for x, y in pairs), n)
    means = Fraction(sum(x for x, _ in pairs), n) * Fraction(sum(y for _, y in pairs), n)
    assert covariance(pairs, n) == float(mean_product - means)
    r = correlation(pairs)
    if r is None:
        assert 1 in (len({x for x, _ in pairs}), len({y for _, y in pairs}))
    else:
        assert isinstance(r, float)
        assert -1 <= r <= 1
        xs, ys = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
        assert math.isclose(r, statistics.correlation(xs, ys), abs_tol=1e-9)


# --- percentiles --------------------------------------------------------------------------------

TEN: list[Value] = list(range(10, 101, 10))


@pytest.mark.parametrize(
    ("values", "share", "up", "down"),
    [
        (TEN, "0", 10.0, 100.0),
        (TEN, "1", 100.0, 10.0),
        (TEN, "0.5", 55.0, 55.0),
        (TEN, "0.25", 32.5, 77.5),
        (TEN, "0.1", 19.0, 91.0),
        ([7], "0.3", 7.0, 7.0),
        ([1, 2], "0.9", 1.9, 1.1),
        ([3, 1, 2], "0.5", 2.0, 2.0),
        ([D("0.1"), D("0.2")], "0.5", 0.15, 0.15),
        ([2**53 + 1, 2**53 + 3], "0.5", 2.0**53 + 2, 2.0**53 + 2),
        ([1e308, -1e308], "0.5", 0.0, 0.0),
        ([1.0, math.inf], "0", 1.0, math.inf),
        ([1.0, math.inf], "0.01", math.inf, math.inf),
        ([-math.inf, math.inf], "0.5", math.nan, math.nan),
        ([math.inf, math.inf], "0.5", math.inf, math.inf),
        ([1.0, math.nan], "0.5", math.nan, math.nan),
    ],
)
def test_percentile_cont_lies_on_the_line_between_two_values(
    values: list[Value], share: str, up: float, down: float
) -> None:
    assert str(percentile_cont(values, Fraction(share), False, DOUBLE)) == str(up)
    assert str(percentile_cont(values, Fraction(share), True, DOUBLE)) == str(down)


@pytest.mark.parametrize(
    ("values", "share", "up", "down"),
    [
        (TEN, "0", 10, 100),
        (TEN, "0.1", 10, 100),
        (TEN, "0.11", 20, 90),
        (TEN, "0.5", 50, 60),
        (TEN, "0.7", 70, 40),
        (TEN, "1", 100, 10),
        ([2, 1, 2, 2], "0.25", 1, 2),
        ([2, 1, 2, 2], "0.26", 2, 2),
        ([2, 1, 2, 2], "0.75", 2, 2),
        ([2, 1, 2, 2], "0.76", 2, 1),
        (["b", "a", "é"], "0.5", "b", "b"),
        ([math.nan, 1.0, math.inf], "1", math.nan, 1.0),
    ],
)
def test_percentile_disc_is_the_first_value_whose_share_is_reached(
    values: list[Value], share: str, up: Value, down: Value
) -> None:
    assert str(percentile_disc(values, Fraction(share), False)) == str(up)
    assert str(percentile_disc(values, Fraction(share), True)) == str(down)


shares = st.fractions(0, 1, max_denominator=12)


@given(st.lists(numbers, min_size=1, max_size=12), shares, st.booleans())
def test_percentile_disc_by_counting(values: list[int], share: Fraction, descending: bool) -> None:
    def cume_dist(value: int) -> Fraction:
        """The share of the values up to ``value`` and its peers."""
        before = [each >= value if descending else each <= value for each in values]
        return Fraction(sum(before), len(values))

    reached = [each for each in values if cume_dist(each) >= share]
    expected = max(reached) if descending else min(reached)
    assert percentile_disc(values, share, descending) == expected


@given(st.lists(numbers, min_size=1, max_size=12), shares)
def test_percentile_cont_is_the_same_from_both_ends(values: list[int], share: Fraction) -> None:
    up = percentile_cont(values, share, False, DOUBLE)
    assert up == percentile_cont(values, 1 - share, True, DOUBLE)
    assert isinstance(up, float)
    assert min(values) <= up <= max(values)


@given(st.lists(numbers, min_size=1, max_size=12))
def test_half_is_the_median(values: list[int]) -> None:
    assert percentile_cont(values, HALF, False, DOUBLE) == float(
        statistics.median(map(Fraction, values))
    )


@given(st.lists(floats, min_size=1, max_size=8), shares)
def test_at_the_place_of_a_value_both_percentiles_are_it(
    values: list[float], share: Fraction
) -> None:
    place = math.floor(share * (len(values) - 1))
    at = Fraction(place, len(values) - 1) if len(values) > 1 else share
    value = sorted(values)[place]
    assert percentile_cont(values, at, False, DOUBLE) == value
    assert percentile_disc(values, Fraction(place + 1, len(values)), False) == value


def test_a_share_is_exact_and_a_double_is_what_its_digits_say() -> None:
    tenth = Fraction(1, 10)
    assert share_of(D("0.1"), decimal(2, 1)) == tenth
    assert share_of(0.1, DOUBLE) == tenth
    assert share_of(single(0.1), REAL) == tenth
    assert share_of(1, INTEGER) == 1
    # With the binary neighbour of 0.1, which is greater, it were the second of ten.
    assert percentile_disc(TEN, share_of(0.1, DOUBLE), False) == 10


def test_percentile_disc_takes_any_type_that_sorts() -> None:
    assert percentile_disc(["b", "a"], HALF, False) == "a"
    assert percentile_disc([True, False, True], HALF, False) is True
