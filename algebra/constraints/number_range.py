"""Closed intervals of numbers, and interval arithmetic on them that is never too narrow (S-403)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from algebra.types import Kind
from algebra.wire import round_to_real


class Sign(Enum):
    """The sign that all values of a range have; the two signs in the middle include 0."""

    NEGATIVE = "below 0"
    NOT_POSITIVE = "at or below 0"
    ZERO = "0"
    NOT_NEGATIVE = "at or above 0"
    POSITIVE = "above 0"


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval that contains all values of an expression, except NULL.

    The ends are in the unit of the values' representation.  None: the range has no end on that
    side.
    """

    lower: Fraction | None = None
    upper: Fraction | None = None

    @property
    def sign(self) -> Sign | None:
        """The sign that all values have; None if they may be both positive and negative."""
        if self.lower is not None and self.lower >= 0:
            if self.lower > 0:
                return Sign.POSITIVE
            return Sign.ZERO if self.upper == 0 else Sign.NOT_NEGATIVE
        if self.upper is not None and self.upper <= 0:
            return Sign.NEGATIVE if self.upper < 0 else Sign.NOT_POSITIVE
        return None

    @property
    def value(self) -> Fraction | None:
        """The only number in the range; None if there are several."""
        return self.lower if self.lower == self.upper else None


#: The range of a value of which nothing is known.
ANY: Final = Range()


def between(lower: int | None, upper: int | None) -> Range:
    """The range from one whole number to another.

    None: the range has no end on that side.
    """
    return Range(*(None if end is None else Fraction(end) for end in (lower, upper)))


#: All numbers that are not negative.
NOT_NEGATIVE: Final = between(0, None)


def total(a: Range, b: Range) -> Range:
    """The range of ``x + y``."""
    return Range(_add(a.lower, b.lower), _add(a.upper, b.upper))


def negated(a: Range) -> Range:
    """The range of ``-x``."""
    return product(a, between(-1, -1))


def magnitude(a: Range) -> Range:
    """The range of ``|x|``, which is the greatest of ``x``, ``-x`` and 0."""
    return greatest((a, negated(a), between(0, 0)))


def product(a: Range, b: Range) -> Range:
    """The range of ``x * y``: from the least to the greatest product of two ends.

    0 times an infinite end is 0.
    """
    corners = [_times(x, y) for x in _extended(a) for y in _extended(b)]
    return Range(_finite(min(corners)), _finite(max(corners)))


def quotient(a: Range, b: Range) -> Range:
    """The range of ``x / y``; any number if ``y`` may be 0."""
    if b.sign not in (Sign.NEGATIVE, Sign.POSITIVE):
        return ANY
    # If y has no end, 1 / y comes arbitrarily close to 0.
    inverse = [Fraction(0) if end is None else 1 / end for end in (b.upper, b.lower)]
    return product(a, Range(*inverse))


def remainder(a: Range, b: Range) -> Range:
    """The range of ``MOD(x, y)``: between 0 and ``x``, and between ``-|y|`` and ``|y|``."""
    (lower, upper), (_, limit) = _extended(a), _extended(magnitude(b))  # limit: the greatest |y|
    return Range(
        _finite(max(min(lower, Fraction(0)), -limit)), _finite(min(max(upper, Fraction(0)), limit))
    )


def hull(ranges: Iterable[Range]) -> Range:
    """The smallest range that contains all of ``ranges``; `ANY` if there are none."""
    ends = [_extended(each) for each in ranges] or [_extended(ANY)]
    return Range(_finite(min(lower for lower, _ in ends)), _finite(max(upper for _, upper in ends)))


def greatest(ranges: Iterable[Range]) -> Range:
    """The range of GREATEST of one value of each of ``ranges``, of which there is at least one."""
    ends = [_extended(each) for each in ranges]
    return Range(_finite(max(lower for lower, _ in ends)), _finite(max(upper for _, upper in ends)))


def least(ranges: Iterable[Range]) -> Range:
    """The range of LEAST of one value of each of ``ranges``, of which there is at least one."""
    return negated(greatest(negated(each) for each in ranges))


# --- rounding ---------------------------------------------------------------------------------


