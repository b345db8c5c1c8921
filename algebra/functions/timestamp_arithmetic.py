"""TIMESTAMPADD and TIMESTAMPDIFF, bound to sums and distances of datetimes (S-207)."""

from collections.abc import Mapping
from typing import Final

from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.functions.arithmetic import bind_arithmetic, bind_distance
from algebra.functions.coerce import Operand, cast_hint, convert
from algebra.functions.parameters import Parameter, fit
from algebra.types import (
    DATETIME,
    INTEGER,
    TIMESTAMP,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
    decimal,
    interval,
)
from grammar.source import Span
from grammar.tree import BinaryOperator, TimeUnit

#: The units that intervals lack; each is a number of units that intervals have.
_MADE_OF: Final[Mapping[TimeUnit, tuple[int, TimeUnit]]] = {
    TimeUnit.QUARTER: (3, TimeUnit.MONTH),
    TimeUnit.WEEK: (7, TimeUnit.DAY),
}
#: The type that can hold the seconds between any two timestamps.
_SECONDS: Final = decimal(15, 3)


def bind_timestamp_add(unit: TimeUnit, count: Operand, operand: Operand, at: Span) -> Expression:
    """``TIMESTAMPADD(unit, count, operand)``: ``operand + count * INTERVAL '1' unit``.

    TYPE_MISMATCH at a count that is not an integer, or at an operand that is not a datetime.  Also
    TYPE_MISMATCH if months are added to a TIME; this error is at the whole call, whose place is
    ``at``.
    """
    number = Operand(fit(count, Parameter.INTEGER), count.at, count.sql)
    operand = _datetime(operand)
    one_unit = Operand(_interval_of_one(unit), count.at, count.sql)
    distance = bind_arithmetic(BinaryOperator.TIMES, number, one_unit, count.at)
    added = Operand(distance, count.at, count.sql)
    return bind_arithmetic(BinaryOperator.PLUS, operand, added, at)


def _interval_of_one(unit: TimeUnit) -> Literal:
    """The literal INTERVAL '1' unit; INTERVAL '3' MONTH for a QUARTER, '7' DAY for a WEEK."""
    field = _MADE_OF[unit][1] if unit in _MADE_OF else unit
    size = UNIT_MONTHS[unit] if unit in UNIT_MONTHS else UNIT_MILLIS[unit]
    return Literal(size, interval(field).as_nullable(False))


def bind_timestamp_diff(unit: TimeUnit, start: Operand, end: Operand, at: Span) -> Expression:
    """``TIMESTAMPDIFF(unit, start, end)``: the whole units from start to end, an INTEGER.

    The number is truncated toward zero.  TYPE_MISMATCH for an argument that is not a datetime, and
    for two datetimes that ``end - start`` does not allow.  ``at`` is the place of the whole call.

    Defines: S-207.j
    """
    start, end = _datetime(start), _datetime(end)
    # A WEEK or QUARTER is counted in days or months, and the number is divided by `size`.
    size, field = _MADE_OF.get(unit, (None, unit))
    distance = bind_distance(end, start, interval(field), at)
    if field is TimeUnit.SECOND:
        distance = _whole_seconds(distance)
    type = INTEGER.as_nullable(distance.type.nullable)
    number = Cast(distance, type)
    if size is None:
        return number
    return Call(Op.DIVIDE, (number, Literal(size, INTEGER.as_nullable(False))), type)


def _whole_seconds(distance: Expression) -> Expression:
    """The number of whole seconds of ``distance``, an INTERVAL SECOND, truncated toward zero.

    Without this step, the cast of the interval to an integer would round its fraction.
    """
    type = _SECONDS.as_nullable(distance.type.nullable)
    return Call(Op.TRUNCATE, (Cast(distance, type),), type)


def _datetime(operand: Operand) -> Operand:
    """The operand, which must be a datetime: TYPE_MISMATCH if it has another type.

    A bare NULL or parameter becomes a TIMESTAMP.
    """
    if operand.kind is Kind.NULL:
        return Operand(convert(operand.expression, TIMESTAMP), operand.at, operand.sql)
    if operand.kind not in DATETIME:
        message = f"{operand.type} where a date, time or timestamp is expected"
        raise operand.refused(message, cast_hint(operand, TIMESTAMP))
    return operand
