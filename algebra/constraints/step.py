"""The distance of neighbouring values of a type, and whether rounding can make two values equal.

The rules of monotonicity (S-402) and the linear constraints use it.
"""

from fractions import Fraction
from typing import Final

from algebra.types import (
    DATETIME,
    EXACT,
    INTEGERS,
    INTERVAL,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
    Type,
)
from grammar.tree import TimeUnit

#: The kinds that are represented as integers; intervals are months or milliseconds.
_WHOLE: Final = INTEGERS | INTERVAL | DATETIME


def step_of(type_: Type) -> Fraction | None:
    """The distance between neighbouring values of a type, in the unit of their representation.

    None for REAL and DOUBLE, and for types that are not numbers, intervals or datetimes.

    >>> step_of(Type(Kind.DECIMAL, precision=5, scale=2))
    Fraction(1, 100)
    """
    if type_.kind in _WHOLE:
        return Fraction(1)
    return Fraction(1, 10**type_.scale) if type_.kind in EXACT else None


def interval_unit(type_: Type) -> int:
    """The unit to which a cast to an interval type truncates, in milliseconds or months.

    It is the type's last field; for SECOND it is one millisecond.
    """
    assert type_.fields is not None, "an interval has fields"
    last = type_.fields[1]
    if type_.kind is Kind.MONTHS:
        return UNIT_MONTHS[last]
    return 1 if last is TimeUnit.SECOND else UNIT_MILLIS[last]


def interval_count(type_: Type) -> int:
    """The value of CAST(1 AS type), in milliseconds or months: 1,000 for SECOND."""
    assert type_.fields is not None, "an interval has fields"
    last = type_.fields[1]
    return UNIT_MONTHS[last] if type_.kind is Kind.MONTHS else UNIT_MILLIS[last]


def multiple(number: Fraction, unit: Fraction) -> bool:
    """Whether ``number`` is a whole multiple of ``unit``."""
    return (number / unit).denominator == 1


def stay_distinct(
    type_: Type, grid: Fraction | None, distance: Fraction | None, *, truncates: bool
) -> bool:
    """Whether distinct exact results stay distinct when they are rounded to ``type_``.

    All results are multiples of ``grid``, and two distinct results differ by at least ``distance``.
    Each is None if it is not known.  ``truncates``: the rounding is a truncation toward zero; else
    it is HALF_UP.  HALF_UP keeps numbers distinct that are one unit of the type apart.  Truncation
    keeps only numbers distinct that are two units apart, because all numbers within one unit of 0
    become 0.
    """
    unit = step_of(type_)
    if unit is None:
        return False
    if grid is not None and multiple(grid, unit):
        return True
    return distance is not None and distance >= (2 * unit if truncates else unit)
