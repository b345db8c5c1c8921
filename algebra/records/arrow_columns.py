"""Conversion of Arrow's arrays to values, column by column; Parquet files are read in this way.

`arrow_reader` converts to values on the wire.  `fitted` converts to internal values, which is
faster, if all values of an array fit their column.  `always_fits` finds the columns that can be
left unread if their values are not needed.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from importlib import import_module
from typing import Any, TypeAlias

from algebra.catalog import Column
from algebra.functions.datetimes import (
    format_date,
    format_interval,
    format_time,
    format_timestamp,
)
from algebra.outside.read_times import PER_SECOND, TOO_FINE
from algebra.records.csv_fields import (
    DEFAULT_DIALECT,
    DEFAULT_TIMES,
    TimeForm,
    field_readers,
    time_value,
)
from algebra.types import (
    APPROXIMATE,
    INTEGER_BITS,
    INTEGERS,
    INTERVAL,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_TIMESTAMP,
    TEXT,
    Kind,
    Type,
)
from algebra.wire import Wire

#: Converts an array of Arrow to values on the wire.  Any: pyarrow is not typed.
ArrowReader: TypeAlias = Callable[[Any], Sequence[Wire]]


def arrow_reader(arrow: Any, found: Any, column: Column, times: TimeForm) -> ArrowReader | None:
    """The function that converts arrays of the type ``found`` to values of ``column``.

    ``arrow`` is the module pyarrow, which need not be installed.  None: values of this type are not
    read as the column's type.  A value that does not fit, such as a number beyond the range,
    becomes a value on the wire that the ingress refuses.

    Defines: S-613.g
    """
    types, type, times = arrow.types, column.type, times.of(column)
    if types.is_dictionary(found):
        read = arrow_reader(arrow, found.value_type, column, times)
        return None if read is None else lambda array: read(array.dictionary_decode())
    if types.is_null(found):
        return _unchanged
    if types.is_string(found) or types.is_large_string(found) or _is_view(types, found, "string"):
        return _text_reader(column, times)
    if types.is_timestamp(found) or types.is_date(found):
        return _moment_reader(arrow, found, type, times)
    if _is_binary(types, found):
        return _binary_reader(type)
    if types.is_time(found) and type.kind is Kind.TIME:
        return _time_reader(arrow, found, format_time, times)
    if types.is_duration(found) and type.kind is Kind.MILLIS:
        return _time_reader(arrow, found, _interval_text(type), times)
    if type.kind is Kind.TIMESTAMP and times.unit and types.is_integer(found):
        return _each(lambda count: time_value(times, count))
    return _number_reader(types, found, type)


def _is_view(types: Any, found: Any, kind: str) -> bool:
    """Whether ``found`` is a view of ``kind``, string or binary; older pyarrow has no views."""
    is_view = getattr(types, f"is_{kind}_view", None)
    return is_view is not None and bool(is_view(found))


def _is_binary(types: Any, found: Any) -> bool:
    """Whether ``found`` is any type of bytes."""
    return bool(
        types.is_binary(found)
        or types.is_large_binary(found)
        or types.is_fixed_size_binary(found)
        or _is_view(types, found, "binary")
    )


def _unchanged(array: Any) -> Sequence[Wire]:
    """The values of an array as Python has them."""
    values: list[Wire] = array.to_pylist()
    return values


def _each(read: Callable[[Any], Wire]) -> ArrowReader:
    """A reader that applies ``read`` to each value that is not NULL."""
    return lambda array: [None if v is None else read(v) for v in array.to_pylist()]


def _text_reader(column: Column, times: TimeForm) -> ArrowReader:
    """A reader of texts: they are unchanged in a text column, else read as a field of CSV."""
    if column.type.kind in TEXT or column.type.kind is Kind.NULL:
        return _unchanged
    (read,) = field_readers([column], DEFAULT_DIALECT, times)
    return _each(read)


def _binary_reader(type: Type) -> ArrowReader | None:
    """A reader of bytes for a column of ``type``; None if the column has other values.

    In a text column they are decoded as UTF-8, because older programs store texts as bytes.
    """
    if type.kind is Kind.VARBINARY:
        return _each(lambda value: value.hex())
    if type.kind in TEXT:
        # A byte that is not UTF-8 becomes half of a surrogate pair, which the ingress refuses.
        return _each(lambda value: value.decode("utf-8", "surrogateescape"))
    return None


def _moment_reader(arrow: Any, found: Any, type: Type, times: TimeForm) -> ArrowReader | None:
    """A reader of dates and timestamps for a column of ``type``; None if it has other values.

    A time zone is ignored, because all timestamps are stored as counts from 1970 in UTC.
    """
    if type.kind is Kind.TIMESTAMP:
        if arrow.types.is_date32(found):
            return _stored_number_reader(
                arrow, "int32", lambda days: _timestamp(days * MILLIS_PER_DAY)
            )
        return _time_reader(arrow, found, _timestamp, times)
    if type.kind is Kind.DATE:
        if arrow.types.is_date32(found):
            return _stored_number_reader(arrow, "int32", lambda days: _date(days * MILLIS_PER_DAY))
        return _time_reader(arrow, found, _date, times)
    return None


def _stored_number_reader(arrow: Any, stored: str, read: Callable[[int], Wire]) -> ArrowReader:
    """A reader that applies ``read`` to the number by which Arrow stores each value.

    ``stored`` is the name of Arrow's type of these numbers.
    """
    return lambda array: [
        None if v is None else read(v) for v in array.cast(getattr(arrow, stored)()).to_pylist()
    ]


def _time_reader(
    arrow: Any, found: Any, read: Callable[[int], Wire], times: TimeForm
) -> ArrowReader:
    """A reader that applies ``read`` to each time of the type ``found``, cut to milliseconds.

    If ``times`` are strict, a time that would be cut becomes a text that is not a time.
    """
    per_second = 1_000 if arrow.types.is_date64(found) else PER_SECOND[found.unit]
    stored = "int32" if arrow.types.is_time32(found) else "int64"

    def cut(count: int) -> Wire:
        millis, rest = divmod(count * 1_000, per_second)
        value = read(millis)
        return f"{value}{TOO_FINE}" if rest and times.strict else value

    return _stored_number_reader(arrow, stored, cut)


def _timestamp(millis: int) -> Wire:
    """The text of a TIMESTAMP; outside of the years 1 to 9999, a text that is not a time."""
    if MIN_TIMESTAMP <= millis <= MAX_TIMESTAMP:
        return format_timestamp(millis)
    return f"{millis} ms after 1970-01-01"


def _date(millis: int) -> Wire:
    """The text of a DATE; if it is not a midnight, the text of the time, which is not a date."""
    if millis % MILLIS_PER_DAY or not MIN_TIMESTAMP <= millis <= MAX_TIMESTAMP:
        return _timestamp(millis)
    return format_date(millis // MILLIS_PER_DAY)


def _interval_text(type: Type) -> Callable[[int], Wire]:
    """A function from a count of months or milliseconds to the text of an interval of ``type``."""
    fields = type.fields
    assert fields is not None, "an interval has fields"
    return lambda count: format_interval(count, fields)


def _number_reader(types: Any, found: Any, type: Type) -> ArrowReader | None:
    """A reader of booleans and numbers for a column of ``type``.

    None: the values of Arrow's type ``found`` are not read as values of the column.
    """
    kind = type.kind
    if types.is_boolean(found):
        return _unchanged if kind is Kind.BOOLEAN else None
    if kind in INTERVAL and types.is_integer(found):  # the form that our sink writes
        return _each(_interval_text(type))
    if kind in INTEGERS:
        if types.is_integer(found):
            return _unchanged
        if types.is_floating(found) or types.is_decimal(found):
            return _each(_whole_number)
    if kind is Kind.DECIMAL and (types.is_integer(found) or types.is_decimal(found)):
        return _each(lambda value: format(value, "f") if isinstance(value, Decimal) else value)
    if kind in APPROXIMATE and (types.is_integer(found) or types.is_floating(found)):
        return _each(_float)
    return None


def _whole_number(value: float | Decimal) -> Wire:
    """A number as an integer; if it has a fraction, its text, which the ingress refuses."""
    if value == value and value % 1 == 0:  # NaN is not equal to itself
        return int(value)
    return str(value)


def _float(value: float) -> Wire:
    """A float on the wire, where NaN and the infinities are texts."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


