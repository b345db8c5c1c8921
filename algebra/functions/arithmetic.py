"""Binding of ``+ - * / %`` and signs: which numbers, datetimes and intervals they take.

The rules are S-202 and S-207.
"""

from collections.abc import Mapping
from typing import Final

from algebra.build import any_nullable
from algebra.expression import Call, Expression, Literal, Op
from algebra.functions.coerce import Operand, cast_hint, common_interval, convert, require_typed
from algebra.functions.datetimes import Fields
from algebra.functions.literals import negated
from algebra.functions.numbers import arithmetic_type
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    DOUBLE,
    EXACT,
    INTEGER,
    INTERVAL,
    NUMERIC,
    TIMESTAMP,
    Kind,
    Type,
    interval,
)
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.tree import BinaryOperator, TimeUnit

#: The operator in a plan for each operator of the syntax tree, if both operands are numbers.
_OPS: Final[Mapping[BinaryOperator, Op]] = {
    BinaryOperator.PLUS: Op.PLUS,
    BinaryOperator.MINUS: Op.MINUS,
    BinaryOperator.TIMES: Op.TIMES,
    BinaryOperator.DIVIDE: Op.DIVIDE,
    BinaryOperator.MODULO: Op.MOD,
}
#: The operators that this module binds.
#: Defines: S-207.c
ARITHMETIC: Final = frozenset(_OPS)


def bind_arithmetic(
    operator: BinaryOperator, left: Operand, right: Operand, at: Span
) -> Expression:
    """``left operator right``; ``at`` is the place of the whole expression.

    An operand without a type (NULL, a parameter) takes the type of the other operand; as the factor
    or divisor of an interval it becomes an INTEGER.  It is rejected if the other operand is a
    datetime, or has no type either.  TYPE_MISMATCH at an operand that is rejected by itself; at the
    whole expression if ``operator`` does not take these two operands together.
    """
    for each in (left, right):
        if each.kind not in NUMERIC | DATETIME | INTERVAL | {Kind.NULL}:
            raise each.refused(f"'{operator}' does not take {each.type}", cast_hint(each, INTEGER))
    op = _OPS[operator]
    left, right = _typed(op, left, right), _typed(op, right, left)
    a, b = left.expression, right.expression
    nullable = any_nullable((a, b))
    if left.kind in NUMERIC and right.kind in NUMERIC:
        return arithmetic_call(op, left, right)
    match op:
        case Op.PLUS if left.kind in DATETIME and right.kind in INTERVAL:
            return _datetime_plus(left, right.expression, right, at)
        case Op.PLUS if left.kind in INTERVAL and right.kind in DATETIME:
            return _datetime_plus(right, left.expression, left, at)
        case Op.MINUS if left.kind in DATETIME and right.kind in INTERVAL:
            return _datetime_plus(left, negate(right), right, at)
        case Op.PLUS | Op.MINUS if left.kind is right.kind and left.kind in INTERVAL:
            return Call(op, (a, b), common_interval(a.type, b.type).as_nullable(nullable))
        case Op.TIMES if left.kind in INTERVAL and right.kind in NUMERIC:
            return Call(op, (a, b), a.type.as_nullable(nullable))
        case Op.TIMES if left.kind in NUMERIC and right.kind in INTERVAL:
            return Call(op, (b, a), b.type.as_nullable(nullable))
        case Op.DIVIDE if left.kind in INTERVAL and right.kind in NUMERIC:
            return Call(op, (a, b), a.type.as_nullable(nullable))
        case Op.DIVIDE if left.kind is right.kind and left.kind in INTERVAL:
            return Call(op, (a, b), DOUBLE.as_nullable(nullable))
        case _:
            message = f"'{operator}' does not take {left.type} and {right.type}"
            raise SqlError(Code.TYPE_MISMATCH, message, left.sql, at, _hint(operator, left, right))


def arithmetic_call(op: Op, left: Operand, right: Operand) -> Call:
    """The call of ``op`` on two numbers.

    If one is REAL or DOUBLE, both are cast to the type of the result.  Exact operands are not cast.
    """
    if op is Op.MOD:
        for each in (left, right):
            if each.kind not in EXACT:
                hint = f"CAST({each.text} AS DECIMAL(38, 10))"
                raise each.refused(f"MOD does not take {each.type}: exact numbers only", hint)
    type = arithmetic_type(op, left.type, right.type)
    operands = (left.expression, right.expression)
    if type.kind in APPROXIMATE:
        operands = (convert(operands[0], type), convert(operands[1], type))
    return Call(op, operands, type)


def bind_minus(operand: Operand) -> Expression:
    """``- operand``; TYPE_MISMATCH unless the operand is a number or an interval."""
    _check_signed(operand)
    return negate(operand)


def bind_plus(operand: Operand) -> Expression:
    """``+ operand``, which is the operand itself.

    TYPE_MISMATCH unless the operand is a number or an interval.

    Defines: S-402.h
    """
    _check_signed(operand)
    return operand.expression


