"""A normal form of expressions: some expressions with the same value become identical.

`algebra.monotonicity.equality` compares expressions in this form.  This module also says which time
units nest (`nests`), and which functions of a value are functions of its FLOOR or CEIL (`coarser`).
"""

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

#: One type for each family of intervals.  The values of a family are counts of one unit, months or
#: milliseconds, whatever the fields of their types are.
_TYPE_OF_FAMILY: Final = {
    Kind.MILLIS: DAY_TO_SECOND,
    Kind.MONTHS: YEAR_TO_MONTH,
}


def normal(expression: Expression) -> Expression:
    """``expression`` in the normal form.

    All types are nullable, except for those of leaves that stay as they are, such as parameters and
    sub-queries.  The literals of one family of intervals have one type if they are added to a
    datetime or are the step of STEP.  A FLOOR or CEIL of a value that is already on a boundary of
    its unit is left out.  A FLOOR of a FLOOR to a finer unit is one FLOOR, and a CEIL of a CEIL is
    one CEIL.
    """
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
                inner[1] = _without_fields(inner[1])
            nullable = replace(expression, type=expression.type.as_nullable())
            found = with_operands(nullable, inner)
            return _rounded(found) if isinstance(found, Round) else found


def _without_fields(by: Expression) -> Expression:
    """The interval ``by`` without its fields, if it is a literal.

    The fields do not matter in a sum or in STEP.
    """
    if not isinstance(by, Literal):
        return by
    return replace(by, type=_TYPE_OF_FAMILY.get(by.type.kind, by.type).as_nullable())


def _rounded(outer: Round) -> Expression:
    """``outer``, as one FLOOR or CEIL with its operand if that is one whose unit nests."""
    inner = outer.operand
    if not isinstance(inner, Round):
        return outer
    if nests(outer.unit, inner.unit):
        return inner  # a boundary of the inner, wider unit is a boundary of the outer unit, too
    if outer.up == inner.up and nests(inner.unit, outer.unit):
        return Round(outer.up, inner.operand, outer.unit, outer.type)
    return outer


#: Units of which each nests in the next: every boundary of a unit is a boundary of all units before
#: it.
CHAIN: Final = (
    TimeUnit.MILLISECOND, TimeUnit.SECOND, TimeUnit.MINUTE, TimeUnit.HOUR, TimeUnit.DAY,
    TimeUnit.MONTH, TimeUnit.QUARTER, TimeUnit.YEAR,
)  # fmt: skip


def coarser(
    expression: Expression, fine: Expression, column: Expression
) -> dict[Expression, Expression]:
    """The parts of ``expression`` that are functions of ``fine``, each with its replacement.

    The replacement has ``column``, which has the value of ``fine``, in place of the operand.  If
    ``fine`` is a FLOOR, the parts are FLOOR of the same operand to a coarser unit, its YEAR, and
    its DATE.  If ``fine`` is a CEIL, they are only CEIL to a coarser unit, because CEIL can move a
    value into the next year or day.  If it is neither, there are none.
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
            case _:  # other functions may depend on the part of the value that FLOOR cuts off
                pass
    return found


def nests(part: TimeUnit, whole: TimeUnit) -> bool:
    """Whether every boundary of the unit ``whole`` is a boundary of the unit ``part``.

    A boundary of a unit is a datetime that FLOOR to the unit does not change.  The units in a week
    are the week itself, the day, and all units shorter than a day.
    """
    if whole is TimeUnit.WEEK:
        return part is TimeUnit.WEEK or part in CHAIN[: CHAIN.index(TimeUnit.MONTH)]
    return part in CHAIN and CHAIN.index(part) <= CHAIN.index(whole)
