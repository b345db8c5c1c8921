"""CAST between every pair of types that allows it (S-202, S-204)."""

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import count
from typing import Final

from algebra.expression import Value
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    EXACT,
    INTERVAL,
    MILLIS_PER_DAY,
    NUMERIC,
    TEXT,
    Kind,
    Type,
)
from algebra.wire import from_wire, to_wire
from grammar.codes import Code
from reference.scalar.datetimes import instant_of, of_instant
from reference.values import (
    Exact,
    exact,
    failure,
    fit,
    floating,
    half_up,
    integer,
    is_nan,
    single,
    text,
    towards_zero,
    unit_of,
)


def cast(value: Value, source: Type, target: Type) -> Value:
    """``value``, not NULL and of type ``source``, as a value of another type ``target``.

    Raises INVALID_CAST for a text that is not a value of ``target``, and OVERFLOW for a value
    outside of its range.
    """
    match source.kind, target.kind:
        case (a, b) if a in TEXT and b in TEXT:
            return sized(text(value), target)
        case (a, b) if b in TEXT:
            return _whole(as_text(value, source), target)
        case (a, b) if a in TEXT:
            return from_text(text(value), target)
        case (a, b) if a in NUMERIC and b in NUMERIC:
            return number(value, source, target)
        case (a, b) if a in DATETIME:
            return _datetime(integer(value), a, b)
        case (a, b) if a in INTERVAL and b is a:
            return fit(target, towards_zero(integer(value), unit_of(target)))
        case (a, _) if a in INTERVAL:
            return fit(target, Fraction(integer(value), unit_of_whole(source)))
        case (a, _) if a in NUMERIC:
            return _interval(exact(value), target)
        case _:
            assert isinstance(value, bytes), f"{source} is never cast to {target}"
            return value[: target.precision or None]


def sized(value: str, target: Type) -> str:
    """A text as CHAR(n) or VARCHAR(n): a longer text is cut, a shorter CHAR is padded.

    Defines: S-204.k
    """
    if not target.precision:
        return value
    cut = value[: target.precision]
    return cut.ljust(target.precision) if target.kind is Kind.CHAR else cut


def _whole(value: str, target: Type) -> str:
    """``value``, the text of a number or datetime, as ``target``, a type of texts.

    Raises OVERFLOW if the text is too long; unlike in a cast of a text, it is not cut (SQL:2016).
    """
    if target.precision and len(value) > target.precision:
        raise failure(Code.OVERFLOW, f"{value!r} is too long for {target}", "cast to VARCHAR")
    return sized(value, target)


# --- numbers ------------------------------------------------------------------------------------


def number(value: Value, source: Type, target: Type) -> Value:
    """A number as a number of another type, rounded HALF_UP.

    A REAL or DOUBLE becomes the DECIMAL of its shortest text: 0.1 becomes 0.1, not the exact binary
    value 0.1000…055, as in Calcite, Spark and Flink.  It becomes an integer by its exact value.

    Defines: S-202.k, S-202.o
    """
    match source.kind, target.kind:
        case (_, Kind.DOUBLE):
            return floating(value)
        case (a, Kind.REAL) if a in APPROXIMATE:
            return single(floating(value))
        case (a, Kind.DECIMAL) if a in APPROXIMATE:
            exact(value)  # NaN and the infinities have no digits: OVERFLOW
            return fit(target, Fraction(shortest(floating(value), source)))
        case _:
            return fit(target, exact(value))


def shortest(value: float, type: Type) -> str:
    """The text of a finite REAL or DOUBLE with the fewest digits that identify it.

    Python can read the text, but it is not in the form of SQL (`approximate_literal`).
    """
    if type.kind is Kind.DOUBLE:
        return repr(value)
    candidates = (f"{value:.{digits}e}" for digits in count())  # with more and more digits
    return next(each for each in candidates if single(float(each)) == value)


def _interval(value: Exact, target: Type) -> Value:
    """The interval ``target``, which has one field, with the number ``value`` in this field."""
    unit = unit_of_whole(target)
    # Only SECOND can have a fraction; other fields are rounded to a whole number.
    return fit(target, half_up(value * unit) if unit_of(target) == 1 else half_up(value) * unit)


def unit_of_whole(type: Type) -> int:
    """The value 1 of an interval's last field in the internal unit, such as 1,000 for SECOND.

    The internal unit is a millisecond, or a month for intervals of years and months.
    """
    return 1_000 if type.kind is Kind.MILLIS and unit_of(type) == 1 else unit_of(type)


