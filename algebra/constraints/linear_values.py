"""The values of columns, literals, casts and rounded numbers in one row, as linear terms.

A number, datetime or interval is a `Term`, in the unit of its internal representation.  Any other
value, such as a text, is `Opaque`.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TypeAlias

from algebra.constraints.constraint_system import ConstraintSystem, Rounding
from algebra.constraints.linear_terms import ALWAYS, Constraint, Term, number, within
from algebra.constraints.number_range import WHOLE_DIGITS, Range
from algebra.constraints.step import interval_count, interval_unit, step_of
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    EXACT,
    INTEGER_DIGITS,
    INTERVAL,
    MILLIS_PER_DAY,
    Kind,
    Type,
)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not a linear term, such as a text.  Equal names mean equal values."""

    name: Hashable


#: A value in one row, if it is not NULL.
LinearValue: TypeAlias = Term | Opaque


def column_value(system: ConstraintSystem, key: Hashable, type: Type) -> LinearValue:
    """The value of a column: a variable named ``key`` if ``step_of(type)`` exists, else opaque."""
    step = step_of(type)
    return Opaque(key) if step is None else system.named(key, step)


def literal_value(value: object, type: Type) -> LinearValue:
    """The value of a literal: a constant term for a finite number, datetime or interval.

    Any other literal is opaque, and equal literals of one type have equal names.
    """
    if step_of(type) is not None and isinstance(value, int | Decimal):
        return number(Fraction(value))
    if isinstance(value, float) and isfinite(value):
        return number(Fraction(value))
    return Opaque((value, type.as_nullable()))


def in_range(value: Term, known: Range) -> Constraint:
    """The constraint that ``value`` lies in the range ``known``.

    ALWAYS for an empty range: it means that the value is always NULL.
    """
    if known.lower is not None and known.upper is not None and known.lower > known.upper:
        return ALWAYS
    return within(value, known.lower, known.upper)


# --- rounding to a type -------------------------------------------------------------------------


def fitted(system: ConstraintSystem, exact: Term, type: Type) -> Term:
    """``exact`` rounded to a value of ``type``, an exact number or an interval (S-202).

    Numbers are rounded HALF_UP, intervals toward zero.
    """
    step = step_of(type)
    assert step is not None, "an exact type"
    way = Rounding.ZERO if type.kind in INTERVAL else Rounding.NEAREST
    return system.rounded(exact, step, way)


def as_datetime(system: ConstraintSystem, instant: Term, type: Type) -> Term:
    """An instant, in milliseconds, as a value of a datetime ``type``.

    As a DATE it is the day in which it lies, as a TIME the milliseconds since midnight.
    """
    day = MILLIS_PER_DAY
    match type.kind:
        case Kind.DATE:
            return system.rounded(instant, day, Rounding.DOWN).times(Fraction(1, day))
        case Kind.TIME:
            return instant.minus(system.rounded(instant, day, Rounding.DOWN))
        case _:
            return instant


def as_instant(value: Term, type: Type) -> Term:
    """The instant, in milliseconds, of a value of a datetime ``type``: of a DATE, its midnight."""
    return value.times(MILLIS_PER_DAY if type.kind is Kind.DATE else 1)


# --- casts --------------------------------------------------------------------------------------


def cast_value(
    system: ConstraintSystem, value: LinearValue, source: Type, target: Type
) -> LinearValue | None:
    """CAST of ``value`` from ``source`` to ``target``; None if the result is not linear.

    Casts between numbers, datetimes and intervals are linear, but a cast to REAL or DOUBLE only if
    it is exact for all values.  A cast of a TIME to a TIMESTAMP is not linear, because it depends
    on the day on which it is evaluated.
    """
    if source.as_nullable() == target.as_nullable():
        return value
    if not isinstance(value, Term):
        return None
    if source.kind is Kind.TIME and target.kind is Kind.TIMESTAMP:
        return None
    if source.kind in DATETIME and target.kind in DATETIME:
        return as_datetime(system, as_instant(value, source), target)
    if target.kind in APPROXIMATE:
        return value if _is_exact(source, target) else None
    if source.kind in APPROXIMATE and target.kind is Kind.DECIMAL and value.value is not None:
        return None  # `value_range` knows the digits with which a constant is written
    if source.kind in INTERVAL and target.kind is source.kind:
        return system.rounded(value, interval_unit(target), Rounding.ZERO)
    # `interval_count` is CAST(1 AS interval) in months or milliseconds.
    if source.kind in INTERVAL and target.kind in EXACT:
        return fitted(system, value.times(Fraction(1, interval_count(source))), target)
    if source.kind in EXACT and target.kind in INTERVAL:
        count = interval_count(target)
        size = 1 if interval_unit(target) == 1 else count
        return system.rounded(value.times(count), size, Rounding.NEAREST)
    return fitted(system, value, target) if target.kind in EXACT else None


def _is_exact(source: Type, target: Type) -> bool:
    """Whether each value of ``source`` is the same number in the REAL or DOUBLE ``target``."""
    if source.kind in APPROXIMATE:
        return target.kind is Kind.DOUBLE
    digits = INTEGER_DIGITS.get(source.kind, source.precision)
    return source.kind in EXACT and source.scale == 0 and digits <= WHOLE_DIGITS[target.kind]
