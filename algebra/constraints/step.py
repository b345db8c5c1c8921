"""How far apart values of a type are, and whether rounding to it keeps values distinct (S-402)."""

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

#: The kinds held as whole numbers; an interval of any fields is months or milliseconds.
_WHOLE: Final = INTEGERS | INTERVAL | DATETIME


def step_of(type_: Type) -> Fraction | None:
    """The distance between neighbouring values of a type, as they are held; None: there is none.

    >>> step_of(Type(Kind.DECIMAL, precision=5, scale=2))
    Fraction(1, 100)
    """
    if type_.kind in _WHOLE:
        return Fraction(1)
    return Fraction(1, 10**type_.scale) if type_.kind in EXACT else None


def interval_unit(type_: Type) -> int:
    """What a cast to an interval type truncates to: its last field; for SECOND a millisecond."""
    assert type_.fields is not None, "an interval has fields"
    last = type_.fields[1]
    if type_.kind is Kind.MONTHS:
        return UNIT_MONTHS[last]
    return 1 if last is TimeUnit.SECOND else UNIT_MILLIS[last]


def interval_count(type_: Type) -> int:
    """What the number 1 is when cast to an interval type: 1,000 milliseconds for SECOND."""
    assert type_.fields is not None, "an interval has fields"
    return (
        UNIT_MONTHS[type_.fields[1]]
        if type_.kind is Kind.MONTHS
        else (UNIT_MILLIS[type_.fields[1]])
    )


def multiple(number: Fraction, unit: Fraction) -> bool:
    """Whether ``number`` is a whole multiple of ``unit``."""
    return (number / unit).denominator == 1


def stays_apart(
    type_: Type, grid: Fraction | None, distance: Fraction | None, *, truncates: bool
) -> bool:
    """Whether distinct exact results stay distinct when rounded to ``type_``.

    ``grid``: all of them are multiples of it.  ``distance``: any two of them differ by at least
    that.  Either is None where it is not known.  Rounding HALF_UP keeps numbers distinct that are
    one unit apart; truncation needs two units, since everything within a unit of 0 becomes 0.
    """
    unit = step_of(type_)
    if unit is None:
        return False
    if grid is not None and multiple(grid, unit):
        return True
    return distance is not None and distance >= (2 * unit if truncates else unit)
