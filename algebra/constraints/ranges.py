"""The range of an expression's values, computed from the ranges of its columns (S-403).

Conditions narrow the ranges of columns.  The rules of monotonicity need ranges, for example to know
the sign of a factor.
"""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from algebra.build import and_, compared, equal, not_, or_
from algebra.constraints.number_range import (
    ANY,
    NOT_NEGATIVE,
    Range,
    approximated,
    between,
    downward,
    greatest,
    hull,
    least,
    magnitude,
    negated,
    outward,
    product,
    quotient,
    remainder,
    total,
    towards_zero,
    written,
)
from algebra.constraints.step import interval_unit, multiple, step_of
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
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    EXACT,
    INTEGERS,
    INTERVAL,
    NUMERIC,
    Kind,
    Type,
)
from grammar.tree import TimeUnit

#: The range of ``EXTRACT(unit FROM datetime)``; for other units it can be any number.
FIELD_RANGE: Final = {
    TimeUnit.MILLENNIUM: between(1, 10),
    TimeUnit.CENTURY: between(1, 100),
    TimeUnit.DECADE: between(0, 999),
    TimeUnit.YEAR: between(1, 9999),
    TimeUnit.ISOYEAR: between(1, 9999),
    TimeUnit.QUARTER: between(1, 4),
    TimeUnit.MONTH: between(1, 12),
    TimeUnit.WEEK: between(1, 53),
    TimeUnit.DAY: between(1, 31),
    TimeUnit.DOY: between(1, 366),
    TimeUnit.DOW: between(1, 7),
    TimeUnit.ISODOW: between(1, 7),
    TimeUnit.HOUR: between(0, 23),
    TimeUnit.MINUTE: between(0, 59),
    TimeUnit.SECOND: between(0, 59),
    TimeUnit.MILLISECOND: between(0, 59_999),
}

#: For each comparison the equivalent one with swapped operands: ``a < b`` is ``b > a``.
MIRROR: Final = {
    Op.EQUAL: Op.EQUAL,
    Op.LESS: Op.GREATER,
    Op.LESS_OR_EQUAL: Op.GREATER_OR_EQUAL,
    Op.GREATER: Op.LESS,
    Op.GREATER_OR_EQUAL: Op.LESS_OR_EQUAL,
}

#: For each comparison the one that is true where it is false, for values that are not NULL or NaN.
OPPOSITE: Final = {
    Op.EQUAL: Op.NOT_EQUAL,
    Op.NOT_EQUAL: Op.EQUAL,
    Op.LESS: Op.GREATER_OR_EQUAL,
    Op.LESS_OR_EQUAL: Op.GREATER,
    Op.GREATER: Op.LESS_OR_EQUAL,
    Op.GREATER_OR_EQUAL: Op.LESS,
}


# --- of expressions ---------------------------------------------------------------------------


def value_range(expression: Expression, columns: Sequence[Range] = ()) -> Range:
    """The range of ``expression`` over rows whose columns have the ranges ``columns``.

    A column beyond the end of ``columns`` can have any value.  The range may be too wide, never too
    narrow (S-403).  Rows in which the value is NULL, NaN or infinite do not count.

    Defines: S-403.f
    """
    match expression:
        case InputRef(index):
            return columns[index] if index < len(columns) else ANY
        case Literal(value, type_):
            return _point(value) if type_.kind in NUMERIC | INTERVAL | DATETIME else ANY
        case Cast(operand, type_):
            return _cast(value_range(operand, columns), operand.type, type_)
        case Case(branches, otherwise):
            return hull(value_range(*each) for each in _chosen(branches, otherwise, columns))
        case Extract(unit, operand):
            return FIELD_RANGE.get(unit, ANY) if operand.type.kind in DATETIME else ANY
        case Call(Op.COALESCE, operands):
            return hull(value_range(each, columns) for each in operands)
        case Call(op, operands, type_):
            if type_.kind not in NUMERIC | INTERVAL | DATETIME:
                return ANY
            known = [value_range(each, columns) for each in operands]
            return _represented(_computed(op, known, operands), type_)
        case External() | Round() | OuterRef() | Parameter() | Grouping() | GroupId():
            return ANY
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            return ANY


