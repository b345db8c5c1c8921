"""Allow a backend to declare wider types than the case does, and read the values of such columns.

*Expected* is the type of the column in the case, and *declared* its type in the backend's answer.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from tck.corpus.case import Cell
from tck.corpus.values import Family, TypedValue, UnreadableError, family, read_value
from tck.protocol import Wire

#: By the family of the expected type: the other families that hold all its values, so a backend may
#: declare them.  Besides these, `may_stand_for` allows any type of the same family, with any
#: length, precision and scale.
WIDENINGS: Final[Mapping[Family, frozenset[Family]]] = {
    Family.INTEGER: frozenset({Family.DECIMAL}),
    Family.SINGLE: frozenset({Family.DOUBLE}),
}


def may_stand_for(declared: str, expected: str) -> bool:
    """Whether a backend may declare the type ``declared`` in place of the ``expected`` type.

    A type that the kit does not know, such as ``ANY``, is always allowed.  Two types of INTERVAL
    must both be numbers of months, or both of milliseconds.
    """
    theirs, ours = family(declared), family(expected)
    if Family.OTHER in (theirs, ours):
        return True
    if theirs is ours is Family.INTERVAL:
        return _is_of_months(declared) == _is_of_months(expected)
    return theirs is ours or theirs in WIDENINGS.get(ours, ())


def read_declared(
    cell: Cell | Wire, declared: str, expected: str, day: str | None = None
) -> TypedValue:
    """The value of the ``expected`` type for which a cell, in a ``declared`` column, stands.

    An INTERVAL is read in the fields of the declared type, and an integer may be written as a
    DECIMAL.  Any other cell is read as a value of the expected type.  ``day`` is the date of a
    timestamp without a date; None: it must have one.

    Raises `UnreadableError` if the expected type has no such value.
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


def _is_of_months(type: str) -> bool:
    """Whether an INTERVAL type is a number of months, rather than of milliseconds."""
    return "YEAR" in type.upper() or "MONTH" in type.upper()
