"""Arithmetic: exact on integers, DECIMALs and intervals, IEEE 754 on REAL and DOUBLE (S-202)."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Final

from algebra.expression import Op, Value
from algebra.types import APPROXIMATE, INTEGERS, Kind, Type
from grammar.codes import Code
from reference.scalar.casts import shortest
from reference.values import (
    Exact,
    exact,
    failure,
    fit,
    floating,
    half_up,
    integer,
    single,
    towards_zero,
)


def arithmetic(op: Op, type: Type, a: Value, b: Value) -> Value:
    """``a op b`` for PLUS, MINUS, TIMES, DIVIDE and MOD of values that are not NULL, as ``type``.

    The result of exact numbers and intervals is the true result, rounded once by `fit`; a quotient
    of integers is truncated toward zero.  These raise OVERFLOW and DIVISION_BY_ZERO.  REAL and
    DOUBLE have no errors: ``1E0 / 0`` is Infinity and ``0E0 / 0`` is NaN, because S-202 makes
    division by zero an error only for exact types.

    Defines: S-207.d
    """
    if type.kind in APPROXIMATE and (isinstance(a, float) or isinstance(b, float)):
        result = _floating(op, floating(a), floating(b))
        return single(result) if type.kind is Kind.REAL else result
    result_exact = _exact(op, exact(a), exact(b))
    if op is Op.DIVIDE and type.kind in INTEGERS:
        return fit(type, towards_zero(result_exact))
    return fit(type, result_exact)


def arithmetic_of(op: Op, type: Type, _types: tuple[Type, Type]) -> Callable[[Value, Value], Value]:
    """`arithmetic` as a function of the two operands.

    The types of the operands are not used; a faster form (`reference.fast`) uses them.
    """
    return partial(arithmetic, op, type)


def _exact(op: Op, a: Exact, b: Exact) -> Exact:
    """The true result of an operator on exact numbers; MOD has the dividend's sign (S-202).

    Raises DIVISION_BY_ZERO.

    Defines: S-202.b, S-202.c, S-202.g, S-202.n
    """
    match op:
        case Op.PLUS:
            return a + b
        case Op.MINUS:
            return a - b
        case Op.TIMES:
            return a * b
        case _:
            if b == 0:
                raise failure(Code.DIVISION_BY_ZERO, "division by zero", "use NULLIF(divisor, 0)")
            quotient = Fraction(a) / b
            return quotient if op is Op.DIVIDE else a - b * towards_zero(quotient)


def _floating(op: Op, a: float, b: float) -> float:
    """The result of an operator other than MOD in IEEE 754.

    Defines: S-202.f
    """
    match op:
        case Op.PLUS:
            return a + b
        case Op.MINUS:
            return a - b
        case Op.TIMES:
            return a * b
        case Op.DIVIDE if b == 0:
            sign = math.copysign(1, a) * math.copysign(1, b)
            return math.nan if a == 0 or math.isnan(a) else sign * math.inf
        case _:
            assert op is Op.DIVIDE, "MOD takes exact numbers"
            return a / b


def negated(type: Type, value: Value) -> Value:
    """``-value``, of a number or interval; OVERFLOW for the least integer."""
    return -value if isinstance(value, float) else fit(type, -exact(value))


def absolute(type: Type, value: Value) -> Value:
    """The magnitude of a number or interval; OVERFLOW for the least integer."""
    if isinstance(value, float):
        return abs(value)
    number = exact(value)
    return fit(type, number if number >= 0 else -number)


def rounded_number(up: bool, type: Type, value: Value) -> Value:
    """FLOOR or CEIL of a number; NaN and the infinities are themselves."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return fit(type, math.ceil(exact(value)) if up else math.floor(exact(value)))


def sign(type: Type, value: Value) -> Value:
    """SIGN: -1, 0 or 1, as ``type``; NaN and a zero of IEEE 754 are themselves."""
    if isinstance(value, float):
        return value if not value or math.isnan(value) else math.copysign(1, value)
    return fit(type, (exact(value) > 0) - (exact(value) < 0))


#: Digits further from the decimal point than this are 0 in every number of every type.
_MOST_DIGITS: Final = 400


def rounded_to(value: Value, of: Type, digits: int, type: Type, *, cut: bool) -> Value:
    """ROUND or TRUNCATE (``cut``) of ``value``, which is of the type ``of``, as ``type``.

    The result has ``digits`` digits after the point; a negative number makes digits before the
    point zero.  ROUND is HALF_UP, TRUNCATE is toward zero (S-202).  A REAL or DOUBLE is rounded as
    the decimal number of its shortest text, as in CAST; NaN and the infinities are unchanged.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return value
    number = Fraction(shortest(value, of)) if isinstance(value, float) else exact(value)
    unit = Fraction(10) ** -max(-_MOST_DIGITS, min(digits, _MOST_DIGITS))
    units = number / unit
    return fit(type, (towards_zero(units) if cut else half_up(units)) * unit)


def step_number(type: Type, value: Value, size: Value) -> Value:
    """STEP of an integer: the greatest multiple of ``size`` that is not above ``value`` (S-208)."""
    if integer(size) <= 0:
        raise failure(Code.INVALID_ARGUMENT, "STEP by a number that is not positive")
    return fit(type, integer(value) // integer(size) * integer(size))


def transcendental(op: Op, a: float, b: float = 0.0) -> float:
    """EXP, LN, LOG10 or SQRT of ``a``; or POWER of ``a`` and ``b``.

    Raises INVALID_ARGUMENT if the function is not defined for its arguments.  A result that is too
    great is an infinity.
    """
    try:
        match op:
            case Op.EXP:
                result = math.exp(a)
            case Op.LN:
                result = math.log(a)
            case Op.LOG10:
                result = math.log10(a)
            case Op.SQRT:
                result = math.sqrt(a)
            case _:
                result = math.pow(a, b)
    except ValueError as error:
        raise failure(Code.INVALID_ARGUMENT, f"{op} is not defined there") from error
    except OverflowError:
        # Only EXP and POWER can be this great; an odd power has the sign of its base.
        result = math.copysign(math.inf, a) if op is Op.POWER and b % 2 == 1 else math.inf
    return result
