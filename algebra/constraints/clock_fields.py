"""EXTRACT, and FLOOR and CEIL of datetimes to a unit, as linear terms (S-208).

The functions add the constraints that define their result to a `ConstraintSystem`.  An instant is
counted in milliseconds from 1970-01-01 00:00 (a TIME from midnight), a day from 1970-01-01, and a
month from 1970-01.
"""

from fractions import Fraction
from typing import Final

from algebra.constraints.constraint_system import ConstraintSystem, Rounding
from algebra.constraints.linear_terms import Term
from algebra.types import MILLIS_PER_DAY, UNIT_MILLIS, UNIT_MONTHS, Kind, Type
from grammar.tree import TimeUnit

#: The factor that converts milliseconds to days.
_DAYS_PER_MILLI: Final = Fraction(1, MILLIS_PER_DAY)
#: Units in milliseconds.
_HOUR: Final = UNIT_MILLIS[TimeUnit.HOUR]
_MINUTE: Final = UNIT_MILLIS[TimeUnit.MINUTE]
_SECOND: Final = UNIT_MILLIS[TimeUnit.SECOND]
_WEEK: Final = UNIT_MILLIS[TimeUnit.WEEK]
#: The first Monday and the first Sunday after 1970-01-01, which was a Thursday.
_MONDAY: Final = 4 * MILLIS_PER_DAY
_SUNDAY: Final = 3 * MILLIS_PER_DAY


def _down(system: ConstraintSystem, value: Term, size: int, offset: int = 0) -> Term:
    """``value`` rounded down to ``offset`` plus a multiple of ``size``."""
    return system.rounded(value, size, Rounding.DOWN, offset)


def _day(system: ConstraintSystem, instant: Term) -> Term:
    """The day in which an instant lies, counted from 1970-01-01."""
    return _down(system, instant, MILLIS_PER_DAY).times(_DAYS_PER_MILLI)


def stepped_by_months(system: ConstraintSystem, instant: Term, size: int) -> Term:
    """The first instant of the period in which ``instant`` lies.

    A period has ``size`` months, and one of the periods starts with 1970-01.
    """
    month = _down(system, system.month_of(_day(system, instant)), size)
    return system.start_of_month(month).times(MILLIS_PER_DAY)


def rounded_to_unit(
    system: ConstraintSystem, up: bool, instant: Term, unit: TimeUnit, type: Type
) -> Term:
    """The instant that FLOOR, or CEIL if ``up``, makes of ``instant``; ``type`` is its type."""
    if unit not in UNIT_MONTHS:
        way = Rounding.UP if up else Rounding.DOWN
        offset = _MONDAY if unit is TimeUnit.WEEK else 0
        return system.rounded(instant, UNIT_MILLIS[unit], way, offset)
    size = UNIT_MONTHS[unit]
    if not up:
        return stepped_by_months(system, instant, size)
    # CEIL is the start of the period after the period in which the value before ``instant`` lies.
    # So the start of a period is rounded to itself.
    before = instant.add(-MILLIS_PER_DAY if type.kind is Kind.DATE else -1)
    month = _down(system, system.month_of(_day(system, before)), size).add(size)
    return system.start_of_month(month).times(MILLIS_PER_DAY)


def extracted(system: ConstraintSystem, unit: TimeUnit, kind: Kind, instant: Term) -> Term:
    """``EXTRACT(unit FROM ...)`` of a DATE, TIMESTAMP or TIME, given as ``instant`` (S-207)."""

    def down(size: int, offset: int = 0) -> Term:
        return _down(system, instant, size, offset)

    midnight = Term() if kind is Kind.TIME else down(MILLIS_PER_DAY)
    match unit:
        case TimeUnit.EPOCH:
            return down(_SECOND).times(Fraction(1, _SECOND))
        case TimeUnit.HOUR:
            return down(_HOUR).minus(midnight).times(Fraction(1, _HOUR))
        case TimeUnit.MINUTE:
            return down(_MINUTE).minus(down(_HOUR)).times(Fraction(1, _MINUTE))
        case TimeUnit.SECOND:
            return down(_SECOND).minus(down(_MINUTE)).times(Fraction(1, _SECOND))
        case TimeUnit.MILLISECOND:
            return instant.minus(down(_MINUTE))  # from 0 to 59,999: the seconds are included
        case TimeUnit.ISODOW:
            return midnight.minus(down(_WEEK, _MONDAY)).times(_DAYS_PER_MILLI).add(1)
        case TimeUnit.DOW:
            return midnight.minus(down(_WEEK, _SUNDAY)).times(_DAYS_PER_MILLI).add(1)
        case TimeUnit.WEEK:
            # A week belongs to the year of its Thursday: it is the year's n-th week if its
            # Thursday is the year's n-th Thursday.
            thursday = _thursday(system, instant)
            start = _year_start(system, thursday)
            days = system.rounded(thursday.minus(start), 7, Rounding.DOWN)
            return days.times(Fraction(1, 7)).add(1)
        case TimeUnit.ISOYEAR:
            return _year(system, system.month_of(_thursday(system, instant)))
        case _:
            return _calendar_field(system, unit, midnight.times(_DAYS_PER_MILLI))


def _calendar_field(system: ConstraintSystem, unit: TimeUnit, day: Term) -> Term:
    """A field of ``day`` that depends on its month: a year or a greater unit, or a number in it."""
    month = system.month_of(day)
    years = _down(system, month, 12)
    match unit:
        case TimeUnit.YEAR:
            return _year(system, month)
        case TimeUnit.DECADE:
            return _down(system, _year(system, month), 10).times(Fraction(1, 10))
        # The first century has the years 1 to 100, the first millennium the years 1 to 1000.
        case TimeUnit.CENTURY:
            return _down(system, _year(system, month).add(99), 100).times(Fraction(1, 100))
        case TimeUnit.MILLENNIUM:
            return _down(system, _year(system, month).add(999), 1_000).times(Fraction(1, 1_000))
        case TimeUnit.QUARTER:
            return _down(system, month, 3).minus(years).times(Fraction(1, 3)).add(1)
        case TimeUnit.MONTH:
            return month.minus(years).add(1)
        case TimeUnit.DAY:
            return day.minus(system.start_of_month(month)).add(1)
        case _:
            assert unit is TimeUnit.DOY, unit
            return day.minus(_year_start(system, day)).add(1)


def _year(system: ConstraintSystem, month: Term) -> Term:
    """The year in which a month lies."""
    return _down(system, month, 12).times(Fraction(1, 12)).add(1970)


def _year_start(system: ConstraintSystem, day: Term) -> Term:
    """The first day of the year in which a day lies."""
    return system.start_of_month(_down(system, system.month_of(day), 12))


def _thursday(system: ConstraintSystem, instant: Term) -> Term:
    """The Thursday of the ISO week in which an instant lies; its year is the ISO year."""
    return _down(system, instant, _WEEK, _MONDAY).times(_DAYS_PER_MILLI).add(3)
