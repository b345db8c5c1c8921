"""Values of SQL types as Python values: their conversion to numbers, rounding, and order."""

import math
import struct
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from algebra.expression import Value
from algebra.types import INTEGER_BITS, UNIT_MILLIS, UNIT_MONTHS, Kind, Type
from grammar.codes import Code
from grammar.source import Location, Span, SqlError, located
from grammar.tree import TimeUnit

#: A number without rounding.
Exact: TypeAlias = int | Fraction

#: Enough digits that Python rounds neither a DECIMAL nor the sum of two DOUBLEs.
UNROUNDED: Final = Context(prec=2_000)
#: The ranges of intervals: Calcite's 32-bit months and 64-bit milliseconds.
INTERVAL_BITS: Final = {Kind.MONTHS: 32, Kind.MILLIS: 64}


def failure(code: Code, message: str, hint: str = "", location: Location | None = None) -> SqlError:
    """The run-time error ``code``; `located` adds its location later if there is one.

    Defines: S-802.p
    """
    return located(SqlError(code, message, "", Span(0, 0), hint), location)


# --- a value in the Python type of its SQL type -------------------------------------------------


def integer(value: Value) -> int:
    """``value`` as an int: its type is an integer, a datetime or an interval."""
    assert isinstance(value, int), value
    return value


def text(value: Value) -> str:
    """``value`` as a str: its type is a text type."""
    assert isinstance(value, str), value
    return value


def exact(value: Value) -> Exact:
    """``value``, of a numeric or interval type, as an exact number; a float as its binary fraction.

    NaN and the infinities are not exact numbers: OVERFLOW.
    """
    match value:
        case int():
            return value
        case Decimal():
            return Fraction(value)
        case float() if math.isfinite(value):
            return Fraction(value)
        case _:
            assert isinstance(value, float), value
            raise failure(Code.OVERFLOW, f"{value} is not an exact number", "filter it out")


def floating(value: Value) -> float:
    """``value``, of a numeric type, as the nearest DOUBLE."""
    return value if isinstance(value, float) else nearest(exact(value))


# --- rounding -----------------------------------------------------------------------------------


def half_up(number: Exact) -> int:
    """The nearest integer; of two equally near ones, the one farther from zero (S-202).

    Defines: S-202.e
    """
    if number < 0:
        return -half_up(-number)
    return number if isinstance(number, int) else math.floor(number + Fraction(1, 2))


def nearest(number: Exact) -> float:
    """The DOUBLE nearest to ``number``, ties to even; infinite beyond the range (IEEE 754).

    Defines: S-202.m
    """
    try:
        return number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def single(number: float) -> float:
    """The REAL nearest to ``number``: 24 bits, infinite beyond the range (IEEE 754)."""
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return math.copysign(math.inf, number)
    assert isinstance(rounded, float)
    return rounded


def nearest_single(number: Exact) -> float:
    """The REAL nearest to ``number``, rounded once.

    Rounding to a DOUBLE first could turn a number near a tie into the tie.  So the odd one of the
    two DOUBLEs around the number is used, which is on the right side of the tie.
    """
    close = nearest(number)
    if math.isinf(close) or close == number:
        return single(close)
    low = close if close < number else math.nextafter(close, -math.inf)
    high = math.nextafter(low, math.inf)
    odd = low if struct.unpack("q", struct.pack("d", low))[0] & 1 else high
    return single(odd)


def unit_of(type: Type) -> int:
    """The internal value of 1 in an interval's last field, in months or milliseconds.

    For SECOND it is 1, because this field has a fraction: its smallest step is a millisecond.
    """
    assert type.fields is not None, "an interval has fields"
    last = type.fields[1]
    if type.kind is Kind.MONTHS:
        return UNIT_MONTHS[last]
    return 1 if last is TimeUnit.SECOND else UNIT_MILLIS[last]


def towards_zero(number: Exact, unit: int = 1) -> int:
    """``number`` truncated toward zero to a multiple of ``unit``."""
    return math.trunc(Fraction(number, unit)) * unit


