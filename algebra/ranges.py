"""What values an expression can have: the signs and bounds that monotonicity needs (S-403)."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from algebra.catalog import Stream, Table
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
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
)
from algebra.types import APPROXIMATE, DATETIME, INTEGERS, INTERVAL, NUMERIC, Type
from grammar.tree import TimeUnit


@dataclass(frozen=True, slots=True)
class Range:
    """The closed range of the values that are not NULL, as they are inside; None: no end."""

    lower: Fraction | None = None
    upper: Fraction | None = None

    @property
    def sign(self) -> int | None:
        """-1, 0 or 1 where all values have that sign; None: not known."""
        if self.lower is not None and self.lower > 0:
            return 1
        if self.upper is not None and self.upper < 0:
            return -1
        return 0 if self.lower == self.upper == 0 else None

    @property
    def value(self) -> Fraction | None:
        """The only value there can be."""
        return self.lower if self.lower == self.upper else None


ANY: Final = Range()


def _between(lower: int, upper: int) -> Range:
    return Range(Fraction(lower), Fraction(upper))


#: ``EXTRACT(unit FROM datetime)``; what is not listed can be any number.
FIELD_RANGE: Final = {
    TimeUnit.MILLENNIUM: _between(1, 10),
    TimeUnit.CENTURY: _between(1, 100),
    TimeUnit.DECADE: _between(0, 999),
    TimeUnit.YEAR: _between(1, 9999),
    TimeUnit.ISOYEAR: _between(1, 9999),
    TimeUnit.QUARTER: _between(1, 4),
    TimeUnit.MONTH: _between(1, 12),
    TimeUnit.WEEK: _between(1, 53),
    TimeUnit.DAY: _between(1, 31),
    TimeUnit.DOY: _between(1, 366),
    TimeUnit.ISODOW: _between(1, 7),
    TimeUnit.HOUR: _between(0, 23),
    TimeUnit.MINUTE: _between(0, 59),
}

#: A comparison, read from its right operand to its left.
MIRROR: Final = {
    Op.EQUAL: Op.EQUAL,
    Op.LESS: Op.GREATER,
    Op.LESS_OR_EQUAL: Op.GREATER_OR_EQUAL,
    Op.GREATER: Op.LESS,
    Op.GREATER_OR_EQUAL: Op.LESS_OR_EQUAL,
}


# --- of expressions ---------------------------------------------------------------------------


def value_range(expression: Expression, columns: Sequence[Range] = ()) -> Range:
    """The range of ``expression`` over rows whose columns have the ranges ``columns``.

    A column beyond ``columns`` can have any value.  Never too narrow (S-403).
    """
    match expression:
        case InputRef(index):
            return columns[index] if index < len(columns) else ANY
        case Literal(value, type_):
            return _point(value) if type_.kind in NUMERIC | INTERVAL | DATETIME else ANY
        case Cast(operand, type_):
            same_family = any(
                type_.kind in family and operand.type.kind in family
                for family in (NUMERIC, *({each} for each in INTERVAL | DATETIME))
            )
            return _represented(value_range(operand, columns), type_) if same_family else ANY
        case Case(branches, otherwise):
            results = (*(result for _, result in branches), otherwise)
            return hull(value_range(each, columns) for each in results)
        case Extract(unit, operand):
            return FIELD_RANGE.get(unit, ANY) if operand.type.kind in DATETIME else ANY
        case Call(Op.COALESCE, operands):
            return hull(value_range(each, columns) for each in operands)
        case Call(op, operands, type_):
            if type_.kind not in NUMERIC | INTERVAL:
                return ANY
            return _represented(_arithmetic(op, [value_range(e, columns) for e in operands]), type_)
        case Round() | OuterRef() | Parameter() | Grouping() | GroupId():
            return ANY
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            return ANY


def _point(value: object) -> Range:
    """The range of one value; NULL, and a float that is no number, say nothing."""
    if isinstance(value, float) and not math.isfinite(value):
        return ANY
    if isinstance(value, int | Decimal | float):
        return Range(Fraction(value), Fraction(value))
    return ANY


def _arithmetic(op: Op, operands: list[Range]) -> Range:
    """The exact result of an operator of numbers or intervals; what is not listed can be any."""
    match op, operands:
        case Op.PLUS, [a, b]:
            return total(a, b)
        case Op.MINUS, [a, b]:
            return total(a, _negated(b))
        case Op.NEGATE, [a]:
            return _negated(a)
        case Op.TIMES, [a, b]:
            return _product(a, b)
        case Op.DIVIDE, [a, b] if b.sign in (-1, 1):
            return _product(a, Range(_inverse(b.upper), _inverse(b.lower)))
        case Op.FLOOR | Op.CEIL, [a]:
            return _whole(a)
        case Op.MONOTONIC, [a]:
            return a
        case _:
            return ANY


def total(a: Range, b: Range) -> Range:
    """The range of sums."""
    return Range(_add(a.lower, b.lower), _add(a.upper, b.upper))


def scaled(a: Range, factor: Fraction) -> Range:
    """The range of multiples."""
    ends = [None if each is None else each * factor for each in (a.lower, a.upper)]
    if factor == 0:
        return _between(0, 0)
    return Range(*ends) if factor > 0 else Range(*reversed(ends))


def _add(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a + b


def _negated(a: Range) -> Range:
    return scaled(a, Fraction(-1))


def _inverse(end: Fraction | None) -> Fraction:
    """1 / end, for an end that is not 0; 0, which it comes near to, where there is no end."""
    return Fraction(0) if end is None else 1 / end


def _product(a: Range, b: Range) -> Range:
    """The product: of the four ends where all are known, else only what the signs tell."""
    for one, other in ((a, b), (b, a)):
        if other.value is not None:
            return scaled(one, other.value)
    corners = [None if x is None or y is None else x * y for x in _ends(a) for y in _ends(b)]
    known = [each for each in corners if each is not None]
    if len(known) == len(corners):
        return Range(min(known), max(known))
    if _never_positive(a):
        return _negated(_product(_negated(a), b))
    if _never_positive(b):
        return _negated(_product(a, _negated(b)))
    if a.lower is None or b.lower is None or a.lower < 0 or b.lower < 0:
        return ANY
    return Range(a.lower * b.lower, None)


def _ends(a: Range) -> tuple[Fraction | None, Fraction | None]:
    return a.lower, a.upper


def _never_positive(a: Range) -> bool:
    return a.upper is not None and a.upper <= 0


def _represented(exact: Range, type_: Type) -> Range:
    """The range of the same values in ``type_``, whichever way it rounds or truncates.

    A product of REAL or DOUBLE can round to 0, and a sum to a neighbour: only "never negative" and
    "never positive" are sure to stay.
    """
    if type_.kind in APPROXIMATE:
        positive = exact.lower is not None and exact.lower >= 0
        return Range(
            Fraction(0) if positive else None, Fraction(0) if _never_positive(exact) else None
        )
    return _whole(exact, type_.scale)


def _whole(a: Range, scale: int = 0) -> Range:
    """The least range with ends of ``scale`` digits after the point that holds ``a``."""
    unit: int = 10**scale
    return Range(
        None if a.lower is None else Fraction(math.floor(a.lower * unit), unit),
        None if a.upper is None else Fraction(math.ceil(a.upper * unit), unit),
    )


def hull(ranges: Iterable[Range]) -> Range:
    """The least range that holds all of ``ranges``; of none: `ANY`."""
    all_ = tuple(ranges)
    lowers = [each.lower for each in all_ if each.lower is not None]
    uppers = [each.upper for each in all_ if each.upper is not None]
    return Range(
        min(lowers) if lowers and len(lowers) == len(all_) else None,
        max(uppers) if uppers and len(uppers) == len(all_) else None,
    )


# --- of conditions ----------------------------------------------------------------------------


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The conditions that ``condition`` says all hold, from left to right."""
    match condition:
        case Call(Op.AND, operands):
            for each in operands:
                yield from conjuncts(each)
        case _:
            yield condition


