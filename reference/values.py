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
#: The sizes of intervals in bits, as in Calcite: 32-bit months and 64-bit milliseconds.
INTERVAL_BITS: Final = {Kind.MONTHS: 32, Kind.MILLIS: 64}


def failure(code: Code, message: str, hint: str = "", location: Location | None = None) -> SqlError:
    """Make the run-time error ``code``, to be raised by the caller.

    If ``location`` is None, a caller further up adds it with `located`.

    Defines: S-802.p
    """
    return located(SqlError(code, message, "", Span(0, 0), hint), location)


# --- a value in the Python type of its SQL type -------------------------------------------------


def integer(value: Value) -> int:
    """``value``, which must be an int: its SQL type is an integer, a datetime or an interval."""
    assert isinstance(value, int), value
    return value


def text(value: Value) -> str:
    """``value``, which must be a str: its SQL type is a text type."""
    assert isinstance(value, str), value
    return value


def exact(value: Value) -> Exact:
    """``value``, of a numeric or interval type, as an exact number; a float as its binary fraction.

    Raises OVERFLOW for NaN and the infinities, which are not exact numbers.
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

    A tie is a number in the middle between two REALs.  If the number were first rounded to the
    nearest DOUBLE, a number near a tie could become the tie.  So it is first replaced by one of the
    two DOUBLEs around it: the one whose last bit is 1.  That one is never a tie, and is on the same
    side of every tie as the number.
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

    Raises OVERFLOW if the result is outside of the range of an exact type (S-202).

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
    """The least integer above the range of an integer or interval type."""
    return 1 << (INTEGER_BITS.get(type.kind) or INTERVAL_BITS[type.kind]) - 1


def _in_range(type: Type, number: int, least: int, limit: int) -> int:
    """``number``, if ``least <= number < limit``; raises OVERFLOW if not."""
    if least <= number < limit:
        return number
    raise failure(Code.OVERFLOW, f"{number} is out of the range of {type}", "cast to a wider type")


def _digits(type: Type, units: int) -> int:
    """``units``, if it has no more digits than the DECIMAL ``type``; raises OVERFLOW if not."""
    if abs(units) < 10**type.precision:
        return units
    raise failure(Code.OVERFLOW, f"a value has more digits than {type}", "cast to a wider type")


# --- order --------------------------------------------------------------------------------------


def is_nan(value: Value) -> bool:
    """Whether ``value`` is NaN, which does not equal itself."""
    return isinstance(value, float) and math.isnan(value)


def compare(a: Value, b: Value) -> int:
    """-1 if ``a`` is less than ``b``, 0 if they are equal, 1 if it is greater.

    The values have one type, and are not NULL.  This is the order of sorting, MIN and MAX.  NaN is
    equal to itself, and greater than any other number; in IEEE 754 it has no order.

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
    """``value`` plus (``sign`` 1) or minus (-1) ``distance`` (S-506).

    If one of them is a REAL or DOUBLE, it is computed in DOUBLE; if not, without rounding, and
    without a limit.

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
    """A hashable object that is equal for the values of one group in GROUP BY and DISTINCT.

    It is ``value`` itself, except that all NaNs have one identity.
    """
    return NAN if value != value else value  # NaN is not equal to itself
