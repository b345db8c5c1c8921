"""Months and days as numbers, and how many days lie between two days of given months.

A month is counted from 1970-01, and a day from 1970-01-01.  The Gregorian calendar repeats every
400 years, so a limit that holds for all months of one such cycle holds for all months.
"""

from bisect import bisect_right
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
    """The first day of each month of one cycle, in ascending order."""
    return tuple(days_from_civil(1970 + m // 12, m % 12 + 1, 1) for m in range(CYCLE))


def start_of_month(month: int) -> int:
    """The first day of a month, in days since 1970-01-01; the month may be negative.

    >>> start_of_month(1), start_of_month(-1)
    (31, -31)
    """
    cycles, place = divmod(month, CYCLE)
    return cycles * CYCLE_DAYS + _starts()[place]


def month_of(day: int) -> int:
    """The month in which a day lies."""
    cycles, place = divmod(day, CYCLE_DAYS)
    return cycles * CYCLE + bisect_right(_starts(), place) - 1


def add_months(day: int, months: int) -> int:
    """The same day ``months`` later, clamped to the last day of a shorter month (S-207).

    >>> add_months(30, 1)
    58
    """
    month = month_of(day)
    start, end = start_of_month(month + months), start_of_month(month + months + 1)
    return min(start + day - start_of_month(month), end - 1)


@dataclass(frozen=True, slots=True)
class MonthDays:
    """A set of days: of each month only its first day if ``start``, else all of its days.

    If ``only`` is not None, the set has only the days of this month.
    """

    start: bool
    only: int | None = None

    def last(self, month: int) -> int:
        """The last day of the set in ``month``; the first one is always the start of the month."""
        return start_of_month(month) if self.start else start_of_month(month + 1) - 1


def days_between(a: MonthDays, b: MonthDays, months: int) -> tuple[int, int]:
    """The least and greatest ``b - a`` in days, for a day of ``a`` and a day of ``b``.

    The month of the day of ``b`` is ``months`` months after that of the day of ``a``.  At most one
    of the two sets may be of a single month (``only``).
    """
    month = a.only if b.only is None else b.only - months  # of the day of `a`
    if month is not None:
        least = start_of_month(month + months) - a.last(month)
        return least, b.last(month + months) - start_of_month(month)
    # The last day of a month is the day before the first day of the next month.
    least, _ = days_added(months if a.start else months - 1)
    _, greatest = days_added(months if b.start else months + 1)
    return least + (not a.start), greatest - (not b.start)


@lru_cache(maxsize=1_024)
def days_added(months: int) -> tuple[int, int]:
    """The least and greatest number of days that adding ``months`` to a day adds.

    The first day of a month is moved to the first day of another month, and each day that is not
    clamped (S-207) is moved by the same number of days.  A clamped day is moved by fewer days, but
    by no fewer than the first day of the next month.  So it is enough to look at first days.

    >>> days_added(1), days_added(-12)
    ((28, 31), (-366, -365))
    """
    days = [start_of_month(m + months) - start_of_month(m) for m in range(CYCLE)]
    return min(days), max(days)


def max_months(a: MonthDays, b: MonthDays, days: int) -> int:
    """The most months by which a day of ``b`` can be after a day of ``a``, if ``b - a <= days``."""
    # The number of mean months plus two is never too small a number to start from.
    months = int(days / MEAN) + 2
    while days_between(a, b, months)[0] > days:
        months -= 1
    return months


@lru_cache(maxsize=2)
def around_mean(start: bool) -> tuple[Fraction, Fraction]:
    """The least and greatest difference between a day and its month times `MEAN`.

    ``start``: only the first days of months are compared.
    """
    days = MonthDays(start)
    return (
        min(start_of_month(m) - m * MEAN for m in range(CYCLE)),
        max(days.last(m) - m * MEAN for m in range(CYCLE)),
    )
