"""Constant folding of intervals and integers: ``INTERVAL '1' HOUR * 2`` is two hours."""

from decimal import Decimal
from fractions import Fraction

from algebra.constraints.step import interval_unit
from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.functions.datetimes import MAX_MILLIS, MAX_MONTHS
from algebra.rewrite import operands
from algebra.types import EXACT, INTEGER_BITS, INTEGERS, INTERVAL, Kind, Type


def fold(expression: Expression) -> Literal | None:
    """The constant value of the expression as a literal of its type; None if it is not known.

    Folded are signs, sums, differences, products, quotients and casts of intervals and integers,
    and the product or quotient of an interval and an exact number.  NULL, overflow and division by
    zero give None.
    """
    if isinstance(expression, Literal):
        return None if expression.value is None else expression
    value = _value(expression)
    if value is None or expression.type.kind not in INTERVAL | INTEGERS:
        return None
    return Literal(int(value), expression.type.as_nullable(False))


def _value(expression: Expression) -> Fraction | None:
    """The number that represents a constant interval or exact number; None if it is not known."""
    type = expression.type
    match expression:
        case Literal(int() | Decimal() as number) if type.kind in INTERVAL | EXACT:
            return Fraction(number)
        case Call(Op.NEGATE, (Literal(Decimal() as number),)):
            return -Fraction(number)
        case Call() | Cast() if type.kind in INTERVAL | INTEGERS:
            values = [value for each in operands(expression) if (value := _value(each)) is not None]
            # Unknown operands are left out, and then `_exact` has too few values for any operator.
            exact = _exact(expression, values)
            whole = None if exact is None else Fraction(int(exact))
            return None if whole is None or abs(whole) > _limit(type) else whole
        case _:
            return None


def _limit(type: Type) -> int:
    """The greatest value of an integer or interval type; the least is its negative, or one less."""
    if type.kind in INTEGERS:
        return int(2 ** (INTEGER_BITS[type.kind] - 1)) - 1
    return MAX_MONTHS if type.kind is Kind.MONTHS else MAX_MILLIS


def _exact(expression: Call | Cast, values: list[Fraction]) -> Fraction | None:
    """The result of an operator on ``values`` before its fraction is cut off.

    ``values`` are those of its operands that are known; without one of them the result is None.  An
    interval that is cast loses the fields after the last one of its type.
    """
    match expression, values:
        case Cast(operand, type), [a] if {type.kind, operand.type.kind} <= INTEGERS:
            return a
        case Cast(operand, type), [a] if type.kind is operand.type.kind:  # of intervals
            unit = interval_unit(type)
            return Fraction(int(a / unit) * unit)
        case Call(Op.NEGATE), [a]:
            return -a
        case Call(Op.PLUS), [a, b]:
            return a + b
        case Call(Op.MINUS), [a, b]:
            return a - b
        case Call(Op.TIMES), [a, b]:
            return a * b
        case Call(Op.DIVIDE), [a, b] if b:
            return a / b
        case _:
            return None
