"""Datetimes and intervals: the proleptic Gregorian calendar on days and milliseconds (S-101).

In this module, ``y`` is a year, ``m`` a month (1-12) and ``d`` a day (1-31).  A *month index*
counts months since 1970-01, a *date* days since 1970-01-01, and an *instant* milliseconds since
1970-01-01.  These three can be negative, and can be outside of the range of SQL's types.
"""

from typing import Final

from algebra.types import (
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
    Type,
)
from grammar.codes import Code
from grammar.tree import TimeUnit
from reference.values import failure, towards_zero, unit_of

_DAYS_BEFORE_MONTH: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_MONTH_LENGTH: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
#: Days from 0001-01-01 to 1970-01-01.
_EPOCH: Final = -MIN_DATE


def leap(y: int) -> bool:
    """Whether year ``y`` has a 29th of February."""
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)


def month_length(y: int, m: int) -> int:
    """The last day of a month."""
    return 29 if m == 2 and leap(y) else _MONTH_LENGTH[m - 1]


def date_of(y: int, m: int, d: int) -> int:
    """The date of a day of the calendar.

    >>> date_of(1970, 1, 1), date_of(1, 1, 1), date_of(9999, 12, 31)
    (0, -719162, 2932896)
    """
    past = y - 1
    days = past * 365 + past // 4 - past // 100 + past // 400
    return days + _DAYS_BEFORE_MONTH[m - 1] + (m > 2 and leap(y)) + d - 1 - _EPOCH


def civil(date: int) -> tuple[int, int, int]:
    """Year, month and day of a date."""
    # A first guess by the mean year of 365.2425 days: at most one year too early, never too late.
    y = (date + _EPOCH) * 400 // 146_097 + 1
    if date >= date_of(y + 1, 1, 1):
        y += 1
    m = 12
    while date < date_of(y, m, 1):
        m -= 1
    return y, m, date - date_of(y, m, 1) + 1


def month_index(date: int) -> int:
    """The month index of the month in which a date lies."""
    y, m, _ = civil(date)
    return (y - 1970) * 12 + m - 1