def outward(a: Range, unit: Fraction = Fraction(1)) -> Range:
    """The smallest range that contains ``a`` and whose ends are multiples of ``unit``."""
    return Range(
        None if a.lower is None else math.floor(a.lower / unit) * unit,
        None if a.upper is None else math.ceil(a.upper / unit) * unit,
    )


def downward(a: Range, unit: Fraction) -> Range:
    """The range of ``x`` rounded down to a multiple of ``unit``."""
    return Range(*(None if end is None else math.floor(end / unit) * unit for end in _ends(a)))


def towards_zero(a: Range, unit: Fraction) -> Range:
    """The range of ``x`` truncated toward zero to a multiple of ``unit``."""
    return Range(*(None if end is None else math.trunc(end / unit) * unit for end in _ends(a)))


#: A number far below the greatest REAL and DOUBLE.  A number above it may be rounded to infinity; a
#: number below 1 / `_FAR` may lose digits or be rounded to 0.
_FAR: Final = {Kind.REAL: Fraction(2**100), Kind.DOUBLE: Fraction(2**1000)}
#: A relative error that is greater than the error of one rounding.
_SLACK: Final = {Kind.REAL: Fraction(1, 2**20), Kind.DOUBLE: Fraction(1, 2**50)}


def approximated(a: Range, kind: Kind) -> Range:
    """The range of the REALs or DOUBLEs to which the numbers of ``a`` are rounded, up or down."""
    lower = None if a.lower is None else _below(a.lower, kind)
    # The upper end is, negated, the lower end of the negated numbers.
    upper = None if a.upper is None else _below(-a.upper, kind)
    return Range(lower, None if upper is None else -upper)


#: The number of digits up to which REAL and DOUBLE hold and write a whole number exactly.
WHOLE_DIGITS: Final = {Kind.REAL: 7, Kind.DOUBLE: 15}


def written(a: Range, kind: Kind) -> Range:
    """The range of the numbers to which a cast to DECIMAL converts the floats in ``a`` (S-202).

    The cast takes the shortest text of the float, whose number can differ from the float.
    """
    return Range(
        None if a.lower is None else a.lower - _miswritten(a.lower, kind),
        None if a.upper is None else a.upper + _miswritten(a.upper, kind),
    )


def _miswritten(end: Fraction, kind: Kind) -> Fraction:
    """The most by which the shortest text of a float can differ from the float."""
    if end.denominator == 1 and abs(end) <= 10 ** WHOLE_DIGITS[kind]:
        return Fraction(0)
    return abs(end) * _SLACK[kind]


def _below(end: Fraction, kind: Kind) -> Fraction | None:
    """A lower limit of the REALs or DOUBLEs to which ``end`` and greater numbers are rounded.

    None: there is no limit, because ``end`` may be rounded to -infinity.
    """
    if _representable(end, kind):
        return end
    far = _FAR[kind]
    if abs(end) > far:
        return None if end < 0 else far
    if abs(end) < 1 / far:
        return Fraction(0) if end > 0 else -1 / far
    return end - abs(end) * _SLACK[kind]


def _representable(number: Fraction, kind: Kind) -> bool:
    """Whether ``number`` is exactly a REAL or DOUBLE."""
    try:
        near = float(number)
        near = round_to_real(near) if kind is Kind.REAL else near
    except OverflowError:
        return False
    return near == number


# --- ends -------------------------------------------------------------------------------------


def _ends(a: Range) -> tuple[Fraction | None, Fraction | None]:
    """The lower and the upper end of a range."""
    return a.lower, a.upper


def _extended(a: Range) -> tuple[Fraction | float, Fraction | float]:
    """The ends of a range; an end that is None is -infinity or infinity."""
    return (
        -math.inf if a.lower is None else a.lower,
        math.inf if a.upper is None else a.upper,
    )


def _finite(end: Fraction | float) -> Fraction | None:
    """An end of a `Range`: None for an infinity."""
    return end if isinstance(end, Fraction) else None


def _times(x: Fraction | float, y: Fraction | float) -> Fraction | float:
    """The product of two ends, which may be infinite; 0 times an infinity is 0."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    if x == 0 or y == 0:
        return Fraction(0)
    return math.inf if (x > 0) is (y > 0) else -math.inf


def _add(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    """The sum of two lower or two upper ends; None if one of them is None."""
    return None if a is None or b is None else a + b
