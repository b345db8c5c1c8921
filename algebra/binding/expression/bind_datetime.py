"""Binding of EXTRACT, FLOOR, CEIL, STEP, and readings of the session's clock (S-106, S-208).

The session's clock is the time that CURRENT_TIMESTAMP returns.  In each function, ``at`` is the
place of the whole expression in the text, at which its faults are reported.
"""

from collections.abc import Mapping
from typing import Final

from algebra.build import any_nullable
from algebra.expression import Call, Expression, Extract, Op, Round
from algebra.functions.arithmetic import finer_than_day
from algebra.functions.coerce import Operand, cast_hint, common_type, convert, require_typed
from algebra.functions.datetimes import fields_between
from algebra.types import (
    BIGINT,
    DATE,
    DATETIME,
    INTEGER,
    INTEGERS,
    INTERVAL,
    NUMERIC,
    TIME,
    TIMESTAMP,
    Kind,
    decimal,
)
from grammar import tree
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.tree import TimeUnit

#: The units of a date that EXTRACT takes.
_DATE_UNITS: Final = frozenset(
    {
        TimeUnit.YEAR,
        TimeUnit.QUARTER,
        TimeUnit.MONTH,
        TimeUnit.WEEK,
        TimeUnit.DAY,
        TimeUnit.EPOCH,
        TimeUnit.DECADE,
        TimeUnit.CENTURY,
        TimeUnit.MILLENNIUM,
        TimeUnit.ISOYEAR,
        TimeUnit.DOW,
        TimeUnit.ISODOW,
        TimeUnit.DOY,
    }
)
#: The units of a time of day that EXTRACT takes, and to which FLOOR and CEIL round.
_TIME_UNITS: Final = frozenset(
    {TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND, TimeUnit.MILLISECOND}
)
#: The units that EXTRACT takes from each kind of datetime.
_EXTRACTED: Final[Mapping[Kind, frozenset[TimeUnit]]] = {
    Kind.DATE: _DATE_UNITS,
    Kind.TIME: _TIME_UNITS,
    Kind.TIMESTAMP: _DATE_UNITS | _TIME_UNITS,
}

#: The units to which FLOOR and CEIL round a date.
_ROUNDED_DATE_UNITS: Final = frozenset(
    {TimeUnit.YEAR, TimeUnit.QUARTER, TimeUnit.MONTH, TimeUnit.WEEK, TimeUnit.DAY}
)
#: The units to which FLOOR and CEIL round each kind of datetime (S-208).
_ROUNDED: Final[Mapping[Kind, frozenset[TimeUnit]]] = {
    Kind.DATE: _ROUNDED_DATE_UNITS,
    Kind.TIME: _TIME_UNITS,
    Kind.TIMESTAMP: _ROUNDED_DATE_UNITS | _TIME_UNITS,
}

#: The functions that read the session's clock, with their types; all read one instant (S-106).
_CLOCKS: Final = {
    "CURRENT_TIMESTAMP": TIMESTAMP,
    "LOCALTIMESTAMP": TIMESTAMP,
    "CURRENT_DATE": DATE,
    "CURRENT_TIME": TIME,
    "LOCALTIME": TIME,
}


def bind_extract(unit: TimeUnit, operand: Operand, at: Span) -> Expression:
    """``EXTRACT(unit FROM operand)``, BIGINT; TYPE_MISMATCH if the operand has no such unit.

    A DATE has the units from years to days, a TIME those from hours to milliseconds, and a
    TIMESTAMP both.  An interval has the fields of its type; one with SECOND also has MILLISECOND,
    and one that is not of months also has EPOCH.
    """
    require_typed(operand)
    if operand.kind in INTERVAL:
        assert operand.type.fields is not None, "an interval has fields"
        known = frozenset(fields_between(operand.type.fields))
        if TimeUnit.SECOND in known:
            known |= {TimeUnit.MILLISECOND}
        if operand.kind is Kind.MILLIS:
            known |= {TimeUnit.EPOCH}
    elif operand.kind in _EXTRACTED:
        known = _EXTRACTED[operand.kind]
    else:
        message = f"{operand.type} where a datetime or interval is expected"
        raise operand.refused(message, cast_hint(operand, TIMESTAMP))
    if unit not in known:
        hint = f"EXTRACT({_nearest(unit, known)} FROM {operand.text})"
        if operand.kind is Kind.DATE:
            hint = f"EXTRACT({unit} FROM CAST({operand.text} AS TIMESTAMP(3)))"
        message = f"{operand.type} has no {unit}"
        raise SqlError(Code.TYPE_MISMATCH, message, operand.sql, at, hint)
    return Extract(unit, operand.expression, BIGINT.as_nullable(operand.type.nullable))


