"""What conditions say of numbers and times: expressions read as linear terms, and as rules.

A number, datetime or interval is a `Term` of variables, as it is inside; what is not linear, like
FLOOR, is a variable that the `ConstraintSystem` knows the meaning of; anything else is a variable
that nothing is known of but its name, so that equal expressions have equal values.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Final, TypeAlias

from algebra.constraints.clock_fields import extracted, rounded_to_unit, stepped_by_months
from algebra.constraints.constraint_system import ConstraintSystem, Rounding
from algebra.constraints.linear_terms import (
    ALWAYS,
    NEVER,
    Constraint,
    Term,
    all_of,
    any_of,
    at_most,
    below,
    equal,
    number,
    within,
)
from algebra.constraints.number_range import Range
from algebra.constraints.ranges import value_range
from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    EXACT,
    INTEGER_DIGITS,
    INTEGERS,
    INTERVAL,
    MILLIS_PER_DAY,
    UNIT_MILLIS,
    UNIT_MONTHS,
    Kind,
    Type,
)
from grammar.tree import TimeUnit

#: The kinds whose values are multiples of one grain inside.
GRAINED: Final = EXACT | DATETIME | INTERVAL


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is no term, like a text: only its name is known; one name is one value."""

    name: Hashable


LinearValue: TypeAlias = Term | Opaque


def grain_of(type: Type) -> Fraction:
    """What all values of an exact number, datetime or interval type are multiples of, inside."""
    return Fraction(1, 10**type.scale) if type.kind is Kind.DECIMAL else Fraction(1)


def unit_of(type: Type) -> int:
    """What an interval's last field counts inside: months or milliseconds; of SECOND 1 (S-207)."""
    assert type.fields is not None, "an interval has fields"
    last = type.fields[1]
    if type.kind is Kind.MONTHS:
        return UNIT_MONTHS[last]
    return 1 if last is TimeUnit.SECOND else UNIT_MILLIS[last]


def column_value(system: ConstraintSystem, key: Hashable, type: Type) -> LinearValue:
    """A column of that type, by a name of its own."""
    return system.named(key, grain_of(type)) if type.kind in GRAINED else Opaque(key)


def in_range(value: Term, known: Range) -> Constraint:
    """A value is in its range; what is in none is NULL in every row, and nothing is said of it."""
    if known.lower is not None and known.upper is not None and known.lower > known.upper:
        return ALWAYS
    return within(value, known.lower, known.upper)


