"""Read, write and compare values by the SQL type of their column.

Values are read from case files and from messages of the protocol, and written as the protocol
writes them (`tck.protocol`).
"""

import math
import re
import struct
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from tck.corpus.case import Cell
from tck.protocol import Wire


class Family(Enum):
    """A class of SQL types whose values are read, written and compared in the same way."""

    BOOLEAN = auto()
    INTEGER = auto()
    DECIMAL = auto()
    SINGLE = auto()
    DOUBLE = auto()
    TEXT = auto()
    BINARY = auto()
    DATE = auto()
    TIME = auto()
    TIMESTAMP = auto()
    INTERVAL = auto()
    OTHER = auto()


#: The family by the first word of a type.  The family of other types is OTHER: their values are
#: compared as they are.
_FAMILIES: Final = {
    "BOOLEAN": Family.BOOLEAN,
    "TINYINT": Family.INTEGER,
    "SMALLINT": Family.INTEGER,
    "INTEGER": Family.INTEGER,
    "INT": Family.INTEGER,
    "BIGINT": Family.INTEGER,
    "DECIMAL": Family.DECIMAL,
    "NUMERIC": Family.DECIMAL,
    "REAL": Family.SINGLE,
    "FLOAT": Family.DOUBLE,
    "DOUBLE": Family.DOUBLE,
    "CHAR": Family.TEXT,
    "CHARACTER": Family.TEXT,
    "VARCHAR": Family.TEXT,
    "BINARY": Family.BINARY,
    "VARBINARY": Family.BINARY,
    "DATE": Family.DATE,
    "TIME": Family.TIME,
    "TIMESTAMP": Family.TIMESTAMP,
    "INTERVAL": Family.INTERVAL,
}

#: A time of day with or without seconds.
_TIME: Final = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,3})?)?")
#: A timestamp with its date.
_TIMESTAMP: Final = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} {_TIME.pattern}")
#: The floating values that are written as texts.
_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
#: The relative difference up to which two values of DOUBLE are equal.
_RELATIVE: Final = 1e-9
#: The distance from 1 to the next greater value of REAL.
_SINGLE_UNIT: Final = 2.0**-23


class TypedValue(NamedTuple):
    """A value of a family of types, in a form that `same_value` can compare; NULL is None.

    An interval is a number of months or of milliseconds.
    """

    family: Family
    value: bool | int | float | Decimal | str | date | time | datetime | None


class UnreadableError(ValueError):
    """A text or number that is not a value of its column's type."""


@cache
def family(type: str) -> Family:
    """The family of a type as SQL writes it: ``TIMESTAMP(3) NOT NULL``."""
    word = re.match(r"[A-Za-z]*", type.strip())
    assert word is not None
    return _FAMILIES.get(word.group().upper(), Family.OTHER)


def read_value(cell: Cell | Wire, type: str, day: str | None = None) -> TypedValue:
    """The value of a cell or wire value; ``day`` is the date of a timestamp without a date.

    >>> read_value("10:17", "TIMESTAMP(3)", "2015-02-15").value
    datetime.datetime(2015, 2, 15, 10, 17)

    Raises `UnreadableError` if the type has no such value.
    """
    kind = family(type)
    return TypedValue(kind, None if cell is None else _value(cell, kind, type, day))


def wire_value(typed: TypedValue, type: str) -> Wire:
    """The value as the protocol writes it.

    >>> wire_value(read_value("1:5", "INTERVAL HOUR TO MINUTE"), "INTERVAL HOUR TO MINUTE")
    '1:05'
    """
    value = typed.value
    if isinstance(value, datetime):
        return f"{value.year:04}{value:-%m-%d %H:%M:%S}{_fraction(value.microsecond // 1000)}"
    if isinstance(value, time):
        return f"{value:%H:%M:%S}{_fraction(value.microsecond // 1000)}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float):
        return value if math.isfinite(value) else _special(value)
    if typed.family is Family.INTERVAL and isinstance(value, int):
        return _interval_text(value, _fields(type))
    return value


def same_value(left: TypedValue, right: TypedValue) -> bool:
    """Whether two values of one column are equal; floating values are equal if they are close.

    Two values of DOUBLE may differ by a relative 1e-9, and two values of REAL by one unit in the
    last place.  NaN equals NaN, and NULL equals NULL.
    """
    a, b = left.value, right.value
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        tolerance = _SINGLE_UNIT if left.family is Family.SINGLE else _RELATIVE
        return math.isclose(a, b, rel_tol=tolerance, abs_tol=0.0)
    return type(a) is type(b) and a == b


def complete_timestamp(text: str, day: str | None) -> str:
    """A timestamp as the protocol writes it; ``day`` is the date of a timestamp without a date.

    Raises `UnreadableError` if it is not a timestamp, or if it has no date and ``day`` is None.
    """
    written = wire_value(read_value(text, "TIMESTAMP(3)", day), "TIMESTAMP(3)")
    assert isinstance(written, str)
    return written


def _value(
    cell: bool | float | Decimal | str, kind: Family, type: str, day: str | None
) -> bool | float | Decimal | str | date | time | datetime:
    """The value of a cell that is not NULL.  Raises `UnreadableError`."""
    match kind:
        case Family.BOOLEAN if isinstance(cell, bool):
            return cell
        case Family.INTEGER if isinstance(cell, int) and not isinstance(cell, bool):
            return cell
        case Family.DECIMAL if not isinstance(cell, bool | float):
            return _decimal(cell)
        case Family.SINGLE if not isinstance(cell, bool):
            return _single(_double(cell))
        case Family.DOUBLE if not isinstance(cell, bool):
            return _double(cell)
        case Family.TEXT if isinstance(cell, str):
            return cell
        case Family.BINARY if isinstance(cell, str):
            return _binary(cell)
        case Family.DATE if isinstance(cell, str):
            return _date(cell)
        case Family.TIME if isinstance(cell, str):
            return _time(cell)
        case Family.TIMESTAMP if isinstance(cell, str):
            return _timestamp(cell, day)
        case Family.INTERVAL if isinstance(cell, str | int) and not isinstance(cell, bool):
            return _interval(str(cell), _fields(type))
        case Family.OTHER:
            return cell
        case _:
            raise UnreadableError(f"{cell!r} is not a value of {type}")


