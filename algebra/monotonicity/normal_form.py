"""A normal form of expressions, in which some equal expressions with FLOOR become identical."""

from dataclasses import replace
from typing import Final

from algebra.expression import (
    Call,
    Cast,
    Exists,
    Expression,
    Extract,
    GroupId,
    Grouping,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.rewrite import operands, subexpressions, with_operands
from algebra.types import DAY_TO_SECOND, YEAR_TO_MONTH, Kind
from grammar.tree import TimeUnit

#: One type per family of intervals, which all count in one unit, whatever their fields.
_COUNTED: Final = {
    Kind.MILLIS: DAY_TO_SECOND,
    Kind.MONTHS: YEAR_TO_MONTH,
}


def normal(expression: Expression) -> Expression:
    """``expression`` with nullable types, and nested FLOORs or CEILs merged if their units nest."""
    match expression:
        case (
            Parameter()
            | OuterRef()
            | Grouping()
            | GroupId()
            | ScalarQuery()
            | Exists()
            | InQuery()
            | Quantified()
        ):
            return expression
        case _:
            inner = [normal(each) for each in operands(expression)]
            if isinstance(expression, Call) and expression.op in {Op.DATETIME_PLUS, Op.STEP}:
                inner[1] = _counted(inner[1])
            nullable = replace(expression, type=expression.type.as_nullable())
            found = with_operands(nullable, inner)
            return _rounded(found) if isinstance(found, Round) else found


def _counted(by: Expression) -> Expression:
    """An interval that is added or stepped by, without its fields, which only matter to a cast."""
    if not isinstance(by, Literal):
        return by
    return replace(by, type=_COUNTED.get(by.type.kind, by.type).as_nullable())


def _rounded(outer: Round) -> Expression:
    """FLOOR or CEIL of a value that is on a boundary already, or is rounded to a nested unit."""
    inner = outer.operand
    if not isinstance(inner, Round):
        return outer
    if nests(outer.unit, inner.unit):
        return inner  # a boundary of the wider unit is one of its parts, too
    if outer.up == inner.up and nests(inner.unit, outer.unit):
        return Round(outer.up, inner.operand, outer.unit, outer.type)
    return outer


#: Units of which each nests in the next: every boundary of the next one is a boundary of it.
CHAIN: Final = (
    TimeUnit.MILLISECOND, TimeUnit.SECOND, TimeUnit.MINUTE, TimeUnit.HOUR, TimeUnit.DAY,
    TimeUnit.MONTH, TimeUnit.QUARTER, TimeUnit.YEAR,
)  # fmt: skip


def coarser(
    expression: Expression, fine: Expression, column: Expression
) -> dict[Expression, Expression]:
    """The parts of ``expression`` that are functions of ``fine``, written over ``column`` instead.

    ``column`` has the value of ``fine``.  If ``fine`` is a FLOOR, these are FLOOR of the same
    operand to a coarser unit, its YEAR, and its DATE.  If ``fine`` is a CEIL, it is only CEIL to a
    coarser unit, because CEIL can move a value into the next year or day.
    """
    found: dict[Expression, Expression] = {}
    if not isinstance(fine, Round):
        return found
    for part in subexpressions(expression):
        match part:
            case Round(up, operand, unit) if operand == fine.operand and up == fine.up:
                if nests(fine.unit, unit):
                    found[part] = replace(part, operand=column)
            case Extract(TimeUnit.YEAR, operand) if operand == fine.operand and not fine.up:
                if nests(fine.unit, TimeUnit.YEAR):
                    found[part] = replace(part, operand=column)
            case Cast(operand, type_) if operand == fine.operand and not fine.up:
                if type_.kind is Kind.DATE and nests(fine.unit, TimeUnit.DAY):
                    found[part] = replace(part, operand=column)
            case _:  # other functions may depend on what FLOOR cuts off
                pass
    return found


def nests(part: TimeUnit, whole: TimeUnit) -> bool:
    """Whether every boundary of ``whole`` is one of ``part``: units to which FLOOR rounds.

    A week consists of days only.
    """
    if whole is TimeUnit.WEEK:
        return part is TimeUnit.WEEK or part in CHAIN[: CHAIN.index(TimeUnit.MONTH)]
    return part in CHAIN and CHAIN.index(part) <= CHAIN.index(whole)
