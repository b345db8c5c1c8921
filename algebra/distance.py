"""The distance of two columns that conditions allow: linear reasoning for lock step (S-510)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.expression import Call, Expression, Literal, Op
from algebra.linear import LONG_MONTH, SHORT_MONTH, Linear, Reader, unit_of
from algebra.ranges import ANY, MIRROR, Range, hull
from algebra.types import INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind, Type

#: The kinds whose values are whole inside, and count in one unit within each group.
COMPARABLE: Final = (INTEGERS, *({each} for each in (Kind.DATE, Kind.TIMESTAMP, *INTERVAL)))


@dataclass(frozen=True, slots=True)
class Distance:
    """The closed interval that ``right - left`` lies in, in the columns' unit; None: no end.

    ``lower > upper``: there is no such pair.
    """

    lower: int | None = None
    upper: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether it has both ends."""
        return self.lower is not None and self.upper is not None


def comparable(left: Type, right: Type) -> bool:
    """Whether ``right - left`` of columns of these types is a number of whole units."""
    return any(left.kind in kinds and right.kind in kinds for kinds in COMPARABLE)


def distance(
    conditions: Iterable[Expression], left: int, right: int, ranges: Sequence[Range] = ()
) -> Distance:
    """The distance of the columns ``left`` and ``right`` in rows where all ``conditions`` are true.

    The columns' types are `comparable`; ``ranges`` are those of all columns, where known.
    """
    known = Range()
    for each in conditions:
        known = _both(known, _allowed(each, left, right, ranges))
    return Distance(
        None if known.lower is None else math.ceil(known.lower),
        None if known.upper is None else math.floor(known.upper),
    )


def _both(a: Range, b: Range) -> Range:
    lowers = [each for each in (a.lower, b.lower) if each is not None]
    uppers = [each for each in (a.upper, b.upper) if each is not None]
    return Range(max(lowers, default=None), min(uppers, default=None))


def _allowed(condition: Expression, left: int, right: int, ranges: Sequence[Range]) -> Range:
    """The distances at which ``condition`` can be true."""
    match condition:
        case Literal(value) if value is not True:
            return Range(Fraction(0), Fraction(-1))  # it never is
        case Call(Op.AND, operands):
            known = ANY
            for each in operands:
                known = _both(known, _allowed(each, left, right, ranges))
            return known
        case Call(Op.OR, operands):
            return hull(_allowed(each, left, right, ranges) for each in operands)
        case Call(Op.IS_TRUE, (operand,)):
            return _allowed(operand, left, right, ranges)
        case Call(op, (a, b)) if op in MIRROR:
            read = Reader(left, right, ranges)
            if isinstance(b, Call) and b.op is Op.DATETIME_MINUS:
                a, op, b = b, MIRROR[op], a
            limit = read.linear(b)
            if isinstance(a, Call) and a.op is Op.DATETIME_MINUS and limit.left == limit.right == 0:
                return _counted(read.span(a), a, op, limit.rest)
            return _solved(read.linear(a).plus(limit.times(Fraction(-1))), op)
        case _:
            return ANY


def _solved(term: Linear, op: Op) -> Range:
    """The distances at which ``term op 0`` can hold, for a whole distance."""
    if term.right == 0 or term.left != -term.right:
        return ANY
    if term.right < 0:
        return _solved(term.times(Fraction(-1)), MIRROR[op])
    low = None if term.rest.upper is None else -term.rest.upper / term.right
    high = None if term.rest.lower is None else -term.rest.lower / term.right
    match op:
        case Op.LESS:
            return Range(None, None if high is None else Fraction(math.ceil(high) - 1))
        case Op.LESS_OR_EQUAL:
            return Range(None, high)
        case Op.GREATER:
            return Range(None if low is None else Fraction(math.floor(low) + 1), None)
        case Op.GREATER_OR_EQUAL:
            return Range(low, None)
        case _:
            return Range(low, high)


# --- (a - b) unit ------------------------------------------------------------------------------


def _counted(span: Linear, minus: Call, op: Op, limit: Range) -> Range:
    """The distances at which ``(a - b) unit op limit`` can hold; ``span`` is a - b exactly.

    The difference is truncated toward zero (S-207), so that ``(a - b) HOUR <= 1`` lets it come
    close to two hours, and ``>= 1`` means one hour at least.
    """
    upper = limit.upper if op is not Op.LESS else _before(limit.upper)
    lower = limit.lower if op is not Op.GREATER else _negative(_before(_negative(limit.lower)))
    below = ANY
    if op in (Op.LESS, Op.LESS_OR_EQUAL, Op.EQUAL) and upper is not None:
        rest = Range(-longest(minus, upper), None)
        below = _solved(span.plus(Linear(rest=rest)), Op.LESS_OR_EQUAL)
    if op in (Op.GREATER, Op.GREATER_OR_EQUAL, Op.EQUAL) and lower is not None:
        rest = Range(None, longest(minus, -lower))
        above = _solved(span.plus(Linear(rest=rest)), Op.GREATER_OR_EQUAL)
        return _both(below, above)
    return below


def longest(minus: Call, most: Fraction) -> Fraction:
    """The greatest a - b that counts as ``most`` at most; in milliseconds, or days for DATE."""
    unit = unit_of(minus.type)
    whole = math.floor(most)
    counted = whole if whole < 0 else whole // unit * unit + unit - 1
    if minus.type.kind is not Kind.MONTHS:
        return Fraction(counted)
    days = LONG_MONTH * (counted + 1) if counted >= 0 else SHORT_MONTH * counted
    is_date = minus.operands[0].type.kind is Kind.DATE
    return Fraction(days if is_date else days * MILLIS_PER_DAY)


def _before(end: Fraction | None) -> Fraction | None:
    """The greatest whole number below ``end``."""
    return None if end is None else Fraction(math.ceil(end) - 1)


def _negative(end: Fraction | None) -> Fraction | None:
    return None if end is None else -end