# --- datetimes ----------------------------------------------------------------------------------


def _datetime(value: int, source: Kind, target: Kind) -> Value:
    """A datetime as another type: a TIMESTAMP loses a part, a DATE becomes its midnight.

    A TIME is never cast to a TIMESTAMP here, because the binder adds it to CURRENT_DATE (S-207.k).
    """
    assert source is not Kind.TIME, "a TIME has no date"
    if target is Kind.TIME:
        return instant_of(source, value) % MILLIS_PER_DAY
    return of_instant(target, instant_of(source, value))


# --- text ---------------------------------------------------------------------------------------


def as_text(value: Value, source: Type) -> str:
    """The text of a value that is not NULL.

    Integers as digits, DECIMALs with all digits of their scale, REAL and DOUBLE as the shortest
    approximate literal (SQL:2016 6.13: ``1.5E0``, ``0E0``; also ``NaN``, ``Infinity``), BOOLEAN as
    TRUE and FALSE, datetimes and intervals as in their literals.

    Defines: S-204.f, S-204.g
    """
    match source.kind:
        case Kind.BOOLEAN:
            return "TRUE" if value else "FALSE"
        case Kind.REAL | Kind.DOUBLE:
            assert isinstance(value, float), value
            return approximate_literal(value, source)
        case _:
            return str(to_wire(source, value))


def approximate_literal(value: float, type: Type) -> str:
    """A REAL or DOUBLE as SQL writes it: one digit before the point, then ``E`` and the exponent.

    >>> approximate_literal(-1234.5, Type(Kind.DOUBLE))
    '-1.2345E3'
    """
    if is_nan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value == math.inf else "-Infinity"
    if value == 0:
        return "0E0"
    sign, digits, exponent = Decimal(shortest(value, type)).normalize().as_tuple()
    assert isinstance(exponent, int), "a finite number"
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    point = f".{rest}" if rest else ""
    return f"{'-' if sign else ''}{first}{point}E{exponent + len(digits) - 1}"


#: A signed numeric literal: digits with or without a point and an exponent.
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_TRUTH: Final = {"TRUE": True, "FALSE": False, "UNKNOWN": None}
#: 10**400 is outside every numeric type, exact or DOUBLE, and no scale has 400 digits.
_FAR: Final = 400


def from_text(value: str, target: Type) -> Value:
    """The value of a text, without the blanks around it, as ``target``, not a type of texts.

    Raises INVALID_CAST if the text is not a value of ``target``.

    A number may be any signed numeric literal, whatever the target, as in the standard: ``'1.5'``
    is the INTEGER 2.

    Defines: S-202.l, S-202.p, S-204.p, S-204.q
    """
    trimmed = value.strip(" ")
    match target.kind:
        case Kind.BOOLEAN if trimmed.upper() in _TRUTH:
            return _TRUTH[trimmed.upper()]
        case kind if kind in NUMERIC and _NUMBER.fullmatch(trimmed):
            return _numeric(trimmed, target)
        case _:
            return _literal(trimmed, value, target)


def _numeric(literal: str, target: Type) -> Value:
    """A numeric literal as a number of ``target``, rounded once; raises OVERFLOW.

    A number with an exponent beyond `_FAR` is not computed, because this would take long: it is
    OVERFLOW, an infinity, or 0.
    """
    try:
        parsed = Decimal(literal)
    except InvalidOperation:  # an exponent of twenty digits
        raise _invalid(literal, target) from None
    if parsed.is_zero():
        return fit(target, 0)
    if parsed.adjusted() > _FAR and target.kind in EXACT:
        raise failure(Code.OVERFLOW, f"{literal} is out of the range of {target}")
    if parsed.adjusted() > _FAR:
        return math.copysign(math.inf, parsed)
    return fit(target, Fraction(parsed) if parsed.adjusted() > -_FAR else 0)


def _literal(trimmed: str, value: str, target: Type) -> Value:
    """The value of a text that is not a numeric literal: NaN, an infinity, a datetime, an interval.

    ``trimmed`` is ``value`` without blanks around it.  Raises INVALID_CAST.
    """
    try:
        return from_wire(target, trimmed)
    except ValueError as error:
        raise _invalid(value, target) from error


def _invalid(value: str, target: Type) -> Exception:
    """The error INVALID_CAST for the text ``value``."""
    return failure(Code.INVALID_CAST, f"{value!r} is not a value of {target}", "correct the text")
