"""Expressions for the number at a distance from a sort key, as RANGE frames measure it (S-506)."""

from decimal import Decimal

from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.types import APPROXIMATE, DOUBLE, MAX_PRECISION, Type, decimal


def at_distance(number: Expression, distance: Literal, *, back: bool) -> Expression:
    """``number`` plus or minus ``distance``, in a type in which the result fits (S-506)."""
    op = Op.MINUS if back else Op.PLUS
    if is_rounded(number, distance):
        value = distance.value
        assert isinstance(value, int | float | Decimal), "a distance is a number"
        return Call(op, (as_type(number, DOUBLE), Literal(float(value), DOUBLE)), DOUBLE)
    wide = decimal(MAX_PRECISION, max(number.type.scale, distance.type.scale))
    return Call(op, (as_type(number, wide), as_type(distance, wide)), wide)


def is_rounded(number: Expression, distance: Literal) -> bool:
    """Whether `at_distance` computes in DOUBLE, so that its result can be equal to ``number``."""
    return not APPROXIMATE.isdisjoint((number.type.kind, distance.type.kind))


def as_type(number: Expression, type: Type) -> Expression:
    """``number``, converted to ``type``, in which it fits."""
    return number if number.type == type else Cast(number, type)
