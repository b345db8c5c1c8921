"""The completeness rule: the bound of an expression, given the bounds of its columns (S-405)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isfinite
from typing import Final

from algebra.constraints.number_range import ANY, Range
from algebra.constraints.ranges import never_null, value_range
from algebra.expression import Call, Expression, InputRef, Literal, Op, Value
from algebra.monotonicity.deduction import monotonicity, surely_null
from algebra.monotonicity.failing_for_good import MeaningOf, fails_for_good, may_fail_for_good
from algebra.monotonicity.tables import Monotonicity
from algebra.parts.mentions import monotonic_calls
from algebra.rewrite import columns_of, operands, rewritten, with_operands
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    INTEGER_BITS,
    INTEGERS,
    INTERVAL,
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    Kind,
    Type,
)
from grammar.source import SqlError


@dataclass(frozen=True, slots=True)
class Bound:
    """No later value of a column comes before ``value``, nor, if ``strict``, equals it.

    To come before means to be less, or greater in a descending column.  For whole numbers and
    datetimes, the function `bound` replaces a strict bound by the next value (S-406).

    Defines: S-102.c
    """

    value: Value
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of all later rows of a stream, column by column (S-102, S-406).

    ``columns`` has the bound of each column, None if it is unknown.  ``ended``: no row will follow
    (S-105).  ``declared`` has the bounds of the calls of MONOTONIC (S-407).

    Defines: S-102.a, S-105.a, S-105.d
    """

    columns: tuple[Bound | None, ...]
    ended: bool = False
    declared: Mapping[Expression, Bound] = field(default_factory=dict[Expression, Bound])


#: The kinds whose values are represented as integers, so that each value has a next one.
_WHOLE: Final = INTEGERS | DATETIME | INTERVAL

#: The least and the greatest value of a kind, for those kinds of whole values that have limits.
_ENDS: Final = {
    **{kind: (-(1 << bits - 1), (1 << bits - 1) - 1) for kind, bits in INTEGER_BITS.items()},
    Kind.DATE: (MIN_DATE, MAX_DATE),
    Kind.TIME: (0, MILLIS_PER_DAY - 1),
    Kind.TIMESTAMP: (MIN_TIMESTAMP, MAX_TIMESTAMP),
}


def bound(type: Type, value: Value, strict: bool, descending: bool) -> Bound:
    """The bound ``value`` of a column of ``type``.

    A strict bound of a whole number or datetime becomes the next value, which is not strict.

    >>> from algebra.types import BIGINT
    >>> bound(BIGINT, 7, strict=True, descending=False)
    Bound(value=8, strict=False)

    Defines: S-102.b, S-406.c
    """
    if strict and type.kind in _WHOLE and isinstance(value, int):
        return Bound(value + (-1 if descending else 1))
    return Bound(value, strict)


def passed(value: Value, limit: Bound | None, descending: bool) -> bool:
    """Whether every later value comes after ``value``, because the bound is ``limit``.

    NULL and NaN have no place in the order, so no bound passes them, and a bound of NULL or NaN
    passes no value.

    Defines: S-405.a, S-405.c
    """
    if limit is None or value is None or limit.value is None:
        return False
    # Values of one type compare as in Python; comparisons with NaN are false.
    a, b = (limit.value, value) if descending else (value, limit.value)
    before = bool(a < b)  # type: ignore[operator]  # one type, which the checker cannot know
    return before or (limit.strict and value == limit.value)


def last_value(type: Type, descending: bool) -> int | None:
    """The greatest value of ``type``, or the least if ``descending``.

    None for a type whose values are not whole, or have no limits.
    """
    ends = _ENDS.get(type.kind)
    return None if ends is None else ends[0 if descending else 1]


def is_past_all(type: Type, limit: Bound, descending: bool) -> bool:
    """Whether the bound ``limit`` of a column of ``type`` is past the last value of the type.

    `bound` makes a strict bound at the last value the next number, which is past it (S-406).

    Defines: S-105.c
    """
    last = last_value(type, descending)
    if last is None or not isinstance(limit.value, int):
        return False
    return limit.value < last if descending else limit.value > last


def weaker(a: Bound | None, b: Bound | None, descending: bool) -> Bound | None:
    """The less advanced of two bounds, which is the bound of the union of their rows.

    None: one of the two bounds is not known.
    """
    if a is None or b is None:
        return None
    return a if passed(a.value, b, descending) else b


class _At(Enum):
    """The position of a bound relative to the range of its column's values."""

    BEFORE = "before the first value"
    INSIDE = "within the range, or the position is not known"
    BEYOND = "after the last value, so that no later row has a value in the column"


