"""The monotonicity of an expression, deduced from that of the columns it uses (S-402).

Values that are NULL, or a float that is no number, take no part in an order.
"""

from collections.abc import Sequence
from typing import Final

from algebra.cast_order import CastOrder, cast_order
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
from algebra.lattice import TIMES, UNDER, Monotonicity, plus
from algebra.ranges import Range, value_range
from algebra.types import APPROXIMATE, INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind, Type
from grammar.tree import TimeUnit

_C: Final = Monotonicity.CONSTANT
_I: Final = Monotonicity.INCREASING
_N: Final = Monotonicity.NOT_MONOTONIC

#: The operators whose result may be other than NULL where an operand is NULL.
NULL_TOLERANT: Final = frozenset({
    Op.AND, Op.OR, Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE,
    Op.IS_NOT_FALSE, Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM, Op.IN, Op.COALESCE,
})  # fmt: skip


def monotonicity(
    expression: Expression, columns: Sequence[Monotonicity], ranges: Sequence[Range] = ()
) -> Monotonicity:
    """The monotonicity of ``expression`` over rows whose columns are as ``columns`` say (S-402).

    ``ranges`` are those of the columns, where known: ``12 / m`` needs the sign of ``m``.  What no
    rule speaks of is NOT_MONOTONIC, which is never wrong (S-403).
    """

    def of(operand: Expression) -> Monotonicity:
        return monotonicity(operand, columns, ranges)

    if _surely_null(expression):
        return _C
    match expression:
        case InputRef(index):
            return columns[index]
        case Literal() | Parameter():
            return _C
        case Cast(operand, type_):
            return _cast(of(operand), operand.type, type_)
        case Case(branches, otherwise):
            parts = (*(e for each in branches for e in each), otherwise)
            return _C if all(of(each) is _C for each in parts) else _N
        case Extract(unit, operand):
            kept = unit is TimeUnit.YEAR or of(operand) is _C
            return of(operand).unstrict() if kept else _N
        case Round(_, operand):
            return of(operand).unstrict()
        case Call(Op.RAND):
            return _N
        case Call(Op.CURRENT_TIMESTAMP, _, type_):
            # The time of day starts anew at midnight.
            return _N if type_.kind is Kind.TIME else _I
        case Call(op, operands, type_):
            orders = [of(each) for each in operands]
            if all(each is _C for each in orders):
                return _C
            return _call(op, operands, orders, [value_range(e, ranges) for e in operands], type_)
        case OuterRef() | Grouping() | GroupId():
            return _N
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            return _N


def _surely_null(expression: Expression) -> bool:
    """Whether ``expression`` is NULL because of a NULL that is written in it."""
    match expression:
        case Literal(value):
            return value is None
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return _surely_null(operand)
        case Call(op, operands):
            return op not in NULL_TOLERANT and any(_surely_null(each) for each in operands)
        case _:
            return False


