"""Conversion of values between their form on the wire and their internal representation.

The wire is the protocol between the kit and a backend, and the other inputs and outputs of an
engine.  `algebra.types.Kind` describes the internal representation.  On the wire, NULL is ``None``
in every type, and a value is

=====================  ===========================================================================
BOOLEAN                ``bool``
integers               ``int``
DECIMAL                text, ``'0.25'``; as an input also an ``int``
REAL, DOUBLE           ``float``, as an input also an ``int``; ``'NaN'``, ``'Infinity'`` and
                       ``'-Infinity'`` as text
CHAR, VARCHAR          ``str``
VARBINARY              text of hexadecimal digits
DATE, TIME, TIMESTAMP  ``'2015-02-15'``, ``'10:17:00'``, ``'2015-02-15 10:17:00'``, with ``.fff``
                       if the milliseconds are not zero
INTERVAL               the text of its literal in the type's own fields
=====================  ===========================================================================
"""

import math
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import Any, Final, TypeAlias, cast

from algebra.expression import Value
from algebra.functions.datetimes import (
    format_date,
    format_interval,
    format_time,
    format_timestamp,
    parse_date,
    parse_interval,
)
from algebra.outside.read_times import read_time, read_timestamp
from algebra.types import INTEGER_BITS, Kind, Type
from grammar.counts import counted
from grammar.printable import shortened

#: A value on the wire.
Wire: TypeAlias = bool | int | float | str | None
#: The values of a row's columns on the wire.
WireRow: TypeAlias = tuple[Wire, ...]

#: Python's classes of values on the wire.
_Classes: TypeAlias = tuple[type[bool | int | float | str], ...]

