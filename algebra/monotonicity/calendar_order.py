"""The monotonicity of functions of datetimes and intervals (S-207, S-402).

They are: the fields of EXTRACT, FLOOR and CEIL, datetime plus interval, the difference of two
datetimes, and sums of fields such as ``YEAR * 100 + MONTH``.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from algebra.constraints.number_range import Range
from algebra.constraints.ranges import FIELD_RANGE, value_range
from algebra.constraints.step import interval_unit
from algebra.expression import Call, Cast, Expression, Extract, Literal, Op, Round
from algebra.functions.datetimes import civil_from_days
from algebra.monotonicity.tables import Monotonicity, plus
from algebra.types import INTEGERS, MAX_DATE, MILLIS_PER_DAY, UNIT_MONTHS, Kind, Type
from grammar.tree import TimeUnit

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC

#: The fields of a date that never decrease as the date increases.
_ERAS: Final = frozenset({
    TimeUnit.MILLENNIUM, TimeUnit.CENTURY, TimeUnit.DECADE, TimeUnit.YEAR, TimeUnit.ISOYEAR,
    TimeUnit.EPOCH,
})  # fmt: skip

#: The fields of each kind of datetime that never decrease as the value increases.  Other fields
#: start again at their least value.  (`field_order` has the fields of intervals.)
MONOTONIC_FIELDS: Final[Mapping[Kind, frozenset[TimeUnit]]] = {
    Kind.DATE: _ERAS,
    Kind.TIMESTAMP: _ERAS,
    Kind.TIME: frozenset({TimeUnit.HOUR}),
}

#: The fields and units in which any two different values of a kind differ.
FINEST: Final = frozenset({
    (Kind.DATE, TimeUnit.EPOCH), (Kind.DATE, TimeUnit.DAY),
    (Kind.TIME, TimeUnit.MILLISECOND), (Kind.TIMESTAMP, TimeUnit.MILLISECOND),
    (Kind.MONTHS, TimeUnit.MONTH), (Kind.MILLIS, TimeUnit.MILLISECOND),
})  # fmt: skip


def field_order(unit: TimeUnit, type_: Type, m: Monotonicity) -> Monotonicity:
    """The monotonicity of ``EXTRACT(unit FROM x)`` for an x of the order ``m`` and of ``type_``.

    Of an interval, only EPOCH and the first field never decrease as the interval increases: the
    first field is not limited by a greater field.

    Defines: S-402.k, S-402.ag
    """
    monotonic = MONOTONIC_FIELDS.get(type_.kind, frozenset[TimeUnit]())
    if type_.fields is not None:
        first = type_.fields[0]
        monotonic = frozenset({first, TimeUnit.EPOCH})
        if first is TimeUnit.SECOND:
            monotonic |= {TimeUnit.MILLISECOND}
    if unit not in monotonic:
        return _N
    return m if (type_.kind, unit) in FINEST else m.unstrict()


def rounded_order(unit: TimeUnit, type_: Type, m: Monotonicity) -> Monotonicity:
    """The monotonicity of FLOOR or CEIL to ``unit`` of values of the order ``m`` and ``type_``."""
    return m if (type_.kind, unit) in FINEST else m.unstrict()


# --- adding -----------------------------------------------------------------------------------


def is_midnight(expression: Expression) -> bool:
    """Whether all values of ``expression``, a datetime, are known to be midnights."""
    if expression.type.kind is Kind.DATE:
        return True
    match expression:
        case Literal(int() as value):
            return value % MILLIS_PER_DAY == 0
        case Round(_, operand, unit):
            return unit in _WHOLE_DAYS or is_midnight(operand)
        case Cast(operand):
            return is_midnight(operand)
        case Call(Op.STEP, (_, size)):
            return _whole_days(size)
        case Call(Op.DATETIME_PLUS, (moment, by)):
            return is_midnight(moment) and _whole_days(by)
        case Call(Op.MONOTONIC | Op.GREATEST | Op.LEAST, operands):
            return all(map(is_midnight, operands))
        case _:
            return False


#: The units whose boundaries are midnights.
_WHOLE_DAYS: Final = frozenset({TimeUnit.DAY, TimeUnit.WEEK, *UNIT_MONTHS})


def _whole_days(interval: Expression) -> bool:
    """Whether an interval moves a midnight to a midnight: by months, or by multiples of a day."""
    if interval.type.kind is Kind.MONTHS:
        return True
    match interval:
        case Literal(int() as value):
            return value % MILLIS_PER_DAY == 0
        case Call(Op.NEGATE, (operand,)):
            return _whole_days(operand)
        case Call(Op.PLUS | Op.MINUS, operands):
            return all(_whole_days(each) for each in operands)
        case Call(Op.TIMES, (operand, number)):
            return number.type.kind in INTEGERS and _whole_days(operand)
        case _:
            return False


def datetime_sum_order(
    moment: Expression, by: Expression, a: Monotonicity, b: Monotonicity
) -> Monotonicity:
    """The monotonicity of ``moment + by``: a datetime of order ``a``, an interval of order ``b``.

    - A TIME starts again at midnight, so the sum has no order.
    - A DATE is moved by whole days, rounded down.
    - Months added to January 31 01:00 can give an earlier time than months added to January 30
      23:00, because both become the last day of a shorter month.  So adding months preserves the
      order of datetimes only if all of them are midnights.  But more months always give a datetime
      that is not earlier.

    Defines: S-402.x, S-402.aa, S-402.ab
    """
    match moment.type.kind, by.type.kind:
        case Kind.TIMESTAMP, Kind.MILLIS:
            return plus(a, b)
        case Kind.DATE, Kind.MILLIS:
            return plus(a, b if _whole_days(by) else b.unstrict())
        case ((Kind.TIMESTAMP | Kind.DATE), Kind.MONTHS):
            return plus(a.unstrict(), b) if a is _C or is_midnight(moment) else _N
        case _:
            return _N


# --- distances --------------------------------------------------------------------------------

#: The last day of the longest months; no day is clamped to it.
_LONGEST: Final = 31


def distance_order(
    call: Call, a: Monotonicity, b: Monotonicity, ranges: list[Range]
) -> Monotonicity:
    """The monotonicity of ``(x - y) unit``, for datetimes of orders ``a`` and ``b``.

    Defines: S-402.y
    """
    exact = plus(a, b.reverse())
    if call.type.kind is Kind.MILLIS:
        step = MILLIS_PER_DAY if call.operands[0].type.kind is Kind.DATE else 1
        return exact if step % interval_unit(call.type) == 0 else exact.unstrict()
    if all(map(is_midnight, call.operands)):
        return exact.unstrict()
    # One datetime must be constant.  The distance is the number of months that can be added to the
    # earlier datetime without passing the later one.  If the constant is the earlier one, this
    # number has the order of the difference.  If it is the later one, adding months can reverse the
    # order of two earlier datetimes, unless no day is clamped to the day of the constant.
    x, y = ranges
    fixed, varying = (y, x) if b is _C else (x, y)
    fixed_is_earlier = (
        varying.lower is not None and fixed.upper is not None and varying.lower >= fixed.upper
    )
    if _C in (a, b) and (fixed_is_earlier or _unclamped(fixed)):
        return exact.unstrict()
    return _N


def _unclamped(moment: Range) -> bool:
    """Whether adding months never clamps a day to the day of ``moment``, a constant TIMESTAMP.

    A day is clamped only to the last day of a month with fewer than 31 days.  False if the value of
    ``moment`` is not known.
    """
    if moment.value is None:
        return False
    day = int(moment.value // MILLIS_PER_DAY)
    day_of_month = civil_from_days(day)[2]
    if day_of_month == _LONGEST or day == MAX_DATE:  # the last date is the end of a December
        return True
    is_last_of_month = civil_from_days(day + 1)[2] == 1
    return not is_last_of_month


# --- sums of fields ---------------------------------------------------------------------------

#: For each field, sets of coarser fields.  Among datetimes that agree in the fields of such a set,
#: and in the fields of a set of each of these fields, and so on, the field never decreases as the
#: datetime increases.  MONTH, for example, never decreases within one YEAR.
WITHIN: Final[Mapping[TimeUnit, tuple[frozenset[TimeUnit], ...]]] = {
    TimeUnit.QUARTER: (frozenset({TimeUnit.YEAR}),),
    TimeUnit.MONTH: (frozenset({TimeUnit.YEAR}),),
    TimeUnit.DOY: (frozenset({TimeUnit.YEAR}),),
    TimeUnit.WEEK: (frozenset({TimeUnit.ISOYEAR}),),
    TimeUnit.DAY: (frozenset({TimeUnit.YEAR, TimeUnit.MONTH}),),
    TimeUnit.ISODOW: (frozenset({TimeUnit.ISOYEAR, TimeUnit.WEEK}),),
    TimeUnit.HOUR: (
        frozenset({TimeUnit.DAY}), frozenset({TimeUnit.DOY}), frozenset({TimeUnit.ISODOW}),
    ),
    TimeUnit.MINUTE: (frozenset({TimeUnit.HOUR}),),
    TimeUnit.SECOND: (frozenset({TimeUnit.MINUTE}),),
    TimeUnit.MILLISECOND: (frozenset({TimeUnit.MINUTE}),),
}  # fmt: skip


def calendar_sum(expression: Expression) -> Expression | None:
    """The datetime r if ``expression`` is a sum of fields of r that never decreases if r does not.

    An example is ``EXTRACT(YEAR FROM r) * 100 + EXTRACT(MONTH FROM r)``: each field has a factor,
    and an increase of a coarser field outweighs any decrease of the finer fields.  None if
    ``expression`` is not such a sum.

    Defines: S-402.l
    """
    weights: dict[TimeUnit, Fraction] = {}
    moments: set[Expression] = set()
    for weight, term in _terms(expression, Fraction(1)):
        match term:
            case Extract(unit, operand) if unit in FIELD_RANGE:
                weights[unit] = weights.get(unit, Fraction(0)) + weight
                moments.add(operand)
            case Literal():
                pass
            case _:
                return None
    ordered = sorted((unit for unit in weights if weights[unit]), key=lambda unit: -weights[unit])
    if len(moments) != 1 or not ordered:
        return None
    [moment] = moments
    return moment if _leads(ordered, weights, moment.type.kind) else None


def _terms(expression: Expression, weight: Fraction) -> Iterator[tuple[Fraction, Expression]]:
    """The summands of a sum of integers, each with its factor.

    ``weight`` is the factor of the whole sum.  A cast between integers has the summands of its
    operand.
    """
    if expression.type.kind not in INTEGERS:
        yield weight, expression
        return
    match expression:
        case Call(Op.PLUS, operands):
            for each in operands:
                yield from _terms(each, weight)
        case Call(Op.MINUS, (a, b)):
            yield from _terms(a, weight)
            yield from _terms(b, -weight)
        case Call(Op.NEGATE, (a,)):
            yield from _terms(a, -weight)
        case Call(Op.TIMES, (a, b)):
            if (factor := value_range(b).value) is not None:
                yield from _terms(a, weight * factor)
            elif (factor := value_range(a).value) is not None:
                yield from _terms(b, weight * factor)
            else:
                yield weight, expression
        case Cast(operand) if operand.type.kind in INTEGERS:
            yield from _terms(operand, weight)
        case _:
            yield weight, expression


def _leads(ordered: list[TimeUnit], weights: Mapping[TimeUnit, Fraction], kind: Kind) -> bool:
    """Whether the weighted sum of the fields ``ordered`` never decreases.

    The fields are sorted by their weights, the greatest first.  Each field must be one that never
    decreases while the fields before it are equal.  A step of it must weigh at least as much as the
    greatest decrease of all fields after it.  ``kind`` is the kind of the datetime.
    """
    greatest_decrease = Fraction(0)  # of the fields after `unit`
    for unit in reversed(ordered):
        if weights[unit] < greatest_decrease:
            return False
        known = FIELD_RANGE[unit]
        assert known.lower is not None, "a field has a least value"
        assert known.upper is not None, "a field has a greatest value"
        greatest_decrease += weights[unit] * (known.upper - known.lower)
    before: set[TimeUnit] = set()
    for unit in ordered:
        monotonic = unit in MONOTONIC_FIELDS.get(kind, frozenset[TimeUnit]())
        if not monotonic and not any(each <= before for each in WITHIN.get(unit, ())):
            return False
        before.add(unit)
    return True
