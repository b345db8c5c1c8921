"""Texts of dates and times in rows from outside, in the forms that other programs write (S-613)."""

import re
from typing import Final

from algebra.functions.datetimes import parse_date, parse_time, parse_timestamp
from algebra.types import MAX_TIMESTAMP, MILLIS_PER_DAY, MIN_TIMESTAMP

#: ``10:17``, ``10:17:05`` or ``10:17:05.25``.  Groups: hour and minute, ``:05``, the fraction.
_CLOCK: Final = r"([0-9]{2}:[0-9]{2})(?:(:[0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
#: An optional time zone, in one group: ``Z``, ``UTC``, ``+01``, ``+0100`` or ``+01:00``.
_ZONE: Final = r"(?: ?(Z|z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?"
#: Groups: 1 is the date, 2 to 4 are the groups of `_CLOCK`, and 5 is the zone.
_TIMESTAMP: Final = re.compile(
    rf"\s*([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:[Tt ]{_CLOCK}{_ZONE})?\s*", re.ASCII
)
_TIME: Final = re.compile(rf"\s*{_CLOCK}\s*", re.ASCII)
#: A whole number, perhaps with a fraction of zeros: it can count time since 1970.
_COUNT: Final = re.compile(r"\s*[+-]?[0-9]{1,19}(\.0*)?\s*", re.ASCII)

#: The mark at the end of the text of a time that is refused because it has a part of a millisecond.
#: If the option ``strict_times`` is set, `algebra.records` appends the mark instead of cutting the
#: time.  A value of a file is a text until this module reads it, so the text has to carry the mark.
TOO_FINE: Final = ", finer than a millisecond"
#: How many of each unit make a second.
PER_SECOND: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
#: The unit of a count since 1970, by its number of digits: times from 2001 to 2286 have as many.
_DIGITS: Final = {10: "s", 13: "ms", 16: "us", 19: "ns"}


def read_timestamp(text: str) -> int:
    """The milliseconds since 1970-01-01 00:00:00 UTC of a text.

    The text is a date, or a date and a time with ``T`` or a blank between them.  The seconds may be
    left out; a fraction has one to nine digits, and is cut to milliseconds.  A time with ``Z``,
    ``UTC`` or an offset is converted to UTC.  Raises ``ValueError``.

    >>> read_timestamp("1970-01-01T01:00:00.1239+01:00")
    123

    Defines: S-613.a, S-613.b, S-613.c
    """
    try:
        return parse_timestamp(text)
    except ValueError:
        found = _TIMESTAMP.fullmatch(text)
    if found is None:
        _refuse_too_fine(text)
        if _COUNT.fullmatch(text):
            raise ValueError(_count_fault(text.strip()))
        raise ValueError(
            f"'{text}' is not of the form 'yyyy-mm-dd hh:mm:ss' "
            "(also with 'T', a fraction, 'Z' or an offset)"
        )
    millis = parse_date(found[1]) * MILLIS_PER_DAY
    if found[2] is not None:
        millis += _clock_millis(found[2], found[3], found[4]) - _offset_millis(found[5])
    if not MIN_TIMESTAMP <= millis <= MAX_TIMESTAMP:
        raise ValueError(f"'{text}' is not a time of the years 1 to 9999 in UTC")
    return millis


def read_time(text: str) -> int:
    """The milliseconds since midnight of a text: ``10:17``, ``10:17:00`` or with a fraction.

    A fraction of one to nine digits is cut to milliseconds.  Raises ``ValueError``.
    """
    try:
        return parse_time(text)
    except ValueError:
        found = _TIME.fullmatch(text)
        if found is None:
            _refuse_too_fine(text)
            raise
    return _clock_millis(found[1], found[2], found[3])


def count_millis(count: int, unit: str) -> int:
    """The milliseconds of a count of units since 1970; a fraction of a millisecond is cut.

    >>> count_millis(1_767_261_600, "s")
    1767261600000
    """
    return count * 1_000 // PER_SECOND[unit]


def is_finer(text: str) -> bool:
    """Whether a text is a time with a fraction of a millisecond that is not zero."""
    for pattern, group in ((_TIMESTAMP, 4), (_TIME, 3)):
        found = pattern.fullmatch(text)
        if found is not None and found[group] is not None:
            part_of_millisecond = found[group][3:]
            return part_of_millisecond.strip("0") != ""
    return False


def _refuse_too_fine(text: str) -> None:
    """Raise `ValueError` for a text that the reader of a file has marked with `TOO_FINE`."""
    if text.endswith(TOO_FINE):
        raise ValueError(f"'{text.removesuffix(TOO_FINE)}' is finer than a millisecond")


def _clock_millis(minute: str, second: str | None, fraction: str | None) -> int:
    """The milliseconds since midnight, from the groups of `_CLOCK`: ``10:17``, ``:05``, ``25``."""
    point = "." if fraction else ""
    return parse_time(f"{minute}{second or ':00'}{point}{(fraction or '')[:3]}")


def _offset_millis(zone: str | None) -> int:
    """How far a zone is ahead of UTC, in milliseconds; 0 without a zone.

    ``ValueError`` for an offset with more than 23 hours or 59 minutes.
    """
    if zone is None or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(f"'{zone}' is not an offset from UTC")
    millis = (hours * 60 + minutes) * 60_000
    return -millis if zone[0] == "-" else millis


def _count_fault(text: str) -> str:
    """The reason why a number is not read as a time, and the option that makes it a time."""
    unit = _DIGITS.get(len(text.lstrip("+-").partition(".")[0]), "s")
    return f"{text} is a number, not a time; with time_unit '{unit}' it counts from 1970-01-01"
