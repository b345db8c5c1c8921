"""The constraints that a condition puts on the numbers and times of a row (S-510).

Expressions become linear terms, and conditions become constraints on these terms.  A function that
is not linear but can be bounded, such as FLOOR, becomes a variable that the `ConstraintSystem`
bounds.  Any other expression becomes a variable, or an opaque value, with a name; equal expressions
have the same name, and so are known to be equal.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from algebra.constraints.clock_fields import extracted, rounded_to_unit
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.linear_calls import call_value
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
)
from algebra.constraints.linear_values import (
    LinearValue,
    as_datetime,
    as_instant,
    cast_value,
    column_value,
    in_range,
    literal_value,
)
from algebra.constraints.number_range import Range
from algebra.constraints.ranges import OPPOSITE, value_range
from algebra.constraints.step import step_of
from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
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
from algebra.types import DATETIME, Kind, Type

#: For each comparison its negation, which is true where it is false, for values that are not NULL.
_NEGATED: Final = {
    **OPPOSITE,
    Op.IS_DISTINCT_FROM: Op.IS_NOT_DISTINCT_FROM,
    Op.IS_NOT_DISTINCT_FROM: Op.IS_DISTINCT_FROM,
}
#: The comparisons, as functions of two truth values.
_OPERATORS: Final[Mapping[Op, Callable[[bool, bool], bool]]] = {
    Op.EQUAL: eq,
    Op.NOT_EQUAL: ne,
    Op.LESS: lt,
    Op.LESS_OR_EQUAL: le,
    Op.GREATER: gt,
    Op.GREATER_OR_EQUAL: ge,
    Op.IS_DISTINCT_FROM: ne,
    Op.IS_NOT_DISTINCT_FROM: eq,
}


@dataclass(slots=True)
class Linearizer:
    """Translates the expressions of one row into terms and constraints of ``system``.

    Constraints that define new variables are added to ``system``.  ``column`` returns the value of
    a column of the row.  ``ranges`` are the ranges of the columns; a column beyond the end of
    ``ranges`` can have any value.
    """

    system: ConstraintSystem
    column: Callable[[InputRef], LinearValue]
    ranges: Sequence[Range] = ()

    # --- conditions ---------------------------------------------------------------------------

    def where_true(self, condition: Expression) -> Constraint:
        """A constraint that is satisfied by every row for which ``condition`` is true.

        Other rows can satisfy it, too: a condition that is not understood gives ALWAYS.
        """
        return self._where(condition, truth=True)

    def _where(self, condition: Expression, truth: bool) -> Constraint:
        """A constraint that is satisfied by every row for which ``condition`` is ``truth``."""
        match condition:
            case Literal(value):
                return ALWAYS if value is truth else NEVER
            case Call(Op.NOT, (operand,)):
                return self._where(operand, not truth)
            case Call((Op.AND | Op.OR) as op, operands):
                # AND is true if all operands are; OR is false if all are.
                combine = all_of if (op is Op.AND) is truth else any_of
                return combine([self._where(each, truth) for each in operands])
            case Call(Op.COALESCE, operands):
                return any_of([self._where(each, truth) for each in operands])
            case Call(
                (Op.IS_TRUE | Op.IS_NOT_TRUE | Op.IS_FALSE | Op.IS_NOT_FALSE) as op, (operand,)
            ):
                return self._tested(op, operand, truth)
            case Call(Op.IN, (operand, *items)):
                cases = [self._compared(Op.EQUAL, operand, each, truth) for each in items]
                return any_of(cases) if truth else all_of(cases)
            case Call(op, (a, b)) if op in _NEGATED:
                return self._compared(op, a, b, truth)
            case Case(branches, otherwise):
                return any_of(
                    all_of((constraint, self._where(each, truth)))
                    for constraint, each in self._branches(branches, otherwise)
                )
            case _:
                return ALWAYS

    def _tested(self, op: Op, operand: Expression, truth: bool) -> Constraint:
        """A constraint on the rows for which ``operand IS [NOT] TRUE (or FALSE)`` is ``truth``.

        ====================================  =============================
        test, and its truth value             the operand is
        ====================================  =============================
        IS TRUE true, IS NOT TRUE false       true
        IS FALSE true, IS NOT FALSE false     false
        IS TRUE false, IS NOT TRUE true       false or unknown
        IS FALSE false, IS NOT FALSE true     true or unknown
        ====================================  =============================

        In the last two lines, an operand that may be unknown is not constrained: ALWAYS.
        """
        true_if_met = op in (Op.IS_TRUE, Op.IS_NOT_FALSE)
        excludes_unknown = (op in (Op.IS_TRUE, Op.IS_FALSE)) is truth
        if excludes_unknown or not operand.type.nullable:
            return self._where(operand, true_if_met is truth)
        return ALWAYS

    def _compared(self, op: Op, a: Expression, b: Expression, truth: bool) -> Constraint:
        """A constraint on the rows for which ``a op b`` is ``truth``.

        NEVER if an operand is always NULL, and the comparison is not IS [NOT] DISTINCT FROM.
        """
        real = op if truth else _NEGATED[op]  # the comparison that is true of these rows
        if real is Op.IS_DISTINCT_FROM and (a.type.nullable or b.type.nullable):
            return ALWAYS  # one of them may be NULL
        if real is Op.IS_NOT_DISTINCT_FROM and a.type.nullable and b.type.nullable:
            return ALWAYS  # both may be NULL
        if _is_null(a) or _is_null(b):
            return NEVER
        # A CASE or COALESCE is compared choice by choice.
        choices = [*self._chosen(a, lambda each: self._compared(op, each, b, truth))]
        choices = choices or [*self._chosen(b, lambda each: self._compared(op, a, each, truth))]
        if choices:
            return any_of(choices)
        if a.type.kind is Kind.BOOLEAN:
            return self._compared_truths(real, a, b)
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
        self, choice: Expression, constraint_of: Callable[[Expression], Constraint]
    ) -> Iterator[Constraint]:
        """A constraint for each value that a CASE or COALESCE may have; none for other expressions.

        It is ``constraint_of`` the value, and for a CASE also the condition of its branch.
        """
        match choice:
            case Case(branches, otherwise):
                for constraint, each in self._branches(branches, otherwise):
                    yield all_of((constraint, constraint_of(each)))
            case Call(Op.COALESCE, operands):
                for each in operands:
                    yield constraint_of(each)
                    if not each.type.nullable:
                        return
            case _:
                return

    def _branches(
        self, branches: tuple[tuple[Expression, Expression], ...], otherwise: Expression
    ) -> Iterator[tuple[Constraint, Expression]]:
        """Each result of a CASE, with a constraint on the rows for which it is chosen."""
        before: Constraint = ALWAYS
        for when, then in branches:
            yield all_of((before, self.where_true(when))), then
            # The next branch is reached if the condition is false or unknown.
            if not when.type.nullable:
                before = all_of((before, self._where(when, truth=False)))
        yield before, otherwise

    def _compared_truths(self, op: Op, a: Expression, b: Expression) -> Constraint:
        """A constraint on the rows for which ``a op b`` of two conditions is true: FALSE < TRUE."""
        return any_of(
            all_of((self._where(a, x), self._where(b, y)))
            for x, y in product((False, True), repeat=2)
            if _OPERATORS[op](x, y)
        )

    # --- values -------------------------------------------------------------------------------

    def term(self, expression: Expression) -> Term:
        """The value of a number, datetime or interval.

        If it is opaque, the result is a new variable that can have any value.
        """
        value = self.value_of(expression)
        return value if isinstance(value, Term) else self.system.fresh()

    def instant(self, expression: Expression) -> Term:
        """The value of a datetime in milliseconds since 1970, or since midnight for a TIME."""
        return as_instant(self.term(expression), expression.type)

    def value_of(self, expression: Expression) -> LinearValue:
        """The value of ``expression``, in a row in which it is not NULL: linear or opaque."""
        match expression:
            case InputRef():
                return self.column(expression)
            case Literal(value, type):
                return literal_value(value, type)
            case OuterRef() | Parameter():
                return column_value(self.system, expression, expression.type)
            case Cast(operand, type):
                cast = cast_value(self.system, self.value_of(operand), operand.type, type)
                return cast or self._opaque(expression)
            case Case(branches, otherwise, type) if step_of(type) is not None:
                choices = self._branches(branches, otherwise)
                return self.system.one_of(
                    [(constraint, self.term(each)) for constraint, each in choices]
                )
            case Extract(unit, operand) if operand.type.kind in DATETIME:
                return extracted(self.system, unit, operand.type.kind, self.instant(operand))
            case Round(up, operand, unit):
                instant = self.instant(operand)
                rounded = rounded_to_unit(self.system, up, instant, unit, operand.type)
                return as_datetime(self.system, rounded, expression.type)
            case Call():
                return call_value(expression, self) or self._opaque(expression)
            case (
                External()
                | Case()
                | Extract()
                | Grouping()
                | GroupId()
                | ScalarQuery()
                | Exists()
                | InQuery()
                | Quantified()
            ):
                return self._opaque(expression)

    def _opaque(self, expression: Expression) -> LinearValue:
        """A value of which only its name (`_name`) and its range are known."""
        name = self._name(expression)
        value = column_value(self.system, name, expression.type)
        if isinstance(value, Term):
            self.system.constraints.append(in_range(value, value_range(expression, self.ranges)))
        return value

    def _name(self, expression: Expression) -> Hashable:
        """The name of a value: equal names mean equal values.

        It is new if two evaluations may have different values, or if they are not known to be
        equal.
        """
        match expression:
            case Call(Op.RAND | Op.CURRENT_TIMESTAMP):
                return self.system.fresh()
            case Call(op, operands, type):
                return (op, type.as_nullable(), *map(self._typed, operands))
            # Every cast except that of a TIME to a TIMESTAMP, which depends on the day on which it
            # is evaluated.
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
        """The type and the value of an operand, as parts of a name."""
        return operand.type.as_nullable(), self.value_of(operand)

    def only_value(self, expression: Expression) -> Fraction | None:
        """The only number that ``expression`` can be; None if several are possible."""
        constant = self.term(expression).value
        return value_range(expression, self.ranges).value if constant is None else constant


def _is_null(expression: Expression) -> bool:
    """Whether ``expression`` is a NULL literal, perhaps with a type."""
    match expression:
        case Literal(value):
            return value is None
        case Cast(operand):
            return _is_null(operand)
        case _:
            return False