@dataclass(frozen=True, slots=True)
class ExpressionProgress:
    """The bound of an expression as a function of the bounds of its columns.

    - ``expression`` ascends, or is ``descending``.
    - ``atoms`` are the columns and the calls of MONOTONIC in the expression.  Atoms have bounds of
      their own.
    - ``of_atoms`` computes the expression from the values of its atoms.
    - ``strictness`` returns whether the bound of the expression is strict.  Its argument has, for
      each atom, whether the bound of the atom is strict.
    - ``fails_from`` returns whether the expression fails at these values of its atoms, and at all
      later values.
    - ``positions`` returns the positions of the atoms' bounds relative to the ranges of the atoms.
      It returns nothing if the order of the expression does not depend on these ranges.
    - ``may_end``: whether bounds can exist at which `has_ended` is true.

    The function `progress` makes the objects of this class.
    """

    expression: Expression
    descending: bool
    atoms: tuple[Expression, ...]
    of_atoms: Callable[[tuple[Value, ...]], Value]
    strictness: Callable[[tuple[bool, ...]], bool]
    fails_from: Callable[[tuple[Value, ...]], bool]
    positions: Callable[[Sequence[Bound]], Iterable[_At]]
    may_end: bool

    def bound(self, bounds: Bounds) -> Bound | None:
        """The bound of the expression; None if it is unknown, or has no value at the bounds.

        The bound is the value of the expression at the bounds of its columns.  The expression is
        monotonic in its columns, so its value on no later row is before the bound.  If the
        expression fails at the bounds, or the bounds are outside the ranges on which its order
        depends, its later values are unknown; `has_ended` decides whether there can be any.

        Defines: S-405.g
        """
        if isinstance(self.expression, InputRef):
            return bounds.columns[self.expression.index]
        known = self._known(bounds)
        if known is None or any(each is not _At.INSIDE for each in self.positions(known)):
            return None
        try:
            value = self.of_atoms(_values(known))
        except SqlError:
            return None
        if value is None:
            return None
        strict = any(each.strict for each in known)
        strict = strict and self.strictness(tuple(each.strict for each in known))
        return bound(self.expression.type, value, strict, self.descending)

    def has_ended(self, bounds: Bounds) -> bool:
        """Whether no later row has a value of the expression.

        This is so if the expression fails at the bounds and on all rows after them, or if a bound
        is beyond a range on which the order of the expression depends.

        Defines: S-405.h
        """
        known = self._known(bounds) if self.may_end else None
        if known is None:
            return False
        positions = set(self.positions(known))
        if positions - {_At.INSIDE}:  # one of them is outside its range
            return _At.BEYOND in positions
        row = _values(known)
        try:
            self.of_atoms(row)
        except SqlError:
            return self.fails_from(row)
        return False

    def _known(self, bounds: Bounds) -> list[Bound] | None:
        """The bounds of all atoms; None if one of the bounds is not known."""
        limits = (_limit(atom, bounds) for atom in self.atoms)
        known = [limit for limit in limits if limit is not None]
        return known if len(known) == len(self.atoms) else None


def _values(known: Sequence[Bound]) -> tuple[Value, ...]:
    return tuple(each.value for each in known)


def progress(
    expression: Expression,
    columns: Sequence[Monotonicity],
    ranges: Sequence[Range],
    meaning_of: MeaningOf,
    constants: bool = False,
    known_constants: Sequence[Expression | None] = (),
) -> ExpressionProgress | None:
    """The progress of ``expression``; None if it makes no progress.

    ``columns`` are the orders of the bounds (`algebra.monotonicity.columns.OrderOf.BOUNDS`), and
    ``ranges`` the ranges of the columns.  ``meaning_of`` compiles an expression to a function from
    a row to a value.  A constant makes no progress (S-404); but if ``constants``, the result for a
    constant has its value as the bound.  ``known_constants`` has, for each column, the constant
    that the column is known to be, or None (`algebra.parts.constant_columns`).  A column of a table
    that is joined can be such a constant, although the bounds of the stream have no bound for it.

    Defines: S-403.e
    """
    order = monotonicity(expression, columns, ranges)
    if not order.progresses and not (constants and order is Monotonicity.CONSTANT):
        return None
    expression = _decisive(_with_constants(expression, columns, known_constants), columns, ranges)
    atoms = tuple(dict.fromkeys(_atoms(expression)))
    places = {each: InputRef(place, each.type) for place, each in enumerate(atoms)}
    of_atoms = rewritten(expression, lambda leaf: places.get(leaf, leaf), whole=places)
    orders = [_order(each, columns) for each in atoms]
    atom_ranges = [ranges[e.index] if isinstance(e, InputRef) and ranges else ANY for e in atoms]
    # The order depends on the ranges if without them another direction is deduced, or none.
    depends_on_ranges = monotonicity(of_atoms, orders).unstrict() is not order.unstrict()

    def strictness(strict: tuple[bool, ...]) -> bool:
        """Whether the bound of the expression is strict; ``strict`` has this for each atom's bound.

        An atom with a strict bound moves beyond it.  Any other atom may stay at its bound.
        """
        atom_orders = [
            _strict(order) if is_strict else order.unstrict()
            for order, is_strict in zip(orders, strict, strict=True)
        ]
        return monotonicity(of_atoms, atom_orders, atom_ranges).strict

    def fails_from(row: tuple[Value, ...]) -> bool:
        return fails_for_good(of_atoms, orders, atom_ranges, meaning_of, row)

    def positions(known: Sequence[Bound]) -> Iterable[_At]:
        return map(_position, known, atom_ranges, orders) if depends_on_ranges else ()

    return ExpressionProgress(
        expression,
        order.descending,
        atoms,
        of_atoms=meaning_of(of_atoms),
        strictness=strictness,
        fails_from=fails_from,
        positions=positions,
        may_end=depends_on_ranges or may_fail_for_good(of_atoms, orders, atom_ranges),
    )


