"""Constant folding of intervals and integers: ``INTERVAL '1' HOUR * 2`` is two hours."""

from decimal import ROUND_DOWN, Decimal, localcontext
from typing import Final

from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.functions.datetimes import MAX_MILLIS, MAX_MONTHS
from algebra.types import EXACT, INTEGER_BITS, INTEGERS, INTERVAL, Kind, Type

#: Enough digits for the product of an interval and a DECIMAL to be exact.
_DIGITS: Final = 80


def fold(expression: Expression) -> Literal | None:
    """The constant value of the expression as a literal of its type; None if it is not known.

    Folded are signs, sums, differences and products of intervals and integers, the product or
    quotient of an interval and an exact number (truncated to whole months or milliseconds), and
    casts that do not change the value.  NULL, overflow and division by zero give None.
    """
    if isinstance(expression, Literal):
        return None if expression.value is None else expression
    type = expression.type
    if type.kind not in INTERVAL | INTEGERS:
        return None
    value = _value(expression)
    if value is None or abs(value) > _limit(type):
        return None
    return Literal(int(value), type.as_nullable(False))


def _limit(type: Type) -> int:
    """The greatest value of an integer or interval type; the least is its negative, or one less."""
    if type.kind in INTEGERS:
        return int(2 ** (INTEGER_BITS[type.kind] - 1)) - 1
    return MAX_MONTHS if type.kind is Kind.MONTHS else MAX_MILLIS


def _value(expression: Expression) -> Decimal | None:
    """The number that represents a constant interval or exact number."""
    match expression:
        case Literal(int() | Decimal() as number) if expression.type.kind in INTERVAL | EXACT:
            return Decimal(number)
        case Cast(operand, type) if type.kind is operand.type.kind or (
            {type.kind, operand.type.kind} <= INTEGERS
        ):
            return _value(operand) if type.kind in INTERVAL | INTEGERS else None
        case Call(Op.NEGATE, (operand,)):
            value = _value(operand)
            return None if value is None else -value
        case Call(Op.PLUS | Op.MINUS | Op.TIMES as op, (left, right)):
            return _apply(op, _value(left), _value(right), expression.type)
        case Call(Op.DIVIDE, (left, right)) if expression.type.kind in INTERVAL:
            return _apply(Op.DIVIDE, _value(left), _value(right), expression.type)
        case _:
            return None


def _apply(op: Op, a: Decimal | None, b: Decimal | None, type: Type) -> Decimal | None:
    """``a op b``, an interval truncated to its unit; None for a DECIMAL and for ``a / 0``."""
    if (
        a is None
        or b is None
        or type.kind not in INTERVAL | INTEGERS
        or (op is Op.DIVIDE and not b)
    ):
        return None
    with localcontext(prec=_DIGITS):
        match op:
            case Op.PLUS:
                value = a + b
            case Op.MINUS:
                value = a - b
            case Op.TIMES:
                value = a * b
            case _:
                value = a / b
        return value.to_integral_value(ROUND_DOWN)
