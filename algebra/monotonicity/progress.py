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

    Before is less, or greater in a descending column.  For whole numbers and datetimes a strict
    bound is replaced by the next value (S-406), which `bound` does.

    Defines: S-102.c
    """

    value: Value
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of all later rows of a stream, column by column (S-102, S-406): its watermarks.

    ``columns`` has a bound for each value of a row, or None. ``ended``: no row will follow (S-105).
    ``declared`` has the bounds of calls of MONOTONIC on the rows (S-407).

    Defines: S-102.a, S-105.a, S-105.d
    """

    columns: tuple[Bound | None, ...]
    ended: bool = False
    declared: Mapping[Expression, Bound] = field(default_factory=dict[Expression, Bound])


#: The kinds whose values are represented as integers, so that each value has a next one.
_WHOLE: Final = INTEGERS | DATETIME | INTERVAL

#: The least and the greatest value of these kinds.
_ENDS: Final = {
    **{kind: (-(1 << bits - 1), (1 << bits - 1) - 1) for kind, bits in INTEGER_BITS.items()},
    Kind.DATE: (MIN_DATE, MAX_DATE),
    Kind.TIME: (0, MILLIS_PER_DAY - 1),
    Kind.TIMESTAMP: (MIN_TIMESTAMP, MAX_TIMESTAMP),
}


def bound(type: Type, value: Value, strict: bool, descending: bool) -> Bound:
    """The bound ``value`` of a column of ``type``; a strict one becomes the next value, if any.

    >>> from algebra.types import BIGINT
    >>> bound(BIGINT, 7, strict=True, descending=False)
    Bound(value=8, strict=False)

    Defines: S-102.b, S-406.c
    """
    if strict and type.kind in _WHOLE and isinstance(value, int):
        return Bound(value + (-1 if descending else 1))
    return Bound(value, strict)


def passed(value: Value, limit: Bound | None, descending: bool) -> bool:
    """Whether each later value comes after ``value``, given the bound ``limit``.

    NULL and NaN have no place in the order: only the end of the rows passes them.  A bound of NULL
    or NaN passes no value.

    Defines: S-405.a, S-405.c
    """
    if limit is None or value is None or limit.value is None:
        return False
    # Values of one type compare as in Python; comparisons with NaN are false.
    a, b = (limit.value, value) if descending else (value, limit.value)
    before = bool(a < b)  # type: ignore[operator]  # one type, which the checker cannot know
    return before or (limit.strict and value == limit.value)


def last_value(type: Type, descending: bool) -> int | None:
    """The last value of ``type`` in that direction; None for a type without a last whole number."""
    ends = _ENDS.get(type.kind)
    return None if ends is None else ends[0 if descending else 1]


def is_past_all(type: Type, limit: Bound, descending: bool) -> bool:
    """Whether the bound ``limit`` of a column of ``type`` is past the last value of the type.

    The strict bound at the last value is past it: it is the next number (S-406).

    Defines: S-105.c
    """
    last = last_value(type, descending)
    if last is None or not isinstance(limit.value, int):
        return False
    return limit.value < last if descending else limit.value > last


def weaker(a: Bound | None, b: Bound | None, descending: bool) -> Bound | None:
    """The bound of a union of two sets of rows with bounds ``a`` and ``b``: the less advanced.

    None is the least: no bound is known.
    """
    if a is None or b is None:
        return None
    return a if passed(a.value, b, descending) else b


class _At(Enum):
    """The position of a bound relative to the range of its column's values."""

    BEFORE = "before the first value"
    INSIDE = "within the range, or it is not known"
    BEYOND = "after the last value, so that no later row has any"


