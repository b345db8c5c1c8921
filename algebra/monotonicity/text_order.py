"""Texts of fixed length: what is appended to one decides between equal ones only (S-402)."""

from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.types import TEXT, Kind

#: The length of a date as text, ``2015-02-15``.
DATE_LENGTH = 10


def fixed_length(expression: Expression) -> int | None:
    """How many characters each value of a text has; None: values differ in length.

    A CHAR keeps its blanks in a cast to VARCHAR.  A TIMESTAMP has milliseconds only if they are not
    0, so its text varies in length.

    Defines: S-402.j
    """
    match expression:
        case Literal(str() as text):
            return len(text)
        case Cast(operand, type_) if type_.kind is Kind.VARCHAR:
            length = DATE_LENGTH if operand.type.kind is Kind.DATE else None
            if operand.type.kind in TEXT:
                length = fixed_length(operand)
            cut = type_.precision
            return length if length is None or not cut else min(length, cut)
        case Call(Op.CONCAT, (a, b)):
            first, second = fixed_length(a), fixed_length(b)
            return None if first is None or second is None else first + second
        case _:
            type_ = expression.type
            return type_.precision or None if type_.kind is Kind.CHAR else None
