"""Exact sums of values of one type, from which values can be subtracted again.

They are kept as integers, in a unit of which every value of the type is a multiple.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias

from algebra.expression import Value
from algebra.types import APPROXIMATE, Kind, Type
from reference.snapshot import stateful
from reference.values import UNROUNDED, Exact, fit, integer, nearest

#: A function from a numerator and a positive denominator to the quotient, rounded once to a type.
Rounding: TypeAlias = Callable[[int, int], Value]

#: The number of units in 1; the unit is the least positive DOUBLE, of which every finite DOUBLE is
#: a multiple.
DOUBLE_UNITS: Final = 1 << 1074


def double_units(value: Value) -> int:
    """``value``, a finite float, as a multiple of the least positive DOUBLE."""
    assert isinstance(value, float), value
    numerator, denominator = value.as_integer_ratio()
    # The denominator is a power of two, 1 << n, and so has n + 1 bits.  The result is numerator *
    # 2**1074 / 2**n.
    return numerator << (1075 - denominator.bit_length())


def exact_sum(values: Sequence[Value]) -> Exact:
    """The sum without rounding, of one or more finite numbers or intervals of one type.

    Defines: S-203.q
    """
    match values[0]:
        case float():
            return Fraction(sum(map(double_units, values)), DOUBLE_UNITS)
        case Decimal():
            return Fraction(reduce(_plus, values, Decimal(0)))
        case _:
            return sum([each for each in values if isinstance(each, int)])


def _plus(total: Decimal, value: Value) -> Decimal:
    """``total`` plus ``value``, a DECIMAL, without rounding."""
    assert isinstance(value, Decimal), value
    return UNROUNDED.add(total, value)


@stateful
@dataclass(slots=True)
class RunningSum:
    """The sum of the values that have been added and not been subtracted again.

    ``units`` returns a value in whole units, such as hundredths for a DECIMAL(5, 2), and
    ``unit_count`` is the number of units in 1.  ``total`` is the sum in units, and
    ``values`` the number of values.  NaN and the infinities are not in the total, but counted.
    ``rounded`` makes the result from the total and the number of units in 1.
    """

    units: Callable[[Value], int]
    unit_count: int
    rounded: Rounding
    total: int = 0
    values: int = 0
    nans: int = 0
    infinities: int = 0
    negative_infinities: int = 0

    def add(self, value: Value, times: int = 1) -> None:
        """Add a value; with ``times`` -1, subtract a value that was added before."""
        self.values += times
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                self.nans += times
            elif value == math.inf:
                self.infinities += times
            else:
                self.negative_infinities += times
        else:
            self.total += times * self.units(value)

    def result(self, mean: bool = False) -> Value:
        """The sum, or the mean, rounded once; NULL over no values.  Raises OVERFLOW."""
        if not self.values:
            return None
        if self.nans or self.infinities or self.negative_infinities:
            return self._not_finite()
        return self.rounded(self.total, self.unit_count * self.values if mean else self.unit_count)

    def _not_finite(self) -> float:
        """The sum if a value is not finite: NaN, or an infinity."""
        if self.nans or (self.infinities and self.negative_infinities):
            return math.nan
        return math.inf if self.infinities else -math.inf


def add_up(parts: Sequence[RunningSum]) -> RunningSum:
    """The sum of the values of all ``parts``, which are sums of one type."""
    return replace(
        parts[0],
        total=sum([each.total for each in parts]),
        values=sum([each.values for each in parts]),
        nans=sum([each.nans for each in parts]),
        infinities=sum([each.infinities for each in parts]),
        negative_infinities=sum([each.negative_infinities for each in parts]),
    )


def new_sum(of: Type, to: Type) -> Callable[[], RunningSum]:
    """The function that makes a sum of no values; values have the type ``of``, results ``to``."""
    rounded = rounding(to)
    if of.kind in APPROXIMATE:
        return lambda: RunningSum(double_units, DOUBLE_UNITS, rounded)
    if of.kind is Kind.DECIMAL:
        scale = of.scale

        def units(value: Value) -> int:
            assert isinstance(value, Decimal), value
            return int(value.scaleb(scale, UNROUNDED))

        return lambda: RunningSum(units, 10**scale, rounded)
    return lambda: RunningSum(integer, 1, rounded)


def rounding(type: Type) -> Rounding:
    """The function that rounds a quotient to ``type``, as `fit` does."""
    if type.kind is Kind.DOUBLE:
        return _nearest_quotient

    def whole_or_decimal(numerator: int, denominator: int) -> Value:
        # The division of one whole number by 1 is left out, because it would take microseconds.
        quotient = numerator if denominator == 1 else Fraction(numerator, denominator)
        return fit(type, quotient)

    return whole_or_decimal


def _nearest_quotient(numerator: int, denominator: int) -> float:
    """The DOUBLE nearest to a quotient; Python's division of integers has this result."""
    try:
        return numerator / denominator
    except OverflowError:
        return nearest(Fraction(numerator, denominator))
