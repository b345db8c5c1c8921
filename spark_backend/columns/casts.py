"""CAST as a column: `cast` calls one function for each family of source types (S-202, S-204).

The columns hold internal values: a datetime or an interval is a BIGINT (`spark_backend.types`).
"""

import math
from decimal import Decimal
from functools import partial, reduce
from math import isfinite, isnan
from typing import Final

import numpy as np
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Op
from algebra.functions.datetimes import fields_between, unit_size
from algebra.types import (
    APPROXIMATE,
    BIGINT,
    INTEGERS,
    INTERVAL,
    MILLIS_PER_DAY,
    NUMERIC,
    TEXT,
    UNIT_MILLIS,
    Kind,
    Type,
    decimal,
)
from grammar.codes import Code
from grammar.tree import TimeUnit
from spark_backend.columns.arithmetic import decimal_arithmetic, float_to_integer
from spark_backend.columns.datetimes import (
    floor_quotient,
    floor_rest,
    long,
    quotient,
)
from spark_backend.exact.exact_states import value_of_state
from spark_backend.runtime.failures import fails
from spark_backend.types import interval_in_range, null, type_name

#: A decimal number with digits before or after the point, and perhaps an exponent.
_NUMBER: Final = r"\A[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\z"
#: YYYY-MM-DD, except the year 0; Spark's own cast checks the month and the day.
_DATE: Final = r"\A(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
#: HH:MM:SS, with at most three digits of a fraction.
_TIME: Final = r"\A([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?\z"
#: The digits after the point of Spark's quotient of DECIMAL(19, 0) by DECIMAL(9, 0).
_QUOTIENT_SCALE: Final = 10
#: The separator before a field of an interval's text that is not the first.
_BEFORE: Final = {
    TimeUnit.MONTH: "-",
    TimeUnit.HOUR: " ",
    TimeUnit.MINUTE: ":",
    TimeUnit.SECOND: ":",
}


def cast(value: Column, of: Type, to: Type) -> Column:
    """A value of type ``of`` as a value of type ``to`` (S-202, S-204).

    Raises OVERFLOW outside the range of ``to``, INVALID_CAST for a text that is not a value of it.
    """
    if of.kind is Kind.NULL:
        return null(to)
    if of.kind in TEXT:
        return _from_text(value, to)
    if of.kind is Kind.VARBINARY and to.kind in NUMERIC | INTERVAL:
        return value_of_state(value, to)  # only the state of an exact aggregate has such a cast
    if of.kind is Kind.VARBINARY:
        return F.substr(value, F.lit(1), F.lit(to.precision)) if to.precision else value
    if to.kind in TEXT:
        text = _to_text(value, of)
        if not to.precision:
            return text
        # Only a text is cut to the length of ``to``: a cut number or datetime has another meaning.
        too_long = F.char_length(text) > F.lit(to.precision)
        refused = fails(Code.OVERFLOW, f"it is too long for {to}", to)
        return F.when(too_long, refused).otherwise(fitted(text, to))
    if of.kind in NUMERIC and to.kind in INTERVAL:
        return interval_in_range(_interval_of_number(value, of, to), to)
    if of.kind in NUMERIC:
        return _from_number(value, of, to)
    if of.kind in INTERVAL:
        return _from_interval(value, of, to)
    return _from_datetime(value, of, to)


def fitted(text: Column, to: Type) -> Column:
    """A text cut to the length of ``to``; padded to it if ``to`` is CHAR."""
    if not to.precision:
        return text
    cut = F.substr(text, F.lit(1), F.lit(to.precision))
    if to.kind is not Kind.CHAR:
        return cut
    # Not rpad, because it would cut the text, too.
    missing = F.greatest(F.lit(to.precision) - F.char_length(cut), F.lit(0))
    return F.concat(cut, F.repeat(F.lit(" "), missing))


def _interval_of_number(value: Column, of: Type, to: Type) -> Column:
    """A number as an interval.

    If the last field of ``to`` is SECOND, the number counts seconds and may have a fraction.  If
    not, it is rounded and counts units of the first field.
    """
    assert to.fields is not None, "an interval has fields"
    if to.fields[1] is TimeUnit.SECOND:
        if of.kind in INTEGERS:
            return value.cast("bigint") * F.lit(1_000).cast("bigint")
        millis = value * F.lit(1_000).cast("decimal(4, 0)")
        return _from_number(millis, decimal(38, of.scale), Type(Kind.BIGINT))
    whole = _from_number(value, of, Type(Kind.BIGINT))
    return whole * F.lit(unit_size(to.fields[0]))


