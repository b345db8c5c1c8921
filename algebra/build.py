"""Builders of conditions: ``and_(less(a, b), is_not_null(c))`` instead of nested ``Call``s.

Each builder sets the type of the condition: whether it may be NULL.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from algebra.expression import Call, Expression, Literal, Op
from algebra.types import BOOLEAN

#: The type of a condition that is true or false, but never unknown.
_NEVER_NULL: Final = BOOLEAN.as_nullable(False)
#: The comparisons that are never NULL.
_NULL_SAFE: Final = frozenset({Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM})

TRUE: Final = Literal(True, _NEVER_NULL)
FALSE: Final = Literal(False, _NEVER_NULL)


def any_nullable(expressions: Iterable[Expression]) -> bool:
    """Whether any of ``expressions`` has a nullable type."""
    return any(each.type.nullable for each in expressions)


def and_(*conditions: Expression) -> Expression:
    """The conjunction of ``conditions``: a single condition itself, and TRUE if there are none."""
    return _joined(Op.AND, conditions, TRUE)


def or_(*conditions: Expression) -> Expression:
    """The disjunction of ``conditions``: a single condition itself, and FALSE if there are none."""
    return _joined(Op.OR, conditions, FALSE)


def _joined(op: Op, conditions: tuple[Expression, ...], of_none: Expression) -> Expression:
    """The conditions joined by ``op``; a single condition itself; ``of_none`` if there are none."""
    match conditions:
        case ():
            return of_none
        case (only,):
            return only
        case _:
            return Call(op, conditions, BOOLEAN.as_nullable(any_nullable(conditions)))


def not_(condition: Expression) -> Call:
    """``NOT condition``, which is unknown if ``condition`` is unknown."""
    return Call(Op.NOT, (condition,), condition.type)


def is_not_true(condition: Expression) -> Call:
    """``condition IS NOT TRUE``: whether it is false or unknown."""
    return Call(Op.IS_NOT_TRUE, (condition,), _NEVER_NULL)


def is_null(value: Expression) -> Call:
    """``value IS NULL``."""
    return Call(Op.IS_NULL, (value,), _NEVER_NULL)


def is_not_null(value: Expression) -> Call:
    """``value IS NOT NULL``."""
    return Call(Op.IS_NOT_NULL, (value,), _NEVER_NULL)


def compared(op: Op, a: Expression, b: Expression) -> Call:
    """``a op b``; ``op`` is a comparison, and the caller has cast both operands to one type."""
    nullable = op not in _NULL_SAFE and any_nullable((a, b))
    return Call(op, (a, b), BOOLEAN.as_nullable(nullable))


def equal(a: Expression, b: Expression) -> Call:
    """``a = b``."""
    return compared(Op.EQUAL, a, b)


def less(a: Expression, b: Expression) -> Call:
    """``a < b``."""
    return compared(Op.LESS, a, b)


def at_most(a: Expression, b: Expression) -> Call:
    """``a <= b``."""
    return compared(Op.LESS_OR_EQUAL, a, b)


def greater(a: Expression, b: Expression) -> Call:
    """``a > b``."""
    return compared(Op.GREATER, a, b)


def at_least(a: Expression, b: Expression) -> Call:
    """``a >= b``."""
    return compared(Op.GREATER_OR_EQUAL, a, b)


def is_not_distinct(a: Expression, b: Expression) -> Call:
    """``a IS NOT DISTINCT FROM b``: whether they are equal, or both NULL."""
    return compared(Op.IS_NOT_DISTINCT_FROM, a, b)


def alike(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    """The condition that each of ``a`` equals that of ``b`` at the same place, or both are NULL."""
    return and_(*(is_not_distinct(*pair) for pair in zip(a, b, strict=True)))