#: A number without an exponent: digits with at most one point before, in or after them.
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
#: Such a number, and an exponent.
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+", re.ASCII)
#: Half of a surrogate pair, which is not a character.
_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
#: Pairs of hexadecimal digits, also none.
_HEXADECIMAL: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
#: The milliseconds of a minute.
_MINUTE: Final = 60_000
#: The floats that JSON has no number for.
_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def shown(value: Wire) -> str:
    """The text that shows ``value`` to people; formats for programs have their own NULL.

    >>> shown(None), shown(True), shown("NULL")
    ('NULL', 'true', 'NULL')
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def from_wire(type: Type, wire: Wire) -> Value:
    """The internal value of ``wire``, a value of ``type``.

    ``ValueError``, with a reason, if ``wire`` is not a value of ``type``.  Nothing is rounded or
    truncated, except a REAL to its 24 bits.  A CHAR is padded.

    >>> from_wire(Type(Kind.DATE), "1970-01-02")
    1
    """
    return reader(type)(wire)


def reader(type: Type) -> Callable[[Wire], Value]:
    """A function that does the same as `from_wire` for one type; it is faster for many values."""
    classes, read = _reader(type)
    # In Python, True is an int.  But it is a value of BOOLEAN only.
    excluded = () if type.kind is Kind.BOOLEAN else bool

    def value(wire: Wire) -> Value:
        if isinstance(wire, classes) and not isinstance(wire, excluded):
            try:
                return read(wire)
            except ValueError as error:
                raise ValueError(shortened(str(error))) from None
        if wire is not None:
            raise ValueError(shortened(f"{wire!r} is not a value of {type}"))
        if not type.nullable:
            raise ValueError(f"NULL where {type} is NOT NULL")
        return None

    return value


def read_column(declared: Type, column: Sequence[Wire]) -> Sequence[Value]:
    """The internal values of a column of values on the wire, as by `from_wire`."""
    classes, read = _reader(declared)
    # Classes are compared, because `isinstance` takes True for an int.
    found = set(map(type, column))
    has_null = NoneType in found and declared.nullable
    accepted = {*classes, NoneType} if has_null else set(classes)
    if not found <= accepted:
        return list(map(reader(declared), column))  # this reader finds the fault
    present = [value for value in column if value is not None] if has_null else column
    if _are_values(declared, present):
        return column
    return [None if value is None else read(value) for value in column]


def _are_values(declared: Type, column: Sequence[Any]) -> bool:  # Any: of the type's classes
    """Whether the values of ``column``, which has no NULL, are already internal values.

    False if this cannot be seen by a check of the column as a whole.
    """
    match declared.kind:
        case kind if kind in INTEGER_BITS:
            limit = 1 << INTEGER_BITS[kind] - 1
            return not column or (-limit <= min(column) and max(column) < limit)
        case Kind.DOUBLE:
            return {float}.issuperset(map(type, column))
        case Kind.VARCHAR:
            most = declared.precision
            is_short = not most or max(map(len, column), default=0) <= most
            return is_short and half_character("".join(column)) is None
        case other:
            return other is Kind.BOOLEAN


def _reader(
    type: Type,
) -> tuple[_Classes, Callable[[Any], Value]]:  # Any: an instance of one of these classes
    """The Python classes of values of ``type`` on the wire, and the function that converts them."""
    match type.kind:
        case Kind.BOOLEAN:
            return (bool,), bool
        case Kind.TINYINT | Kind.SMALLINT | Kind.INTEGER | Kind.BIGINT:
            return (int,), _integer(type)
        case Kind.DECIMAL:
            return (str, int), lambda wire: _decimal(type, str(wire))
        case Kind.REAL | Kind.DOUBLE:
            return (float, int, str), partial(_float, type)
        case Kind.CHAR | Kind.VARCHAR:
            return (str,), partial(_text, type)
        case Kind.VARBINARY:
            return (str,), partial(_binary, type)
        case Kind.DATE:
            return (str,), parse_date
        case Kind.TIME:
            return (str,), read_time
        case Kind.TIMESTAMP:
            return (str, int), _timestamp
        case Kind.MONTHS | Kind.MILLIS:
            assert type.fields is not None, "an interval has fields"
            return (str,), partial(parse_interval, fields=type.fields)
        case Kind.NULL:
            # No class is accepted, so the function is never called.
            return (), _itself


def to_wire(type: Type, value: Value) -> Wire:
    """The form on the wire of ``value``, an internal value: the inverse of ``from_wire``.

    An interval is truncated to the fields of its type: half an hour is 0 in INTERVAL HOUR.
    """
    return writer(type)(value)


def writer(type: Type) -> Callable[[Value], Wire]:
    """A function that does the same as `to_wire` for one type; it is faster for many values."""
    match type.kind:
        case Kind.DECIMAL:
            return _decimal_text
        case Kind.REAL | Kind.DOUBLE:
            return _float_text
        case Kind.VARBINARY:
            return _binary_text
        case Kind.DATE:
            return _unless_null(format_date)
        case Kind.TIME:
            return _unless_null(format_time)
        case Kind.TIMESTAMP:
            return _unless_null(format_timestamp)
        case Kind.MONTHS | Kind.MILLIS:
            assert type.fields is not None, "an interval has fields"
            return _unless_null(partial(format_interval, fields=type.fields))
        case _:
            return _itself


def row_writer(types: Sequence[Type]) -> Callable[[Iterable[Sequence[Value]]], list[WireRow]]:
    """A function that does the same as `to_wire` for rows whose columns have these ``types``."""
    writers = [_column_writer(type) for type in types]

    def write(rows: Iterable[Sequence[Value]]) -> list[WireRow]:
        columns = zip(*rows, strict=True)  # none if there are no rows
        written = [texts(column) for texts, column in zip(writers, columns, strict=False)]
        return list(zip(*written, strict=True))

    return write


def _column_writer(type: Type) -> Callable[[Sequence[Value]], Iterable[Wire]]:
    """A function that does the same as `to_wire` for all values of a column."""
    write = writer(type)
    if write is _itself:
        return lambda column: cast("Sequence[Wire]", column)
    if write is _float_text:
        return _floats
    return _TimestampTexts() if type.kind is Kind.TIMESTAMP else partial(map, write)


def _floats(column: Sequence[Value]) -> Iterable[Wire]:
    """The floats of a column on the wire: the column itself if all of them are finite."""
    if None not in column and all(map(math.isfinite, cast("Sequence[float]", column))):
        return cast("Sequence[float]", column)
    return map(_float_text, column)


class _TimestampTexts:
    """Writes the texts of times; it is fast if many of them are in the same minute.

    The texts of seconds are computed once.  The texts of minutes are remembered only during one
    call, because there are ever more of them.
    """

    def __init__(self) -> None:
        self._seconds = _Seconds()

    def __call__(self, column: Sequence[Value]) -> Iterable[Wire]:
        """The text of each time of ``column``; None for NULL."""
        minutes, seconds = _Minutes(), self._seconds
        return [
            None if value is None else minutes[value // _MINUTE] + seconds[value % _MINUTE]
            for value in cast("Sequence[int | None]", column)
        ]


class _Minutes(dict[int, str]):
    """The text ``2015-02-15 10:17:`` for each number of minutes since 1970, computed when read."""

    def __missing__(self, count: int) -> str:
        text = self[count] = format_timestamp(count * _MINUTE).removesuffix("00")
        return text


class _Seconds(dict[int, str]):
    """The text ``05`` or ``05.250`` for each number of milliseconds in a minute."""

    def __missing__(self, millis: int) -> str:
        seconds, rest = divmod(millis, 1_000)
        text = self[millis] = f"{seconds:02}.{rest:03}" if rest else f"{seconds:02}"
        return text


def _itself(value: Value) -> Wire:
    """``value`` itself: its form on the wire is its internal form."""
    assert value is None or isinstance(value, bool | int | str), value
    return value


def _decimal_text(value: Value) -> Wire:
    """A DECIMAL on the wire."""
    assert value is None or isinstance(value, Decimal), value
    return None if value is None else format(value, "f")


def _float_text(value: Value) -> Wire:
    """A REAL or DOUBLE on the wire."""
    if value is None:
        return None
    assert isinstance(value, float), value
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value == math.inf else "-Infinity"


def _binary_text(value: Value) -> Wire:
    """A VARBINARY on the wire."""
    assert value is None or isinstance(value, bytes), value
    return None if value is None else value.hex().upper()


def _unless_null(text: Callable[[int], str]) -> Callable[[Value], Wire]:
    """A function that applies ``text`` to a datetime or interval, and returns NULL for NULL."""

    def wire(value: Value) -> Wire:
        if value is None:
            return None
        assert isinstance(value, int), value
        return text(value)

    return wire


def _integer(type: Type) -> Callable[[int], int]:
    """A function that returns an integer, or raises ``ValueError`` beyond the range of ``type``."""
    limit = 2 ** (INTEGER_BITS[type.kind] - 1)

    def value(wire: int) -> int:
        if not -limit <= wire < limit:
            raise ValueError(f"{wire} is out of the range of {type}")
        return wire

    return value


def _timestamp(wire: str | int) -> int:
    """The instant that a text denotes; a number is refused.

    The number is read as the text of its digits, because the message of that refusal names the
    option by which files with such numbers are read.
    """
    return read_timestamp(wire if isinstance(wire, str) else str(wire))


def _decimal(type: Type, text: str) -> Decimal:
    """The number in ``text``, with all digits of ``type`` after its point; else ``ValueError``."""
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"'{text}' is not a value of {type}")
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


def _float(type: Type, wire: float | str) -> float:
    """The REAL or DOUBLE of a number or text; ``ValueError`` beyond the range of ``type``.

    Defines: S-613.e
    """
    if isinstance(wire, str):
        if wire in _SPECIAL:
            return _SPECIAL[wire]
        # The readers of files leave a number as a text only if it is beyond the range of DOUBLE.
        fault = "out of the range of" if _is_number(wire) else "not a value of"
        raise ValueError(f"{wire!r} is {fault} {type}")
    try:
        value = float(wire)
        return round_to_real(value) if type.kind is Kind.REAL else value
    except OverflowError:
        raise ValueError(f"{wire} is out of the range of {type}") from None


def _is_number(text: str) -> bool:
    """Whether ``text`` is a number with an exponent."""
    return _NUMBER.fullmatch(text) is not None


def round_to_real(value: float) -> float:
    """The nearest REAL, of 24 bits (IEEE 754 binary32); ``OverflowError`` beyond the range."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    assert isinstance(rounded, float)
    return rounded


