"""Values on the wire: what comes in and goes out at the edge, and what it is inside.

On the wire, NULL is ``None`` in every type, and

=====================  ===========================================================================
BOOLEAN                ``bool``
integers               ``int``
DECIMAL                text, ``'0.25'``; coming in also an ``int``
REAL, DOUBLE           ``float``, coming in also an ``int``; ``'NaN'``, ``'Infinity'``,
                       ``'-Infinity'`` as text
CHAR, VARCHAR          ``str``
VARBINARY              text of hexadecimal digits
DATE, TIME, TIMESTAMP  ``'2015-02-15'``, ``'10:17:00'``, ``'2015-02-15 10:17:00'``, with ``.fff``
                       where the milliseconds are not zero
INTERVAL               the text of its literal in the type's own fields
=====================  ===========================================================================
"""

import math
import re
import struct
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.datetimes import (
    format_date,
    format_interval,
    format_time,
    format_timestamp,
    parse_date,
    parse_interval,
    parse_time,
    parse_timestamp,
)
from algebra.expression import Value
from algebra.types import INTEGER_BITS, Kind, Type

#: A value on the wire.
Wire: TypeAlias = bool | int | float | str | None

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_HEXADECIMAL: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
#: The floats that JSON has no number for.
_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def from_wire(type: Type, wire: Wire) -> Value:
    """The value inside; ``ValueError`` says why ``wire`` is no value of ``type``.

    Nothing is rounded or cut, but a REAL, which is brought to its 24 bits; a CHAR is padded.

    >>> from_wire(Type(Kind.DATE), "1970-01-02")
    1
    """
    if wire is None:
        if not type.nullable:
            raise ValueError(f"NULL where {type} is NOT NULL")
        return None
    match type.kind:
        case Kind.BOOLEAN:
            if isinstance(wire, bool):
                return wire
        case Kind.TINYINT | Kind.SMALLINT | Kind.INTEGER | Kind.BIGINT:
            if isinstance(wire, int) and not isinstance(wire, bool):
                return _integer(type, wire)
        case Kind.DECIMAL:
            if isinstance(wire, str) or (isinstance(wire, int) and not isinstance(wire, bool)):
                return _decimal(type, str(wire))
        case Kind.REAL | Kind.DOUBLE:
            if isinstance(wire, str) and wire in _SPECIAL:
                return _SPECIAL[wire]
            if isinstance(wire, int | float) and not isinstance(wire, bool):
                return _float(type, wire)
        case Kind.CHAR | Kind.VARCHAR:
            if isinstance(wire, str):
                return _text(type, wire)
        case Kind.VARBINARY:
            if isinstance(wire, str):
                return _binary(type, wire)
        case Kind.DATE:
            if isinstance(wire, str):
                return parse_date(wire)
        case Kind.TIME:
            if isinstance(wire, str):
                return parse_time(wire)
        case Kind.TIMESTAMP:
            if isinstance(wire, str):
                return parse_timestamp(wire)
        case Kind.MONTHS | Kind.MILLIS:
            assert type.fields is not None, "an interval has fields"
            if isinstance(wire, str):
                return parse_interval(wire, type.fields)
        case Kind.NULL:
            raise ValueError(f"{wire!r} where only NULL can be")
    raise ValueError(f"{wire!r} is no value of {type}")


def to_wire(type: Type, value: Value) -> Wire:
    """The value on the wire; ``from_wire`` gives it back.

    Only an interval that its type's fields cannot tell (half an hour in INTERVAL HOUR) is cut.
    """
    if value is None:
        return None
    match type.kind:
        case Kind.DECIMAL:
            assert isinstance(value, Decimal)
            return format(value, "f")
        case Kind.REAL | Kind.DOUBLE:
            assert isinstance(value, float)
            if math.isnan(value):
                return "NaN"
            if math.isinf(value):
                return "Infinity" if value > 0 else "-Infinity"
            return value
        case Kind.VARBINARY:
            assert isinstance(value, bytes)
            return value.hex().upper()
        case Kind.DATE | Kind.TIME | Kind.TIMESTAMP | Kind.MONTHS | Kind.MILLIS:
            assert isinstance(value, int)
            return _time_text(type, value)
        case _:
            assert isinstance(value, bool | int | str)
            return value


def _time_text(type: Type, value: int) -> str:
    """The text of a datetime or interval."""
    if type.kind is Kind.DATE:
        return format_date(value)
    if type.kind is Kind.TIME:
        return format_time(value)
    if type.kind is Kind.TIMESTAMP:
        return format_timestamp(value)
    assert type.fields is not None, "an interval has fields"
    return format_interval(value, type.fields)


def _integer(type: Type, wire: int) -> int:
    limit = 2 ** (INTEGER_BITS[type.kind] - 1)
    if not -limit <= wire < limit:
        raise ValueError(f"{wire} is out of the range of {type}")
    return wire


def _decimal(type: Type, text: str) -> Decimal:
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"'{text}' is no value of {type}")
    sign = "-" if text.startswith("-") else ""
    whole, _, fraction = text.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    if len(fraction) > type.scale:
        raise ValueError(f"'{text}' has more than {type.scale} digits after the point")
    if len(whole) > type.precision - type.scale:
        raise ValueError(f"'{text}' is out of the range of {type}")
    digits = whole + fraction.ljust(type.scale, "0")
    # Zero has no sign in SQL.
    sign = sign if digits.strip("0") else ""
    return Decimal(f"{sign}{digits or '0'}E-{type.scale}")


def _float(type: Type, wire: float) -> float:
    try:
        value = float(wire)
        return round_to_real(value) if type.kind is Kind.REAL else value
    except OverflowError:
        raise ValueError(f"{wire} is out of the range of {type}") from None


def round_to_real(value: float) -> float:
    """The nearest value of 24 bits (IEEE 754 binary32); ``OverflowError`` beyond its range."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    assert isinstance(rounded, float)
    return rounded


def _text(type: Type, wire: str) -> str:
    if type.precision and len(wire) > type.precision:
        raise ValueError(f"a text of {len(wire)} characters where {type} holds {type.precision}")
    return wire.ljust(type.precision) if type.kind is Kind.CHAR else wire


def _binary(type: Type, wire: str) -> bytes:
    if _HEXADECIMAL.fullmatch(wire) is None:
        raise ValueError(f"'{wire}' is not pairs of hexadecimal digits")
    if type.precision and len(wire) > 2 * type.precision:
        raise ValueError(f"{len(wire) // 2} bytes where {type} holds {type.precision}")
    return bytes.fromhex(wire)
