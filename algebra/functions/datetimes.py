"""Dates, times, timestamps and intervals as text, and as the numbers that represent them.

Each ``parse_…`` converts a text to its number, and each ``format_…`` a number to its text.  The
calendar is the proleptic Gregorian one, years 1 to 9999, without leap seconds (S-101).  A text that
is not valid is a ``ValueError``, whose message states the reason for users.
"""

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Final, TypeAlias

from algebra.expression import Literal
from algebra.types import (
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
)
from grammar.tree import TimeUnit

#: First and last field of an interval.
Fields: TypeAlias = tuple[TimeUnit, TimeUnit]

#: The number that `datetime.date` has for 1970-01-01.
_EPOCH: Final = date(1970, 1, 1).toordinal()
#: ``2015-02-15``: the groups are year, month and day.
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
#: ``10:17:00.250``: the groups are hour, minute, second, and the digits of the fraction, if any.
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,3}))?")

#: The fields of both families, greatest first.
YEAR_MONTH: Final = (TimeUnit.YEAR, TimeUnit.MONTH)
DAY_SECOND: Final = (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)

#: The units of `time_text`, greatest first. Weeks are left out: latencies are not given in weeks.
_UNITS: Final = tuple((unit, size) for unit, size in UNIT_MILLIS.items() if unit != TimeUnit.WEEK)
#: The days of the longest year and month, with which `max_millis` counts.
_LONG_YEAR: Final = 366
_LONG_MONTH: Final = 31

#: The separator before each field that is not the first field of an interval.
_BEFORE: Final[Mapping[TimeUnit, str]] = {
    TimeUnit.MONTH: "-",
    TimeUnit.HOUR: " ",
    TimeUnit.MINUTE: ":",
    TimeUnit.SECOND: ":",
}
#: The greatest value of each field that is not the first field of an interval.
_GREATEST: Final[Mapping[TimeUnit, int]] = {
    TimeUnit.MONTH: 11,
    TimeUnit.HOUR: 23,
    TimeUnit.MINUTE: 59,
    TimeUnit.SECOND: 59,
}

#: The greatest absolute value of an interval of either family: 32 and 64 bits.
MAX_MONTHS: Final = 2**31 - 1
MAX_MILLIS: Final = 2**63 - 1


# --- dates and times --------------------------------------------------------------------------