def negate(operand: Operand) -> Expression:
    """``operand``, a number or an interval, negated; of an interval literal it is a literal."""
    match operand.expression:
        case Literal(int()) as literal if operand.kind in INTERVAL:
            return negated(literal)
        case expression:
            return Call(Op.NEGATE, (expression,), expression.type)


def bind_distance(left: Operand, right: Operand, type: Type, at: Span) -> Expression:
    """``(left - right) qualifier``, an interval of the qualifier's ``type`` (S-207).

    Both operands are DATEs, TIMEs or TIMESTAMPs; of a DATE and a TIMESTAMP, the DATE is cast.
    TIMEs have no distance in years or months.  ``at`` is the place of the whole expression.
    """
    for each in (left, right):
        require_typed(each)
        if each.kind not in DATETIME:
            raise each.refused(
                f"{each.type} where a date, time or timestamp is expected",
                cast_hint(each, TIMESTAMP),
            )
    kinds = {left.kind, right.kind}
    if Kind.TIME in kinds and (len(kinds) > 1 or type.kind is Kind.MONTHS):
        message = f"no distance of {left.type} and {right.type} is an {type}"
        hint = f"(CAST({left.text} AS TIME) - CAST({right.text} AS TIME)) SECOND"
        raise SqlError(Code.TYPE_MISMATCH, message, left.sql, at, hint)
    operands = (left.expression, right.expression)
    if len(kinds) > 1:
        operands = (convert(operands[0], TIMESTAMP), convert(operands[1], TIMESTAMP))
    return Call(Op.DATETIME_MINUS, operands, type.as_nullable(any_nullable(operands)))


def finer_than_day(fields: Fields | None) -> bool:
    """Whether an interval of these fields can hold parts of a day; False for None, no interval."""
    return fields is not None and fields[1] in (TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)


def _datetime_plus(
    datetime: Operand, distance: Expression, written: Operand, at: Span
) -> Expression:
    """``datetime + distance``: of the datetime's type, but DATE plus hours is a TIMESTAMP.

    ``written`` is the interval as the text has it.  ``distance`` is its expression; for ``-``, the
    negated expression.  ``at`` is the place of the whole expression.

    Defines: S-207.f, S-207.m
    """
    moved = datetime.expression
    if datetime.kind is Kind.TIME and written.kind is Kind.MONTHS:
        message = "a TIME has no years or months to add to"
        hint = f"{datetime.text} + INTERVAL '1' HOUR"
        raise SqlError(Code.TYPE_MISMATCH, message, datetime.sql, at, hint)
    if datetime.kind is Kind.DATE and finer_than_day(distance.type.fields):
        moved = convert(moved, TIMESTAMP)
    type = moved.type.as_nullable(any_nullable((moved, distance)))
    return Call(Op.DATETIME_PLUS, (moved, distance), type)


def _typed(op: Op, operand: Operand, other: Operand) -> Operand:
    """The operand, with a type.

    An operand without a type takes the type of ``other``; as the factor or divisor of an interval
    it becomes an INTEGER.  It is rejected if ``other`` is a datetime, or has no type either.
    """
    if operand.kind is not Kind.NULL:
        return operand
    if other.kind is Kind.NULL or other.kind in DATETIME:
        type = INTEGER if other.kind is Kind.NULL else interval(TimeUnit.DAY)
        message = "the type of this operand is unknown"
        raise operand.refused(message, f"CAST({operand.text} AS {type})")
    scales_interval = other.kind in INTERVAL and op in (Op.TIMES, Op.DIVIDE)
    target = INTEGER if scales_interval else other.type
    return Operand(convert(operand.expression, target), operand.at, operand.sql)


def _check_signed(operand: Operand) -> None:
    """Reject an operand that cannot have a sign: all but numbers and intervals."""
    require_typed(operand)
    if operand.kind not in NUMERIC | INTERVAL:
        message = f"a sign before {operand.type}"
        raise operand.refused(message, cast_hint(operand, INTEGER))


def _hint(operator: BinaryOperator, left: Operand, right: Operand) -> str:
    """A hint for two operands that ``operator`` does not take.

    It is the text that was probably meant, or the rule.
    """
    if left.kind in DATETIME and right.kind in DATETIME and operator is BinaryOperator.MINUS:
        return f"({left.text} - {right.text}) {'DAY' if left.kind is Kind.DATE else 'SECOND'}"
    if left.kind in DATETIME and right.kind in EXACT and operator in "+-":
        unit = "HOUR" if left.kind is Kind.TIME else "DAY"
        return f"{left.text} {operator} {right.text} * INTERVAL '1' {unit}"
    if left.kind in INTERVAL and right.kind in NUMERIC and operator in "+-":
        return f"{left.text} {operator} {right.text} * INTERVAL '1' SECOND"
    if left.kind in DATETIME:
        return f"{left.text} + INTERVAL '1' {'HOUR' if left.kind is Kind.TIME else 'DAY'}"
    if right.kind in DATETIME:
        return f"{right.text} + INTERVAL '1' {'HOUR' if right.kind is Kind.TIME else 'DAY'}"
    if left.kind in INTERVAL and right.kind in INTERVAL:
        return "intervals of years and months do not mix with days and seconds"
    return "an interval goes with an interval, or is multiplied or divided by a number"
