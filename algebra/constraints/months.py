"""How many days lie between points of the calendar, by the months they are in, exactly.

A month is counted since 1970-01.  The calendar repeats itself every 400 years, so that what holds
of all months of one such cycle holds of all.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from algebra.functions.datetimes import days_from_civil

#: The months and days of 400 years.
CYCLE: Final = 4_800
CYCLE_DAYS: Final = 146_097
#: The days of the mean month.
MEAN: Final = Fraction(CYCLE_DAYS, CYCLE)


@lru_cache(maxsize=1)
def _starts() -> tuple[int, ...]:
    """The first days of the months of one cycle."""
    return tuple(days_from_civil(1970 + m // 12, m % 12 + 1, 1) for m in range(CYCLE))


def start_of_month(month: int) -> int:
    """The first day of a month, of any sign, as days since 1970-01-01.

    >>> start_of_month(1), start_of_month(-1)
    (31, -31)
    """
    cycles, place = divmod(month, CYCLE)
    return cycles * CYCLE_DAYS + _starts()[place]


def month_of(day: int) -> int:
    """The month that a day lies in."""
    month = day * CYCLE // CYCLE_DAYS
    while day < start_of_month(month):
        month -= 1
    while day >= start_of_month(month + 1):
        month += 1
    return month


def add_months(day: int, months: int) -> int:
    """The same day ``months`` later, or the month's last day if it has no such day (S-207).

    >>> add_months(30, 1)
    58
    """
    month = month_of(day)
    start, end = start_of_month(month + months), start_of_month(month + months + 1)
    return min(start + day - start_of_month(month), end - 1)


@dataclass(frozen=True, slots=True)
class MonthDays:
    """Which days of its month a point may be: the first alone (``start``), or any.

    ``only``: the one month that it is in, if that is known.
    """

    start: bool
    only: int | None = None

    def last(self, month: int) -> int:
        """The last such day of ``month``; the first is its start."""
        return start_of_month(month) if self.start else start_of_month(month + 1) - 1


def days_between(a: MonthDays, b: MonthDays, months: int) -> tuple[int, int]:
    """The least and greatest ``b - a`` in days, where b lies ``months`` months after a."""
    first = a.only if a.only is not None or b.only is None else b.only - months
    if first is not None:
        least = start_of_month(first + months) - a.last(first)
        return least, b.last(first + months) - start_of_month(first)
    # The last day of a month is the one before the next month's first.
    least, _ = _between_starts(months if a.start else months - 1)
    _, greatest = _between_starts(months if b.start else months + 1)
    return least + (not a.start), greatest - (not b.start)


@lru_cache(maxsize=1_024)
def _between_starts(months: int) -> tuple[int, int]:
    """The least and greatest days from the start of a month to that of another."""
    days = [start_of_month(m + months) - start_of_month(m) for m in range(CYCLE)]
    return min(days), max(days)


def max_months(a: MonthDays, b: MonthDays, days: int) -> int:
    """The most months by which b can lie after a, if ``b - a`` is at most ``days``."""
    months = int(days / MEAN) + 2
    while days_between(a, b, months)[0] > days:
        months -= 1
    return months


def days_added(months: int) -> tuple[int, int]:
    """The least and greatest days that adding ``months`` moves a day by.

    A day that the new month lacks becomes its last one (S-207): it is moved by less than the first
    day of its month, and by no less than that of the month after.

    >>> shifted(1), shifted(-12)
    ((28, 31), (-366, -365))
    """
    return _between_starts(months)


@lru_cache(maxsize=2)
def around_mean(start: bool) -> tuple[Fraction, Fraction]:
    """The least and greatest difference of a point from its month times `MEAN`."""
    place = MonthDays(start)
    return (
        min(start_of_month(m) - m * MEAN for m in range(CYCLE)),
        max(place.last(m) - m * MEAN for m in range(CYCLE)),
    )