# --- many values at a time -----------------------------------------------------------------------


def always_fits(arrow: Any, found: Any, column: Column) -> bool:  # Any: pyarrow is not typed
    """Whether each value of the type ``found`` is a value of ``column``, which is nullable.

    If the values of such a column are not needed, it can be left unread without missing an error.
    """
    types, type = arrow.types, column.type
    if types.is_dictionary(found):
        return always_fits(arrow, found.value_type, column)
    match type.kind:
        case kind if kind in INTEGER_BITS:
            return bool(types.is_signed_integer(found) and found.bit_width <= INTEGER_BITS[kind])
        case Kind.DOUBLE:
            return bool(types.is_floating(found))
        case Kind.BOOLEAN:
            return bool(types.is_boolean(found))
        case Kind.VARCHAR:
            return _is_text(types, found) and not type.precision
        case _:
            return False


def fitted(
    arrow: Any, array: Any, column: Column, times: TimeForm
) -> Any | None:  # Any: pyarrow is not typed
    """An array of Arrow with the internal values of ``array``, which are values of ``column``.

    None: values of this type must be read one by one, or one of the values may not fit.
    """
    types, type, times = arrow.types, column.type, times.of(column)
    if array.null_count and not type.nullable:
        return None
    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    match type.kind:
        case kind if kind in INTEGER_BITS and types.is_integer(array.type):
            limit = 1 << INTEGER_BITS[kind] - 1
            return _within(array, -limit, limit - 1)
        case Kind.DOUBLE if types.is_float64(array.type):
            return array
        case Kind.BOOLEAN if types.is_boolean(array.type):
            return array
        case Kind.VARCHAR if _is_text(types, array.type):
            compute = import_module("pyarrow.compute")
            most = compute.max(compute.utf8_length(array)).as_py() if type.precision else None
            return array if most is None or most <= type.precision else None
        case Kind.TIMESTAMP if types.is_timestamp(array.type) and times == DEFAULT_TIMES:
            return _millis(arrow, array)
        case Kind.DATE if types.is_date32(array.type):
            least, greatest = (at // MILLIS_PER_DAY for at in (MIN_TIMESTAMP, MAX_TIMESTAMP))
            return _within(array.cast(arrow.int32()), least, greatest)
        case _:
            return None


def _is_text(types: Any, found: Any) -> bool:
    """Whether ``found`` is a type of strings."""
    return bool(types.is_string(found) or types.is_large_string(found))


def _within(array: Any, least: int, greatest: int) -> Any | None:
    """``array`` if all of its numbers are from ``least`` to ``greatest``, else None."""
    extremes = import_module("pyarrow.compute").min_max(array).as_py()
    if extremes["min"] is not None and extremes["min"] < least:
        return None
    if extremes["max"] is not None and extremes["max"] > greatest:
        return None
    return array


def _millis(arrow: Any, array: Any) -> Any | None:
    """The times of ``array`` as counts of milliseconds, to which finer times are cut.

    None: a time is outside of the calendar, or the array counts in seconds.  A count of seconds is
    not converted here, because its milliseconds can be beyond the range of the array's integers.
    """
    compute = import_module("pyarrow.compute")
    counts, per_second = array.cast(arrow.int64()), PER_SECOND[array.type.unit]
    if per_second < 1_000:
        return None
    if per_second > 1_000:
        unit = per_second // 1_000
        # `divide` rounds toward zero, and so a negative count that is not whole is rounded up.
        whole = compute.divide(counts, unit)
        rounded_up = compute.greater(compute.multiply(whole, unit), counts)
        counts = compute.subtract(whole, rounded_up.cast(arrow.int64()))
    return _within(counts, MIN_TIMESTAMP, MAX_TIMESTAMP)
