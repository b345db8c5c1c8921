"""Operators and functions as linear terms, with bounded variables for rounding (S-202, S-207)."""

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
#: The factor from milliseconds to days.
_DAY: Final = Fraction(1, MILLIS_PER_DAY)


class Operands(Protocol):
    """How the operands of a call are read; `algebra.constraints.conditions.Linearizer` is one."""

    system: ConstraintSystem

    def value_of(self, expression: Expression) -> LinearValue:
        """The value of an operand, where it is not NULL."""
        ...

    def term(self, expression: Expression) -> Term:
        """The value of an operand as a term: a new variable if it is opaque."""
        ...

    def instant(self, expression: Expression) -> Term:
        """A datetime in milliseconds."""
        ...

    def only_value(self, expression: Expression) -> Fraction | None:
        """The one number that an operand can be; None: several, or not known."""
        ...


def call_value(call: Call, at: Operands) -> LinearValue | None:
    """The value of ``call`` over the operands ``at``; None if it is not linear."""
    system, type, operands = at.system, call.type, call.operands
    # Without a step, the call or an operand is a REAL or DOUBLE, or has no number as its value.
    if any(step_of(each.type) is None for each in (call, *operands)):
        return _approximate(call.op, operands, at)
    match call.op, operands:
        case Op.PLUS | Op.MINUS, (a, b):
            sign = 1 if call.op is Op.PLUS else -1
            return fitted(system, at.term(a).plus(at.term(b).times(sign)), type)
        case (Op.NEGATE, (a,)):
            return at.term(a).times(-1)
        case Op.TIMES, (a, b):
            return _multiple(a, b, type, at) or _multiple(b, a, type, at)
        case Op.DIVIDE, (a, b):
            divisor = at.only_value(b)
            if not divisor:
                return None
            exact = at.term(a).times(1 / divisor)
            whole = type.kind in INTEGERS
            return system.rounded(exact, 1, Rounding.ZERO) if whole else fitted(system, exact, type)
        case Op.MOD, (a, b):
            divisor = at.only_value(b)
            if not divisor:
                return None
            dividend = at.term(a)
            return dividend.minus(system.rounded(dividend, abs(divisor), Rounding.ZERO))
        case (Op.ABS, (a,)):
            return system.magnitude(at.term(a))
        case (Op.SIGN, (a,)):
            return system.sign(at.term(a))
        case (Op.FLOOR, (a,)):
            return system.rounded(at.term(a), 1, Rounding.DOWN)
        case (Op.CEIL, (a,)):
            return system.rounded(at.term(a), 1, Rounding.UP)
        case Op.ROUND | Op.TRUNCATE, (a, *rest):
            unit = rounding_unit(at.only_value(rest[0]) if rest else Fraction(0))
            if unit is None:
                return None
            way = Rounding.NEAREST if call.op is Op.ROUND else Rounding.ZERO
            return fitted(system, system.rounded(at.term(a), unit, way), type)
        case Op.STEP, (a, b):
            return _step(a, b, at)
        case (Op.MONOTONIC, (a,)):
            return at.term(a)
        case Op.GREATEST | Op.LEAST, _:
            return system.extreme([at.term(each) for each in operands], call.op is Op.GREATEST)
        case Op.COALESCE, _:
            return _first_known(operands, at)
        case (Op.LAST_DAY, (a,)):
            month = system.month_of(_midnight(a, at).times(_DAY))
            return system.start_of_month(month.add(1)).add(-1)
        case Op.DATETIME_PLUS, (a, b):
            return _datetime_sum(a, b, type, at)
        case Op.DATETIME_MINUS, (a, b):
            return _datetime_difference(a, b, type, at)
        case (Op.CURRENT_TIMESTAMP, ()) if system.fixed_clock:
            return as_datetime(system, system.named(CLOCK), type)
        case _:
            return None


def _approximate(op: Op, operands: Sequence[Expression], at: Operands) -> LinearValue | None:
    """The operators that REAL and DOUBLE compute without rounding, for an exact operand."""
    if op not in (Op.NEGATE, Op.FLOOR, Op.CEIL, Op.MONOTONIC):
        return None
    value = at.value_of(operands[0])
    if not isinstance(value, Term):
        return None
    match op:
        case Op.NEGATE:
            return value.times(-1)
        case Op.FLOOR:
            return at.system.rounded(value, 1, Rounding.DOWN)
        case Op.CEIL:
            return at.system.rounded(value, 1, Rounding.UP)
        case _:
            return value


def _multiple(a: Expression, b: Expression, type: Type, at: Operands) -> Term | None:
    """``a * b`` for a ``b`` that can have one value only."""
    factor = at.only_value(b)
    return None if factor is None else fitted(at.system, at.term(a).times(factor), type)


def _first_known(operands: Sequence[Expression], at: Operands) -> Term:
    """COALESCE: any of its operands up to the first that is never NULL."""
    sure = next((i for i, each in enumerate(operands) if not each.type.nullable), len(operands))
    choices = [(ALWAYS, at.term(each)) for each in operands[: sure + 1]]
    return choices[0][1] if len(choices) == 1 else at.system.one_of(choices)


def _step(a: Expression, b: Expression, at: Operands) -> Term | None:
    """``STEP(a BY b)`` for a constant, positive ``b``."""
    size = at.only_value(b)
    if size is None or size <= 0:
        return None
    if a.type.kind not in DATETIME:
        return at.system.rounded(at.term(a), size, Rounding.DOWN)
    if b.type.kind is Kind.MONTHS:
        instant = stepped_by_months(at.system, at.instant(a), int(size))
    else:
        instant = at.system.rounded(at.instant(a), size, Rounding.DOWN)
    return as_datetime(at.system, instant, a.type)


def _midnight(time: Expression, at: Operands) -> Term:
    """The midnight at or before a datetime, in milliseconds."""
    return at.system.rounded(at.instant(time), MILLIS_PER_DAY, Rounding.DOWN)


def _datetime_sum(time: Expression, interval: Expression, type: Type, at: Operands) -> Term:
    """A datetime plus an interval (S-207)."""
    instant, amount = at.instant(time), at.term(interval)
    if interval.type.kind is Kind.MILLIS:
        return as_datetime(at.system, instant.plus(amount), type)
    if time.type.kind is Kind.TIME:
        return instant
    midnight = _midnight(time, at)
    day = at.system.add_months(midnight.times(_DAY), amount)
    moved = day.times(MILLIS_PER_DAY).plus(instant.minus(midnight))
    return as_datetime(at.system, moved, type)


def _datetime_difference(a: Expression, b: Expression, type: Type, at: Operands) -> Term:
    """``(a - b) unit``, toward zero to the unit (S-207)."""
    later, earlier = at.instant(a), at.instant(b)
    exact = later.minus(earlier)
    if type.kind is Kind.MONTHS:
        days = _midnight(a, at).times(_DAY), _midnight(b, at).times(_DAY)
        exact = at.system.months_between(later, earlier, days)
    return at.system.rounded(exact, interval_unit(type), Rounding.ZERO)
