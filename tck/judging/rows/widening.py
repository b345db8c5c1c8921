"""The types that a backend may declare in place of a case's, and how its values are then read."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from tck.corpus.case import Cell
from tck.corpus.values import Family, TypedValue, UnreadableError, family, read_value
from tck.protocol import Wire

#: By the type of the case: the other types that a backend may declare, which hold all its values.
#: Besides these it may declare the type itself, with any length, precision and scale; any INTEGER
#: type for another; an INTERVAL of other fields, if both are of months or both of milliseconds; and
#: a type that the kit does not know, as ``ANY``: then its values are those of the case's type.
WIDENINGS: Final[Mapping[Family, frozenset[Family]]] = {
    Family.INTEGER: frozenset({Family.DECIMAL}),
    Family.SINGLE: frozenset({Family.DOUBLE}),
}


def may_stand_for(declared: str, expected: str) -> bool:
    """Whether a backend may declare this type where the case's is ``expected``."""
    theirs, ours = family(declared), family(expected)
    if Family.OTHER in (theirs, ours):
        return True
    if theirs is ours is Family.INTERVAL:
        return _of_months(declared) == _of_months(expected)
    return theirs is ours or theirs in WIDENINGS.get(ours, ())


def read_declared(
    cell: Cell | Wire, declared: str, expected: str, day: str | None = None
) -> TypedValue:
    """The value, of the case's type, that was written in a column of a ``declared`` type.

    ``day`` completes a timestamp without a date; None: it must have one.

    Raises `UnreadableError` if the case's type has no such value.
    """
    theirs, ours = family(declared), family(expected)
    if theirs is ours is Family.INTERVAL and may_stand_for(declared, expected):
        return read_value(cell, declared)
    if ours is Family.INTEGER and theirs is Family.DECIMAL:
        number = read_value(cell, declared).value
        if isinstance(number, Decimal) and number != number.to_integral_value():
            raise UnreadableError(f"{number} is not a value of {expected}")
        return TypedValue(ours, int(number) if isinstance(number, Decimal) else None)
    return read_value(cell, expected, day)


def _of_months(type: str) -> bool:
    """Whether an INTERVAL type is a number of months, rather than of milliseconds."""
    return "YEAR" in type.upper() or "MONTH" in type.upper()