def days_from_civil(year: int, month: int, day: int) -> int:
    """The days from 1970-01-01 to a date; ``ValueError`` if the calendar has no such date.

    Defines: S-101.b
    """
    return date(year, month, day).toordinal() - _EPOCH


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of the date ``days`` after 1970-01-01."""
    day = date.fromordinal(days + _EPOCH)
    return day.year, day.month, day.day


def parse_date(text: str) -> int:
    """The days since 1970-01-01 of ``'2015-02-15'``.

    >>> parse_date("1970-02-01")
    31
    """
    parts = _DATE.fullmatch(text)
    if parts is None:
        raise ValueError(f"'{text}' is not of the form 'yyyy-mm-dd'")
    try:
        return days_from_civil(int(parts[1]), int(parts[2]), int(parts[3]))
    except ValueError:
        raise ValueError(f"'{text}' is not a day of the calendar (years 1 to 9999)") from None


def parse_time(text: str) -> int:
    """The milliseconds since midnight of ``'10:17:00'`` or ``'10:17:00.250'``.

    >>> parse_time("00:12:00.5")
    720500
    """
    parts = _TIME.fullmatch(text)
    if parts is None:
        raise ValueError(f"'{text}' is not of the form 'hh:mm:ss' or 'hh:mm:ss.fff'")
    hour, minute, second = int(parts[1]), int(parts[2]), int(parts[3])
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"'{text}' is not a time of day: 00:00:00 to 23:59:59.999")
    return ((hour * 60 + minute) * 60 + second) * 1000 + _fraction(parts[4])


def parse_timestamp(text: str) -> int:
    """The milliseconds since 1970-01-01 00:00:00 of ``'2015-02-15 10:17:00'``.

    >>> parse_timestamp("1970-01-01 00:00:01.25")
    1250
    """
    # The fast way: the hour from a cache, and the rest from tables.  In the text
    # ``2015-02-15 10:17:00.250`` the hour ends at place 13, the minute at 16, the second at 19.
    try:
        minute, second, fraction = _MINUTES[text[13:16]], _MINUTES[text[16:19]], text[19:]
        return _recent_hour(text[:13]) + (minute * 60 + second) * 1000 + _FRACTIONS[fraction]
    except (KeyError, ValueError):
        return _moment(text)  # the definition, whose error states the reason


def _moment(text: str) -> int:
    """The same as `parse_timestamp`, but computed from the date and the time in ``text``."""
    day, blank, time = text.partition(" ")
    if not blank:
        raise ValueError(f"'{text}' is not of the form 'yyyy-mm-dd hh:mm:ss'")
    return parse_date(day) * MILLIS_PER_DAY + parse_time(time)


@lru_cache(maxsize=64)  # a cache of recent hours, because thousands of rows have the same hour
def _recent_hour(text: str) -> int:
    """The milliseconds since 1970 at the beginning of an hour, ``'2015-02-15 10'``."""
    return _moment(f"{text}:00:00")


def _fraction(digits: str | None) -> int:
    """The milliseconds of up to three digits after the point: ``'5'`` is 500."""
    return int((digits or "0").ljust(3, "0"))


#: The number in a text such as ``':17'``, for minutes and seconds.
_MINUTES: Final = {f":{number:02}": number for number in range(60)}
#: The milliseconds of a fraction such as ``'.25'``; 0 for the empty text.
_FRACTIONS: Final = {"": 0} | {
    f".{digits}": _fraction(digits)
    for width in (1, 2, 3)
    for digits in (f"{number:0{width}}" for number in range(10**width))
}


def format_date(days: int) -> str:
    """The date ``days`` after 1970-01-01 as text: ``'2015-02-15'``."""
    assert MIN_DATE <= days <= MAX_DATE, "dates are in the years 1 to 9999"
    return date.fromordinal(days + _EPOCH).isoformat()


def format_time(millis: int) -> str:
    """The time ``millis`` after midnight as text.

    It is ``'10:17:00'``, or ``'10:17:00.250'`` if the milliseconds of the second are not zero.
    """
    assert 0 <= millis < MILLIS_PER_DAY, "a time is within a day"
    seconds, fraction = divmod(millis, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{fraction:03}" if fraction else "")


def format_timestamp(millis: int) -> str:
    """The instant ``millis`` after 1970 as text: `format_date`, a blank, and `format_time`."""
    days, time = divmod(millis, MILLIS_PER_DAY)
    return f"{_recent_text(days)} {format_time(time)}"


def format_bound(time: float) -> str:
    """A bound as `format_timestamp` writes it; outside the years 1 to 9999, their nearest instant.

    A bound is outside if it is strict at the last instant, which is one millisecond later, or if a
    slack was subtracted from one of the first instants.
    """
    return format_timestamp(int(max(MIN_TIMESTAMP, min(time, MAX_TIMESTAMP))))


#: `format_date` with a cache of recent days, because thousands of rows have the same day.
_recent_text: Final = lru_cache(maxsize=64)(format_date)


# --- intervals --------------------------------------------------------------------------------


def fields_between(fields: Fields) -> tuple[TimeUnit, ...]:
    """All fields of an interval, from the first to the last, greatest first."""
    first, last = fields
    family = YEAR_MONTH if first in YEAR_MONTH else DAY_SECOND
    return family[family.index(first) : family.index(last) + 1]


def unit_size(unit: TimeUnit) -> int:
    """The number that represents one ``unit``: months for calendar units, else milliseconds."""
    return UNIT_MONTHS[unit] if unit in UNIT_MONTHS else UNIT_MILLIS[unit]


def parse_interval(text: str, fields: Fields) -> int:
    """The months or milliseconds of an interval's text in these fields.

    The first field may be of any size.  Each other field is less than one unit of the field before.

    >>> parse_interval("-1:30", (TimeUnit.HOUR, TimeUnit.MINUTE))
    -5400000
    """
    units = fields_between(fields)
    # Groups: 1 is the sign, then each field has a group, and the fraction of a second is the last.
    pattern = "([+-]?)([0-9]{1,19})" + "".join(f"{_BEFORE[u]}([0-9]{{1,2}})" for u in units[1:])
    if units[-1] is TimeUnit.SECOND:
        pattern += r"(?:\.([0-9]{1,3}))?"
    parts = re.fullmatch(pattern, text)
    if parts is None:
        raise ValueError(f"'{text}' is not of the form '{_form(units)}'")
    total = 0
    for place, unit in enumerate(units):
        number = int(parts[place + 2])
        if place and number > _GREATEST[unit]:
            raise ValueError(f"{unit} is {number} in '{text}': at most {_GREATEST[unit]} there")
        total += number * unit_size(unit)
    if units[-1] is TimeUnit.SECOND:
        total += _fraction(parts[len(units) + 2])
    if total > (MAX_MONTHS if units[0] in YEAR_MONTH else MAX_MILLIS):
        raise ValueError(f"'{text}' is too long an interval")
    return -total if parts[1] == "-" else total


def format_interval(value: int, fields: Fields) -> str:
    """The text of an interval literal in these fields: ``'1:30'``, ``'-5'``, ``'1 02:03:04.500'``.

    Parts smaller than the last field are truncated toward zero; seconds have a fraction of three
    digits unless it is zero.
    """
    units = fields_between(fields)
    rest, text = abs(value), ""
    for place, unit in enumerate(units):
        number, rest = divmod(rest, unit_size(unit))
        text += f"{_BEFORE[unit]}{number:02}" if place else str(number)
    if units[-1] is TimeUnit.SECOND and rest:
        text += f".{rest:03}"
    has_value = text.strip("0:. -") != ""  # False: only zeros are left after the truncation
    return f"-{text}" if value < 0 and has_value else text


def _form(units: tuple[TimeUnit, ...]) -> str:
    """The form of the text of an interval of these fields, for messages: ``hour:minute``."""
    word = {unit: unit.lower() for unit in units}
    text = word[units[0]] + "".join(_BEFORE[u] + word[u] for u in units[1:])
    return text + "[.fff]" if units[-1] is TimeUnit.SECOND else text


def time_text(millis: int) -> str:
    """A duration in whole units, the greatest first.

    >>> time_text(3_600_001)
    '1 HOUR 1 MILLISECOND'
    """
    words: list[str] = []
    for unit, size in _UNITS:
        count, millis = divmod(millis, size)
        if count:
            words.append(f"{count} {unit}")
    return " ".join(words) or f"0 {TimeUnit.MILLISECOND}"


def max_millis(interval: Literal) -> int:
    """The greatest number of milliseconds that an interval can take.

    A year counts as 366 days, and a further month as 31.
    """
    assert isinstance(interval.value, int), "an interval has a size"
    if interval.type.kind is Kind.MILLIS:
        return interval.value
    years, months = divmod(interval.value, 12)
    return (years * _LONG_YEAR + months * _LONG_MONTH) * MILLIS_PER_DAY
