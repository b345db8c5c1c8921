"""Whether an expression that fails at the bounds of its columns fails in all later rows (S-405).

To fail is to raise an error, because the result is above or below the range of values that its type
has.  An ascending expression whose result is above the range at the bounds is above it in all later
rows.  If its result is still below the range, a later row may have a value.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.constraints.number_range import Range
from algebra.expression import Call, Case, Cast, Expression, Op, Round, Value
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.rewrite import operands
from algebra.types import INTERVAL, NUMERIC
from grammar.source import SqlError

#: Compiles an expression to a function from a row to its value, which may raise `SqlError`.
MeaningOf: TypeAlias = Callable[[Expression], Callable[[tuple[Value, ...]], Value]]

#: The end of the range that a result exceeds: the upper end, the lower end, or neither.
_UPPER: Final = 1
_LOWER: Final = -1
_NEITHER: Final = 0

#: The kinds whose values have a sign.
_SIGNED: Final = NUMERIC | INTERVAL


def may_fail_for_good(
    expression: Expression, columns: Sequence[Monotonicity], ranges: Sequence[Range]
) -> bool:
    """Whether bounds can exist after which ``expression`` fails in all rows.

    ``columns`` are the orders of the bounds, ``ranges`` the ranges of the values, column by column.
    False is certain.  True may be returned although there are no such bounds.
    """
    return any(
        _stays_beyond(monotonicity(part, columns, ranges), end)
        for part in _always_evaluated(expression)
        for end in _ends_of(part)
    )


def fails_for_good(
    expression: Expression,
    columns: Sequence[Monotonicity],
    ranges: Sequence[Range],
    meaning_of: MeaningOf,
    row: tuple[Value, ...],
) -> bool:
    """Whether ``expression``, which fails on ``row``, fails on all rows at or after ``row``.

    ``columns`` and ``ranges`` are the orders and ranges of the columns.  A row is after ``row`` if
    no column with an order goes back.  The answer depends on the first part of the expression that
    fails while its own operands have values: its results must move away from the range.  Parts that
    are not evaluated on every row do not matter.

    Defines: S-405.e, S-405.f
    """
    values: list[Value] = []
    for part in _operands_evaluated(expression):
        try:
            values.append(meaning_of(part)(row))
        except SqlError:
            return fails_for_good(part, columns, ranges, meaning_of, row)
    return _stays_beyond(monotonicity(expression, columns, ranges), _exceeded(expression, values))


def _stays_beyond(order: Monotonicity, end: int) -> bool:
    """Whether values of this order, once they are beyond ``end`` of the range, stay beyond it."""
    return (order.ascending and end == _UPPER) or (order.descending and end == _LOWER)


def _always_evaluated(expression: Expression) -> Iterator[Expression]:
    """The parts of an expression that are evaluated on every row, and the expression itself."""
    yield expression
    for each in _operands_evaluated(expression):
        yield from _always_evaluated(each)


def _operands_evaluated(expression: Expression) -> Sequence[Expression]:
    """The operands that are evaluated on every row.

    Whether the other operands are evaluated depends on the values of the operands before them.
    """
    match expression:
        case Case(branches):
            return [condition for condition, _ in branches[:1]]
        case Call(Op.COALESCE | Op.AND | Op.OR, (first, *_)):
            return [first]
        case _:
            return list(operands(expression))


# --- the end of the range that a result exceeds ---------------------------------------------------


def _ends_of(part: Expression) -> Sequence[int]:
    """The ends of the range that the result of ``part`` can exceed, whatever its operands are.

    `Round` is FLOOR or CEIL of a datetime to a unit.  FLOOR can only be before the calendar's first
    day, and CEIL only after its last day.  `Op.FLOOR`, `Op.CEIL`, `Op.ROUND` and `Op.TRUNCATE` have
    numbers as operands, and can exceed either end.
    """
    match part:
        case Cast(operand) if operand.type.kind in _SIGNED:
            return (_LOWER, _UPPER)
        case Round(up, _, _):
            return (_UPPER,) if up else (_LOWER,)
        case Call(Op.PLUS | Op.MINUS | Op.TIMES | Op.DIVIDE | Op.DATETIME_PLUS):
            return (_LOWER, _UPPER)
        case Call(Op.NEGATE | Op.ABS):
            return (_UPPER,)
        case Call(Op.FLOOR | Op.CEIL | Op.ROUND | Op.TRUNCATE):
            return (_LOWER, _UPPER)
        case Call(Op.STEP | Op.LN | Op.LOG10 | Op.SQRT | Op.SUBSTRING):
            # STEP: a multiple below the least value; else an operand that is too small.
            return (_LOWER,)
        case _:
            return ()


def _exceeded(part: Expression, values: Sequence[Value]) -> int:
    """The end of the range that the result of ``part`` exceeds; ``values`` are its operands.

    `_NEITHER` for a cast of a text, which may be too long for the type; a later text can be
    shorter.  For a cast of a number to a CHAR or VARCHAR that is too short for its digits, the
    result is the end of the number's sign.  This result has no effect: such a cast has no order, so
    `_stays_beyond` is False.
    """
    match _ends_of(part):
        case ():
            return _NEITHER
        case (end,):
            return end
        case _:
            return _direction(part, values)


def _direction(part: Expression, values: Sequence[Value]) -> int:
    """The end that the result exceeds, for a ``part`` whose result can exceed both ends.

    It is the sign of the exact result; for DATETIME_PLUS it is the sign of the interval.  A cast or
    a rounding keeps the sign of its operand.  There is no case for sums and differences of DOUBLEs,
    because they do not fail: beyond the range they are infinite (S-202.m).
    """
    match part, values:
        case Call(Op.PLUS), [int() | Decimal() as a, int() | Decimal() as b]:
            return _sign(a + b)
        case Call(Op.MINUS), [int() | Decimal() as a, int() | Decimal() as b]:
            return _sign(a - b)
        case Call(Op.TIMES | Op.DIVIDE), [a, b]:
            return _sign(a) * _sign(b)
        case Call(Op.DATETIME_PLUS), [_, by]:
            return _sign(by)
        case _:  # a cast or a rounding
            return _sign(values[0])


def _sign(value: Value) -> int:
    """The sign of a number or interval: 1 or -1; 0 for NaN."""
    assert isinstance(value, int | float | Decimal), "a number or an interval"
    return (value > 0) - (value < 0)
