"""Expressions as linear terms of two columns: ``a * left + b * right + rest``.

``rest`` is only known to lie in a range: that covers constants, other columns with declared ranges,
and what FLOOR cuts off.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from algebra.cast_order import CastOrder, cast_order
from algebra.expression import Call, Cast, Expression, InputRef, Op, Round
from algebra.ranges import ANY, Range, scaled, total, value_range
from algebra.types import (
    DATETIME,
    EXACT,
    INTEGERS,
    INTERVAL,
    MILLIS_PER_DAY,
    UNIT_MILLIS,
    Kind,
    Type,
)
from grammar.tree import TimeUnit

#: The most days that a unit of the calendar has.
MOST_DAYS: Final = {
    TimeUnit.MONTH: 31,
    TimeUnit.QUARTER: 92,
    TimeUnit.YEAR: 366,
    TimeUnit.DECADE: 3_653,
    TimeUnit.CENTURY: 36_525,
    TimeUnit.MILLENNIUM: 365_243,
}
#: The days of a month, at least and at most.
SHORT_MONTH: Final = 28
LONG_MONTH: Final = 31

ZERO: Final = Range(Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class Linear:
    """``left`` times the left column, plus ``right`` times the right one, plus some of ``rest``."""

    left: Fraction = Fraction(0)
    right: Fraction = Fraction(0)
    rest: Range = ZERO

    def plus(self, other: "Linear") -> "Linear":
        """The sum."""
        rest = total(self.rest, other.rest)
        return Linear(self.left + other.left, self.right + other.right, rest)

    def times(self, factor: Fraction) -> "Linear":
        """The multiple."""
        return Linear(self.left * factor, self.right * factor, scaled(self.rest, factor))

    def within(self, lower: Fraction, upper: Fraction) -> "Linear":
        """The sum with an unknown number from ``lower`` to ``upper``."""
        return replace(self, rest=total(self.rest, Range(lower, upper)))


def unit_of(type_: Type) -> int:
    """The interval's last field, in months or milliseconds: what it counts in."""
    assert type_.fields is not None, "an interval has fields"
    last = type_.fields[1]
    if type_.kind is Kind.MONTHS:
        return 12 if last is TimeUnit.YEAR else 1
    return UNIT_MILLIS[last]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads expressions as terms of the columns ``left`` and ``right``."""

    left: int
    right: int
    ranges: Sequence[Range]

    def linear(self, expression: Expression) -> Linear:
        """``expression`` in units of its type, as it is inside; what is unknown is any number."""
        match expression:
            case InputRef(index) if index == self.left:
                return Linear(left=Fraction(1))
            case InputRef(index) if index == self.right:
                return Linear(right=Fraction(1))
            case Cast(operand, type_):
                return self._cast(expression, operand, operand.type, type_)
            case Round(up, operand, unit):
                cut = calendar_width(unit, operand.type) - 1
                return self.linear(operand).within(*_sides(Fraction(cut), up))
            case Call(op, operands, type_) if type_.kind in EXACT | INTERVAL | DATETIME:
                return self._call(expression, op, operands) or self._unknown(expression)
            case _:
                return self._unknown(expression)

    def span(self, minus: Call) -> Linear:
        """``(a - b)`` before it is truncated: in milliseconds; in days for months of dates."""
        a, b = (self.linear(each) for each in minus.operands)
        exact = a.plus(b.times(Fraction(-1)))
        days = minus.operands[0].type.kind is Kind.DATE and minus.type.kind is Kind.MILLIS
        return exact.times(Fraction(MILLIS_PER_DAY)) if days else exact

    def _unknown(self, expression: Expression) -> Linear:
        return Linear(rest=value_range(expression, self.ranges))

    def _cast(self, cast: Expression, operand: Expression, source: Type, target: Type) -> Linear:
        """Casts that change no value, and those between DATE and TIMESTAMP, which cut the time."""
        day = Fraction(MILLIS_PER_DAY)
        same = source.kind is target.kind or {source.kind, target.kind} <= EXACT
        if same and cast_order(source, target) is CastOrder.STRICT:
            return self.linear(operand)
        match source.kind, target.kind:
            case Kind.DATE, Kind.TIMESTAMP:
                return self.linear(operand).times(day)
            case Kind.TIMESTAMP, Kind.DATE:
                return self.linear(operand).times(1 / day).within(1 / day - 1, Fraction(0))
            case _:
                return self._unknown(cast)

    def _call(self, call: Expression, op: Op, operands: tuple[Expression, ...]) -> Linear | None:
        """An operator that is linear but for what it cuts off; None: another."""
        scales = [each.type.scale for each in operands]
        match op, operands:
            case Op.PLUS, (a, b) if call.type.scale >= max(scales):
                return self.linear(a).plus(self.linear(b))
            case Op.MINUS, (a, b) if call.type.scale >= max(scales):
                return self.linear(a).plus(self.linear(b).times(Fraction(-1)))
            case (Op.NEGATE, (a,)):
                return self.linear(a).times(Fraction(-1))
            case (Op.MONOTONIC, (a,)):
                return self.linear(a)
            case Op.DATETIME_PLUS, (a, b) if a.type.kind is not Kind.TIME:
                return self.linear(a).plus(_shift(a.type, b.type, self.linear(b)))
            case Op.DATETIME_MINUS, (_, _) if call.type.kind is Kind.MILLIS:
                assert isinstance(call, Call), "an operator stands in a call"
                cut = Fraction(unit_of(call.type) - 1)
                return self.span(call).within(-cut, cut)
            case Op.TIMES, (a, b) if call.type.scale >= sum(scales):
                return self._multiple(a, b) or self._multiple(b, a)
            case Op.DIVIDE, (a, b) if call.type.kind in INTEGERS:
                divisor = value_range(b, self.ranges).value
                if divisor is None or divisor == 0:
                    return None
                cut = 1 - 1 / abs(divisor)
                return self.linear(a).times(1 / divisor).within(-cut, cut)
            case Op.STEP, (a, b):
                step = value_range(b, self.ranges).value
                if step is None or step <= 0 or b.type.kind is Kind.MONTHS:
                    return None
                is_date = a.type.kind is Kind.DATE
                cut = step / MILLIS_PER_DAY if is_date else step - 1
                return self.linear(a).within(-cut, Fraction(0))
            case _:
                return None

    def _multiple(self, a: Expression, b: Expression) -> Linear | None:
        """``a * b`` where ``b`` can have one value only; of intervals whole multiples."""
        factor = value_range(b, self.ranges).value
        exact = a.type.kind in EXACT or (factor is not None and factor.denominator == 1)
        return self.linear(a).times(factor) if factor is not None and exact else None


def calendar_width(unit: TimeUnit, type_: Type) -> int:
    """The most milliseconds of a unit, or days of it on a DATE."""
    millis = UNIT_MILLIS.get(unit) or MOST_DAYS[unit] * MILLIS_PER_DAY
    return max(1, millis // MILLIS_PER_DAY) if type_.kind is Kind.DATE else millis


def _sides(cut: Fraction, up: bool) -> tuple[Fraction, Fraction]:
    return (Fraction(0), cut) if up else (-cut, Fraction(0))


def _shift(time: Type, interval: Type, amount: Linear) -> Linear:
    """What an interval adds to a DATE (in days) or TIMESTAMP (in milliseconds)."""
    is_date = time.kind is Kind.DATE
    if interval.kind is Kind.MILLIS:
        if not is_date:
            return amount
        # Part of a day may or may not count.
        return amount.times(Fraction(1, MILLIS_PER_DAY)).within(Fraction(-1), Fraction(1))
    months, unit = amount.rest, Fraction(1 if is_date else MILLIS_PER_DAY)
    if not amount.left == amount.right == 0:
        return Linear(rest=ANY)
    low, high = months.lower, months.upper
    return Linear(
        rest=Range(
            None if low is None else low * (SHORT_MONTH if low >= 0 else LONG_MONTH) * unit,
            None if high is None else high * (LONG_MONTH if high >= 0 else SHORT_MONTH) * unit,
        )
    )
