"""Constant folding: the values of constant expressions, such as ``INTERVAL '1' HOUR * 2``.

Binding uses it where a clause requires a constant.  Only intervals and numbers are folded.
"""

from decimal import Decimal
from fractions import Fraction
from math import floor, isfinite

from algebra.constraints.step import interval_unit
from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.functions.datetimes import MAX_MILLIS, MAX_MONTHS
from algebra.rewrite import operands
from algebra.types import (
    APPROXIMATE,
    EXACT,
    INTEGER_BITS,
    INTEGERS,
    INTERVAL,
    NUMERIC,
    Kind,
    Type,
)
from algebra.wire import round_to_real


def fold(expression: Expression) -> Literal | None:
    """The value of a constant interval or integer as a literal of its type; None if not known.

    A literal of any type that is not NULL is returned as it is.  These expressions are folded:
    signs, sums, differences, products, quotients and casts of intervals and integers, and the
    product or quotient of an interval and an exact number.  NULL, overflow and division by zero
    give None.
    """
    if isinstance(expression, Literal):
        return None if expression.value is None else expression
    value = _value(expression)
    if value is None or expression.type.kind not in INTERVAL | INTEGERS:
        return None
    return Literal(int(value), expression.type.as_nullable(False))


def constant_number(expression: Expression) -> Literal | None:
    """The value of a constant number as a literal of its type; None if it is not known.

    These expressions are folded: signs, sums, differences, products and quotients, and casts of
    numbers to numeric types.  NULL, overflow and division by zero give None.

    Defines: S-203.ad
    """
    value = _value(expression)
    type = expression.type.as_nullable(False)
    if value is None or type.kind not in NUMERIC:
        return None
    if type.kind in APPROXIMATE:
        return Literal(float(value), type)
    if type.kind in INTEGERS:
        return Literal(int(value), type)
    return Literal(Decimal(f"{int(value * 10**type.scale)}E-{type.scale}"), type)


def _value(expression: Expression) -> Fraction | None:
    """The number that represents a constant interval or number; None if it is not known."""
    type = expression.type
    match expression:
        case Literal(int() | Decimal() | float() as number) if type.kind in INTERVAL | NUMERIC:
            return Fraction(number) if isfinite(number) else None
        case Call() | Cast() if type.kind in INTERVAL | NUMERIC:
            inner = operands(expression)
            # Unknown operands are left out.  Then `_exact` has too few values, and returns None.
            values = [value for each in inner if (value := _value(each)) is not None]
            if type.kind in INTERVAL | EXACT and any(e.type.kind in APPROXIMATE for e in inner):
                return None
            exact = _exact(expression, values)
            return None if exact is None else _represented(exact, expression)
        case _:
            return None


def _represented(exact: Fraction, expression: Call | Cast) -> Fraction | None:
    """The ``exact`` result of ``expression``, rounded to its type (S-202, S-207).

    None: it is outside of the range of the type.
    """
    type = expression.type
    if type.kind in APPROXIMATE:
        return _nearest(exact, type.kind)
    if type.kind is Kind.DECIMAL or (isinstance(expression, Cast) and type.kind in INTEGERS):
        value = _half_up(exact, Fraction(1, 10**type.scale))
    else:
        value = Fraction(int(exact))
    return None if abs(value) > _limit(type) else value


def _half_up(exact: Fraction, unit: Fraction) -> Fraction:
    """``exact`` rounded to a multiple of ``unit``; one in the middle is rounded away from zero."""
    rounded = floor(abs(exact) / unit + Fraction(1, 2)) * unit
    return rounded if exact >= 0 else -rounded


def _nearest(exact: Fraction, kind: Kind) -> Fraction | None:
    """The REAL or DOUBLE nearest to ``exact``; None: it is beyond all of them."""
    try:
        value = float(exact)
        return Fraction(round_to_real(value) if kind is Kind.REAL else value)
    except OverflowError:
        return None


def _limit(type: Type) -> int | Fraction:
    """The greatest value of an exact or interval type; the least is its negative, or one less."""
    if type.kind is Kind.DECIMAL:
        return Fraction(10**type.precision - 1, 10**type.scale)
    if type.kind in INTEGERS:
        return int(2 ** (INTEGER_BITS[type.kind] - 1)) - 1
    return MAX_MONTHS if type.kind is Kind.MONTHS else MAX_MILLIS


def _exact(expression: Call | Cast, values: list[Fraction]) -> Fraction | None:
    """The exact result of ``expression``, before it is rounded to its type; None if not known.

    ``values`` are the values of its known operands; if one is missing, the result is None.  A cast
    of an interval drops the fields after the last field of the type.
    """
    match expression, values:
        case Cast(operand, type), [a] if {type.kind, operand.type.kind} <= NUMERIC:
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
