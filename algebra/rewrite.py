"""Expressions over another row: columns replaced or shifted; sub-expressions and conjuncts."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
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
    Subquery,
)
from grammar.source import Location


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The direct sub-expressions; those inside a sub-query's plan do not count."""
    match expression:
        case InputRef() | OuterRef() | Literal() | Parameter() | Grouping() | GroupId():
            return ()
        case ScalarQuery() | Exists():
            return ()
        case Call(_, inner) | External(_, inner) | InQuery(inner):
            return inner
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return (operand,)
        case Quantified(_, _, operand):
            return (operand,)
        case Case(branches, otherwise):
            return (*(each for branch in branches for each in branch), otherwise)


def with_operands(expression: Expression, operands: Sequence[Expression]) -> Expression:
    """``expression`` with other direct sub-expressions: as many as `operands` gives."""
    match expression:
        case InputRef() | OuterRef() | Literal() | Parameter() | Grouping() | GroupId():
            return expression
        case ScalarQuery() | Exists():
            return expression
        case Call() | External() | InQuery():
            return replace(expression, operands=tuple(operands))
        case Cast() | Extract() | Round() | Quantified():
            (operand,) = operands
            return replace(expression, operand=operand)
        case Case():
            *inner, otherwise = operands
            branches = tuple(zip(inner[::2], inner[1::2], strict=True))
            return replace(expression, branches=branches, otherwise=otherwise)


def rewritten(
    expression: Expression,
    change: Callable[[Expression], Expression],
    whole: Container[Expression] = (),
) -> Expression:
    """``expression`` with ``change`` applied to each leaf; sub-queries' plans are not changed.

    A sub-expression that is in ``whole`` counts as a leaf.
    """
    inner = operands(expression)
    if expression in whole or not inner:
        return change(expression)
    return with_operands(expression, [rewritten(each, change, whole) for each in inner])


def with_location(expression: Expression, location: Location) -> Expression:
    """``expression`` at ``location``, and so its sub-expressions that have no location yet."""
    match expression:
        case InputRef() | OuterRef() | Literal() | Grouping() | GroupId() | Exists():
            return expression
        case _ if expression.location is not None:
            return expression
        case _:
            own = [with_location(each, location) for each in operands(expression)]
            return with_operands(replace(expression, location=location), own)


def substituted(expression: Expression, columns: Sequence[Expression]) -> Expression:
    """``expression`` with each InputRef replaced by the expression at its place in ``columns``."""

    def change(leaf: Expression) -> Expression:
        return columns[leaf.index] if isinstance(leaf, InputRef) else leaf

    return rewritten(expression, change)


def shifted(expression: Expression, by: int, padded: bool = False, start: int = 0) -> Expression:
    """``expression`` over a row whose columns from ``start`` on stand ``by`` places further right.

    ``padded``: an outer join pads that row, so that any of its columns may be NULL.
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


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """``expression`` and its sub-expressions, root first; not those in sub-queries' plans."""
    yield expression
    for each in operands(expression):
        yield from subexpressions(each)


def columns_of(expression: Expression) -> frozenset[int]:
    """The places of ``expression``'s columns, without those that its sub-queries refer to."""
    return frozenset(
        each.index for each in subexpressions(expression) if isinstance(each, InputRef)
    )


def has_subquery(expression: Expression) -> bool:
    """Whether ``expression`` contains a sub-query."""
    return any(isinstance(each, Subquery) for each in subexpressions(expression))


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The operands of nested ANDs from left to right; ``condition`` itself if it is not an AND."""
    match condition:
        case Call(Op.AND, operands):
            for each in operands:
                yield from conjuncts(each)
        case _:
            yield condition
