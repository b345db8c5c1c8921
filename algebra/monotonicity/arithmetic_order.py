"""The monotonicity of sums, products and quotients, before and after rounding (S-402)."""

from fractions import Fraction
from typing import Final

from algebra.constraints.number_range import Range, Sign, magnitude
from algebra.constraints.step import multiple, stay_distinct, step_of
from algebra.expression import Call, Expression
from algebra.monotonicity.tables import Monotonicity, quotient, times
from algebra.types import APPROXIMATE, INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind, Type

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC


def after_rounding(exact: Monotonicity, apart: bool) -> Monotonicity:
    """The monotonicity of results that are rounded, from that of the ``exact`` results.

    It is strict only if distinct results stay distinct (``apart``).

    Defines: S-402.f
    """
    return exact if apart else exact.unstrict()


def sums_stay_apart(operands: tuple[Expression, ...], type_: Type) -> bool:
    """Whether distinct sums, and differences, of ``operands`` stay distinct as values of ``type_``.

    They do if the sums are not rounded.
    """
    steps = [step_of(each.type) for each in operands]
    known = [each for each in steps if each is not None]
    # Each step is 1 or 1 over a power of ten.  So all steps, and all sums, are multiples of the
    # least step.
    grid = min(known) if len(known) == len(steps) else None
    return stay_distinct(type_, grid, None, truncates=False)


#: The signs of numbers that are never 0.
_NONZERO: Final = (Sign.NEGATIVE, Sign.POSITIVE)


def product_order(
    call: Call, a: Monotonicity, b: Monotonicity, ranges: list[Range]
) -> Monotonicity:
    """The monotonicity of ``call``, a product of operands with the orders ``a`` and ``b``.

    ``ranges`` are the ranges of the two operands.  At least one operand is not constant.
    """
    first, second = ranges
    exact = times(a, first.sign, b, second.sign)
    if call.type.kind in APPROXIMATE:
        # Infinity times 0 is NaN.  So one factor must be a constant that is not 0.
        fixed = second.sign if b is _C else first.sign if a is _C else None
        # If ``exact`` is CONSTANT, the constant factor is 0.  The product is then 0 or NaN, and not
        # constant.
        return exact.unstrict() if fixed in _NONZERO and exact is not _C else _N
    # The exact products are multiples of ``grid``, and distinct products are at least ``distance``
    # apart; None: not known.
    steps = [step_of(each.type) for each in call.operands]
    if b is _C:
        grid, distance = _multiples(steps[0], second)
    elif a is _C:
        grid, distance = _multiples(steps[1], first)
    else:
        grid = distance = None
    if grid is None and steps[0] is not None and steps[1] is not None:
        grid = steps[0] * steps[1]
    apart = stay_distinct(call.type, grid, distance, truncates=call.type.kind in INTERVAL)
    return after_rounding(exact, apart)


def _multiples(step: Fraction | None, by: Range) -> tuple[Fraction | None, Fraction | None]:
    """The grid and the least distance of the products of a constant and multiples of ``step``.

    The constant is in the range ``by``.  An item of the result is None if it is not known.
    """
    if step is None:
        return None, None
    least = magnitude(by).lower
    assert least is not None, "a magnitude is not below 0"
    return None if by.value is None else step * abs(by.value), step * least


def quotient_order(
    call: Call, a: Monotonicity, b: Monotonicity, ranges: list[Range]
) -> Monotonicity:
    """The monotonicity of ``call``, a quotient of operands with the orders ``a`` and ``b``.

    ``ranges`` are the ranges of the two operands.  At least one operand is not constant.
    NOT_MONOTONIC if the divisor may be 0.

    Defines: S-402.e
    """
    first, second = ranges
    exact = quotient(a, first.sign, b, second.sign)
    if any(each.type.kind in APPROXIMATE for each in call.operands):
        # Infinity over infinity is NaN, and a quotient that is always 0 or NaN is not constant.
        return exact.unstrict() if _C in (a, b) and exact is not _C else _N
    if b is not _C or second.sign not in _NONZERO:
        return exact.unstrict()
    step = step_of(call.operands[0].type)
    assert step is not None, "an exact number or an interval"
    grid = None if second.value is None else step / abs(second.value)
    most = magnitude(second).upper
    distance = None if most is None else step / most
    truncates = call.type.kind in INTEGERS | INTERVAL
    return after_rounding(exact, stay_distinct(call.type, grid, distance, truncates=truncates))


def magnitude_order(m: Monotonicity, sign: Sign | None) -> Monotonicity:
    """The monotonicity of ``ABS(x)`` for an x of the order ``m``; ``sign`` is the sign of x."""
    match sign:
        case Sign.NEGATIVE | Sign.NOT_POSITIVE:
            return m.reverse()
        case Sign.ZERO | Sign.NOT_NEGATIVE | Sign.POSITIVE:
            return m
        case None:
            return _N


def rounds_nothing(operand: Expression, unit: Fraction | None) -> bool:
    """Whether rounding to a multiple of ``unit`` changes no value of the operand's type.

    False if ``unit`` is None, because it is not known.

    Defines: S-402.g
    """
    step = step_of(operand.type)
    return step is not None and unit is not None and multiple(step, unit)


def steps_over_nothing(operands: tuple[Expression, ...], size: Range) -> bool:
    """Whether ``STEP(x BY i)`` is always x.

    This is so if i is a constant, and all values of the type of x are multiples of it.
    ``operands`` are x and i, and ``size`` is the range of i.
    """
    if operands[1].type.kind is Kind.MONTHS or size.value is None or size.value <= 0:
        return False
    step = MILLIS_PER_DAY if operands[0].type.kind is Kind.DATE else 1
    return multiple(Fraction(step), size.value)
