"""The type that arithmetic on two numbers returns (S-202).

=================  =============================================================================
REAL with REAL     REAL
REAL or DOUBLE     with any number: DOUBLE
DECIMAL            with a DECIMAL, or with an integer, which counts as DECIMAL of its digits
                   (S-204): a DECIMAL of at most 38 digits by the rules below, which are those of
                   Calcite; but MOD of two numbers without scale has the type of the second
integers           the wider type of the two; MOD has the type of the second
=================  =============================================================================
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from algebra.expression import Op
from algebra.functions.coerce import as_decimal, common_type
from algebra.types import MAX_PRECISION, Kind, Type, decimal

#: Precision and scale of the result, from ``p1, s1, p2, s2``: those of the left DECIMAL operand,
#: then those of the right one.
_Rule: TypeAlias = Callable[[int, int, int, int], tuple[int, int]]

#: A quotient has at least this scale, if there is room.
MIN_DIVISION_SCALE: Final = 6


def _plus(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    """A sum or difference: one digit more before the point than the operands, for a carry."""
    scale = max(s1, s2)
    return max(p1 - s1, p2 - s2) + scale + 1, scale


def _times(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    """A product: the digits of both operands, before and after the point."""
    return p1 + p2, min(s1 + s2, MAX_PRECISION)


def _divide(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    """A quotient: all digits that it can have before the point; the rest for the scale.

    The scale is ``s1 + p2 + 1``, at least `MIN_DIVISION_SCALE`, if there is room for it.
    """
    whole = min(p1 - s1 + s2, MAX_PRECISION)
    scale = min(max(MIN_DIVISION_SCALE, s1 + p2 + 1), MAX_PRECISION - whole)
    return whole + scale, scale


def _mod(p1: int, s1: int, p2: int, s2: int) -> tuple[int, int]:
    """A remainder: it is not greater than either operand, and as exact as both."""
    scale = max(s1, s2)
    return min(p1 - s1, p2 - s2) + scale, scale


#: The rule for each operator, of which at least one operand is a DECIMAL.
_DECIMAL: Final[Mapping[Op, _Rule]] = {
    Op.PLUS: _plus,
    Op.MINUS: _plus,
    Op.TIMES: _times,
    Op.DIVIDE: _divide,
    Op.MOD: _mod,
}


def arithmetic_type(op: Op, left: Type, right: Type) -> Type:
    """The type of ``left op right``, both numbers; nullable if either is.

    ``op`` is PLUS, MINUS, TIMES, DIVIDE, or MOD, which is for exact numbers only.

    >>> str(arithmetic_type(Op.TIMES, decimal(5, 2), decimal(3, 1)))
    'DECIMAL(8, 3)'

    Defines: S-202.d, S-202.j
    """
    nullable = left.nullable or right.nullable
    return _arithmetic_type(op, left, right).as_nullable(nullable)


def _arithmetic_type(op: Op, left: Type, right: Type) -> Type:
    """As `arithmetic_type`, but whether the type is nullable is not decided."""
    common = common_type((left, right))
    assert common is not None, "any two numbers have a common type"
    if common.kind is not Kind.DECIMAL:
        return right if op is Op.MOD else common
    a, b = as_decimal(left), as_decimal(right)
    if op is Op.MOD and a.scale == b.scale == 0:
        return right
    precision, scale = _DECIMAL[op](a.precision, a.scale, b.precision, b.scale)
    return decimal(min(precision, MAX_PRECISION), scale)
