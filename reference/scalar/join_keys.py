"""Join keys: the columns of the two sides that a join's condition equates."""

from algebra.expression import Call, Cast, Expression, InputRef, Op
from algebra.types import EXACT, INTEGER_BITS, INTEGER_DIGITS, INTEGERS, Kind, Type


def equalities(condition: Expression, width: int) -> list[tuple[int, int]]:
    """Pairs (column of the left row, column of the right row) that ``condition`` equates.

    A column of each side may be cast to a wider type: the value stays equal to itself.
    """
    match condition:
        case Call(Op.AND, operands):
            return [pair for each in operands for pair in equalities(each, width)]
        case Call(Op.EQUAL, (one, other)):
            a, b = sorted((_column(one), _column(other)))
            return [(a, b - width)] if 0 <= a < width <= b else []
        case _:
            return []


def _column(expression: Expression) -> int:
    """The column that ``expression`` is, if Python finds its equal values equal; -1: none.

    Equal integers, DECIMALs and floats have one hash.  Equal CHARs do not, because of trailing
    blanks.
    """
    match expression:
        case InputRef(index, type) if type.kind is not Kind.CHAR:
            return index
        case Cast(InputRef(index, source), target) if _widens(source, target):
            return index
        case _:
            return -1


def _widens(source: Type, target: Type) -> bool:
    """Whether every exact number of ``source`` is the same number in ``target``."""
    if source.kind in INTEGERS and target.kind in INTEGERS:
        return INTEGER_BITS[source.kind] <= INTEGER_BITS[target.kind]
    if source.kind not in EXACT or target.kind is not Kind.DECIMAL:
        return False
    digits = INTEGER_DIGITS.get(source.kind, source.precision)
    whole = digits - source.scale
    return source.scale <= target.scale and whole <= target.precision - target.scale
