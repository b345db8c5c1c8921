"""The effect of a cast on the order of values: whether CAST(x) ascends if x does (S-402)."""

from enum import Enum
from fractions import Fraction
from typing import Final

from algebra.constraints.step import interval_count, interval_unit, multiple, stay_distinct, step_of
from algebra.types import (
    APPROXIMATE,
    EXACT,
    INTEGER_DIGITS,
    INTERVAL,
    NUMERIC,
    TEXT,
    Kind,
    Type,
)


class CastOrder(Enum):
    """How a cast changes the order of values."""

    STRICT = "different values stay different, in their order"
    WEAK = "different values may become equal, but never change places"
    NONE = "values may change places"


#: The casts that preserve the order and have no rule in `cast_order`, which has rules for casts to
#: texts, and for casts among numbers and intervals.
BETWEEN_KINDS: Final = {
    (Kind.DATE, Kind.DATE): CastOrder.STRICT,
    (Kind.TIME, Kind.TIME): CastOrder.STRICT,
    (Kind.TIMESTAMP, Kind.TIMESTAMP): CastOrder.STRICT,
    (Kind.BOOLEAN, Kind.BOOLEAN): CastOrder.STRICT,
    (Kind.DATE, Kind.TIMESTAMP): CastOrder.STRICT,
    (Kind.TIMESTAMP, Kind.DATE): CastOrder.WEAK,
}

#: The kinds whose texts have the order of their values, such as ``2015-02-15 10:17:00.123``, or
#: ``FALSE`` and ``TRUE``.  (``10:17:00`` is the beginning of ``10:17:00.123``, and so before it.)
#: No text is cut: one with more characters than the text type can hold is an error.
#:
#: Defines: S-402.p
ORDERED_AS_TEXT: Final = frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.BOOLEAN})

#: Numbers with at most this number of decimal digits stay distinct as floats of the kind (IEEE 754:
#: 24 and 53 bits).
EXACT_DIGITS: Final = {Kind.REAL: 6, Kind.DOUBLE: 15}


def cast_order(source: Type, target: Type) -> CastOrder:
    """The effect of CAST from ``source`` to ``target`` on the order of values.

    A value that does not fit the target raises an error, which ends the query.  So it does not
    become equal to another value.

    Defines: S-402.o, S-402.af
    """
    if source.as_nullable() == target.as_nullable():
        return CastOrder.STRICT
    if target.kind in TEXT or source.kind is target.kind is Kind.VARBINARY:
        return _to_text(source, target)
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return _strict_if(_stays_apart(source, target))
    if source.kind in INTERVAL and target.kind is source.kind:
        return _strict_if(interval_unit(target) == 1)
    if source.kind in INTERVAL and target.kind in EXACT:
        apart = Fraction(1, interval_count(source))
        return _strict_if(stay_distinct(target, apart, apart, truncates=False))
    if source.kind in EXACT and target.kind in INTERVAL:
        return _strict_if(_becomes_exact_interval(source, target))
    return BETWEEN_KINDS.get((source.kind, target.kind), CastOrder.NONE)


def _strict_if(apart: bool) -> CastOrder:
    """STRICT if distinct values stay distinct (``apart``), else WEAK."""
    return CastOrder.STRICT if apart else CastOrder.WEAK


def _to_text(source: Type, target: Type) -> CastOrder:
    """The effect of a cast to a text type, or of a cast between VARBINARYs.

    A text that is cut keeps its place in the order, or becomes equal to another.  A VARCHAR that is
    padded with blanks, because it becomes a CHAR, may change places: ``'a'`` is before ``'a' ||
    tab``, but after it if both are padded.
    """
    if source.kind in TEXT | {Kind.VARBINARY}:
        if source.kind is not target.kind and target.kind is Kind.CHAR:
            return CastOrder.NONE
        # Without a precision, a text can have any length.
        room = target.precision or float("inf")
        return _strict_if((source.precision or float("inf")) <= room)
    return CastOrder.STRICT if source.kind in ORDERED_AS_TEXT else CastOrder.NONE


def _stays_apart(source: Type, target: Type) -> bool:
    """Whether distinct numbers of ``source`` stay distinct as numbers of ``target``."""
    if target.kind in APPROXIMATE:
        if source.kind in APPROXIMATE:
            return target.kind is Kind.DOUBLE
        digits = INTEGER_DIGITS.get(source.kind, source.precision)
        return digits <= EXACT_DIGITS[target.kind]
    return stay_distinct(target, step_of(source), step_of(source), truncates=False)


def _becomes_exact_interval(source: Type, target: Type) -> bool:
    """Whether each number of ``source`` becomes an interval of ``target`` without rounding.

    The number is the value of the interval's last field.  A SECOND has steps of 0.001, and any
    other field has steps of 1.
    """
    step = step_of(source)
    assert step is not None, "an exact number"
    return multiple(step, Fraction(interval_unit(target), interval_count(target)))