def _decimal(cell: int | Decimal | str) -> Decimal:
    """The value of DECIMAL, which is finite.  Raises `UnreadableError`."""
    try:
        number = Decimal(cell)
    except InvalidOperation:
        raise UnreadableError(f"{cell!r} is not a number") from None
    if not number.is_finite():
        raise UnreadableError(f"{cell!r} is not a number")
    return number


def _double(cell: float | Decimal | str) -> float:
    """The value of DOUBLE; of the texts, only ``NaN``, ``Infinity`` and ``-Infinity`` have one."""
    if isinstance(cell, str):
        if cell not in _SPECIAL:
            raise UnreadableError(f"the text {cell!r} is not a floating point number")
        return _SPECIAL[cell]
    try:
        return float(cell)
    except OverflowError:
        raise UnreadableError(f"{cell} is out of the range of floating point numbers") from None


def _single(value: float) -> float:
    """The value rounded to REAL."""
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(rounded)


def _special(value: float) -> str:
    """The text of a floating value that is not finite."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _binary(text: str) -> str:
    """The bytes as hexadecimal digits in lower case.  Raises `UnreadableError`."""
    if not re.fullmatch(r"([0-9a-fA-F]{2})*", text):
        raise UnreadableError(f"{text!r} is not pairs of hexadecimal digits")
    return text.lower()


def _date(text: str) -> date:
    """The date in a text such as ``2015-02-15``.  Raises `UnreadableError`."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise UnreadableError(f"{text!r} is not a date, as 2015-02-15 is")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UnreadableError(f"{text!r} is not a date: {error}") from None


def _time(text: str) -> time:
    """The time of day in a text such as ``10:17``.  Raises `UnreadableError`."""
    if not _TIME.fullmatch(text):
        raise UnreadableError(f"{text!r} is not a time of day, as 10:17:00 is")
    try:
        return time.fromisoformat(text)
    except ValueError as error:
        raise UnreadableError(f"{text!r} is not a time of day: {error}") from None


def _timestamp(text: str, day: str | None) -> datetime:
    """The timestamp in a text, which may be a time of day if ``day`` is its date.

    Raises `UnreadableError`.
    """
    if _TIME.fullmatch(text):
        if day is None:
            raise UnreadableError(f"the timestamp {text!r} has no date, and the case gives none")
        return datetime.combine(_date(day), _time(text))
    if not _TIMESTAMP.fullmatch(text):
        raise UnreadableError(f"{text!r} is not a timestamp, as 2015-02-15 10:17:00 is")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise UnreadableError(f"{text!r} is not a timestamp: {error}") from None


def _fraction(milliseconds: int) -> str:
    """The fraction of a second as a text with a point; empty if it is zero."""
    return f".{milliseconds:03}" if milliseconds else ""


#: The fields of intervals, from the greatest to the smallest.
_UNITS: Final = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
#: The sizes of the fields: in months for YEAR and MONTH, in milliseconds for the others.
_SIZE: Final = {
    "YEAR": 12,
    "MONTH": 1,
    "DAY": 86_400_000,
    "HOUR": 3_600_000,
    "MINUTE": 60_000,
    "SECOND": 1_000,
}
#: The separator before a field that is not the first.
_BEFORE: Final = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}


@cache
def _fields(type: str) -> tuple[str, ...]:
    """The fields of an interval's type: DAY, HOUR, MINUTE, SECOND for INTERVAL DAY TO SECOND."""
    words = [word for word in re.findall(r"[A-Z]+", type.upper()) if word in _UNITS]
    if not words:
        raise UnreadableError(f"{type} is not the type of an interval")
    return _UNITS[_UNITS.index(words[0]) : _UNITS.index(words[-1]) + 1]


def _interval(text: str, fields: tuple[str, ...]) -> int:
    """The months or milliseconds of an interval that is written in these fields.

    Raises `UnreadableError`.
    """
    # The first field has any number of digits, each other field one or two after its separator.
    pattern = "([0-9]+)" + "".join(f"{_BEFORE[unit]}([0-9]{{1,2}})" for unit in fields[1:])
    if fields[-1] == "SECOND":
        pattern += "(?:[.]([0-9]{1,3}))?"
    parts = re.fullmatch(f"([-+]?){pattern}", text)
    if parts is None:
        raise UnreadableError(
            f"{text!r} is not an interval of {' TO '.join((fields[0], fields[-1]))}"
        )
    sign, *numbers = parts.groups()
    size = sum(int(number) * _SIZE[unit] for number, unit in zip(numbers, fields, strict=False))
    if fields[-1] == "SECOND" and numbers[-1] is not None:
        size += int(numbers[-1].ljust(3, "0"))
    return -size if sign == "-" else size


def _interval_text(size: int, fields: tuple[str, ...]) -> str:
    """The text in these fields of an interval of ``size`` months or milliseconds."""
    rest = abs(size)
    text = "-" if size < 0 else ""
    for unit in fields:
        count, rest = divmod(rest, _SIZE[unit])
        text += str(count) if unit == fields[0] else f"{_BEFORE[unit]}{count:02}"
    return text + (_fraction(rest) if fields[-1] == "SECOND" else "")