@dataclass(frozen=True, slots=True)
class ExpressionProgress:
    """The bound of an expression as a function of the bounds of its columns.

    `progress` returns it for an expression that ascends or is ``descending``.  ``atoms`` are the
    columns and the calls of MONOTONIC in the expression, which have bounds of their own.
    ``of_atoms`` computes the expression from the values of its atoms, and ``fails_from`` returns
    whether it fails from these values on. ``strictness`` returns whether its bound is strict, from
    whether those of its atoms are.
    ``positions`` returns where the bounds are relative to the ranges on which the expression's
    order depends; nothing if it depends on none. ``may_end``: bounds can exist at which `has_ended`
    holds.
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

        It is the value of the expression at its columns' bounds.  The expression is monotonic in
        its columns, so no later row has a value before it.  If the expression fails at the bounds,
        or the bounds are outside the ranges on which its order depends, its later values are
        unknown; `has_ended` decides whether there can be any.

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
        """Whether the expression has a value on no later row.

        This is so if it fails at the bounds and on all rows after them, or if the bounds are beyond
        the ranges on which its order depends.

        Defines: S-405.h
        """
        known = self._known(bounds) if self.may_end else None
        if known is None:
            return False
        positions = set(self.positions(known))
        if positions - {_At.INSIDE}:
            return _At.BEYOND in positions
        row = _values(known)
        try:
            self.of_atoms(row)
        except SqlError:
            return self.fails_from(row)
        return False

    def _known(self, bounds: Bounds) -> list[Bound] | None:
        """The bounds of the atoms; None: one of them is not known."""
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
    known: Sequence[Expression | None] = (),
) -> ExpressionProgress | None:
    """The progress of ``expression`` over rows with these orders and ranges; None: it makes none.

    ``columns`` are the orders of the bounds (`algebra.monotonicity.columns.OrderOf.BOUNDS`).  A
    constant makes no progress (S-404), unless ``constants`` asks for the bound that its value is.
    ``known`` has the constants of the columns (`algebra.parts.constant_columns`).  A column of a
    table that is joined can have one, although the rows of the stream give the column no bound.

    Defines: S-403.e
    """
    order = monotonicity(expression, columns, ranges)
    if not order.progresses and not (constants and order is Monotonicity.CONSTANT):
        return None
    expression = _decisive(_with_constants(expression, columns, known), columns, ranges)
    atoms = tuple(dict.fromkeys(_atoms(expression)))
    places = {each: InputRef(place, each.type) for place, each in enumerate(atoms)}
    of_atoms = rewritten(expression, lambda leaf: places.get(leaf, leaf), whole=places)
    orders = [_order(each, columns) for each in atoms]
    atom_ranges = [ranges[e.index] if isinstance(e, InputRef) and ranges else ANY for e in atoms]
    # Without the ranges another direction would be deduced, or none.
    depends_on_ranges = monotonicity(of_atoms, orders).unstrict() is not order.unstrict()

    def strictness(strict: tuple[bool, ...]) -> bool:
        """Whether the expression is strictly beyond its value where these atoms are."""
        moving = [
            _strict(each) if beyond else each.unstrict()
            for each, beyond in zip(orders, strict, strict=True)
        ]
        return monotonicity(of_atoms, moving, atom_ranges).strict

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
    """``expression`` with the constants that are known in place of CONSTANT columns.

    A call of MONOTONIC stays as it is, because its bound belongs to the call as written.
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
    """``expression`` without the operands that have no effect on its value, such as m in ``0 * m``.

    Such an operand can be a column without an order, which never has a bound.
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
    """A number in the range of ``type``, as a value of this type."""
    if type.kind is Kind.DECIMAL:
        return Decimal(f"{int(number * 10**type.scale)}E-{type.scale}")
    return float(number) if type.kind in APPROXIMATE else int(number)


def _position(limit: Bound, known: Range, order: Monotonicity) -> _At:
    """The position of the bound of a column relative to the range of its values."""
    value = limit.value
    if not isinstance(value, int | float | Decimal) or not isfinite(value):
        return _At.INSIDE
    at, first, last = Fraction(value), known.lower, known.upper
    if order.descending:
        at, first, last = -at, *(None if end is None else -end for end in (last, first))
    if last is not None and (at > last or (limit.strict and at == last)):
        return _At.BEYOND
    return _At.BEFORE if first is not None and at < first else _At.INSIDE


def columns_read(expressions: Sequence[Expression]) -> frozenset[int]:
    """The columns whose bounds the progress of ``expressions`` depends on."""
    return frozenset(place for each in expressions for place in columns_of(each))


# --- atoms: columns, and calls of MONOTONIC, which have bounds of their own ----------------------


def _atoms(expression: Expression) -> list[Expression]:
    if isinstance(expression, InputRef) or _declares(expression):
        return [expression]
    return [atom for each in operands(expression) for atom in _atoms(each)]


def _declares(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.op is Op.MONOTONIC


def _limit(atom: Expression, bounds: Bounds) -> Bound | None:
    return bounds.columns[atom.index] if isinstance(atom, InputRef) else bounds.declared.get(atom)


def _order(atom: Expression, columns: Sequence[Monotonicity]) -> Monotonicity:
    return columns[atom.index] if isinstance(atom, InputRef) else Monotonicity.INCREASING


def _strict(order: Monotonicity) -> Monotonicity:
    if order.ascending:
        return Monotonicity.STRICTLY_INCREASING
    return Monotonicity.STRICTLY_DECREASING if order.descending else order