def _point(value: object) -> Range:
    """The range of one constant; `ANY` for NULL and for a float that is not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return ANY
    if isinstance(value, int | Decimal | float):
        return Range(Fraction(value), Fraction(value))
    return ANY


def _chosen(
    branches: tuple[tuple[Expression, Expression], ...],
    otherwise: Expression,
    columns: Sequence[Range],
) -> Iterator[tuple[Expression, tuple[Range, ...]]]:
    """Each result of a CASE, with the ranges of the columns in the rows for which it is chosen."""
    remaining = tuple(columns)
    for condition, result in branches:
        yield result, narrowed(remaining, condition)
        remaining = without(remaining, condition)
    yield otherwise, remaining


def _cast(known: Range, source: Type, target: Type) -> Range:
    """The range of a cast between numbers, or between intervals of one family; `ANY` for others.

    ``known`` is the range of the operand.
    """
    if source.kind in INTERVAL and target.kind is source.kind:
        return towards_zero(known, Fraction(interval_unit(target)))
    if source.kind in APPROXIMATE and target.kind is Kind.DECIMAL:
        return _represented(written(known, source.kind), target)
    numbers = source.kind in NUMERIC and target.kind in NUMERIC
    return _represented(known, target) if numbers else ANY


def _computed(op: Op, ranges: list[Range], operands: tuple[Expression, ...]) -> Range:
    """The range of an operator's exact result, which is not yet rounded to the result's type.

    `ANY` for operators without a case.  A datetime has a range only as the result of GREATEST,
    LEAST and MONOTONIC.
    """
    match op, ranges:
        case Op.PLUS, [a, b]:
            return total(a, b)
        case Op.MINUS, [a, b]:
            return total(a, negated(b))
        case Op.NEGATE, [a]:
            return negated(a)
        case Op.TIMES, [a, b]:
            return product(a, b)
        case Op.DIVIDE, [a, b]:
            return quotient(a, b)
        case Op.MOD, [a, b]:
            return remainder(a, b)
        case Op.ABS, [a]:
            return magnitude(a)
        case Op.SIGN, [a]:
            return _signs(a)
        case Op.FLOOR | Op.CEIL, [a]:
            return outward(a)
        case ((Op.ROUND | Op.TRUNCATE), [a, *digits]):
            unit = rounding_unit(digits[0].value if digits else Fraction(0))
            return ANY if unit is None else outward(a, unit)
        case Op.STEP, [a, b] if operands[0].type.kind in INTEGERS:
            return ANY if b.value is None or b.value <= 0 else downward(a, b.value)
        case Op.GREATEST, _:
            return greatest(ranges)
        case Op.LEAST, _:
            return least(ranges)
        case Op.MONOTONIC, [a]:
            return a
        case ((Op.EXP | Op.SQRT | Op.CHAR_LENGTH | Op.POSITION), _):
            return NOT_NEGATIVE
        case _:
            return ANY


def _signs(a: Range) -> Range:
    """The range of SIGN of a number in ``a``."""
    # (x > 0) - (x < 0) is 1, 0 or -1: the sign of x.
    lower = -1 if a.lower is None else (a.lower > 0) - (a.lower < 0)
    upper = 1 if a.upper is None else (a.upper > 0) - (a.upper < 0)
    return between(lower, upper)


#: No number has more digits than this on either side of its decimal point.
_MOST_DIGITS: Final = 400


def rounding_unit(digits: Fraction | None) -> Fraction | None:
    """The unit to which ROUND and TRUNCATE round, 10 to the power of ``-digits``.

    None: the number of digits is not known.
    """
    if digits is None:
        return None
    return Fraction(10) ** -max(-_MOST_DIGITS, min(int(digits), _MOST_DIGITS))


def _represented(exact: Range, type_: Type) -> Range:
    """The range of exact results after they are rounded, up or down, to values of ``type_``."""
    if type_.kind in APPROXIMATE:
        return approximated(exact, type_.kind)
    unit = step_of(type_)
    return exact if unit is None else outward(exact, unit)


# --- of conditions ----------------------------------------------------------------------------


def narrowed(columns: tuple[Range, ...], condition: Expression) -> tuple[Range, ...]:
    """The ranges of the columns in the rows for which ``condition`` is true.

    ``columns`` are their ranges in all rows.
    """
    return _narrowed(columns, condition, certain=True)


def not_false(columns: tuple[Range, ...], condition: Expression) -> tuple[Range, ...]:
    """As `narrowed`, for the rows for which ``condition`` is true or unknown."""
    return _narrowed(columns, condition, certain=False)


def without(columns: tuple[Range, ...], condition: Expression) -> tuple[Range, ...]:
    """As `narrowed`, for the rows for which ``condition`` is false or unknown."""
    return _narrowed(columns, not_(condition), certain=False)


def _narrowed(
    columns: tuple[Range, ...], condition: Expression, certain: bool
) -> tuple[Range, ...]:
    """The ranges of the columns in the rows for which ``condition`` is true.

    Unless ``certain``, the rows for which it is unknown count, too.  Then a comparison ``a op b``
    narrows the range of ``a`` only if ``b`` is never NULL: in a row in which the comparison is
    unknown, ``a`` is NULL, and NULL has no effect on a range.
    """
    match condition:
        case Call(Op.AND, operands):
            for each in operands:
                columns = _narrowed(columns, each, certain)
            return columns
        case Call(Op.OR, operands):
            cases = [_narrowed(columns, each, certain) for each in operands]
            return tuple(hull(each) for each in zip(*cases, strict=True))
        case Call(Op.NOT, (Call(Op.NOT, (inner,)),)):
            return _narrowed(columns, inner, certain)
        case Call(Op.NOT, (Call(Op.AND | Op.OR as op, operands),)):
            inverse = or_ if op is Op.AND else and_
            return _narrowed(columns, inverse(*map(not_, operands)), certain)
        case Call(Op.NOT, (Call(op, (a, b)),)) if op in OPPOSITE and _ordered(a):
            return _narrowed(columns, compared(OPPOSITE[op], a, b), certain)
        case Call(Op.IN, (a, *values)):
            any_of_them = or_(*(equal(a, each) for each in values))
            return _narrowed(columns, any_of_them, certain)
        case Call(op, (a, b)) if op in MIRROR:
            if certain or never_null(b):
                columns = _compared(columns, a, op, b)
            if certain or never_null(a):
                columns = _compared(columns, b, MIRROR[op], a)
            return columns
        case _:
            return columns


def _ordered(operand: Expression) -> bool:
    """Whether a comparison with ``operand``, or its `OPPOSITE`, is true if no operand is NULL.

    False for REAL and DOUBLE: with NaN, both comparisons can be false.

    Defines: S-403.c, S-403.g
    """
    return operand.type.kind not in APPROXIMATE


def never_null(expression: Expression) -> bool:
    """Whether ``expression`` is NULL in no row."""
    match expression:
        case Literal(value):
            return value is not None
        case _:
            return not expression.type.nullable


def _compared(
    columns: tuple[Range, ...], left: Expression, op: Op, right: Expression
) -> tuple[Range, ...]:
    """``columns``, with the range of ``left``, if it is a column, narrowed to ``left op right``."""
    column = _column_of(left)
    if column is None or column.index >= len(columns):
        return columns
    limit, known = value_range(right, columns), columns[column.index]
    lower, upper = known.lower, known.upper
    if op in (Op.EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL) and limit.lower is not None:
        least = _next(limit.lower, column.type) if op is Op.GREATER else limit.lower
        lower = least if lower is None else max(lower, least)
    if op in (Op.EQUAL, Op.LESS, Op.LESS_OR_EQUAL) and limit.upper is not None:
        # x < limit is -x > -limit.
        most = -_next(-limit.upper, column.type) if op is Op.LESS else limit.upper
        upper = most if upper is None else min(upper, most)
    changed = Range(lower, upper)
    return (*columns[: column.index], changed, *columns[column.index + 1 :])


def _column_of(expression: Expression) -> InputRef | None:
    """The column of which ``expression`` has the value; None if it is not a column.

    ``expression`` is the column or a cast of it to an exact type that does not round.
    """
    match expression:
        case InputRef():
            return expression
        case Cast(InputRef() as column, type_) if {column.type.kind, type_.kind} <= EXACT:
            step, unit = step_of(column.type), step_of(type_)
            assert step is not None, "exact numbers have a step"
            assert unit is not None, "exact numbers have a step"
            return column if multiple(step, unit) else None
        case _:
            return None


#: A number of at least this magnitude is not converted to a float, which might raise an error.
_GREATEST_FLOAT: Final = Fraction(2**1023)


def _next(end: Fraction, type_: Type) -> Fraction:
    """The least value of ``type_`` above ``end``; for REAL and DOUBLE, a lower limit of it."""
    step = step_of(type_)
    if step is not None:
        return (math.floor(end / step) + 1) * step
    near = float(end) if abs(end) < _GREATEST_FLOAT else math.inf
    return Fraction(math.nextafter(near, math.inf)) if near == end else end