def _call(
    op: Op,
    operands: tuple[Expression, ...],
    orders: list[Monotonicity],
    ranges: list[Range],
    type_: Type,
) -> Monotonicity:
    """The monotonicity of an operator at operands not all constant."""
    rounds = _rounds(op, operands, type_)
    match op, orders:
        case Op.PLUS, [a, b]:
            return _rounded(plus(a, b), rounds)
        case Op.MINUS, [a, b]:
            return _rounded(plus(a, b.reverse()), rounds)
        case Op.NEGATE, [m]:
            return m.reverse()
        case Op.DATETIME_PLUS, [a, b]:
            return _datetime_plus(operands[0].type.kind, operands[1], a, b)
        case Op.DATETIME_MINUS, [a, b]:
            # Months are counted with days clamped: a later start can count more of them (S-207).
            return _N if type_.kind is Kind.MONTHS else plus(a, b.reverse()).unstrict()
        case Op.TIMES, [m, Monotonicity.CONSTANT]:
            return _times(m, ranges[1], type_, rounds)
        case Op.TIMES, [Monotonicity.CONSTANT, m]:
            return _times(m, ranges[0], type_, rounds)
        case Op.DIVIDE, [m, Monotonicity.CONSTANT]:
            whole = ranges[1].value in (-1, 1) and not rounds
            return _N if ranges[1].sign == 0 else _times(m, ranges[1], type_, not whole)
        case Op.DIVIDE, [Monotonicity.CONSTANT, m]:
            c, passes_zero = ranges[0].sign, ranges[1].sign in (None, 0)
            return _N if c is None or passes_zero else UNDER.get((c, m), _N)
        case ((Op.FLOOR | Op.CEIL | Op.SIGN | Op.ROUND | Op.TRUNCATE), [m]):
            return m.unstrict()
        case ((Op.ROUND | Op.TRUNCATE), [m, Monotonicity.CONSTANT]):
            return m.unstrict()
        case ((Op.EXP | Op.LN | Op.LOG10 | Op.SQRT | Op.LAST_DAY), [m]):
            # Floating point rounds, but an order it keeps.
            return m.unstrict()
        case ((Op.GREATEST | Op.LEAST), _):
            return _extreme(orders)
        case Op.STEP, [m, Monotonicity.CONSTANT]:
            return m.unstrict()
        case Op.SUBSTRING, [m, Monotonicity.CONSTANT, Monotonicity.CONSTANT]:
            return m.unstrict() if ranges[1].value in (0, 1) else _N
        case Op.MONOTONIC, [m]:
            # The word is taken for it, unless more is known.
            return m if m.ascending else _I
        case _:
            return _N


def _extreme(orders: list[Monotonicity]) -> Monotonicity:
    """GREATEST or LEAST: that of the operands, if all go one way, constants apart; not strict."""
    ways = {each.unstrict() for each in orders if each is not _C}
    return ways.pop() if len(ways) == 1 else _N


def _rounded(exact: Monotonicity, rounds: bool) -> Monotonicity:
    return exact.unstrict() if rounds else exact


def _times(m: Monotonicity, c: Range, type_: Type, rounds: bool) -> Monotonicity:
    """``m * c`` and ``m / c``; a float by 0 is left alone, as it can be no number."""
    if c.sign is None or (c.sign == 0 and type_.kind in APPROXIMATE):
        return _N
    return _rounded(TIMES.get((m, c.sign), _N), rounds)


def _rounds(op: Op, operands: tuple[Expression, ...], type_: Type) -> bool:
    """Whether different exact results of ``op`` can come to the same value of ``type_``."""
    types = [each.type for each in operands]
    if any(each.kind in APPROXIMATE for each in (type_, *types)):
        return True
    if type_.kind in INTERVAL:
        return any(each.kind not in INTERVAL | INTEGERS for each in types)
    scales = [each.scale for each in types]
    return type_.scale < (sum(scales) if op is Op.TIMES else max(scales, default=0))


def _datetime_plus(
    kind: Kind, interval: Expression, a: Monotonicity, b: Monotonicity
) -> Monotonicity:
    """A datetime plus an interval: months clamp, and a time of day starts anew (S-402)."""
    match kind, interval.type.kind:
        case Kind.TIMESTAMP, Kind.MILLIS:
            return plus(a, b)
        case Kind.DATE, Kind.MILLIS:
            days = value_range(interval).value
            whole = days is not None and days % MILLIS_PER_DAY == 0
            return _rounded(plus(a, b), not whole)
        case Kind.DATE, Kind.MONTHS:
            return plus(a, b).unstrict()
        case _:
            return _N


def _cast(operand: Monotonicity, source: Type, target: Type) -> Monotonicity:
    if operand is _C:
        return _C
    match cast_order(source, target):
        case CastOrder.STRICT:
            return operand
        case CastOrder.WEAK:
            return operand.unstrict()
        case CastOrder.NONE:
            return _N
