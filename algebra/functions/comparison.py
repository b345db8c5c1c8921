"""Comparisons of values and rows, BETWEEN and IN, expanded to comparisons of single values.

An operand is a row of one or more values; a row of one value is that value.  Both sides of every
comparison are cast to one type, and CHARs are padded to one length (S-204).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from algebra.build import and_, any_nullable, compared, or_
from algebra.expression import Call, Expression, Literal, Op
from algebra.functions.coerce import Operand, cast_hint, compared_type, unify_compared
from algebra.types import BOOLEAN
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.suggestion import SuggestingError, replacement
from grammar.tree import BinaryOperator

#: A row value's columns; a single value is a row of one.
Operands: TypeAlias = tuple[Operand, ...]

#: The operator in a plan for each comparison of the syntax tree.
COMPARISONS: Final[Mapping[BinaryOperator, Op]] = {
    BinaryOperator.EQUAL: Op.EQUAL,
    BinaryOperator.NOT_EQUAL: Op.NOT_EQUAL,
    BinaryOperator.LESS: Op.LESS,
    BinaryOperator.LESS_OR_EQUAL: Op.LESS_OR_EQUAL,
    BinaryOperator.GREATER: Op.GREATER,
    BinaryOperator.GREATER_OR_EQUAL: Op.GREATER_OR_EQUAL,
    BinaryOperator.IS_DISTINCT_FROM: Op.IS_DISTINCT_FROM,
    BinaryOperator.IS_NOT_DISTINCT_FROM: Op.IS_NOT_DISTINCT_FROM,
}
#: The strict form of each comparison that allows equality.
_STRICT: Final = {Op.LESS_OR_EQUAL: Op.LESS, Op.GREATER_OR_EQUAL: Op.GREATER}


def compare(op: Op, left: Operands, right: Operands, at: Span) -> Expression:
    """``left op right``; rows compare lexicographically, column by column.

    TYPE_MISMATCH at ``at``, the place of the whole comparison, if the two sides have types or
    widths that cannot be compared.
    """
    if len(left) != len(right):
        message = f"a row of {len(left)} compared with a row of {len(right)}"
        hint = "compare rows of one width: (a, b) = (c, d)"
        raise SqlError(Code.TYPE_MISMATCH, message, left[0].sql, at, hint)
    pairs = list(zip(left, right, strict=True))
    match op:
        case Op.EQUAL | Op.IS_NOT_DISTINCT_FROM:
            return conjunction([_compare_values(op, a, b, at) for a, b in pairs])
        case Op.NOT_EQUAL | Op.IS_DISTINCT_FROM:
            return disjunction([_compare_values(op, a, b, at) for a, b in pairs])
        case _:
            # (a, b) <= (c, d) is a < c OR (a = c AND b <= d): only the last pair may be equal.
            strict = _STRICT.get(op, op)
            cases: list[Expression] = []
            for i, (a, b) in enumerate(pairs):
                equal = [_compare_values(Op.EQUAL, *pair, at) for pair in pairs[:i]]
                last = _compare_values(op if i == len(pairs) - 1 else strict, a, b, at)
                cases.append(conjunction([*equal, last]))
            return disjunction(cases)


def between(
    operand: Operands, low: Operands, high: Operands, at: Span, *, symmetric: bool, negated: bool
) -> Expression:
    """``operand [NOT] BETWEEN [SYMMETRIC] low AND high``: two comparisons, four if symmetric.

    ``negated``: NOT is written.  ``at`` is the place of the whole expression.
    """
    orders = [(low, high), (high, low)] if symmetric else [(low, high)]
    if negated:
        return conjunction(
            [
                disjunction([compare(Op.LESS, operand, a, at), compare(Op.GREATER, operand, b, at)])
                for a, b in orders
            ]
        )
    return disjunction(
        [
            conjunction(
                [
                    compare(Op.GREATER_OR_EQUAL, operand, a, at),
                    compare(Op.LESS_OR_EQUAL, operand, b, at),
                ]
            )
            for a, b in orders
        ]
    )


def in_list(operand: Operands, items: Sequence[Operands], places: Sequence[Span]) -> Expression:
    """``operand IN (items)``: one call of IN for values, a disjunction of equalities for rows.

    ``places`` are the places of the items in the text.  TYPE_MISMATCH at the first item that cannot
    be compared with the operand and the items before it.
    """
    rows = (operand, *items)
    if any(len(each) > 1 for each in rows):
        pairs = zip(items, places, strict=True)
        return disjunction([compare(Op.EQUAL, operand, item, place) for item, place in pairs])
    _, operands = unify_compared([value for row in rows for value in row])
    return Call(Op.IN, operands, BOOLEAN.as_nullable(any_nullable(operands)))


def conjunction(conditions: Sequence[Expression]) -> Expression:
    """The conjunction of one or more conditions, without an AND directly in an AND."""
    return and_(*_flattened(Op.AND, conditions))


def disjunction(conditions: Sequence[Expression]) -> Expression:
    """The disjunction of one or more conditions, without an OR directly in an OR."""
    return or_(*_flattened(Op.OR, conditions))


def _flattened(op: Op, conditions: Sequence[Expression]) -> Iterator[Expression]:
    """The conditions, each call of ``op`` replaced by its operands."""
    for each in conditions:
        if isinstance(each, Call) and each.op is op:
            yield from each.operands
        else:
            yield each


def _compare_values(op: Op, left: Operand, right: Operand, at: Span) -> Expression:
    """``left op right`` for two values, which are cast to one type."""
    if compared_type((left, right)) is None:
        # The place is the whole comparison, because either side can be at fault.  The hint rewrites
        # the left side if that is a literal, else the right side.
        literal = isinstance(left.expression, Literal)
        rewritten, other = (left, right) if literal else (right, left)
        hint = cast_hint(rewritten, other.type)
        message = f"{left.type} is not compared with {right.type}"
        raise SuggestingError(
            Code.TYPE_MISMATCH,
            message,
            left.sql,
            at,
            hint,
            suggestions=lambda: tuple(
                replacement(hint, rewritten.at, text) for text in (hint, f"({hint})") if hint
            ),
        )
    _, operands = unify_compared((left, right))
    return compared(op, *operands)
