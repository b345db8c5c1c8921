"""Syntax that the dialect adds to a query: nodes that stand nowhere in its text."""

from typing import Final

from grammar.source import Span
from grammar.tree import (
    Binary,
    BinaryOperator,
    Cast,
    ColumnRef,
    Expression,
    FromItem,
    FunctionCall,
    GroupBy,
    Identifier,
    IntervalLiteral,
    IntervalQualifier,
    Name,
    Select,
    SelectItem,
    TimeUnit,
    TypeName,
)

#: The place of such nodes.
NOWHERE: Final = Span(0, 0)


def column(*names: str) -> ColumnRef:
    """A column, ``alias.column`` or alone."""
    return ColumnRef(
        Name(tuple(Identifier(each, True, NOWHERE) for each in names), NOWHERE), NOWHERE
    )


def call(function: str, *arguments: Expression) -> FunctionCall:
    """A call without clauses."""
    name = Name((Identifier(function, False, NOWHERE),), NOWHERE)
    return FunctionCall(
        name,
        arguments,
        star=False,
        distinct=False,
        within_group=(),
        filter=None,
        nulls=None,
        over=None,
        span=NOWHERE,
    )


def select(
    items: tuple[SelectItem, ...],
    source: FromItem,
    group_by: GroupBy | None = None,
    having: Expression | None = None,
) -> Select:
    """``SELECT items FROM source``, and GROUP BY and HAVING if they are given."""
    return Select(
        stream=False,
        distinct=False,
        items=items,
        from_=source,
        where=None,
        group_by=group_by,
        having=having,
        windows=(),
        qualify=None,
        stream_span=None,
        span=NOWHERE,
    )


def binary(left: Expression, operator: BinaryOperator, right: Expression) -> Binary:
    """An infix operator."""
    return Binary(operator, left, right, NOWHERE)


def interval(text: str, unit: TimeUnit) -> IntervalLiteral:
    """``INTERVAL 'text' unit``."""
    fields = IntervalQualifier(unit, None, None, None, NOWHERE)
    return IntervalLiteral(text, False, fields, NOWHERE)


def cast_to_string(operand: Expression) -> Cast:
    """``CAST(operand AS STRING)``."""
    return Cast(operand, TypeName("STRING", None, None, None, NOWHERE), NOWHERE)


def millis_literal(millis: int) -> IntervalLiteral:
    """So many milliseconds as a literal of seconds."""
    whole, rest = divmod(abs(millis), 1000)
    fields = IntervalQualifier(TimeUnit.SECOND, None, None if whole < 100 else 10, None, NOWHERE)
    text = f"{whole}.{rest:03}" if rest else f"{whole}"
    return IntervalLiteral(text, millis < 0, fields, NOWHERE)
