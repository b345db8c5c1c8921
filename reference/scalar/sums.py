"""Exact sums of values of one type, in whole units, so that values can also leave them (S-203)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Final

from algebra.expression import Value
from algebra.types import APPROXIMATE, Kind, Type
from reference.snapshot import stateful
from reference.values import UNROUNDED, Exact, fit, integer, nearest

#: Every finite DOUBLE is an integer multiple of the least positive one; 1 is this multiple.
DOUBLE_UNITS: Final = 1 << 1074


def double_units(value: Value) -> int:
    """How often the least positive DOUBLE goes into ``value``, which is a finite float."""
    assert isinstance(value, float), value
    numerator, denominator = value.as_integer_ratio()
    # A denominator is a power of two: 1 << 3 has four bits.
    return numerator << (1075 - denominator.bit_length())


def exact_sum(values: Sequence[Value]) -> Exact:
    """The sum without rounding, of finite numbers or intervals of one type.

    Defines: S-203.q
    """
    match values[0] if values else 0:
        case float():
            return Fraction(sum(map(double_units, values)), DOUBLE_UNITS)
        case Decimal():
            return Fraction(reduce(_plus, values, Decimal(0)))
        case _:
            return sum([each for each in values if isinstance(each, int)])


def _plus(total: Decimal, value: Value) -> Decimal:
    """One more DECIMAL."""
    assert isinstance(value, Decimal), value
    return UNROUNDED.add(total, value)


@stateful
@dataclass(slots=True)
class RunningSum:
    """The sum of the values that have been added and not taken away again.

    ``unit_count`` is how many of the ``units`` are 1.  NaN and the infinities are counted apart.
    """

    units: Callable[[Value], int]
    unit_count: int
    total: int = 0
    values: int = 0
    nans: int = 0
    infinities: int = 0
    negative_infinities: int = 0

    def add(self, value: Value, times: int = 1) -> None:
        """One value more; ``times`` -1: one less, which was added before."""
        self.values += times
        if isinstance(value, float) and not math.isfinite(value):
            if math.isnan(value):
                self.nans += times
            elif value > 0:
                self.infinities += times
            else:
                self.negative_infinities += times
        else:
            self.total += times * self.units(value)

    def divided(self, divisor: int, type: Type) -> Value:
        """The sum over ``divisor``, rounded once to ``type``; of no values NULL."""
        if not self.values:
            return None
        if self.nans or (self.infinities and self.negative_infinities):
            return math.nan
        if self.infinities or self.negative_infinities:
            return math.inf if self.infinities else -math.inf
        if type.kind is Kind.DOUBLE:
            return _quotient(self.total, self.unit_count * divisor)
        if divisor == self.unit_count == 1:
            return fit(type, self.total)
        return fit(type, Fraction(self.total, self.unit_count * divisor))


def _quotient(numerator: int, denominator: int) -> float:
    """The DOUBLE nearest to a quotient, which Python's division of integers gives."""
    try:
        return numerator / denominator
    except OverflowError:
        return nearest(Fraction(numerator, denominator))


def running_sum(type: Type) -> RunningSum:
    """The sum of no values, of ``type``."""
    if type.kind in APPROXIMATE:
        return RunningSum(double_units, DOUBLE_UNITS)
    if type.kind is Kind.DECIMAL:
        scale = type.scale

        def units(value: Value) -> int:
            assert isinstance(value, Decimal), value
            return int(value.scaleb(scale, UNROUNDED))

        return RunningSum(units, 10**scale)
    return RunningSum(integer, 1)