def bind_round(up: bool, operand: Operand, unit: TimeUnit | None, at: Span) -> Expression:
    """``FLOOR(operand [TO unit])``, or CEIL if ``up``; ``unit`` None: TO is not written.

    The result has the operand's type, but a DECIMAL has no digits after the point.  A number takes
    no unit.  A datetime needs a unit that it has: a DATE one from years to days, a TIME one from
    hours to milliseconds, a TIMESTAMP any of these.
    """
    require_typed(operand)
    name = "CEIL" if up else "FLOOR"
    if operand.kind in NUMERIC:
        if unit is not None:
            message = f"{operand.type} has no {unit}"
            raise SqlError(Code.TYPE_MISMATCH, message, operand.sql, at, f"{name}({operand.text})")
        type = operand.type
        if type.kind is Kind.DECIMAL:
            type = decimal(type.precision, 0).as_nullable(type.nullable)
        return Call(Op.CEIL if up else Op.FLOOR, (operand.expression,), type)
    if operand.kind not in DATETIME:
        message = f"{operand.type} where a number or datetime is expected"
        raise operand.refused(message, cast_hint(operand, TIMESTAMP if unit else INTEGER))
    known = _ROUNDED[operand.kind]
    if unit is None or unit not in known:
        nearest = "HOUR" if operand.kind is not Kind.DATE else "DAY"
        hint = f"{name}({operand.text} TO {nearest})"
        if operand.kind is Kind.DATE and unit in _TIME_UNITS:
            hint = f"{name}(CAST({operand.text} AS TIMESTAMP(3)) TO {unit})"
        message = f"{operand.type} is not rounded to {unit or 'nothing: TO and a unit are missing'}"
        raise SqlError(Code.TYPE_MISMATCH, message, operand.sql, at, hint)
    return Round(up, operand.expression, unit, operand.type)


def bind_step(operand: Operand, by: Operand, at: Span) -> Expression:
    """``STEP(operand BY by)``: a datetime by an interval, an integer by an integer (S-208).

    Integers are cast to their common type.  A DATE takes whole days or months, a TIME no months.
    Evaluation raises INVALID_ARGUMENT for a step that is not positive.
    """
    require_typed(operand)
    if operand.kind not in DATETIME | INTEGERS:
        message = f"{operand.type} where a datetime or an integer is expected"
        raise operand.refused(message, cast_hint(operand, BIGINT))
    step_hint = "1" if operand.kind in INTEGERS else "INTERVAL '1' DAY"
    if operand.kind is Kind.TIME:
        step_hint = "INTERVAL '1' HOUR"
    require_typed(by)
    if by.kind is Kind.NULL:
        raise by.refused("NULL is not a step", step_hint)
    if operand.kind in INTEGERS and by.kind in INTEGERS:
        common = common_type((operand.type, by.type))
        assert common is not None, "integers have a common type"
        operands = (convert(operand.expression, common), convert(by.expression, common))
        return Call(Op.STEP, operands, common)
    fits = operand.kind in DATETIME and by.kind in INTERVAL
    if operand.kind is Kind.DATE and finer_than_day(by.type.fields):
        fits = False
        step_hint = "INTERVAL '1' DAY"
    if operand.kind is Kind.TIME and by.kind is Kind.MONTHS:
        fits = False
    if not fits:
        hint = f"STEP({operand.text} BY {step_hint})"
        message = f"{operand.type} does not step by {by.type}"
        raise SqlError(Code.TYPE_MISMATCH, message, operand.sql, at, hint)
    both = (operand.expression, by.expression)
    return Call(Op.STEP, both, operand.type.as_nullable(any_nullable(both)))


def bind_clock(node: tree.CurrentTime, sql: str) -> Expression:
    """CURRENT_TIMESTAMP or another reading of the session's clock, which is never NULL.

    NOT_SUPPORTED for a precision other than 3.
    """
    if node.precision not in (None, 3):
        message = "the session's clock has precision 3, milliseconds (S-101)"
        raise SqlError(Code.NOT_SUPPORTED, message, sql, node.span, node.function)
    assert node.function in _CLOCKS, f"the grammar knows no clock {node.function}"
    return Call(Op.CURRENT_TIMESTAMP, (), _CLOCKS[node.function].as_nullable(False))


def _nearest(unit: TimeUnit, known: frozenset[TimeUnit]) -> TimeUnit:
    """The unit among ``known`` whose place in `TimeUnit` is nearest to that of ``unit``."""
    order = list(TimeUnit)
    return min(known, key=lambda each: (abs(order.index(each) - order.index(unit)), each))