@dataclass(slots=True)
class Linearizer:
    """Reads the expressions of one row: ``column`` says what its columns are.

    ``ranges`` are those of the columns, where known.
    """

    system: ConstraintSystem
    column: Callable[[InputRef], LinearValue]
    ranges: Sequence[Range] = ()

    # --- conditions ---------------------------------------------------------------------------

    def where_true(self, condition: Expression) -> Constraint:
        """What is so in every row of which ``condition`` is true."""
        return self._where(condition, wanted=True)

    def _where(self, condition: Expression, wanted: bool) -> Constraint:
        """What is so in every row of which ``condition`` is true, or else is false."""
        match condition:
            case Literal(value):
                return ALWAYS if value is wanted else NEVER
            case Call(Op.NOT, (operand,)):
                return self._where(operand, not wanted)
            case Call((Op.AND | Op.OR) as op, operands):
                join = all_of if (op is Op.AND) is wanted else any_of
                return join([self._where(each, wanted) for each in operands])
            case Call(Op.COALESCE, operands):
                return any_of([self._where(each, wanted) for each in operands])
            case Call(
                (Op.IS_TRUE | Op.IS_NOT_TRUE | Op.IS_FALSE | Op.IS_NOT_FALSE) as op, (operand,)
            ):
                return self._tested(op, operand, wanted)
            case Call(Op.IN, (operand, *items)):
                cases = [self._compared(Op.EQUAL, operand, each, wanted) for each in items]
                return any_of(cases) if wanted else all_of(cases)
            case Call(op, (a, b)) if op in _NEGATED:
                return self._compared(op, a, b, wanted)
            case Case(branches, otherwise):
                return any_of(
                    all_of((constraint, self._where(each, wanted)))
                    for constraint, each in self._branches(branches, otherwise)
                )
            case Cast(operand, type) if type.kind is operand.type.kind is Kind.BOOLEAN:
                return self._where(operand, wanted)
            case _:
                return ALWAYS

    def _tested(self, op: Op, operand: Expression, wanted: bool) -> Constraint:
        """IS [NOT] TRUE and IS [NOT] FALSE, which are never unknown; an unknown operand is free."""
        asked = op in (Op.IS_TRUE, Op.IS_NOT_FALSE)
        surely = (op in (Op.IS_TRUE, Op.IS_FALSE)) is wanted
        if surely or not operand.type.nullable:
            return self._where(operand, asked is wanted)
        return ALWAYS

    def _compared(self, op: Op, a: Expression, b: Expression, wanted: bool) -> Constraint:
        """A comparison that is true, or else false; of NULL it is neither."""
        if op in _CERTAIN:
            # Two NULLs are not distinct: then nothing is known of a row.
            if a.type.nullable and b.type.nullable and (op is _CERTAIN[0]) is not wanted:
                return ALWAYS
            if (op is _CERTAIN[0]) is wanted and (a.type.nullable or b.type.nullable):
                return ALWAYS
        elif _is_null(a) or _is_null(b):
            return NEVER
        chosen = [*self._chosen(a, lambda each: self._compared(op, each, b, wanted))]
        chosen = chosen or [*self._chosen(b, lambda each: self._compared(op, a, each, wanted))]
        if chosen:
            return any_of(chosen)
        real = op if wanted else _NEGATED[op]
        if a.type.kind is Kind.BOOLEAN:
            return self._equivalent(a, b) if real in _EQUAL else ALWAYS
        x, y = self.value_of(a), self.value_of(b)
        if not (isinstance(x, Term) and isinstance(y, Term)):
            return ALWAYS
        match real:
            case Op.LESS:
                return below(x, y)
            case Op.LESS_OR_EQUAL:
                return at_most(x, y)
            case Op.GREATER:
                return below(y, x)
            case Op.GREATER_OR_EQUAL:
                return at_most(y, x)
            case Op.EQUAL | Op.IS_NOT_DISTINCT_FROM:
                return equal(x, y)
            case _:
                return any_of((below(x, y), below(y, x)))

    def _chosen(
        self, choice: Expression, said: Callable[[Expression], Constraint]
    ) -> Iterator[Constraint]:
        """What is ``said`` of each value that a CASE or COALESCE may choose; of others nothing."""
        match choice:
            case Case(branches, otherwise):
                for constraint, each in self._branches(branches, otherwise):
                    yield all_of((constraint, said(each)))
            case Call(Op.COALESCE, operands):
                for each in operands:
                    yield said(each)
                    if not each.type.nullable:
                        return
            case _:
                return

    def _branches(
        self, branches: tuple[tuple[Expression, Expression], ...], otherwise: Expression
    ) -> Iterator[tuple[Constraint, Expression]]:
        """Each result of a CASE, and what is so where it is chosen."""
        before: Constraint = ALWAYS
        for when, then in branches:
            yield all_of((before, self.where_true(when))), then
            # A condition that is passed over may be unknown.
            if not when.type.nullable:
                before = all_of((before, self._where(when, wanted=False)))
        yield before, otherwise

    def _equivalent(self, a: Expression, b: Expression) -> Constraint:
        """Two conditions that are both true or both false."""
        return any_of(
            [all_of((self._where(a, each), self._where(b, each))) for each in (True, False)]
        )

    # --- values -------------------------------------------------------------------------------

    def term(self, expression: Expression) -> Term:
        """A number, datetime or interval that is exact; one that is not understood is any."""
        reading = self.value_of(expression)
        return reading if isinstance(reading, Term) else self.system.fresh()

    def instant(self, expression: Expression) -> Term:
        """A datetime in milliseconds: a DATE is its midnight, a TIME since midnight."""
        return self.term(expression).times(_millis(expression.type))

    def value_of(self, expression: Expression) -> LinearValue:
        """The value of ``expression``, where it is not NULL."""
        match expression:
            case InputRef():
                return self.column(expression)
            case Literal(value, type):
                return _constant(value, type)
            case OuterRef() | Parameter():
                return column_value(self.system, expression, expression.type)
            case Cast(operand, type):
                return self._cast(operand, operand.type, type) or self._opaque(expression)
            case Case(branches, otherwise, type) if type.kind in GRAINED:
                choices = self._branches(branches, otherwise)
                return self.system.one_of(
                    [(constraint, self.term(each)) for constraint, each in choices]
                )
            case Extract(unit, operand) if operand.type.kind in DATETIME:
                return extracted(self.system, unit, operand.type.kind, self.instant(operand))
            case Round(up, operand, unit):
                found = rounded_to_unit(self.system, up, self.instant(operand), unit, operand.type)
                return self._datetime(found, expression.type)
            case Call(op, operands):
                return self._call(expression, op, operands) or self._opaque(expression)
            case Case() | Extract() | Grouping() | GroupId():
                return self._opaque(expression)
            case ScalarQuery() | Exists() | InQuery() | Quantified():
                return self._opaque(expression)

    def _opaque(self, expression: Expression) -> LinearValue:
        """What is only known by the operator and operands that make it, and by its range."""
        name = self._name(expression)
        reading = column_value(self.system, name, expression.type)
        if isinstance(reading, Term):
            self.system.constraints.append(in_range(reading, value_range(expression, self.ranges)))
        return reading

    def _name(self, expression: Expression) -> Hashable:
        match expression:
            case Call(Op.RAND | Op.CURRENT_TIMESTAMP):
                return self.system.fresh()
            case Call(op, operands, type):
                return (op, type.as_nullable(), *map(self._typed, operands))
            case Cast(operand, type) if {Kind.TIME, Kind.TIMESTAMP} != {
                operand.type.kind,
                type.kind,
            }:
                return ("cast", type.as_nullable(), *self._typed(operand))
            case Extract(unit, operand):
                return (unit, *self._typed(operand))
            case _:
                return self.system.fresh()

    def _typed(self, operand: Expression) -> tuple[Type, LinearValue]:
        return operand.type.as_nullable(), self.value_of(operand)

    def _fitted(self, exact: Term, type: Type) -> Term:
        """An exact result as a value of ``type``: HALF_UP, an interval toward zero (S-202)."""
        way = Rounding.ZERO if type.kind in INTERVAL else Rounding.NEAREST
        return self.system.rounded(exact, grain_of(type), way)

    def _datetime(self, instant: Term, type: Type) -> Term:
        """An instant as a value of a datetime type: a DATE is the day that holds it."""
        day = MILLIS_PER_DAY
        match type.kind:
            case Kind.DATE:
                return self.system.rounded(instant, day, Rounding.DOWN).times(Fraction(1, day))
            case Kind.TIME:
                return instant.minus(self.system.rounded(instant, day, Rounding.DOWN))
            case _:
                return instant

    def _cast(self, operand: Expression, source: Type, target: Type) -> LinearValue | None:
        """Casts of numbers, datetimes and intervals; None: of another, or one that is inexact."""
        value = self.value_of(operand)
        if source.as_nullable() == target.as_nullable():
            return value
        if not isinstance(value, Term):
            return None
        if source.kind is Kind.TIME and target.kind is Kind.TIMESTAMP:
            return None  # today's
        if source.kind in DATETIME and target.kind in DATETIME:
            return self._datetime(value.times(_millis(source)), target)
        if target.kind in APPROXIMATE:
            return value if _is_exact(source, target) else None
        if source.kind in APPROXIMATE and not _is_written_exactly(value, source, target):
            return None
        if source.kind in INTERVAL and target.kind is source.kind:
            return self.system.rounded(value, unit_of(target), Rounding.ZERO)
        if source.kind in INTERVAL and target.kind in EXACT:
            return self._fitted(value.times(Fraction(1, _whole_unit(source))), target)
        if source.kind in EXACT and target.kind in INTERVAL:
            size = 1 if unit_of(target) == 1 else _whole_unit(target)
            return self.system.rounded(value.times(_whole_unit(target)), size, Rounding.NEAREST)
        if target.kind in EXACT:
            return self._fitted(value, target)
        return None

    def _call(self, call: Call, op: Op, operands: tuple[Expression, ...]) -> LinearValue | None:
        """An operator that is linear but for what it cuts off; None: another."""
        system, type = self.system, call.type
        kinds = {each.type.kind for each in operands}
        if not kinds | {type.kind} <= GRAINED:
            return self._approximate(op, operands)
        match op, operands:
            case Op.PLUS | Op.MINUS, (a, b):
                sign = 1 if op is Op.PLUS else -1
                return self._fitted(self.term(a).plus(self.term(b).times(sign)), type)
            case (Op.NEGATE, (a,)):
                return self.term(a).times(-1)
            case Op.TIMES, (a, b):
                return self._multiple(a, b, type) or self._multiple(b, a, type)
            case Op.DIVIDE, (a, b):
                divisor = self._known(b)
                if not divisor:
                    return None
                exact = self.term(a).times(1 / divisor)
                whole = type.kind in INTEGERS
                return (
                    system.rounded(exact, 1, Rounding.ZERO) if whole else self._fitted(exact, type)
                )
            case Op.MOD, (a, b):
                divisor = self._known(b)
                if not divisor:
                    return None
                dividend = self.term(a)
                return dividend.minus(system.rounded(dividend, abs(divisor), Rounding.ZERO))
            case (Op.ABS, (a,)):
                return system.magnitude(self.term(a))
            case (Op.SIGN, (a,)):
                return system.sign(self.term(a))
            case (Op.FLOOR, (a,)):
                return system.rounded(self.term(a), 1, Rounding.DOWN)
            case (Op.CEIL, (a,)):
                return system.rounded(self.term(a), 1, Rounding.UP)
            case Op.ROUND | Op.TRUNCATE, (a, *rest):
                digits = self._known(rest[0]) if rest else Fraction(0)
                if digits is None or abs(digits) > type.precision + MOST_DIGITS:
                    return None
                way = Rounding.NEAREST if op is Op.ROUND else Rounding.ZERO
                return self._fitted(
                    system.rounded(self.term(a), Fraction(10) ** -int(digits), way), type
                )
            case Op.STEP, (a, b):
                return self._step(a, b)
            case (Op.MONOTONIC, (a,)):
                return self.term(a)
            case Op.GREATEST | Op.LEAST, _:
                return system.extreme([self.term(each) for each in operands], op is Op.GREATEST)
            case Op.COALESCE, _:
                return self._first(operands)
            case (Op.LAST_DAY, (a,)):
                day = system.rounded(self.instant(a), MILLIS_PER_DAY, Rounding.DOWN)
                month = system.month_of(day.times(Fraction(1, MILLIS_PER_DAY)))
                return system.start_of_month(month.add(1)).add(-1)
            case Op.DATETIME_PLUS, (a, b):
                return self._later(a, b, type)
            case Op.DATETIME_MINUS, (a, b):
                return self._apart(a, b, type)
            case (Op.CURRENT_TIMESTAMP, ()) if system.fixed_clock:
                return self._datetime(system.named(CLOCK), type)
            case _:
                return None

    def _approximate(self, op: Op, operands: tuple[Expression, ...]) -> LinearValue | None:
        """What REAL and DOUBLE compute without rounding, of a number that is exact."""
        if op not in (Op.NEGATE, Op.FLOOR, Op.CEIL, Op.MONOTONIC):
            return None
        value = self.value_of(operands[0])
        if not isinstance(value, Term):
            return None
        match op:
            case Op.NEGATE:
                return value.times(-1)
            case Op.FLOOR:
                return self.system.rounded(value, 1, Rounding.DOWN)
            case Op.CEIL:
                return self.system.rounded(value, 1, Rounding.UP)
            case _:
                return value

    def _known(self, expression: Expression) -> Fraction | None:
        """The only value that ``expression`` can have."""
        found = self.term(expression).value
        return value_range(expression, self.ranges).value if found is None else found

    def _multiple(self, a: Expression, b: Expression, type: Type) -> Term | None:
        """``a * b``, where ``b`` can have one value only."""
        factor = self._known(b)
        return None if factor is None else self._fitted(self.term(a).times(factor), type)

    def _first(self, operands: tuple[Expression, ...]) -> Term:
        """The first operand that is not NULL."""
        choices: list[tuple[Constraint, Term]] = []
        for each in operands:
            choices.append((ALWAYS, self.term(each)))
            if not each.type.nullable:
                break
        return choices[0][1] if len(choices) == 1 else self.system.one_of(choices)

    def _step(self, a: Expression, b: Expression) -> Term | None:
        """STEP(a BY b) of a constant, positive b."""
        size = self._known(b)
        if size is None or size <= 0:
            return None
        if a.type.kind not in DATETIME:
            return self.system.rounded(self.term(a), size, Rounding.DOWN)
        if b.type.kind is Kind.MONTHS:
            instant = stepped_by_months(self.system, self.instant(a), int(size))
        else:
            instant = self.system.rounded(self.instant(a), size, Rounding.DOWN)
        return self._datetime(instant, a.type)

    def _later(self, time: Expression, interval: Expression, type: Type) -> Term:
        """A datetime plus an interval (S-207)."""
        instant, amount = self.instant(time), self.term(interval)
        if interval.type.kind is Kind.MILLIS:
            return self._datetime(instant.plus(amount), type)
        if time.type.kind is Kind.TIME:
            return instant
        midnight = self.system.rounded(instant, MILLIS_PER_DAY, Rounding.DOWN)
        day = self.system.add_months(midnight.times(Fraction(1, MILLIS_PER_DAY)), amount)
        return self._datetime(day.times(MILLIS_PER_DAY).plus(instant.minus(midnight)), type)

    def _apart(self, a: Expression, b: Expression, type: Type) -> Term:
        """``(a - b) unit``: toward zero to the unit (S-207)."""
        system, later, earlier = self.system, self.instant(a), self.instant(b)
        exact = later.minus(earlier)
        if type.kind is Kind.MONTHS:
            days = [
                system.rounded(each, MILLIS_PER_DAY, Rounding.DOWN).times(
                    Fraction(1, MILLIS_PER_DAY)
                )
                for each in (later, earlier)
            ]
            exact = system.months_between(later, earlier, (days[0], days[1]))
        return system.rounded(exact, unit_of(type), Rounding.ZERO)