def _with_constants(
    expression: Expression, columns: Sequence[Monotonicity], known: Sequence[Expression | None]
) -> Expression:
    """``expression`` with the ``known`` constants in place of CONSTANT columns.

    A call of MONOTONIC stays as it is, because `Bounds.declared` has its bound under the call as it
    is written.
    """
    if all(each is None for each in known):
        return expression

    def change(leaf: Expression) -> Expression:
        if not isinstance(leaf, InputRef) or columns[leaf.index] is not Monotonicity.CONSTANT:
            return leaf
        return known[leaf.index] or leaf

    return rewritten(expression, change, tuple(monotonic_calls((expression,))))


def _decisive(
    expression: Expression, columns: Sequence[Monotonicity], ranges: Sequence[Range]
) -> Expression:
    """``expression`` without operands that have no effect on its value, such as m in ``0 * m``.

    Such an operand can be a column without an order, which never has a bound, so that the bound of
    the expression would never be known.
    """
    if isinstance(expression, InputRef) or _declares(expression):
        return expression
    if surely_null(expression):
        return Literal(None, expression.type)
    inner = [_decisive(each, columns, ranges) for each in operands(expression)]
    match expression:
        case Call(Op.COALESCE):
            first, *others = [each for each in inner if not surely_null(each)]
            if never_null(first) or not others:
                return first
        case Call(Op.IS_NULL | Op.IS_NOT_NULL as op, (operand,)) if never_null(operand):
            return Literal(op is Op.IS_NOT_NULL, expression.type)
        case Call(Op.TIMES) if never_null(expression):
            number = value_range(expression, ranges).value
            if number == 0 and monotonicity(expression, columns, ranges) is Monotonicity.CONSTANT:
                return Literal(_value_of(expression.type, number), expression.type)
        case _:
            pass
    return with_operands(expression, inner)


def _value_of(type: Type, number: Fraction) -> Value:
    """``number``, which is in the range of ``type``, as a value of this type."""
    if type.kind is Kind.DECIMAL:
        return Decimal(f"{int(number * 10**type.scale)}E-{type.scale}")
    return float(number) if type.kind in APPROXIMATE else int(number)


def _position(limit: Bound, known: Range, order: Monotonicity) -> _At:
    """The position of the bound ``limit`` of a column relative to ``known``, the column's range."""
    value = limit.value
    if not isinstance(value, int | float | Decimal) or not isfinite(value):
        return _At.INSIDE
    at, first, last = Fraction(value), known.lower, known.upper
    if order.descending:  # all three are negated, and the ends exchanged
        at, first, last = -at, *(None if end is None else -end for end in (last, first))
    if last is not None and (at > last or (limit.strict and at == last)):
        return _At.BEYOND
    return _At.BEFORE if first is not None and at < first else _At.INSIDE


def columns_read(expressions: Sequence[Expression]) -> frozenset[int]:
    """The places of the columns in ``expressions``: their progress depends on these bounds."""
    return frozenset(place for each in expressions for place in columns_of(each))


# --- atoms: columns, and calls of MONOTONIC, which have bounds of their own ----------------------


def _atoms(expression: Expression) -> list[Expression]:
    """The columns and the calls of MONOTONIC in ``expression``."""
    if isinstance(expression, InputRef) or _declares(expression):
        return [expression]
    return [atom for each in operands(expression) for atom in _atoms(each)]


def _declares(expression: Expression) -> bool:
    """Whether ``expression`` is a call of MONOTONIC, which declares an order."""
    return isinstance(expression, Call) and expression.op is Op.MONOTONIC


def _limit(atom: Expression, bounds: Bounds) -> Bound | None:
    """The bound of an atom; None if it is not known."""
    return bounds.columns[atom.index] if isinstance(atom, InputRef) else bounds.declared.get(atom)


def _order(atom: Expression, columns: Sequence[Monotonicity]) -> Monotonicity:
    """The monotonicity of an atom: that of a column, or INCREASING for a call of MONOTONIC."""
    return columns[atom.index] if isinstance(atom, InputRef) else Monotonicity.INCREASING


def _strict(order: Monotonicity) -> Monotonicity:
    """The strict monotonicity with the direction of ``order``; unchanged without a direction."""
    if order.ascending:
        return Monotonicity.STRICTLY_INCREASING
    return Monotonicity.STRICTLY_DECREASING if order.descending else order
