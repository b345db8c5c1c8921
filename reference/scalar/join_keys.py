"""Join keys: the columns of the two sides that a join's condition equates.

Joins use them to find the possible partners of a row, in place of trying all rows.
"""

from typing import Final

from algebra.expression import Call, Cast, Expression, InputRef, Literal, Op, OuterRef, Round
from algebra.rewrite import conjuncts
from algebra.types import EXACT, INTEGER_BITS, INTEGER_DIGITS, INTEGERS, Kind, Type


def equalities(condition: Expression, width: int) -> list[tuple[int, int]]:
    """Pairs of columns (place in the left row, place in the right row) that ``condition`` equates.

    ``width`` is the number of left columns.  A column can be cast to a wider type, because this
    does not change which values are equal.  Conjuncts after the first one that can fail do not
    count: that one must be evaluated, and raise its error, even for a pair that a later conjunct
    does not accept (S-202.s).
    """
    pairs: list[tuple[int, int]] = []
    for each in conjuncts(condition):
        if _can_fail(each):
            break
        match each:
            case Call(Op.EQUAL, (one, other)):
                # A column of each side, the left one first; -1 is not a column.
                a, b = sorted((_column(one), _column(other)))
                pairs += [(a, b - width)] if 0 <= a < width <= b else []
            case _:
                pass
    return pairs


def _can_fail(expression: Expression) -> bool:
    """Whether an expression can raise an error on a pair, as far as its operators show.

    A time that is rounded, or moved by a constant, counts as an operand that cannot fail.  It fails
    only at an edge of the calendar, and most conditions that join two streams contain such a time.
    """
    match expression:
        case InputRef() | OuterRef() | Literal():
            return False
        case Cast(operand, target) if _widens(operand.type, target):
            return _can_fail(operand)
        case Round(_, operand) | Call(
            Op.DATETIME_PLUS, (operand, Literal() | Call(Op.NEGATE, (Literal(),)))
        ):
            return _can_fail(operand)
        case Call(op, operands) if op in _TOTAL:
            return any(map(_can_fail, operands))
        case _:
            return True


#: The operators that have a value for all operands.
_TOTAL: Final = frozenset({
    Op.AND, Op.OR, Op.NOT, Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE,
    Op.IS_NOT_FALSE, Op.EQUAL, Op.NOT_EQUAL, Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER,
    Op.GREATER_OR_EQUAL, Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM, Op.IN, Op.DATETIME_MINUS,
})  # fmt: skip


def _column(expression: Expression) -> int:
    """The place of the column that ``expression`` is, also in a widening cast; -1 if it is not one.

    A CHAR column is left out, because its equal values can be different texts in Python: their
    numbers of trailing blanks differ.  Equal integers, DECIMALs and floats are equal in Python.
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