def _from_number(value: Column, of: Type, to: Type) -> Column:
    """A number as another number, rounded HALF_UP."""
    if of.kind in APPROXIMATE:
        if to.kind in APPROXIMATE:
            return value.cast(type_name(to))
        if to.kind in INTEGERS:
            return float_to_integer(value.cast("double")).cast(type_name(to))
        finite = F.abs(value) < F.lit(float("inf"))
        refused = fails(Code.OVERFLOW, f"no {to} is as great", to)
        # By way of the text, because Spark's own cast has other digits for some numbers.
        digits = _to_text(value, of).cast(type_name(to))
        return F.when(finite | value.isNull(), digits).otherwise(refused)
    if of.kind is Kind.DECIMAL and to.kind in INTEGERS:
        # Rounded first, because Spark's cast to an integer truncates.
        value = value.cast(type_name(decimal(38, of.scale))) if of.precision < 38 else value
        return F.round(value, 0).cast(type_name(to))
    return value.cast(type_name(to))


def _from_datetime(value: Column, of: Type, to: Type) -> Column:
    """A DATE or TIMESTAMP as another datetime; any other value by Spark's own cast."""
    match of.kind, to.kind:
        case Kind.DATE, Kind.TIMESTAMP:
            return value * F.lit(MILLIS_PER_DAY)
        case Kind.TIMESTAMP, Kind.DATE:
            return floor_quotient(value, MILLIS_PER_DAY)
        case Kind.TIMESTAMP, Kind.TIME:
            return floor_rest(value, MILLIS_PER_DAY)
        case _:
            return value.cast(type_name(to))


def _from_interval(value: Column, of: Type, to: Type) -> Column:
    """An interval as another interval, or as the number of its units, rounded HALF_UP."""
    assert of.fields is not None, "an interval has fields"
    if to.kind in INTERVAL:
        assert to.fields is not None, "an interval has fields"
        return _cut(value, to.fields[1])
    unit = _unit_of(of)
    if to.kind in INTEGERS:
        size = F.abs(value)
        up = floor_rest(size, unit) * F.lit(2) >= F.lit(unit)
        half_up = quotient(size, unit) + F.when(up, F.lit(1)).otherwise(F.lit(0))
        signed = F.when(value < 0, -half_up).otherwise(half_up)
        return _from_number(signed, Type(Kind.BIGINT), to)
    units = F.lit(unit).cast("decimal(9, 0)")
    if needs_exact_quotient(of, to):
        types = (BIGINT, decimal(9, 0))
        return decimal_arithmetic(Op.DIVIDE, value, units, types, to)
    return F.round(value.cast("decimal(19, 0)") / units, to.scale).cast(type_name(to))


def needs_exact_quotient(of: Type, to: Type) -> bool:
    """Whether Spark would round an interval of type ``of`` twice in a cast to a DECIMAL.

    Spark's quotient by the unit has ten digits after the point.  A quotient that is not halfway
    between two values of ``to`` differs from the halfway point by at least ``1 / common``.  So the
    first rounding, which moves it by at most half of 10^-10, cannot move it to the halfway point if
    ``common`` is less than 2 * 10^10.
    """
    assert of.fields is not None, "an interval has fields"
    common = math.lcm(_unit_of(of), 2 * 10**to.scale)
    return common >= 2 * 10**_QUOTIENT_SCALE


def _unit_of(of: Type) -> int:
    """The milliseconds or months that are 1 in a cast of an interval to a number."""
    assert of.fields is not None, "an interval has fields"
    return 1_000 if of.fields[1] is TimeUnit.SECOND else unit_size(of.fields[0])


def _cut(value: Column, last: TimeUnit) -> Column:
    """An interval truncated to its last field; SECOND has a fraction."""
    if last is TimeUnit.SECOND or last is TimeUnit.MONTH:
        return value
    size = unit_size(last)
    return quotient(value, size) * F.lit(size)


# --- to text ----------------------------------------------------------------------------------