#: So many digits of a whole number a float holds exactly.
WHOLE_DIGITS: Final = {Kind.REAL: 7, Kind.DOUBLE: 15}

#: The name of the session's clock, in milliseconds, where it stands still (S-106).
CLOCK: Final = "CURRENT_TIMESTAMP"
#: Beyond its precision, no type has so many digits that ROUND could speak of.
MOST_DIGITS: Final = 38

#: What is so of two values where a comparison is not.
_NEGATED: Final = {
    Op.EQUAL: Op.NOT_EQUAL,
    Op.NOT_EQUAL: Op.EQUAL,
    Op.LESS: Op.GREATER_OR_EQUAL,
    Op.LESS_OR_EQUAL: Op.GREATER,
    Op.GREATER: Op.LESS_OR_EQUAL,
    Op.GREATER_OR_EQUAL: Op.LESS,
    Op.IS_DISTINCT_FROM: Op.IS_NOT_DISTINCT_FROM,
    Op.IS_NOT_DISTINCT_FROM: Op.IS_DISTINCT_FROM,
}
_EQUAL: Final = (Op.EQUAL, Op.IS_NOT_DISTINCT_FROM)
#: The comparisons that are never unknown.
_CERTAIN: Final = (Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM)


def _is_exact(source: Type, target: Type) -> bool:
    """Whether each value of ``source`` is the same number in the REAL or DOUBLE ``target``."""
    if source.kind in APPROXIMATE:
        return target.kind is Kind.DOUBLE
    digits = INTEGER_DIGITS.get(source.kind, source.precision)
    return source.kind in EXACT and source.scale == 0 and digits <= WHOLE_DIGITS[target.kind]


