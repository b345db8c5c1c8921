"""Expressions seen from elsewhere: other places of the same columns."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
)


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly below; those inside a sub-query's plan are not below."""
    match expression:
        case InputRef() | OuterRef() | Literal() | Parameter() | Grouping() | GroupId():
            return ()
        case ScalarQuery() | Exists():
            return ()
        case Call(_, inner) | InQuery(inner):
            return inner
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return (operand,)
        case Quantified(_, _, operand):
            return (operand,)
        case Case(branches, otherwise):
            return (*(each for branch in branches for each in branch), otherwise)


def rewritten(
    expression: Expression,
    change: Callable[[Expression], Expression],
    whole: Container[Expression] = (),
) -> Expression:
    """``expression`` with ``change`` done to each leaf; the plans of sub-queries stay.

    An expression that is in ``whole`` counts as a leaf.
    """
    match expression:
        case _ if expression in whole:
            return change(expression)
        case InputRef() | OuterRef() | Literal() | Parameter() | Grouping() | GroupId():
            return change(expression)
        case ScalarQuery() | Exists():
            return change(expression)
        case Call(_, inner) | InQuery(inner):
            return replace(expression, operands=tuple(rewritten(e, change, whole) for e in inner))
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return replace(expression, operand=rewritten(operand, change, whole))
        case Quantified(_, _, operand):
            return replace(expression, operand=rewritten(operand, change, whole))
        case Case(branches, otherwise):
            changed = tuple(
                (rewritten(c, change, whole), rewritten(r, change, whole)) for c, r in branches
            )
            last = rewritten(otherwise, change, whole)
            return replace(expression, branches=changed, otherwise=last)


def made_of(expression: Expression, columns: Sequence[Expression]) -> Expression:
    """``expression`` with each of its columns replaced by what that is made of."""

    def change(leaf: Expression) -> Expression:
        return columns[leaf.index] if isinstance(leaf, InputRef) else leaf

    return rewritten(expression, change)


def shifted(expression: Expression, by: int, padded: bool = False, start: int = 0) -> Expression:
    """``expression`` over a row whose columns from ``start`` on stand ``by`` places further right.

    ``padded``: that row is padded by an outer join, so that any of its columns may be NULL.
    """

    def change(leaf: Expression) -> Expression:
        if not isinstance(leaf, InputRef) or leaf.index < start:
            return leaf
        return InputRef(leaf.index + by, leaf.type.as_nullable(leaf.type.nullable or padded))

    result = rewritten(expression, change)
    if padded and isinstance(result, Call | Cast):
        return replace(result, type=result.type.as_nullable())
    return result


def outward(expression: Expression, levels: int = 1) -> Expression:
    """``expression`` of an enclosing query's row, as a sub-query ``levels`` deeper writes it."""

    def change(leaf: Expression) -> Expression:
        match leaf:
            case InputRef(index, type):
                return OuterRef(levels, index, type)
            case OuterRef(level, index, type):
                return OuterRef(level + levels, index, type)
            case _:  # a constant means the same anywhere
                return leaf

    return rewritten(expression, change) if levels else expression


def below(expression: Expression) -> Iterator[Expression]:
    """``expression`` and all below it; not what is inside a sub-query's plan."""
    yield expression
    for each in operands(expression):
        yield from below(each)


def columns_of(expression: Expression) -> frozenset[int]:
    """The places of the columns that ``expression`` uses itself."""
    return frozenset(each.index for each in below(expression) if isinstance(each, InputRef))


def has_subquery(expression: Expression) -> bool:
    """Whether a sub-query is in it."""
    return any(
        isinstance(each, ScalarQuery | Exists | InQuery | Quantified) for each in below(expression)
    )


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions that ``condition`` says all hold, from left to right."""
    match condition:
        case Call(Op.AND, operands):
            for each in operands:
                yield from conjuncts(each)
        case _:
            yield condition
