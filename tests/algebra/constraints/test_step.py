"""Rounding: values that are claimed to stay distinct do, and others have a counter-example."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Final

import pytest

from algebra.constraints.step import interval_count, interval_unit, multiple, stay_distinct, step_of
from algebra.types import BIGINT, DATE, DOUBLE, INTEGER, REAL, VARCHAR, Type, decimal, interval
from grammar.tree import TimeUnit as Unit
from reference.values import half_up

HOURS: Final = interval(Unit.HOUR)


@pytest.mark.parametrize(
    ("type_", "step"),
    [
        (INTEGER, Fraction(1)),
        (BIGINT, Fraction(1)),
        (decimal(5, 2), Fraction(1, 100)),
        (decimal(5, 0), Fraction(1)),
        (DATE, Fraction(1)),
        (HOURS, Fraction(1)),  # a millisecond: an INTERVAL HOUR may hold half an hour (S-207)
        (REAL, None),
        (DOUBLE, None),
        (VARCHAR, None),
    ],
)
def test_the_step_of_a_type(type_: Type, step: Fraction | None) -> None:
    assert step_of(type_) == step


@pytest.mark.parametrize(
    ("type_", "unit", "count"),
    [
        (interval(Unit.YEAR), 12, 12),
        (interval(Unit.YEAR, Unit.MONTH), 1, 1),
        (interval(Unit.DAY), 86_400_000, 86_400_000),
        (interval(Unit.HOUR, Unit.MINUTE), 60_000, 60_000),
        (interval(Unit.SECOND), 1, 1_000),  # a fraction stays, and one is a thousand
    ],
)
def test_the_unit_of_an_interval(type_: Type, unit: int, count: int) -> None:
    assert (interval_unit(type_), interval_count(type_)) == (unit, count)


#: Distances of exact results, in units of the type, and what rounding makes of the nearest ones.
DISTANCES: Final = [Fraction(n, 4) for n in range(1, 13)]


def meets(distance: Fraction, rounding: Callable[[Fraction], int]) -> bool:
    """Whether two numbers at that distance can be rounded to the same one."""
    places = [Fraction(n, 16) for n in range(-40, 41)]
    return any(rounding(place) == rounding(place + distance) for place in places)


@pytest.mark.parametrize("distance", DISTANCES)
def test_rounding_half_up_needs_one_unit(distance: Fraction) -> None:
    cents = decimal(9, 2)
    days_between = stay_distinct(cents, None, distance / 100, truncates=False)
    assert days_between == (not meets(distance, half_up))


@pytest.mark.parametrize("distance", DISTANCES)
def test_truncation_needs_two_units(distance: Fraction) -> None:
    """-0.9 and 0.9 both become 0 when truncated, although they are 1.8 apart."""
    days_between = stay_distinct(HOURS, None, distance, truncates=True)
    assert days_between == (not meets(distance, math.trunc))


@pytest.mark.parametrize("truncates", [False, True])
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(3), Fraction(1, 2), Fraction(3, 2)])
def test_what_is_a_multiple_is_not_rounded(grid: Fraction, truncates: bool) -> None:
    """1/2 and 1 become equal; different whole numbers never do."""
    whole = grid.denominator == 1
    assert stay_distinct(INTEGER, grid, None, truncates=truncates) == whole
    values = [n * grid for n in range(-4, 5)]
    if whole:
        assert all(half_up(a) < half_up(b) for a, b in pairwise(values))


def test_floats_keep_nothing_apart() -> None:
    assert not stay_distinct(DOUBLE, Fraction(1), Fraction(10), truncates=False)


def test_nothing_known_keeps_nothing_apart() -> None:
    assert not stay_distinct(INTEGER, None, None, truncates=False)


def test_a_multiple_is_whole() -> None:
    assert multiple(Fraction(3, 2), Fraction(1, 2))
    assert not multiple(Fraction(1, 2), Fraction(3, 2))
