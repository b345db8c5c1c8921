"""Closed intervals of numbers, and interval arithmetic on them that is never too narrow (S-403)."""

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from algebra.types import Kind


class Sign(Enum):
    """The sign that all values of a range have; the two signs in the middle include 0."""

    NEGATIVE = "below 0"
    NOT_POSITIVE = "at or below 0"
    ZERO = "0"
    NOT_NEGATIVE = "at or above 0"
    POSITIVE = "above 0"


@dataclass(frozen=True, slots=True)
class Range:
    """A closed interval that contains all values but NULL, in the unit of their representation.

    An end is None where the values are not bounded.
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
        """The only value in the range; None if there are several."""
        return self.lower if self.lower == self.upper else None


ANY: Final = Range()


def between(lower: int | None, upper: int | None) -> Range:
    """The range from one whole number to another."""
    return Range(*(None if end is None else Fraction(end) for end in (lower, upper)))


#: The ranges of numbers of which only the sign is known.
NOT_NEGATIVE: Final = between(0, None)


def total(a: Range, b: Range) -> Range:
    """The range of ``x + y``."""
    return Range(_add(a.lower, b.lower), _add(a.upper, b.upper))


def scaled(a: Range, factor: Fraction) -> Range:
    """The range of ``factor * x``."""
    ends = [None if each is None else each * factor for each in (a.lower, a.upper)]
    if factor == 0:
        return between(0, 0)
    return Range(*ends) if factor > 0 else Range(*reversed(ends))


def negated(a: Range) -> Range:
    """The range of ``-x``."""
    return scaled(a, Fraction(-1))


def magnitude(a: Range) -> Range:
    """The range of ``|x|``."""
    if _never_negative(a):
        return a
    if _never_positive(a):
        return negated(a)
    ends = (a.lower, a.upper)
    return Range(Fraction(0), None if None in ends else max(abs(e) for e in ends if e is not None))


def product(a: Range, b: Range) -> Range:
    """The range of ``x * y``: by the four corners, or by the signs where a corner is unbounded."""
    for one, other in ((a, b), (b, a)):
        if other.value is not None:
            return scaled(one, other.value)
    corners = [None if x is None or y is None else x * y for x in _ends(a) for y in _ends(b)]
    known = [each for each in corners if each is not None]
    if len(known) == len(corners):
        return Range(min(known), max(known))
    if _never_positive(a):
        return negated(product(negated(a), b))
    if _never_positive(b):
        return negated(product(a, negated(b)))
    if a.lower is None or b.lower is None or a.lower < 0 or b.lower < 0:
        return ANY
    return Range(a.lower * b.lower, None)


def quotient(a: Range, b: Range) -> Range:
    """The range of ``x / y``; any number if ``y`` may be 0."""
    if b.sign not in (Sign.NEGATIVE, Sign.POSITIVE):
        return ANY
    # The inverse of an unbounded range comes arbitrarily close to 0.
    inverse = [Fraction(0) if end is None else 1 / end for end in (b.upper, b.lower)]
    return product(a, Range(*inverse))


def remainder(a: Range, b: Range) -> Range:
    """The range of ``MOD(x, y)``: the sign of ``x``, and at most the magnitude of either."""
    limits = [each.upper for each in (magnitude(a), magnitude(b)) if each.upper is not None]
    limit = min(limits, default=None)
    lower = Fraction(0) if _never_negative(a) else None if limit is None else -limit
    upper = Fraction(0) if _never_positive(a) else limit
    return Range(lower, upper)


def hull(ranges: Iterable[Range]) -> Range:
    """The smallest range that contains all of ``ranges``; `ANY` if there are none."""
    all_ = tuple(ranges)
    lowers = [each.lower for each in all_ if each.lower is not None]
    uppers = [each.upper for each in all_ if each.upper is not None]
    return Range(
        min(lowers) if lowers and len(lowers) == len(all_) else None,
        max(uppers) if uppers and len(uppers) == len(all_) else None,
    )


def greatest(ranges: Iterable[Range]) -> Range:
    """The range of GREATEST of one value out of each of ``ranges``."""
    all_ = tuple(ranges)
    lowers = [each.lower for each in all_ if each.lower is not None]
    uppers = [each.upper for each in all_ if each.upper is not None]
    return Range(max(lowers, default=None), max(uppers) if len(uppers) == len(all_) else None)


def least(ranges: Iterable[Range]) -> Range:
    """The range of LEAST of one value out of each of ``ranges``."""
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


#: Numbers well inside the range of REAL and DOUBLE.  Beyond them a result may be infinite; below
#: their inverse it may lose digits, or all of its value.
_FAR: Final = {Kind.REAL: Fraction(2**100), Kind.DOUBLE: Fraction(2**1000)}
#: A relative error greater than that of one rounding.
_SLACK: Final = {Kind.REAL: Fraction(1, 2**20), Kind.DOUBLE: Fraction(1, 2**50)}


def approximated(a: Range, kind: Kind) -> Range:
    """The range of the same numbers as REAL or DOUBLE, in whichever direction they are rounded."""
    lower = None if a.lower is None else _below(a.lower, kind)
    upper = None if a.upper is None else _below(-a.upper, kind)
    return Range(lower, None if upper is None else -upper)


#: The number of digits up to which REAL and DOUBLE hold and write a whole number exactly.
WHOLE_DIGITS: Final = {Kind.REAL: 7, Kind.DOUBLE: 15}


def written(a: Range, kind: Kind) -> Range:
    """The range of the shortest decimal texts of floats in a range, as numbers (S-202)."""
    return Range(
        None if a.lower is None else a.lower - _miswritten(a.lower, kind),
        None if a.upper is None else a.upper + _miswritten(a.upper, kind),
    )


def _miswritten(end: Fraction, kind: Kind) -> Fraction:
    """The most by which the shortest text of a float can differ from the float."""
    if end.denominator == 1 and abs(end) < 10 ** WHOLE_DIGITS[kind]:
        return Fraction(0)
    return abs(end) * _SLACK[kind]


def _below(end: Fraction, kind: Kind) -> Fraction | None:
    """A lower bound of the floats of ``kind`` that ``end`` and numbers above it are rounded to."""
    if _representable(end, kind):
        return end
    far = _FAR[kind]
    if abs(end) > far:
        return None if end < 0 else far
    if abs(end) < 1 / far:
        return Fraction(0) if end > 0 else -1 / far
    return end - abs(end) * _SLACK[kind]


def _representable(number: Fraction, kind: Kind) -> bool:
    try:
        near = float(number)
        if kind is Kind.REAL:
            (near,) = struct.unpack("f", struct.pack("f", near))
    except OverflowError:
        return False
    return math.isfinite(near) and near == number


# --- ends -------------------------------------------------------------------------------------


def _ends(a: Range) -> tuple[Fraction | None, Fraction | None]:
    return a.lower, a.upper


def _add(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a + b


def _never_positive(a: Range) -> bool:
    return a.upper is not None and a.upper <= 0


def _never_negative(a: Range) -> bool:
    return a.lower is not None and a.lower >= 0