def _is_written_exactly(value: Term, source: Type, target: Type) -> bool:
    """Whether the digits of a REAL or DOUBLE are its value: to a DECIMAL it is cast by those.

    A term with variables is whole, and of few digits: no other is exact (`_is_exact`).
    """
    known = value.value
    if target.kind is not Kind.DECIMAL or known is None:
        return True
    return known.denominator == 1 and abs(known) < 10 ** WHOLE_DIGITS[source.kind]


def _is_null(expression: Expression) -> bool:
    match expression:
        case Literal(value):
            return value is None
        case Cast(operand):
            return _is_null(operand)
        case _:
            return False


def _constant(value: object, type: Type) -> LinearValue:
    """A literal: a term, unless it is no finite number."""
    if type.kind in GRAINED and isinstance(value, int | Decimal):
        return number(Fraction(value))
    if type.kind in APPROXIMATE and isinstance(value, float) and isfinite(value):
        return number(Fraction(value))
    return Opaque((value, type.as_nullable()))


def _millis(type: Type) -> int:
    """The milliseconds of 1 of a datetime type."""
    return MILLIS_PER_DAY if type.kind is Kind.DATE else 1


def _whole_unit(type: Type) -> int:
    """What one of an interval's last field is inside: a SECOND is 1,000 milliseconds."""
    return 1_000 if type.kind is Kind.MILLIS and unit_of(type) == 1 else unit_of(type)
