"""Dates, times and intervals as columns: arithmetic on the integers of `spark_backend.types`.

A DATE counts days and a TIMESTAMP milliseconds, both since 1970-01-01.  A TIME counts milliseconds
since midnight.  An interval counts either months or milliseconds, by its `Kind`.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import (
    DATE,
    INTERVAL,
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    TIMESTAMP,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
    Type,
)
from grammar.codes import Code
from grammar.tree import TimeUnit
from spark_backend.runtime.failures import fails
from spark_backend.workarounds.month_arithmetic import months_in_calendar

#: 1970-01-01 was a Thursday, three days after the Monday with which its week began.
_THURSDAY: Final = 3
_LIMITS: Final = {
    Kind.DATE: (MIN_DATE, MAX_DATE),
    Kind.TIME: (0, MILLIS_PER_DAY - 1),
    Kind.TIMESTAMP: (MIN_TIMESTAMP, MAX_TIMESTAMP),
}


# --- integers ---------------------------------------------------------------------------------


def long(column: Column) -> Column:
    """The column as BIGINT."""
    return column.cast("bigint")


def quotient(a: Column, b: Column | int) -> Column:
    """``a / b`` of integers, truncated toward zero, as BIGINT."""
    return F.call_function("div", long(a), long(F.lit(b)))


def floor_quotient(a: Column, size: int) -> Column:
    """The greatest integer not above ``a / size``."""
    return quotient(a - floor_rest(a, size), size)


def floor_rest(a: Column, size: int) -> Column:
    """``a`` minus the greatest multiple of ``size`` not above it: 0 to ``size`` - 1."""
    return F.pmod(long(a), long(F.lit(size)))


# --- the calendar -----------------------------------------------------------------------------


def in_range(value: Column, type: Type) -> Column:
    """``value``, a DATE, TIME or TIMESTAMP; OVERFLOW outside the years 1 to 9999 (S-101)."""
    least, greatest = _LIMITS[type.kind]
    out = (value < F.lit(least)) | (value > F.lit(greatest))
    return F.when(out, fails(Code.OVERFLOW, f"a {type} is out of range", type)).otherwise(value)


def day_of(value: Column, kind: Kind) -> Column:
    """The day, since 1970-01-01, of a DATE or TIMESTAMP."""
    return value if kind is Kind.DATE else floor_quotient(value, MILLIS_PER_DAY)


def month_of(value: Column, kind: Kind) -> Column:
    """The month of a DATE or TIMESTAMP, counted from January 1970."""
    date = _spark_date(day_of(value, kind))
    return long((F.year(date) - 1970) * 12 + F.month(date) - 1)


def month_start(month: Column) -> Column:
    """The first day, since 1970-01-01, of a month counted from January 1970."""
    year = floor_quotient(month, 12) + 1970
    first = F.make_date(year.cast("int"), (floor_rest(month, 12) + 1).cast("int"), F.lit(1))
    return long(F.unix_date(first))


def _spark_date(day: Column) -> Column:
    return F.date_from_unix_date(day.cast("int"))


def plus_months(value: Column, months: Column, kind: Kind) -> Column:
    """A DATE or TIMESTAMP plus months (S-207).

    If the new month does not have the day, the result is on the last day of the month.
    """
    return in_range(months_later(value, months, kind), DATE if kind is Kind.DATE else TIMESTAMP)


def months_later(value: Column, months: Column, kind: Kind) -> Column:
    """As `plus_months`, without OVERFLOW: beyond the years 1 to 9999 only the order is right."""
    moved = F.add_months(_spark_date(day_of(value, kind)), months_in_calendar(months))
    day = long(F.unix_date(moved))
    if kind is Kind.DATE:
        return day
    return day * F.lit(MILLIS_PER_DAY) + floor_rest(value, MILLIS_PER_DAY)


def plus_interval(value: Column, kind: Kind, interval: Column, family: Kind, to: Type) -> Column:
    """A datetime of type ``kind`` plus an interval, as a value of ``to`` (S-207).

    ``family``: whether the interval counts months or milliseconds.  A TIME wraps around at
    midnight.
    """
    if family is Kind.MONTHS:
        return plus_months(value, interval, kind)
    match kind:
        case Kind.TIME:
            # An interval may be so long that the plain sum would overflow.
            return floor_rest(value + floor_rest(interval, MILLIS_PER_DAY), MILLIS_PER_DAY)
        case Kind.DATE if to.kind is Kind.DATE:
            moved = value * F.lit(MILLIS_PER_DAY) + interval
            return in_range(floor_quotient(moved, MILLIS_PER_DAY), to)
        case Kind.DATE:
            return in_range(value * F.lit(MILLIS_PER_DAY) + interval, to)
        case _:
            return in_range(value + interval, to)


def difference(a: Column, b: Column, kind: Kind, to: Type) -> Column:
    """``(a - b)``, datetimes of type ``kind``, as an interval of type ``to`` (S-207).

    It is truncated toward zero to the last field of ``to``.  Only SECOND is not truncated, because
    it has a fraction of milliseconds (S-207.b).
    """
    assert to.fields is not None, "an interval has fields"
    unit = to.fields[1]
    if to.kind is Kind.MILLIS:
        millis = (a - b) * F.lit(MILLIS_PER_DAY if kind is Kind.DATE else 1)
        if unit is TimeUnit.SECOND:
            return millis
        return quotient(millis, UNIT_MILLIS[unit]) * F.lit(UNIT_MILLIS[unit])
    # Not Spark's `greatest` and `least`, because they ignore NULL.
    later, earlier = F.when(a < b, b).when(b <= a, a), F.when(a < b, a).when(b <= a, b)
    months = month_of(later, kind) - month_of(earlier, kind)
    # The last of these months is not whole if ``earlier`` plus ``months`` is after ``later``.
    is_whole = months_later(earlier, months, kind) <= later
    whole = F.when(is_whole, months).when(~is_whole, months - 1)
    signed = F.when(a < b, -whole).otherwise(whole)
    return quotient(signed, UNIT_MONTHS[unit]) * F.lit(UNIT_MONTHS[unit])


# --- rounding ---------------------------------------------------------------------------------


def rounded(value: Column, type: Type, unit: TimeUnit, up: bool) -> Column:
    """FLOOR, or CEIL if ``up``, of a datetime to a unit (S-208).

    A value on a boundary is unchanged.
    """
    if unit in UNIT_MONTHS:
        months = UNIT_MONTHS[unit]
        # January of the year 0: every unit except the century begins there.
        since = month_of(value, type.kind) + F.lit(1970 * 12)
        first = since - floor_rest(since, months) - F.lit(1970 * 12)
        low, high = _at_month(first, type.kind), _at_month(first + F.lit(months), type.kind)
    else:
        scale = MILLIS_PER_DAY if type.kind is Kind.DATE else 1
        size = UNIT_MILLIS[unit]
        if size % scale:
            return value  # a DATE to HOUR: days are whole hours
        size //= scale
        monday = _THURSDAY * MILLIS_PER_DAY // scale if unit is TimeUnit.WEEK else 0
        low = value - floor_rest(value + F.lit(monday), size)
        high = low + F.lit(size)
    if not up:
        return in_range(low, type)
    return F.when(low == value, value).otherwise(in_range(high, type))


def _at_month(month: Column, kind: Kind) -> Column:
    """The start of a month, which is counted from January 1970, as a DATE or TIMESTAMP."""
    start = month_start(month)
    return start if kind is Kind.DATE else start * F.lit(MILLIS_PER_DAY)


def stepped(value: Column, type: Type, step: Column, family: Kind) -> Column:
    """The greatest multiple of ``step`` since 1970-01-01 that is not after ``value`` (S-208).

    ``family``: whether ``step`` counts months or milliseconds.
    """
    if family is Kind.MONTHS:
        month = month_of(value, type.kind)
        return in_range(_at_month(month - F.pmod(month, step), type.kind), type)
    if type.kind is Kind.DATE:
        millis = value * F.lit(MILLIS_PER_DAY)
        return in_range(floor_quotient(millis - F.pmod(millis, step), MILLIS_PER_DAY), type)
    return in_range(value - F.pmod(value, step), type)


def last_day(value: Column, kind: Kind) -> Column:
    """The last day of the month of a DATE or TIMESTAMP, as a DATE."""
    return long(F.unix_date(F.last_day(_spark_date(day_of(value, kind)))))


# --- fields -----------------------------------------------------------------------------------


def extracted(value: Column, type: Type, unit: TimeUnit) -> Column:
    """EXTRACT(unit FROM value), as BIGINT; the fields of an interval have its sign."""
    if type.kind in INTERVAL:
        return _interval_field(value, type, unit)
    millis = value if type.kind is not Kind.DATE else value * F.lit(MILLIS_PER_DAY)
    match unit:
        case TimeUnit.HOUR | TimeUnit.MINUTE | TimeUnit.SECOND:
            next_greater = {TimeUnit.HOUR: TimeUnit.DAY, TimeUnit.MINUTE: TimeUnit.HOUR}
            within = UNIT_MILLIS[next_greater.get(unit, TimeUnit.MINUTE)]
            return floor_quotient(floor_rest(millis, within), UNIT_MILLIS[unit])
        case TimeUnit.MILLISECOND:
            return floor_rest(millis, UNIT_MILLIS[TimeUnit.MINUTE])
        case TimeUnit.EPOCH:
            return floor_quotient(millis, UNIT_MILLIS[TimeUnit.SECOND])
        case _:
            return long(_date_field(_spark_date(day_of(value, type.kind)), unit))


def _date_field(date: Column, unit: TimeUnit) -> Column:
    """The field ``unit`` of a column of Spark's own type DATE."""
    year = F.year(date)
    match unit:
        case TimeUnit.YEAR:
            return year
        case TimeUnit.QUARTER:
            return F.quarter(date)
        case TimeUnit.MONTH:
            return F.month(date)
        case TimeUnit.WEEK:
            return F.weekofyear(date)
        case TimeUnit.DAY:
            return F.dayofmonth(date)
        case TimeUnit.DECADE:
            return floor_quotient(year, 10)
        case TimeUnit.CENTURY:
            return floor_quotient(year + F.lit(99), 100)
        case TimeUnit.MILLENNIUM:
            return floor_quotient(year + F.lit(999), 1000)
        case TimeUnit.ISOYEAR:
            return F.extract(F.lit("YEAROFWEEK"), date)
        case TimeUnit.DOW:
            return F.dayofweek(date)  # Sunday is 1
        case TimeUnit.ISODOW:
            return F.weekday(date) + F.lit(1)  # Monday is 1
        case TimeUnit.DOY:
            return F.dayofyear(date)
        case _:
            raise AssertionError(f"{unit} is not a field of a date")


