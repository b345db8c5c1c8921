"""Values on the wire, the form in which they enter and leave, and their internal representation.

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

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+", re.ASCII)
_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
_HEXADECIMAL: Final = re.compile(r"(?:[0-9A-Fa-f]{2})*")
#: The milliseconds of a minute.
_MINUTE: Final = 60_000
#: The floats that JSON has no number for.
_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def shown(value: Wire) -> str:
    """The text of a value in output for people; formats for programs have their own NULL.

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
    """The internal value; raises ``ValueError`` with a reason if ``wire`` is not one.

    Nothing is rounded or truncated, except a REAL to its 24 bits; a CHAR is padded.

    >>> from_wire(Type(Kind.DATE), "1970-01-02")
    1
    """
    return reader(type)(wire)


def reader(type: Type) -> Callable[[Wire], Value]:
    """`from_wire` specialized to one type, for many values."""
    classes, read = _reader(type)
    # In Python, True is an int.
    strange = () if type.kind is Kind.BOOLEAN else bool

    def value(wire: Wire) -> Value:
        if isinstance(wire, classes) and not isinstance(wire, strange):
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
    """`from_wire` of each value of a column."""
    classes, read = _reader(declared)
    # The classes themselves: to Python True is an int, too.
    found = set(map(type, column))
    has_null = NoneType in found and declared.nullable
    if not found - ({NoneType} if has_null else set()) <= set(classes):
        return list(map(reader(declared), column))
    present = [value for value in column if value is not None] if has_null else column
    if _are_values(declared, present):
        return column
    return [None if value is None else read(value) for value in column]


def _are_values(declared: Type, column: Sequence[Any]) -> bool:  # Any: of the type's classes
    """Whether a look at a whole column without NULL shows that its values are internal ones."""
    match declared.kind:
        case kind if kind in INTEGER_BITS:
            limit = 1 << INTEGER_BITS[kind] - 1
            return not column or (-limit <= min(column) and max(column) < limit)
        case Kind.DOUBLE:
            return {float}.issuperset(map(type, column))
        case Kind.VARCHAR:
            most = declared.precision
            short = not most or max(map(len, column), default=0) <= most
            return short and half_character("".join(column)) is None
        case other:
            return other is Kind.BOOLEAN


def _reader(
    type: Type,
) -> tuple[_Classes, Callable[[Any], Value]]:  # Any: an instance of one of these classes
    """The Python classes that values of ``type`` have on the wire, and their conversion."""
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
            # A value of any class is refused, so none is ever converted.
            return (), _itself


def to_wire(type: Type, value: Value) -> Wire:
    """The value on the wire; the inverse of ``from_wire``.

    Only an interval that the fields of its type cannot express (half an hour in INTERVAL HOUR) is
    truncated.
    """
    return writer(type)(value)


def writer(type: Type) -> Callable[[Value], Wire]:
    """`to_wire` specialized to one type, for many values."""
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
    """`to_wire` for rows whose columns have these ``types``."""
    writers = [_column_writer(type) for type in types]

    def write(rows: Iterable[Sequence[Value]]) -> list[WireRow]:
        columns = zip(*rows, strict=True)  # without rows there are none
        written = [texts(column) for texts, column in zip(writers, columns, strict=False)]
        return list(zip(*written, strict=True))

    return write


def _column_writer(type: Type) -> Callable[[Sequence[Value]], Iterable[Wire]]:
    """`to_wire` for a column of many values."""
    write = writer(type)
    if write is _itself:
        return lambda column: cast("Sequence[Wire]", column)
    if write is _float_text:
        return _floats
    return _TimestampTexts() if type.kind is Kind.TIMESTAMP else partial(map, write)


def _floats(column: Sequence[Value]) -> Iterable[Wire]:
    """Floats on the wire: the same ones if all of them are finite."""
    if None not in column and all(map(math.isfinite, cast("Sequence[float]", column))):
        return cast("Sequence[float]", column)
    return map(_float_text, column)