def narrowed(columns: tuple[Range, ...], condition: Expression) -> tuple[Range, ...]:
    """The ranges of the columns in those rows for which ``condition`` is not false."""
    for each in conjuncts(condition):
        match each:
            case Call(op, (left, right)) if op in MIRROR:
                columns = _compared(_compared(columns, left, op, right), right, MIRROR[op], left)
            case _:
                pass
    return columns


def _compared(
    columns: tuple[Range, ...], left: Expression, op: Op, right: Expression
) -> tuple[Range, ...]:
    """``columns`` with that of ``left``, if it is one, cut down to ``left op right``."""
    column = _column_of(left)
    if column is None or column.index >= len(columns):
        return columns
    limit, known = value_range(right, columns), columns[column.index]
    lower, upper = known.lower, known.upper
    step = _step(column.type)
    if op in (Op.EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL) and limit.lower is not None:
        above = _next(limit.lower, step) if op is Op.GREATER else limit.lower
        lower = above if lower is None else max(lower, above)
    if op in (Op.EQUAL, Op.LESS, Op.LESS_OR_EQUAL) and limit.upper is not None:
        below = -_next(-limit.upper, step) if op is Op.LESS else limit.upper
        upper = below if upper is None else min(upper, below)
    changed = Range(lower, upper)
    return (*columns[: column.index], changed, *columns[column.index + 1 :])


