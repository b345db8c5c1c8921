"""Functions that rewrite expressions, for example over another row, or find their parts.

"Over a row" means: an `InputRef` in the expression is the place of a column of this row.
"""

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
    """The direct sub-expressions of ``expression``, without those in the plan of a sub-query."""
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
    """``expression`` with other direct sub-expressions, as many as `operands` returns."""
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
    """``expression`` with each leaf replaced by the result of ``change`` for it.

    A leaf is an expression without operands, or a sub-expression that is in ``whole``.  The plans
    of sub-queries are not changed.
    """
    inner = operands(expression)
    if expression in whole or not inner:
        return change(expression)
    return with_operands(expression, [rewritten(each, change, whole) for each in inner])


def with_location(expression: Expression, location: Location) -> Expression:
    """``expression`` with ``location``, and the same for its sub-expressions.

    An expression that already has a location is not changed, and neither are its sub-expressions.
    """
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
    """``expression`` over a row whose columns from ``start`` on are ``by`` places further right.

    ``padded``: an outer join may pad the row, so all of its columns are nullable, and so is the
    result if it is a `Call` or `Cast`.
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
    """``expression`` over the row of an enclosing query, rewritten for use in a sub-query.

    The sub-query is ``levels`` queries inside the enclosing query.  Columns become `OuterRef`s with
    this level, and the level of each `OuterRef` grows by ``levels``.
    """

    def change(leaf: Expression) -> Expression:
        match leaf:
            case InputRef(index, type):
                return OuterRef(levels, index, type)
            case OuterRef(level, index, type):
                return OuterRef(level + levels, index, type)
            case _:  # the meaning of other leaves does not depend on the query
                return leaf

    return rewritten(expression, change) if levels else expression


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """``expression`` and all its sub-expressions, root first, without those in sub-queries."""
    yield expression
    for each in operands(expression):
        yield from subexpressions(each)


def columns_of(expression: Expression) -> frozenset[int]:
    """The places of the columns in ``expression``, without those to which sub-queries refer."""
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