def _to_text(value: Column, of: Type) -> Column:
    """A value as the text that a query's CAST prints (S-204)."""
    match of.kind:
        case Kind.BOOLEAN:
            return F.upper(value.cast("string"))
        case Kind.DATE:
            return _date_text(value)
        case Kind.TIME:
            return _time_text(value)
        case Kind.TIMESTAMP:
            day, time = floor_quotient(value, MILLIS_PER_DAY), floor_rest(value, MILLIS_PER_DAY)
            return F.concat(_date_text(day), F.lit(" "), _time_text(time))
        case Kind.MONTHS | Kind.MILLIS:
            return _interval_text(value, of)
        case Kind.REAL | Kind.DOUBLE:
            text = partial(float_text, real=of.kind is Kind.REAL)
            return F.udf(text, "string", useArrow=False)(value)
        case _:
            return value.cast("string")


def float_text(value: float | None, *, real: bool) -> str | None:
    """The fewest digits that identify a DOUBLE or REAL, one of them before the point.

    >>> float_text(-1234.5, real=False), float_text(1e-7, real=False), float_text(-0.0, real=False)
    ('-1.2345E3', '1E-7', '0E0')
    """
    if value is None:
        return None
    if not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0E0"
    # Before version 19, Java writes more digits than needed.
    fewest = str(np.float32(value)) if real else repr(value)
    minus, digits, exponent = Decimal(fewest).normalize().as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    first, *rest = map(str, digits)
    fraction = "".join([".", *rest]) if rest else ""
    return f"{'-' if minus else ''}{first}{fraction}E{exponent + len(rest)}"


def _padded(value: Column, width: int = 2) -> Column:
    """An integer of at most ``width`` digits as text, with zeros on the left up to ``width``."""
    return F.lpad(value.cast("string"), width, "0")


def _date_text(day: Column) -> Column:
    """The text YYYY-MM-DD of a day, which is counted from 1970-01-01."""
    return F.date_from_unix_date(day.cast("int")).cast("string")


def _time_text(millis: Column) -> Column:
    """The text HH:MM:SS, perhaps with a fraction, of the milliseconds since midnight."""
    hours = floor_quotient(millis, UNIT_MILLIS[TimeUnit.HOUR])
    minutes = floor_rest(floor_quotient(millis, UNIT_MILLIS[TimeUnit.MINUTE]), 60)
    clock = F.concat(_padded(hours), F.lit(":"), _padded(minutes), F.lit(":"))
    return F.concat(clock, _second_text(floor_rest(millis, 60_000), padded=True))


def _second_text(millis: Column, *, padded: bool) -> Column:
    """Milliseconds as seconds, with a fraction of three digits unless it is zero.

    ``padded``: the seconds before the point have two digits.
    """
    second, fraction = floor_quotient(millis, 1000), floor_rest(millis, 1000)
    whole = _padded(second) if padded else second.cast("string")
    return F.when(fraction == 0, whole).otherwise(F.concat(whole, F.lit("."), _padded(fraction, 3)))


def _interval_text(value: Column, of: Type) -> Column:
    """The text of an interval's literal in its fields: ``1:30``, ``-5``, ``1 02:03:04.500``."""
    assert of.fields is not None, "an interval has fields"
    units = fields_between(of.fields)
    cut = _cut(value, units[-1])
    size = F.abs(cut)
    parts = [F.when(cut < 0, F.lit("-")).otherwise(F.lit(""))]
    for i, unit in enumerate(units):
        if i:
            parts.append(F.lit(_BEFORE[unit]))
            size = floor_rest(size, unit_size(units[i - 1]))
        padded = i > 0
        if unit is TimeUnit.SECOND:
            parts.append(_second_text(size, padded=padded))
        else:
            count = floor_quotient(size, unit_size(unit))
            parts.append(_padded(count) if padded else count.cast("string"))
    return F.concat(*parts)


# --- from text --------------------------------------------------------------------------------


