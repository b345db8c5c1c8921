"""Whether an expression that fails at the bounds of its columns fails in all later rows (S-405).

An operator that preserves an order has values for one interval of its operands.  An ascending
expression that exceeds its type's range at the bounds exceeds it in all later rows.  One that is
still below the range may have a value later.
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

#: The function from a row to the value of an expression; it may raise `SqlError`.
MeaningOf: TypeAlias = Callable[[Expression], Callable[[tuple[Value, ...]], Value]]

#: The end of its range that a result exceeds: the upper end, the lower end, or neither.
_UPPER: Final = 1
_LOWER: Final = -1
_NEITHER: Final = 0

#: The kinds whose values have a sign.
_COUNTED: Final = NUMERIC | INTERVAL


def may_fail_for_good(
    expression: Expression, columns: Sequence[Monotonicity], ranges: Sequence[Range]
) -> bool:
    """Whether bounds can exist after which ``expression`` fails in all rows.

    ``columns`` are the orders of the bounds, ``ranges`` the ranges of the values, column by column.
    False is certain; True may be too careful.
    """
    return any(
        _is_ahead(monotonicity(part, columns, ranges), end)
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

    ``columns`` are the orders of the columns, by which rows are after one another.  The answer is
    that of the first part that fails while its own operands have values: it must move away from its
    range.  A part that is not evaluated on every row decides nothing.

    Defines: S-405.e, S-405.f
    """
    values: list[Value] = []
    for part in _operands_evaluated(expression):
        try:
            values.append(meaning_of(part)(row))
        except SqlError:
            return fails_for_good(part, columns, ranges, meaning_of, row)
    return _is_ahead(monotonicity(expression, columns, ranges), _exceeded(expression, values))


def _is_ahead(order: Monotonicity, end: int) -> bool:
    """Whether values of this order move toward that end of their range."""
    return (order.ascending and end == _UPPER) or (order.descending and end == _LOWER)


def _always_evaluated(expression: Expression) -> Iterator[Expression]:
    """The parts of an expression that are evaluated on every row, and the expression itself."""
    yield expression
    for each in _operands_evaluated(expression):
        yield from _always_evaluated(each)


def _operands_evaluated(expression: Expression) -> Sequence[Expression]:
    """The operands that are evaluated on every row.

    Others may be left out, depending on the values of those before them.
    """
    match expression:
        case Case(branches):
            return [condition for condition, _ in branches[:1]]
        case Call(Op.COALESCE | Op.AND | Op.OR, (first, *_)):
            return [first]
        case _:
            return list(operands(expression))


# --- which end of its range a result exceeds ------------------------------------------------------


def _ends_of(part: Expression) -> Sequence[int]:
    """The ends of its range that the result of ``part`` can exceed, whatever its operands are.

    `Round` is FLOOR or CEIL of a datetime to a unit, and moves it toward one end of the calendar.
    `Op.FLOOR`, `Op.CEIL`, `Op.ROUND` and `Op.TRUNCATE` are of numbers, and fail at either end.
    """
    match part:
        case Cast(operand) if operand.type.kind in _COUNTED:
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
            # A multiple below the least value, a number or a length that is too small.
            return (_LOWER,)
        case _:
            return ()


def _exceeded(part: Expression, values: Sequence[Value]) -> int:
    """The end of its range that the result of ``part`` exceeds on these operands.

    Neither is the answer for an operand that is a text, which may be too long: a later one can be
    shorter.  A number whose text is too long exceeds the end of its sign.  But a cast of a number
    to a text has no order, so this end decides nothing.
    """
    match _ends_of(part):
        case ():
            return _NEITHER
        case (end,):
            return end
        case _:
            return _direction(part, values)


def _direction(part: Expression, values: Sequence[Value]) -> int:
    """The end that a result exceeds that can exceed both: the sign of the exact result or step.

    No sum or difference of DOUBLEs gets here, because it does not fail: beyond the range it is an
    infinity (S-202.m).  A cast or a rounding keeps the sign of its operand.
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