def _column_of(expression: Expression) -> InputRef | None:
    """The column that ``expression`` has the value of, whatever its type."""
    match expression:
        case InputRef():
            return expression
        case Cast(InputRef() as column, type_):
            exact = column.type.kind in INTEGERS and type_.kind in NUMERIC - APPROXIMATE
            return column if exact else None
        case _:
            return None


def _step(type_: Type) -> Fraction:
    """The least distance of two values of ``type_``; 0 where there is none to speak of."""
    return Fraction(0) if type_.kind in APPROXIMATE else Fraction(1, 10**type_.scale)


def _next(end: Fraction, step: Fraction) -> Fraction:
    """The least multiple of ``step`` above ``end``; ``end`` itself if ``step`` is 0."""
    return end if step == 0 else (math.floor(end / step) + 1) * step


# --- of plans ---------------------------------------------------------------------------------


def column_ranges(plan: Plan) -> tuple[Range, ...]:
    """The range of each column of ``plan``'s rows: from CHECK (S-301), conditions, arithmetic."""
    match plan:
        case Scan(source):
            return _declared(source)
        case Values(rows, fields):
            columns = range(len(fields))
            return tuple(hull(value_range(row[i]) for row in rows) for i in columns)
        case Filter(input, condition):
            return narrowed(column_ranges(input), condition)
        case Project(input, expressions):
            below = column_ranges(input)
            return tuple(value_range(each, below) for each in expressions)
        case Hop(input):
            return (*column_ranges(input), ANY, ANY)
        case Aggregate(input, keys, _, measures):
            below = column_ranges(input)
            return (*(value_range(each, below) for each in keys), *(ANY for _ in measures))
        case Window(input, _, names):
            return (*column_ranges(input), *(ANY for _ in names))
        case Join(left, right):
            return column_ranges(left) + column_ranges(right)
        case WindowJoin(left, right):
            return (*column_ranges(left), *column_ranges(right), ANY)
        case SetOp(inputs):
            sides = zip(*(column_ranges(each) for each in inputs), strict=True)
            return tuple(hull(each) for each in sides)
        case Sort(input) | Delta(input):
            return column_ranges(input)


def _declared(source: Table | Stream) -> tuple[Range, ...]:
    columns = tuple(ANY for _ in source.columns)
    for check in source.checks:
        columns = narrowed(columns, check)
    return columns