def half_character(text: str) -> str | None:
    """The first character of ``text`` that is half of a surrogate pair; None if there is none.

    A file in UTF-8 cannot hold such a character.
    """
    found = None if text.isascii() else _HALF_CHARACTER.search(text)
    return None if found is None else found[0]


def require_characters(text: str) -> None:
    """Raise `ValueError` for a text that has half of a surrogate pair."""
    half = half_character(text)
    if half is not None:
        raise ValueError(f"the text has half of a surrogate pair, \\u{ord(half):04x}")


def _text(type: Type, wire: str) -> str:
    """The text, padded for a CHAR; ``ValueError`` if it is too long or has half of a character.

    Defines: S-613.f
    """
    require_characters(wire)
    if type.precision and len(wire) > type.precision:
        raise ValueError(
            f"a text of {counted(len(wire), 'character')} where {type} holds {type.precision}"
        )
    return wire.ljust(type.precision) if type.kind is Kind.CHAR else wire


def _binary(type: Type, wire: str) -> bytes:
    """The bytes of a text of hexadecimal digits; ``ValueError`` if it is not one, or too long."""
    if _HEXADECIMAL.fullmatch(wire) is None:
        raise ValueError(f"'{wire}' is not pairs of hexadecimal digits")
    if type.precision and len(wire) > 2 * type.precision:
        raise ValueError(f"{counted(len(wire) // 2, 'byte')} where {type} holds {type.precision}")
    return bytes.fromhex(wire)
