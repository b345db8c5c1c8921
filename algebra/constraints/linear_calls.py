"""The values of calls of operators and functions as linear terms (S-202, S-207).

`Linearizer` (`algebra.constraints.conditions`) uses this module for the calls in a condition.
Rounding is not linear: its result is a variable whose distance from the operand is limited.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Protocol

from algebra.constraints.clock_fields import stepped_by_months
from algebra.constraints.constraint_system import ConstraintSystem, Rounding
from algebra.constraints.linear_terms import ALWAYS, Term
from algebra.constraints.linear_values import LinearValue, as_datetime, fitted
from algebra.constraints.ranges import rounding_unit
from algebra.constraints.step import interval_unit, step_of
from algebra.expression import Call, Expression, Op
from algebra.types import DATETIME, INTEGERS, MILLIS_PER_DAY, Kind, Type

#: The name of the session's clock, in milliseconds, in queries that read it once (S-106).
CLOCK: Final = "CURRENT_TIMESTAMP"
#: The factor that converts milliseconds to days.
_DAYS_PER_MILLI: Final = Fraction(1, MILLIS_PER_DAY)


class OperandReader(Protocol):
    """Translates the operands of a call; `algebra.constraints.conditions.Linearizer` is one."""

    system: ConstraintSystem

    def value_of(self, expression: Expression) -> LinearValue:
        """The value of an operand, in a row in which it is not NULL."""
        ...

    def term(self, expression: Expression) -> Term:
        """The value of an operand as a term: a new variable if it is opaque."""
        ...

    def instant(self, expression: Expression) -> Term:
        """A datetime in milliseconds."""
        ...

    def only_value(self, expression: Expression) -> Fraction | None:
        """The only number that an operand can be; None if it can be several, or is not known."""
        ...


def call_value(call: Call, reader: OperandReader) -> LinearValue | None:
    """The value of ``call``, whose operands ``reader`` translates; None if it is not linear."""
    system, type, operands = reader.system, call.type, call.operands
    # `step_of` is None for REAL and DOUBLE, and for types without numbers, such as VARCHAR.
    if any(step_of(each.type) is None for each in (call, *operands)):
        return _approximate(call.op, operands, reader)
    match call.op, operands:
        case Op.PLUS | Op.MINUS, (a, b):
            sign = 1 if call.op is Op.PLUS else -1
            return fitted(system, reader.term(a).plus(reader.term(b).times(sign)), type)
        case (Op.NEGATE, (a,)):
            return reader.term(a).times(-1)
        case Op.TIMES, (a, b):
            return _multiple(a, b, type, reader) or _multiple(b, a, type, reader)
        case Op.DIVIDE, (a, b):
            divisor = reader.only_value(b)
            if not divisor:
                return None
            exact = reader.term(a).times(1 / divisor)  # the divisor is known and not 0
            whole = type.kind in INTEGERS
            return system.rounded(exact, 1, Rounding.ZERO) if whole else fitted(system, exact, type)
        case Op.MOD, (a, b):
            divisor = reader.only_value(b)
            if not divisor:
                return None
            dividend = reader.term(a)
            return dividend.minus(system.rounded(dividend, abs(divisor), Rounding.ZERO))
        case (Op.ABS, (a,)):
            return system.magnitude(reader.term(a))
        case (Op.SIGN, (a,)):
            return system.sign(reader.term(a))
        case (Op.FLOOR, (a,)):
            return system.rounded(reader.term(a), 1, Rounding.DOWN)
        case (Op.CEIL, (a,)):
            return system.rounded(reader.term(a), 1, Rounding.UP)
        case Op.ROUND | Op.TRUNCATE, (a, *rest):
            unit = rounding_unit(reader.only_value(rest[0]) if rest else Fraction(0))
            if unit is None:
                return None
            way = Rounding.NEAREST if call.op is Op.ROUND else Rounding.ZERO
            return fitted(system, system.rounded(reader.term(a), unit, way), type)
        case Op.STEP, (a, b):
            return _step(a, b, reader)
        case (Op.MONOTONIC, (a,)):
            return reader.term(a)
        case Op.GREATEST | Op.LEAST, _:
            return system.extreme([reader.term(each) for each in operands], call.op is Op.GREATEST)
        case Op.COALESCE, _:
            return _first_known(operands, reader)
        case (Op.LAST_DAY, (a,)):
            month = system.month_of(_midnight(a, reader).times(_DAYS_PER_MILLI))
            return system.start_of_month(month.add(1)).add(-1)
        case Op.DATETIME_PLUS, (a, b):
            return _datetime_sum(a, b, type, reader)
        case Op.DATETIME_MINUS, (a, b):
            return _datetime_difference(a, b, type, reader)
        case (Op.CURRENT_TIMESTAMP, ()) if system.fixed_clock:
            return as_datetime(system, system.named(CLOCK), type)
        case _:
            return None


def _approximate(
    op: Op, operands: Sequence[Expression], reader: OperandReader
) -> LinearValue | None:
    """The value of a call with a REAL or DOUBLE; None if it is not linear.

    Only operators that do not round are linear, and only for an operand that is a linear term.
    """
    if op not in (Op.NEGATE, Op.FLOOR, Op.CEIL, Op.MONOTONIC):
        return None
    value = reader.value_of(operands[0])
    if not isinstance(value, Term):
        return None
    match op:
        case Op.NEGATE:
            return value.times(-1)
        case Op.FLOOR:
            return reader.system.rounded(value, 1, Rounding.DOWN)
        case Op.CEIL:
            return reader.system.rounded(value, 1, Rounding.UP)
        case _:
            return value


def _multiple(a: Expression, b: Expression, type: Type, reader: OperandReader) -> Term | None:
    """``a * b`` if ``b`` can have only one value, else None."""
    factor = reader.only_value(b)
    return None if factor is None else fitted(reader.system, reader.term(a).times(factor), type)


def _first_known(operands: Sequence[Expression], reader: OperandReader) -> Term:
    """The value of COALESCE: any of its operands up to the first that is never NULL."""
    last = next((i for i, each in enumerate(operands) if not each.type.nullable), len(operands))
    choices = [(ALWAYS, reader.term(each)) for each in operands[: last + 1]]
    return choices[0][1] if len(choices) == 1 else reader.system.one_of(choices)


def _step(a: Expression, b: Expression, reader: OperandReader) -> Term | None:
    """``STEP(a BY b)`` if ``b`` is constant and positive, else None."""
    size = reader.only_value(b)
    if size is None or size <= 0:
        return None
    if a.type.kind not in DATETIME:
        return reader.system.rounded(reader.term(a), size, Rounding.DOWN)
    if b.type.kind is Kind.MONTHS:
        instant = stepped_by_months(reader.system, reader.instant(a), int(size))
    else:
        instant = reader.system.rounded(reader.instant(a), size, Rounding.DOWN)
    return as_datetime(reader.system, instant, a.type)


def _midnight(time: Expression, reader: OperandReader) -> Term:
    """The instant of the last midnight that is not after a datetime."""
    return reader.system.rounded(reader.instant(time), MILLIS_PER_DAY, Rounding.DOWN)


def _datetime_sum(
    time: Expression, interval: Expression, type: Type, reader: OperandReader
) -> Term:
    """A datetime plus an interval; months keep the time of day (S-207)."""
    instant, amount = reader.instant(time), reader.term(interval)
    if interval.type.kind is Kind.MILLIS:
        return as_datetime(reader.system, instant.plus(amount), type)
    if time.type.kind is Kind.TIME:
        return instant  # no query has this: binding refuses a TIME plus months
    midnight = _midnight(time, reader)
    day = reader.system.add_months(midnight.times(_DAYS_PER_MILLI), amount)
    moved = day.times(MILLIS_PER_DAY).plus(instant.minus(midnight))
    return as_datetime(reader.system, moved, type)


def _datetime_difference(a: Expression, b: Expression, type: Type, reader: OperandReader) -> Term:
    """``(a - b) unit``, truncated toward zero to the unit of the interval ``type`` (S-207)."""
    later, earlier = reader.instant(a), reader.instant(b)
    exact = later.minus(earlier)
    if type.kind is Kind.MONTHS:
        days = (
            _midnight(a, reader).times(_DAYS_PER_MILLI),
            _midnight(b, reader).times(_DAYS_PER_MILLI),
        )
        exact = reader.system.months_between(later, earlier, days)
    return reader.system.rounded(exact, interval_unit(type), Rounding.ZERO)
