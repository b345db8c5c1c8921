"""The monotonicity of an expression, deduced from that of its columns (S-402).

There are three kinds of rules: for functions that are monotonic in each operand, whatever the
values of the others; for choices among results that do not overlap; and for sums of datetime
fields.  All of them treat the expression as a function of its columns.  So bounds of the columns
imply a bound of the expression (S-405).

An expression that may be NaN has no order, because NaN has no place in it.  An expression that has
an order is NULL in all rows, or in none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.constraints.number_range import ANY, Range, hull
from algebra.constraints.ranges import narrowed, never_null, rounding_unit, value_range, without
from algebra.expression import (
    NULL_TOLERANT,
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
from algebra.monotonicity.arithmetic_order import (
    after_rounding,
    magnitude_order,
    product_order,
    quotient_order,
    rounds_nothing,
    steps_over_nothing,
    sums_stay_apart,
)
from algebra.monotonicity.calendar_order import (
    calendar_sum,
    datetime_sum_order,
    distance_order,
    field_order,
    rounded_order,
)
from algebra.monotonicity.cast_order import CastOrder, cast_order
from algebra.monotonicity.tables import Monotonicity, either, plus
from algebra.types import Kind, Type

_C: Final = Monotonicity.CONSTANT
_I: Final = Monotonicity.INCREASING
_N: Final = Monotonicity.NOT_MONOTONIC


def monotonicity(
    expression: Expression, columns: Sequence[Monotonicity], ranges: Sequence[Range] = ()
) -> Monotonicity:
    """The monotonicity of ``expression``, given the monotonicity of each column (S-402).

    ``ranges`` are the ranges of the columns; without them, the columns can have any value.  The
    order of ``12 / m``, for example, depends on the sign of ``m``.  An expression that no rule
    covers is NOT_MONOTONIC, which is never wrong (S-403).

    Defines: S-401.b, S-402.w, S-403.d
    """
    return _of(expression, _Known(columns, tuple(ranges) or (ANY,) * len(columns)))


@dataclass(frozen=True, slots=True)
class _Known:
    """The known orders and ranges of the columns."""

    columns: Sequence[Monotonicity]
    ranges: tuple[Range, ...]

    def where(self, condition: Expression) -> "_Known":
        """The same over the rows for which ``condition`` is true."""
        return _Known(self.columns, narrowed(self.ranges, condition))

    def elsewhere(self, condition: Expression) -> "_Known":
        """The same over the rows for which ``condition`` is false or unknown."""
        return _Known(self.columns, without(self.ranges, condition))


def _of(expression: Expression, known: _Known) -> Monotonicity:
    """`monotonicity`, by the kind of the expression.

    The session's clock is INCREASING as a TIMESTAMP or DATE.  As a TIME it is NOT_MONOTONIC.

    Defines: S-402.n
    """
    if surely_null(expression):
        return _C
    match expression:
        case InputRef(index):
            return known.columns[index]
        case Literal() | Parameter():
            return _C
        case Cast(operand, type_):
            return _cast(_of(operand, known), operand.type, type_)
        case Case(branches, otherwise, type_):
            parts = (*(part for branch in branches for part in branch), otherwise)
            if all(_of(each, known) is _C for each in parts):
                return _C
            return _N if type_.nullable else _case(branches, otherwise, known)[0]
        case Extract(unit, operand):
            order = _of(operand, known)
            return _C if order is _C else field_order(unit, operand.type, order)
        case Round(_, operand, unit):
            return rounded_order(unit, operand.type, _of(operand, known))
        case Call(Op.RAND):
            return _N
        case Call(Op.CURRENT_TIMESTAMP, _, type_):
            # The time of day wraps around at midnight.
            return _N if type_.kind is Kind.TIME else _I
        case Call(_, operands):
            orders = [_of(each, known) for each in operands]
            if all(each is _C for each in orders):
                return _C
            found = _call(expression, orders, known)
            return _of_sum(expression, known) if found is _N else found
        case External() | OuterRef() | Grouping() | GroupId():
            return _N
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            return _N


def surely_null(expression: Expression) -> bool:
    """Whether ``expression`` is NULL in all rows, because it has a literal NULL as an operand.

    Defines: S-402.q
    """
    match expression:
        case Literal(value):
            return value is None
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return surely_null(operand)
        case Call(op, operands):
            return op not in NULL_TOLERANT and any(surely_null(each) for each in operands)
        case _:
            return False


def _call(call: Call, orders: list[Monotonicity], known: _Known) -> Monotonicity:
    """The monotonicity of an operator whose operands are not all constant.

    ``orders`` are those of its operands.

    Defines: S-402.a, S-402.r, S-402.z, S-402.ac, S-402.ad
    """
    operands, type_ = call.operands, call.type
    ranges = [value_range(each, known.ranges) for each in operands]
    match call.op, orders:
        case Op.PLUS, [a, b]:
            return after_rounding(plus(a, b), sums_stay_apart(operands, type_))
        case Op.MINUS, [a, b]:
            return after_rounding(plus(a, b.reverse()), sums_stay_apart(operands, type_))
        case (Op.NEGATE, [m]):
            return m.reverse()
        case Op.TIMES | Op.DIVIDE, [a, b] if type_.nullable and _N in (a, b):
            # 0 * m is constant even if m has no order, but not if m can be NULL in some rows.
            return _N
        case Op.TIMES, [a, b]:
            return product_order(call, a, b, ranges)
        case Op.DIVIDE, [a, b]:
            return quotient_order(call, a, b, ranges)
        case (Op.ABS, [m]):
            return magnitude_order(m, ranges[0].sign)
        case Op.DATETIME_PLUS, [a, b]:
            return datetime_sum_order(operands[0], operands[1], a, b)
        case Op.DATETIME_MINUS, [a, b]:
            return distance_order(call, a, b, ranges)
        case ((Op.FLOOR | Op.CEIL), [m]):
            return after_rounding(m, rounds_nothing(operands[0], Fraction(1)))
        case ((Op.ROUND | Op.TRUNCATE), [m, *digits]) if all(each is _C for each in digits):
            unit = rounding_unit(ranges[1].value if digits else Fraction(0))
            return after_rounding(m, rounds_nothing(operands[0], unit))
        case Op.STEP, [m, Monotonicity.CONSTANT]:
            return after_rounding(m, steps_over_nothing(operands, ranges[1]))
        case ((Op.SIGN | Op.EXP | Op.LN | Op.LOG10 | Op.SQRT | Op.LAST_DAY), [m]):
            # Rounding to floating point may make values equal, but never swaps them.
            return m.unstrict()
        case ((Op.AND | Op.OR), _) if type_.nullable:
            return _N
        case ((Op.GREATEST | Op.LEAST | Op.AND | Op.OR), _):
            return either(orders)
        case (Op.NOT, [m]):
            return m.reverse()
        case ((Op.LESS | Op.LESS_OR_EQUAL), [a, b]):
            return plus(a.reverse(), b).unstrict()
        case ((Op.GREATER | Op.GREATER_OR_EQUAL), [a, b]):
            return plus(a, b.reverse()).unstrict()
        case ((Op.IS_NULL | Op.IS_NOT_NULL), _):
            return _C if never_null(operands[0]) else _N
        case ((Op.IS_TRUE | Op.IS_NOT_FALSE), [m]):
            return m
        case ((Op.IS_FALSE | Op.IS_NOT_TRUE), [m]):
            return m.reverse()
        case Op.COALESCE, _:
            return _coalesce(operands, orders)
        case Op.SUBSTRING, [_, Monotonicity.CONSTANT, *_]:
            return _prefix(operands[0], orders, ranges)
        case Op.CONCAT, [a, b]:
            if a is _C:
                return b
            return plus(a, b) if _has_one_length(operands[0]) else _N
        case Op.MONOTONIC, [m]:
            # MONOTONIC declares that its operand ascends.  The operand may be known to be strict.
            return m if m.ascending else _I
        case _:
            return _N


# --- sums of summands without an order --------------------------------------------------------


def _of_sum(expression: Call, known: _Known) -> Monotonicity:
    """The monotonicity of a sum or difference that has an order although its operands have none.

    Defines: S-402.m
    """
    match expression:
        case Call(Op.MINUS, (a, Call(Op.MOD, (b, c)))) if a == b and _of(c, known) is _C:
            # a - MOD(a, c) is the next multiple of c toward zero.
            return _of(a, known).unstrict()
        case Call(Op.PLUS | Op.MINUS):
            moment = calendar_sum(expression)
            return _N if moment is None else _of(moment, known).unstrict()
        case _:
            return _N


# --- choices ----------------------------------------------------------------------------------


def _coalesce(operands: tuple[Expression, ...], orders: list[Monotonicity]) -> Monotonicity:
    """The monotonicity of COALESCE: that of its first operand which is not surely NULL.

    NOT_MONOTONIC if that operand can be NULL, and others follow it.

    Defines: S-402.t
    """
    remaining = [i for i, each in enumerate(operands) if not surely_null(each)]
    first = remaining[0]
    return orders[first] if never_null(operands[first]) or len(remaining) == 1 else _N


def _case(
    branches: tuple[tuple[Expression, Expression], ...], otherwise: Expression, known: _Known
) -> tuple[Monotonicity, Range]:
    """The monotonicity and the range of a CASE that is never NULL.

    An ascending condition is false in all rows up to some row, and true in all rows after it.  So
    it divides the rows into two consecutive parts.

    Defines: S-402.s
    """
    if not branches:
        return _of(otherwise, known), value_range(otherwise, known.ranges)
    (condition, result), *rest = branches
    if_true, if_not = known.where(condition), known.elsewhere(condition)
    then = _of(result, if_true), value_range(result, if_true.ranges)
    other = _case(tuple(rest), otherwise, if_not)
    (then_order, then_range), (else_order, else_range) = then, other
    total_range = hull((then_range, else_range))
    condition_order = _of(condition, known)
    if condition_order is _C:
        return _alike(then_order, else_order), total_range
    if condition_order.ascending:
        return _one_after_other(other, then), total_range
    order = _one_after_other(then, other) if condition_order.descending else _N
    return order, total_range


def _alike(a: Monotonicity, b: Monotonicity) -> Monotonicity:
    """The monotonicity of a result that is in all rows ``a``, or in all rows ``b``.

    It is not known which of the two results is chosen.
    """
    if a is b:
        return a
    return a.unstrict() if a.unstrict() is b.unstrict() else _N


def _one_after_other(
    first: tuple[Monotonicity, Range], second: tuple[Monotonicity, Range]
) -> Monotonicity:
    """The monotonicity of a result that has the values ``first`` up to some row, then ``second``.

    ``first`` and ``second`` are each the monotonicity and the range of the values.  The result has
    an order only if the two ranges do not overlap, or if both are the same constant.
    """
    (a, a_range), (b, b_range) = first, second
    if a is b is _C and a_range.value is not None and a_range.value == b_range.value:
        return _C
    if all(each is _C or each.ascending for each in (a, b)) and _ends_below(a_range, b_range):
        strict = a.strict and b.strict and a_range.upper != b_range.lower
        return Monotonicity.STRICTLY_INCREASING if strict else _I
    if all(each is _C or each.descending for each in (a, b)) and _ends_below(b_range, a_range):
        strict = a.strict and b.strict and b_range.upper != a_range.lower
        return Monotonicity.STRICTLY_DECREASING if strict else Monotonicity.DECREASING
    return _N


def _ends_below(a: Range, b: Range) -> bool:
    """Whether no value of ``a`` is above any value of ``b``."""
    return a.upper is not None and b.lower is not None and a.upper <= b.lower


# --- texts and casts --------------------------------------------------------------------------


def _prefix(text: Expression, orders: list[Monotonicity], ranges: list[Range]) -> Monotonicity:
    """The monotonicity of SUBSTRING from a constant position, at most 1: a prefix of ``text``.

    ``orders`` and ``ranges`` are those of the operands: the text, the position, and perhaps the
    length.

    Defines: S-402.i
    """
    start = ranges[1]
    if start.upper is None or start.upper > 1:
        return _N
    if len(orders) == 2 or (orders[2] is _C and _reaches_end(text, start, ranges[2])):
        return orders[0]
    return plus(orders[0], orders[2]).unstrict()


def _reaches_end(text: Expression, start: Range, length: Range) -> bool:
    """Whether SUBSTRING from ``start`` with ``length`` always reaches the end of ``text``."""
    if not text.type.precision or start.lower is None or length.lower is None:
        return False
    return start.lower - 1 + length.lower >= text.type.precision


def _cast(operand: Monotonicity, source: Type, target: Type) -> Monotonicity:
    """The monotonicity of a cast of an ``operand`` of this order."""
    if operand is _C:
        return _C
    match cast_order(source, target):
        case CastOrder.STRICT:
            return operand
        case CastOrder.WEAK:
            return operand.unstrict()
        case CastOrder.NONE:
            return _N


def _has_one_length(expression: Expression) -> bool:
    """Whether all values of ``expression``, a text, have the same number of characters.

    A CHAR keeps its blanks in a cast to VARCHAR.  The text of a TIMESTAMP has milliseconds only if
    they are not 0, so its length varies.

    Defines: S-402.j, S-402.ae
    """
    match expression:
        case Literal():
            return True
        case Cast(operand, type_) if type_.kind is Kind.VARCHAR:
            return operand.type.kind is Kind.DATE or _has_one_length(operand)
        case Call(Op.CONCAT, operands):
            return all(map(_has_one_length, operands))
        case _:
            return expression.type.kind is Kind.CHAR
