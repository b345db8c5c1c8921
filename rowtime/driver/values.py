"""Converts values of Python to values of SQL and back; and has the type objects of PEP 249."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias, TypeVar

from algebra.expression import Value
from algebra.types import (
    INTEGER_BITS,
    INTEGERS,
    INTERVAL,
    MAX_CHARACTERS,
    NUMERIC,
    TEXT,
    Kind,
    Type,
)
from algebra.wire import from_wire, require_characters, to_wire
from grammar.printable import shortened
from rowtime.driver.errors import DataError

#: A value that a cursor takes and returns.  An interval of months is the text of its literal.
Python: TypeAlias = (
    bool | int | float | Decimal | str | bytes | date | time | datetime | timedelta | None
)

_T = TypeVar("_T", int, float, bool, str, datetime)

_EPOCH: Final = datetime(1970, 1, 1)
_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True)
class TypeObject:
    """A type object of PEP 249: it equals each SQL type of its kinds (`Cursor.description`)."""

    kinds: frozenset[Kind]

    def __eq__(self, other: object) -> bool:
        """Whether ``other`` is an SQL type of these kinds, or a type object with the same kinds."""
        if isinstance(other, Type):
            return other.kind in self.kinds
        return isinstance(other, TypeObject) and other.kinds == self.kinds

    def __hash__(self) -> int:
        """The hash of the kinds."""
        return hash(self.kinds)


STRING: Final = TypeObject(TEXT)
BINARY: Final = TypeObject(frozenset({Kind.VARBINARY}))
NUMBER: Final = TypeObject(NUMERIC | {Kind.BOOLEAN})
DATETIME: Final = TypeObject(frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP}) | INTERVAL)
#: No column is a row identifier.
ROWID: Final = TypeObject(frozenset())

Date: Final = date
Time: Final = time
Timestamp: Final = datetime
Binary: Final = bytes


def DateFromTicks(ticks: float) -> date:  # noqa: N802 (named by PEP 249)
    """The day of a number of seconds since 1970-01-01, in UTC."""
    return TimestampFromTicks(ticks).date()


def TimeFromTicks(ticks: float) -> time:  # noqa: N802 (named by PEP 249)
    """The time of day of a number of seconds since 1970-01-01, in UTC."""
    return TimestampFromTicks(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime:  # noqa: N802 (named by PEP 249)
    """The timestamp of a number of seconds since 1970-01-01, in UTC, without a time zone."""
    return datetime.fromtimestamp(ticks, UTC).replace(tzinfo=None)


def millis_of(at: datetime | str) -> int:
    """A timestamp as a number of milliseconds since 1970; parts of a millisecond are cut off.

    A timestamp with a time zone is converted to UTC.  A text is read as in SQL.  Raises `DataError`
    if it is not a timestamp.

    Defines: S-609.m
    """
    value = value_of(Type(Kind.TIMESTAMP, 3), at)
    assert isinstance(value, int)
    return value


def value_of(type: Type, value: Python) -> Value:
    """``value`` as a value of the SQL type ``type``.  Raises `DataError` if it has another type.

    A text in the form of the protocol (`algebra.wire`) is accepted for every type except BOOLEAN,
    integers, REAL, DOUBLE and VARBINARY.  A datetime is cut to milliseconds.
    """
    try:
        return from_wire(type.as_nullable(), _wire(type, plain_value(value)))
    except ValueError as error:
        raise DataError(f"a parameter: {error}") from None


@lru_cache(maxsize=256)
def converter(type: Type) -> Callable[[Python], Value]:
    """A faster `value_of` for one type: it converts a value of the usual Python class directly."""
    match type.kind:
        case kind if kind in INTEGER_BITS:
            limit = 2 ** (INTEGER_BITS[kind] - 1)
            return _converter(type, int, lambda v: v if -limit <= v < limit else None)
        case Kind.DOUBLE:
            return _converter(type, float, lambda v: v)
        case Kind.BOOLEAN:
            return _converter(type, bool, lambda v: v)
        case Kind.VARCHAR:
            most = type.precision or MAX_CHARACTERS
            return _converter(type, str, lambda v: v if v.isascii() and len(v) <= most else None)
        case Kind.TIMESTAMP:
            return _converter(
                type, datetime, lambda v: (v - _EPOCH) // _MILLISECOND if v.tzinfo is None else None
            )
        case _:
            return partial(value_of, type)


def _converter(
    type: Type, usual: type[_T], convert: Callable[[_T], Value]
) -> Callable[[Python], Value]:
    """A converter that calls ``convert`` for values of the class ``usual``.

    For values of other classes, and if ``convert`` returns None, it calls `value_of`.
    """

    def value(parameter: Python) -> Value:
        if parameter is None:
            return None
        if parameter.__class__ is usual:
            usually: Any = parameter
            found = convert(usually)
            if found is not None:
                return found
        return value_of(type, parameter)

    return value


#: The scalars of numpy for times, whose `item` is a number or a datetime, depending on the unit.
_TIMES: Final = ("datetime64", "timedelta64")


def plain_value(value: object) -> Python:
    """``value`` as an object of Python's own classes.

    Scalars of numpy and pandas are converted; NaT and NA of pandas become None.  Raises
    `ValueError` for an object that has no value of SQL.
    """
    module = type(value).__module__.partition(".")[0]
    if module == "numpy":
        # The attributes are looked up by name, because numpy may not be installed.
        item = getattr(value, "item", None)
        is_time = type(value).__name__ in _TIMES
        value = _of_numpy(value) if item is None or is_time else item()
    elif module == "pandas":
        name = type(value).__name__
        if name in ("NaTType", "NAType"):
            return None
        to_datetime = getattr(value, "to_pydatetime", None)
        to_timedelta = getattr(value, "to_pytimedelta", None)
        if name == "Timestamp" and to_datetime is not None:
            value = to_datetime(warn=False)  # a warning would say that nanoseconds are lost
        elif name == "Timedelta" and to_timedelta is not None:
            value = to_timedelta()
    if value is None or isinstance(value, Python):
        return value
    raise ValueError(shortened(f"{value!r} is not a value of SQL"))


def _of_numpy(value: object) -> object:
    """A time, date or duration of numpy as one of Python, cut to microseconds; NaT becomes None.

    An object that numpy cannot convert is returned unchanged.
    """
    convert = getattr(value, "astype", None)
    if convert is None:
        return value
    if str(getattr(value, "dtype", "")) == "datetime64[D]":
        return convert("datetime64[D]").item()
    unit = "datetime64[us]" if type(value).__name__ == "datetime64" else "timedelta64[us]"
    return convert(unit).item()


def _wire(type: Type, value: Python) -> bool | int | float | str | None:
    """A value in the form of the protocol, from which `from_wire` makes a value of ``type``.

    Raises `ValueError` if a value of this class cannot have the type.
    """
    match value:
        case datetime() if type.kind is Kind.TIMESTAMP:
            utc = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
            return _text(type, (utc - _EPOCH) // _MILLISECOND)
        case datetime():
            raise ValueError(shortened(f"{value!r} is not a value of {type}"))
        case date() if type.kind in (Kind.DATE, Kind.TIMESTAMP):
            return value.isoformat()
        case time() if type.kind is Kind.TIME and value.tzinfo is None:
            at = timedelta(
                hours=value.hour,
                minutes=value.minute,
                seconds=value.second,
                microseconds=value.microsecond,
            )
            return _text(type, at // _MILLISECOND)
        case timedelta() if type.kind is Kind.MILLIS:
            return _text(type, value // _MILLISECOND)
        case bytes() if type.kind is Kind.VARBINARY:
            return value.hex()
        case Decimal() if type.kind is Kind.DECIMAL and value.is_finite():
            return format(value, "f")
        case float() if type.kind in INTEGERS and value.is_integer():
            return int(value)
        case None | bool() | int() | float():
            return value
        case str() if type.kind not in (Kind.VARBINARY, Kind.REAL, Kind.DOUBLE):
            require_characters(value)
            return value
        case _:
            raise ValueError(shortened(f"{value!r} is not a value of {type}"))


def _text(type: Type, value: int) -> str:
    """The text of a datetime or interval in the protocol."""
    return str(to_wire(type, value))


def python_of(type: Type) -> Callable[[Value], Python]:
    """The function that converts a value of ``type`` to a value of Python.

    An interval of months becomes the text of its literal.
    """
    return _READERS.get(type.kind) or (
        lambda value: _itself(to_wire(type, value) if type.kind is Kind.MONTHS else value)
    )


def _itself(value: Value) -> Python:
    """The value unchanged: values of SQL of the other types are values of Python already."""
    assert value is None or isinstance(value, bool | int | float | str | bytes | Decimal)
    return value


def _from_number(make: Callable[[int], Python]) -> Callable[[Value], Python]:
    """The function that calls ``make`` with the number of a datetime or interval.

    It returns None for NULL.
    """

    def read(value: Value) -> Python:
        if value is None:
            return None
        assert isinstance(value, int)
        return make(value)

    return read


_READERS: Final[Mapping[Kind, Callable[[Value], Python]]] = {
    Kind.TIMESTAMP: _from_number(lambda ms: _EPOCH + ms * _MILLISECOND),
    Kind.DATE: _from_number(lambda days: date(1970, 1, 1) + timedelta(days)),
    Kind.TIME: _from_number(lambda ms: (_EPOCH + ms * _MILLISECOND).time()),
    Kind.MILLIS: _from_number(lambda ms: ms * _MILLISECOND),
}


def rows_of(types: Iterable[Type], rows: Iterable[tuple[Value, ...]]) -> list[tuple[Python, ...]]:
    """Rows of SQL, whose columns have these types, as tuples of values of Python."""
    readers = [python_of(each) for each in types]
    return [tuple([read(v) for read, v in zip(readers, row, strict=True)]) for row in rows]