def month_start(index: int) -> int:
    """The first date of the month with this month index."""
    return date_of(1970 + index // 12, index % 12 + 1, 1)


def add_months(date: int, months: int) -> int:
    """The same day ``months`` later, or the month's last day if it has no such day (S-207).

    Defines: S-207.e
    """
    _, _, d = civil(date)
    index = month_index(date) + months
    y, m = 1970 + index // 12, index % 12 + 1
    return date_of(y, m, min(d, month_length(y, m)))


def add_months_to_instant(instant: int, months: int) -> int:
    """`add_months` of an instant; the time of day does not change."""
    date, time = divmod(instant, MILLIS_PER_DAY)
    return add_months(date, months) * MILLIS_PER_DAY + time


def last_day(kind: Kind, value: int) -> int:
    """LAST_DAY: the date of the last day of a DATE's or TIMESTAMP's month."""
    y, m, _ = civil(instant_of(kind, value) // MILLIS_PER_DAY)
    return date_of(y, m, month_length(y, m))


def months_between(later: int, earlier: int) -> int:
    """The whole months from one instant to another: the greatest n with ``earlier + n <= later``.

    If the instants are exchanged, the result is negated: it is truncated toward zero (S-207).
    """
    if later < earlier:
        return -months_between(earlier, later)
    n = month_index(later // MILLIS_PER_DAY) - month_index(earlier // MILLIS_PER_DAY)
    return n if add_months_to_instant(earlier, n) <= later else n - 1


# --- values of the three datetime types ---------------------------------------------------------


def instant_of(kind: Kind, value: int) -> int:
    """The value of a datetime type as an instant.

    A DATE becomes its midnight.  A TIMESTAMP, and a TIME (milliseconds since midnight), stay the
    same.
    """
    return value * MILLIS_PER_DAY if kind is Kind.DATE else value


def of_instant(kind: Kind, instant: int) -> int:
    """``instant`` as a value of the datetime type ``kind``; raises OVERFLOW outside its range."""
    match kind:
        case Kind.DATE:
            value, low, high = instant // MILLIS_PER_DAY, MIN_DATE, MAX_DATE
        case Kind.TIME:
            value, low, high = instant, 0, MILLIS_PER_DAY - 1
        case _:
            assert kind is Kind.TIMESTAMP, kind
            value, low, high = instant, MIN_TIMESTAMP, MAX_TIMESTAMP
    if low <= value <= high:
        return value
    raise failure(Code.OVERFLOW, f"a {kind} is out of range", "stay within the years 1 to 9999")


def plus(type: Type, value: int, of: Kind, amount: int, family: Kind) -> int:
    """A datetime ``value`` of kind ``of`` plus an interval ``amount``, as ``type`` (S-207).

    ``family`` is the kind of the interval: MONTHS or MILLIS.  A TIME wraps around at midnight, as
    in the standard; months do not change it.

    Defines: S-207.g
    """
    instant = instant_of(of, value)
    if of is Kind.TIME:
        return instant if family is Kind.MONTHS else (instant + amount) % MILLIS_PER_DAY
    if family is Kind.MONTHS:
        return of_instant(type.kind, add_months_to_instant(instant, amount))
    return of_instant(type.kind, instant + amount)


def minus(type: Type, later: int, of: Kind, earlier: int, of_earlier: Kind) -> int:
    """The interval ``later - earlier``, truncated toward zero to its last field (S-207).

    ``of`` is the kind of ``later``, ``of_earlier`` the kind of ``earlier``, and ``type`` the type
    of the interval.

    Defines: S-207.a, S-207.b, S-207.l
    """
    a, b = instant_of(of, later), instant_of(of_earlier, earlier)
    if type.kind is Kind.MONTHS:
        return towards_zero(months_between(a, b), unit_of(type))
    return towards_zero(a - b, unit_of(type))


def floor_instant(instant: int, unit: TimeUnit) -> int:
    """The instant at which the ``unit`` that contains ``instant`` starts; weeks start on Monday.

    Defines: S-208.a, S-208.f
    """
    if unit in UNIT_MONTHS:
        size = UNIT_MONTHS[unit]
        index = month_index(instant // MILLIS_PER_DAY)
        return month_start(index // size * size) * MILLIS_PER_DAY
    size = UNIT_MILLIS[unit]
    # 1970-01-01 was a Thursday: weeks start four days after that.
    shift = 4 * MILLIS_PER_DAY if unit is TimeUnit.WEEK else 0
    return (instant - shift) // size * size + shift


def next_unit(start: int, unit: TimeUnit) -> int:
    """The instant at which the next ``unit`` starts, if one starts at the instant ``start``."""
    if unit in UNIT_MONTHS:
        return add_months_to_instant(start, UNIT_MONTHS[unit])
    return start + UNIT_MILLIS[unit]


def rounded(up: bool, kind: Kind, value: int, unit: TimeUnit) -> int:
    """FLOOR or CEIL of a datetime to a unit, year to millisecond (S-208).

    ``up``: CEIL.  CEIL of a value on a boundary is this value.  Raises OVERFLOW if the result is
    out of the type's range.

    Defines: S-208.b, S-208.d
    """
    instant = instant_of(kind, value)
    start = floor_instant(instant, unit)
    return of_instant(kind, next_unit(start, unit) if up and start < instant else start)


def step(kind: Kind, value: int, size: int, family: Kind) -> int:
    """STEP(value BY size): the last multiple of ``size`` from 1970-01-01 up to ``value`` (S-208).

    ``kind`` is the kind of the datetime, ``family`` that of the interval: MONTHS or MILLIS.

    Defines: S-208.c
    """
    if size <= 0:
        raise failure(Code.INVALID_ARGUMENT, "STEP by an interval that is not positive")
    instant = instant_of(kind, value)
    if family is Kind.MONTHS:
        index = month_index(instant // MILLIS_PER_DAY)
        return of_instant(kind, month_start(index // size * size) * MILLIS_PER_DAY)
    return of_instant(kind, instant // size * size)


# --- EXTRACT ------------------------------------------------------------------------------------


def extract(unit: TimeUnit, kind: Kind, value: int, first: TimeUnit | None = None) -> int:
    """EXTRACT: the field ``unit`` of a datetime or interval.

    ``first`` is the first field of an interval type, which includes all greater units.  For
    example, HOUR is 100 in ``'100:30'`` HOUR TO MINUTE (SQL:2016 6.30, S-207).  If ``first`` is
    None, the first field is YEAR or DAY.

    As in Calcite: MILLISECOND includes the seconds (0 to 59,999), DOW is 1 on Sunday, ISODOW 1 on
    Monday, WEEK is the ISO week.  EPOCH is in whole seconds, rounded down.  The fields of a
    negative interval are negative.

    Defines: S-207.h, S-207.i
    """
    match kind:
        case Kind.MONTHS:
            return value if unit is first is TimeUnit.MONTH else _months_field(unit, value)
        case Kind.MILLIS:
            magnitude = _millis_field(unit, abs(value), first)
            return magnitude if value >= 0 else -magnitude
        case _:
            date, time = divmod(instant_of(kind, value), MILLIS_PER_DAY)
            if unit in _OF_DATE:
                return _date_field(unit, date)
            return date * 86_400 + time // 1_000 if unit is TimeUnit.EPOCH else _time(unit, time)


#: The units that depend only on the date.
_OF_DATE: Final = frozenset(TimeUnit) - {
    TimeUnit.HOUR,
    TimeUnit.MINUTE,
    TimeUnit.SECOND,
    TimeUnit.MILLISECOND,
    TimeUnit.EPOCH,
}


def _date_field(unit: TimeUnit, date: int) -> int:
    """A field that depends only on the date."""
    y, m, d = civil(date)
    monday = date - (date + 3) % 7  # 1970-01-01 was a Thursday
    iso_year, _, _ = civil(monday + 3)
    match unit:
        case TimeUnit.MILLENNIUM:
            return (y + 999) // 1_000
        case TimeUnit.CENTURY:
            return (y + 99) // 100
        case TimeUnit.DECADE:
            return y // 10
        case TimeUnit.YEAR:
            return y
        case TimeUnit.QUARTER:
            return (m + 2) // 3
        case TimeUnit.MONTH:
            return m
        case TimeUnit.DAY:
            return d
        case TimeUnit.DOY:
            return date - date_of(y, 1, 1) + 1
        case TimeUnit.ISOYEAR:
            return iso_year
        case TimeUnit.WEEK:
            # The ISO year is the one that the week's Thursday lies in.
            return (monday + 3 - date_of(iso_year, 1, 1)) // 7 + 1
        case TimeUnit.ISODOW:
            return date - monday + 1
        case _:
            assert unit is TimeUnit.DOW, unit
            return (date - monday + 1) % 7 + 1


def _time(unit: TimeUnit, time: int) -> int:
    """A field that depends only on the milliseconds since midnight."""
    match unit:
        case TimeUnit.HOUR:
            return time // 3_600_000
        case TimeUnit.MINUTE:
            return time // 60_000 % 60
        case TimeUnit.SECOND:
            return time // 1_000 % 60
        case _:
            assert unit is TimeUnit.MILLISECOND, unit
            return time % 60_000


def _millis_field(unit: TimeUnit, millis: int, first: TimeUnit | None) -> int:
    """A field of a day-time interval that is not negative."""
    if unit is first or (unit is TimeUnit.MILLISECOND and first is TimeUnit.SECOND):
        return millis // UNIT_MILLIS[unit]
    if unit is TimeUnit.EPOCH:
        return millis // 1_000
    if unit is TimeUnit.DAY:
        return millis // MILLIS_PER_DAY
    return _time(unit, millis % MILLIS_PER_DAY)


def _months_field(unit: TimeUnit, months: int) -> int:
    """MONTH of a year-month interval: the months after its whole years; YEAR: its whole years."""
    of_years = towards_zero(months, 12)
    return months - of_years if unit is TimeUnit.MONTH else of_years // 12