class _TimestampTexts:
    """The texts of times, of which many are in the same minute."""

    def __init__(self) -> None:
        self._seconds = _Seconds()

    def __call__(self, column: Sequence[Value]) -> Iterable[Wire]:
        """The text of each time."""
        minutes, seconds = _Minutes(), self._seconds
        return [
            None if value is None else minutes[value // _MINUTE] + seconds[value % _MINUTE]
            for value in cast("Sequence[int | None]", column)
        ]


class _Minutes(dict[int, str]):
    """The text ``2015-02-15 10:17:`` of a count of minutes, computed when it is asked for."""

    def __missing__(self, count: int) -> str:
        text = self[count] = format_timestamp(count * _MINUTE).removesuffix("00")
        return text


class _Seconds(dict[int, str]):
    """The text ``05`` or ``05.250`` of the milliseconds of a minute, computed when asked for."""

    def __missing__(self, millis: int) -> str:
        seconds, rest = divmod(millis, 1_000)
        text = self[millis] = f"{seconds:02}.{rest:03}" if rest else f"{seconds:02}"
        return text


def _itself(value: Value) -> Wire:
    """A value whose two representations are the same."""
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
    """``text`` applied to a datetime or interval; NULL for NULL."""

    def wire(value: Value) -> Wire:
        if value is None:
            return None
        assert isinstance(value, int), value
        return text(value)

    return wire


def _integer(type: Type) -> Callable[[int], int]:
    limit = 2 ** (INTEGER_BITS[type.kind] - 1)

    def value(wire: int) -> int:
        if not -limit <= wire < limit:
            raise ValueError(f"{wire} is out of the range of {type}")
        return wire

    return value


def _timestamp(wire: str | int) -> int:
    """The instant of a text; a number is refused with the option that reads it."""
    return read_timestamp(wire if isinstance(wire, str) else str(wire))


def _decimal(type: Type, text: str) -> Decimal:
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
    """The number; ``ValueError`` beyond the range.

    Defines: S-613.e
    """
    if isinstance(wire, str):
        if wire in _SPECIAL:
            return _SPECIAL[wire]
        fits = "out of the range of" if _is_number(wire) else "not a value of"
        raise ValueError(f"{wire!r} is {fits} {type}")
    try:
        value = float(wire)
        return round_to_real(value) if type.kind is Kind.REAL else value
    except OverflowError:
        raise ValueError(f"{wire} is out of the range of {type}") from None


def _is_number(text: str) -> bool:
    """Whether a text is a number; one that is on the wire as a text is beyond the range."""
    return _NUMBER.fullmatch(text) is not None


def round_to_real(value: float) -> float:
    """The nearest value of 24 bits (IEEE 754 binary32); ``OverflowError`` beyond its range."""
    (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    assert isinstance(rounded, float)
    return rounded


def half_character(text: str) -> str | None:
    """The first half of a surrogate pair in ``text``, which no file in UTF-8 can hold, if any."""
    found = None if text.isascii() else _HALF_CHARACTER.search(text)
    return None if found is None else found[0]


def require_characters(text: str) -> None:
    """Raise `ValueError` for a text that has half of a surrogate pair."""
    half = half_character(text)
    if half is not None:
        raise ValueError(f"the text has half of a surrogate pair, \\u{ord(half):04x}")


def _text(type: Type, wire: str) -> str:
    """The text, padded for a CHAR; ``ValueError`` for a text that is too long or no text.

    Defines: S-613.f
    """
    require_characters(wire)
    if type.precision and len(wire) > type.precision:
        raise ValueError(
            f"a text of {counted(len(wire), 'character')} where {type} holds {type.precision}"
        )
    return wire.ljust(type.precision) if type.kind is Kind.CHAR else wire


def _binary(type: Type, wire: str) -> bytes:
    if _HEXADECIMAL.fullmatch(wire) is None:
        raise ValueError(f"'{wire}' is not pairs of hexadecimal digits")
    if type.precision and len(wire) > 2 * type.precision:
        raise ValueError(f"{counted(len(wire) // 2, 'byte')} where {type} holds {type.precision}")
    return bytes.fromhex(wire)