def _from_text(value: Column, to: Type) -> Column:
    """The value of ``to`` that a text denotes; INVALID_CAST if it denotes none.

    Spaces at the ends of the text are ignored, unless ``to`` is a text, too.
    """
    if to.kind in TEXT:
        return fitted(value, to)
    text = F.btrim(value)
    match to.kind:
        case Kind.BOOLEAN:
            truth = F.upper(text)
            known = F.when(truth == "TRUE", F.lit(True)).when(truth == "FALSE", F.lit(False))
            return _checked(text, truth.isin("TRUE", "FALSE", "UNKNOWN"), known, to)
        case Kind.REAL | Kind.DOUBLE:
            return _float_from(text, to)
        case Kind.DATE:
            return _checked(text, F.rlike(text, F.lit(_DATE)), _day_from(text), to)
        case Kind.TIME:
            return _checked(text, F.rlike(text, F.lit(_TIME)), _time_from(text), to)
        case Kind.TIMESTAMP:
            return _timestamp_from(text, to)
        case Kind.MONTHS | Kind.MILLIS:
            return _interval_from(text, to)
        case Kind.DECIMAL:
            number = F.rlike(text, F.lit(_NUMBER))
            return _checked(text, number, text.cast(type_name(to)), to)
        case _:
            number = F.rlike(text, F.lit(_NUMBER))
            # By way of DECIMAL, because then a number that is too long is OVERFLOW, and not
            # INVALID_CAST.
            whole = text.cast("decimal(38,0)")
            return _checked(text, number, whole.cast(type_name(to)), to)


def _checked(text: Column, well_formed: Column, value: Column, to: Type) -> Column:
    """``value`` if ``text`` is well-formed, NULL if ``text`` is NULL; INVALID_CAST if neither."""
    refused = fails(Code.INVALID_CAST, f"a text is no {to}", to)
    return F.when(text.isNull(), null(to)).when(well_formed, value).otherwise(refused)


def _float_from(text: Column, to: Type) -> Column:
    """A REAL or DOUBLE from its digits, or from NaN, Infinity or -Infinity."""
    special = text.isin("NaN", "Infinity", "-Infinity")
    number = F.rlike(text, F.lit(_NUMBER)) | special
    return _checked(text, number, text.cast(type_name(to)), to)


def _day_from(text: Column) -> Column:
    """The day, counted from 1970-01-01, of a text YYYY-MM-DD."""
    # Spark's own cast raises INVALID_CAST for the 30th of February.
    return long(F.unix_date(text.cast("date")))


def _time_from(text: Column) -> Column:
    """The milliseconds since midnight of a text HH:MM:SS.FFF; the fraction can be left out."""

    def part(start: int, length: int) -> Column:
        return long(F.substr(text, F.lit(start), F.lit(length)))

    fraction = long(F.rpad(F.substr(text, F.lit(10), F.lit(3)), 3, "0"))
    return (part(1, 2) * 60 + part(4, 2)) * 60_000 + part(7, 2) * 1000 + fraction


def _timestamp_from(text: Column, to: Type) -> Column:
    """A TIMESTAMP from a date and a time of day, or from a date alone: then at midnight."""
    day, time = F.substr(text, F.lit(1), F.lit(10)), F.substr(text, F.lit(12))
    form = _DATE.removesuffix(r"\z") + " " + _TIME.removeprefix(r"\A")
    midnight = F.rlike(text, F.lit(_DATE))
    well_formed = midnight | F.rlike(text, F.lit(form))
    since_midnight = F.when(midnight, F.lit(0)).otherwise(_time_from(time))
    millis = _day_from(day) * F.lit(MILLIS_PER_DAY) + since_midnight
    return _checked(text, well_formed, millis, to)


def _interval_from(text: Column, to: Type) -> Column:
    """An interval from the text of its fields; only the first field has no upper limit."""
    assert to.fields is not None, "an interval has fields"
    units = fields_between(to.fields)
    # The form has a group for the sign, one for each field, and one for a fraction of seconds.
    limited = {
        TimeUnit.MONTH: "([0-9]|0[0-9]|1[01])",
        TimeUnit.HOUR: "([0-9]|[01][0-9]|2[0-3])",
        TimeUnit.MINUTE: "([0-5]?[0-9])",
        TimeUnit.SECOND: "([0-5]?[0-9])",
    }
    form = r"\A([+-]?)([0-9]{1,18})"
    form += "".join(_BEFORE[unit] + limited[unit] for unit in units[1:])
    seconds = units[-1] is TimeUnit.SECOND
    form += r"(?:\.([0-9]{1,3}))?\z" if seconds else r"\z"
    parts = [
        long(F.regexp_extract(text, form, 2 + i)) * F.lit(unit_size(unit))
        for i, unit in enumerate(units)
    ]
    if seconds:
        parts.append(long(F.rpad(F.regexp_extract(text, form, 2 + len(units)), 3, "0")))
    size = reduce(Column.__add__, parts)
    minus = F.regexp_extract(text, form, 1) == "-"
    interval = interval_in_range(F.when(minus, -size).otherwise(size), to)
    return _checked(text, F.rlike(text, F.lit(form)), interval, to)
