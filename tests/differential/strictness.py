"""Which queries must evaluate all that is in them, on every row."""

from typing import Final

from tests.differential.tree import (
    Aggregate,
    Call,
    Column,
    Expression,
    Literal,
    Op,
    Query,
    Select,
    Shift,
    Table,
)

#: Operators that need not look at every operand.
_LAZY: Final = frozenset({Op.AND, Op.OR, Op.IN, Op.NOT_IN, Op.BETWEEN, Op.COALESCE})


def must_evaluate(query: Query) -> bool:
    """Whether an error on any row is one of the query: it projects or groups a whole table."""
    match query:
        case Select(items, Table(), None, having=None):
            return all(map(strict, items))
        case _:
            return False


def strict(node: Expression) -> bool:
    """Whether the expression evaluates all its parts."""
    match node:
        case Column() | Literal():
            return True
        case Call(op, operands):
            return op not in _LAZY and all(map(strict, operands))
        case Aggregate(_, argument, _, _, None):
            return argument is None or strict(argument)
        case Shift(operand):
            return strict(operand)
        case _:
            return False