def fit(type: Type, number: Exact) -> Value:
    """``number`` as a value of ``type``: rounded HALF_UP; an interval is rounded toward zero.

    Raises OVERFLOW where it leaves an exact type's range (S-202).

    Defines: S-202.a
    """
    match type.kind:
        case Kind.TINYINT | Kind.SMALLINT | Kind.INTEGER | Kind.BIGINT:
            limit = limit_of(type)
            return _in_range(type, half_up(number), -limit, limit)
        case Kind.DECIMAL:
            units = _digits(type, half_up(number * 10**type.scale))
            return Decimal(units).scaleb(-type.scale, UNROUNDED)
        case Kind.REAL:
            return nearest_single(number)
        case Kind.DOUBLE:
            return nearest(number)
        case Kind.MONTHS | Kind.MILLIS:
            # The fraction of a month or millisecond is dropped, and no more: half of an INTERVAL
            # HOUR is 30 minutes, as in Calcite.  Only CAST drops the minutes of an INTERVAL HOUR.
            limit = limit_of(type)
            return _in_range(type, math.trunc(number), 1 - limit, limit)
        case _:
            raise AssertionError(f"{type} is not a type of numbers")


def limit_of(type: Type) -> int:
    """The least number above the range of an integer or interval type."""
    return 1 << (INTEGER_BITS.get(type.kind) or INTERVAL_BITS[type.kind]) - 1


def _in_range(type: Type, number: int, least: int, limit: int) -> int:
    """``number``, if ``least <= number < limit``; else OVERFLOW."""
    if least <= number < limit:
        return number
    raise failure(Code.OVERFLOW, f"{number} is out of the range of {type}", "cast to a wider type")


def _digits(type: Type, units: int) -> int:
    """``units``, if they have no more digits than the DECIMAL ``type``; else OVERFLOW."""
    if abs(units) < 10**type.precision:
        return units
    raise failure(Code.OVERFLOW, f"a value has more digits than {type}", "cast to a wider type")


# --- order --------------------------------------------------------------------------------------


def is_nan(value: Value) -> bool:
    """Whether ``value`` is NaN, which does not equal itself."""
    return isinstance(value, float) and math.isnan(value)


def compare(a: Value, b: Value) -> int:
    """-1, 0, 1: the order of two values of one type, neither NULL, for sorting and MIN and MAX.

    NaN is equal to itself and the greatest number (ours; IEEE 754 leaves it unordered).

    Defines: S-202.i, S-206.b
    """
    if is_nan(a) or is_nan(b):
        return is_nan(a) - is_nan(b)
    if a == b:
        return 0
    return -1 if a < b else 1  # type: ignore[operator]  # both have one SQL type


def shifted(value: Value, sign: int, distance: Value) -> Decimal:
    """``value`` plus (``sign`` 1) or minus (-1) ``distance``, any numbers, without rounding."""
    assert isinstance(value, int | float | Decimal), value
    assert isinstance(distance, int | float | Decimal), distance
    return UNROUNDED.add(Decimal(value), Decimal(sign * distance))


def at_distance(value: Value, sign: int, distance: Value) -> float | Decimal:
    """``value`` plus or minus ``distance``, in DOUBLE if either is approximate (S-506).

    Else without rounding, and without a limit.

    Defines: S-506.e
    """
    if isinstance(value, float) or isinstance(distance, float):
        assert isinstance(value, int | float | Decimal), value
        assert isinstance(distance, int | float | Decimal), distance
        return float(value) + sign * float(distance)
    return shifted(value, sign, distance)


#: The identity of NaN.
NAN: Final = ("NaN",)


def identity(value: Value) -> Value | tuple[str]:
    """A hashable stand-in for ``value``, equal for values that are one group (GROUP BY, DISTINCT).

    There NULL equals NULL, and NaN equals NaN.
    """
    return NAN if value != value else value  # NaN is not equal to itself