def _interval_field(value: Column, type: Type, unit: TimeUnit) -> Column:
    """The field ``unit`` of an interval, truncated toward zero (S-207).

    The first field of the interval's type has no upper limit.  Any other field is the rest within
    the next greater unit: for example, MINUTE is at most 59.
    """
    assert type.fields is not None, "an interval has fields"
    if unit is TimeUnit.EPOCH:
        assert type.kind is Kind.MILLIS, "months have no fixed length"
        return quotient(value, UNIT_MILLIS[TimeUnit.SECOND])
    sizes = UNIT_MONTHS if type.kind is Kind.MONTHS else UNIT_MILLIS
    first = type.fields[0]
    if unit is first or (unit is TimeUnit.MILLISECOND and first is TimeUnit.SECOND):
        return quotient(value, sizes[unit])
    within = {
        TimeUnit.QUARTER: TimeUnit.YEAR,
        TimeUnit.MONTH: TimeUnit.YEAR,
        TimeUnit.HOUR: TimeUnit.DAY,
        TimeUnit.MINUTE: TimeUnit.HOUR,
        TimeUnit.SECOND: TimeUnit.MINUTE,
        TimeUnit.MILLISECOND: TimeUnit.MINUTE,
    }.get(unit)
    rest = value if within is None else value % F.lit(sizes[within])
    return quotient(rest, sizes[unit]) + F.lit(1 if unit is TimeUnit.QUARTER else 0)
