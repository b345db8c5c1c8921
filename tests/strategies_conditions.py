"""Generated rows of two streams, and conditions over all types that have a distance."""

from collections.abc import Callable
from decimal import Decimal
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from algebra.binding.expression.bind_datetime import bind_extract, bind_round, bind_step
from algebra.build import not_
from algebra.expression import Call, Case, Expression, InputRef, Literal, Op, Value
from algebra.functions.arithmetic import bind_arithmetic, bind_distance
from algebra.functions.coerce import Operand, convert
from algebra.functions.comparison import between, compare, conjunction, disjunction, in_list
from algebra.functions.timestamp_arithmetic import bind_timestamp_add, bind_timestamp_diff
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    MILLIS_PER_DAY,
    TIME,
    TIMESTAMP,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.source import Span, SqlError
from grammar.tree import BinaryOperator, TimeUnit

PRICE = decimal(7, 2)
#: The columns of either side; those of the right side stand behind those of the left.
COLUMNS: tuple[Type, ...] = (
    TIMESTAMP.as_nullable(False),
    TIMESTAMP,
    DATE.as_nullable(False),
    INTEGER.as_nullable(False),
    BIGINT,
    PRICE,
)
T, U, D, N, J, P = range(6)
WIDTH = len(COLUMNS)

HOUR = 3_600_000
AT = Span(0, 0)
FIXED = (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)
CALENDAR = (TimeUnit.YEAR, TimeUnit.QUARTER, TimeUnit.MONTH)
FIELDS = (
    *CALENDAR, *FIXED, TimeUnit.WEEK, TimeUnit.EPOCH, TimeUnit.DOW, TimeUnit.ISODOW, TimeUnit.DOY,
    TimeUnit.ISOYEAR, TimeUnit.DECADE, TimeUnit.CENTURY, TimeUnit.MILLENNIUM, TimeUnit.MILLISECOND,
)  # fmt: skip
COMPARISONS = (
    Op.EQUAL, Op.EQUAL, Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL, Op.NOT_EQUAL,
    Op.IS_NOT_DISTINCT_FROM, Op.IS_DISTINCT_FROM,
)  # fmt: skip


def bound(expression: Expression) -> Operand:
    return Operand(expression, AT, "")


def number(value: int) -> Literal:
    return Literal(value, INTEGER.as_nullable(False))


def span(value: int, unit: TimeUnit) -> Literal:
    return Literal(value, interval(unit).as_nullable(False))


# --- values -------------------------------------------------------------------------------------

#: Which side's columns a value may use.
Sides = tuple[int, ...]
Maker = Callable[[DrawFn, Sides, int], Expression]


def column(draw: DrawFn, sides: Sides, *places: int) -> Expression:
    side, place = draw(st.sampled_from(sides)), draw(st.sampled_from(places))
    return InputRef(side * WIDTH + place, COLUMNS[place])


def timestamp(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """A TIMESTAMP, usually close to a column."""
    if depth == 0:
        return column(draw, sides, T, T, T, U)
    inner = timestamp(draw, sides, depth - 1)
    match draw(st.integers(0, 9)):
        case 0 | 1 | 2:
            other = draw(st.sampled_from([duration, duration, months]))(draw, sides, depth - 1)
            sign = draw(st.sampled_from([BinaryOperator.PLUS, BinaryOperator.MINUS]))
            return bind_arithmetic(sign, bound(inner), bound(other), AT)
        case 3 | 4:
            unit = draw(st.sampled_from([*FIXED, *CALENDAR, TimeUnit.WEEK]))
            return bind_round(draw(st.booleans()), bound(inner), unit, AT)
        case 5:
            size = draw(
                st.sampled_from([span(7 * 60_000, TimeUnit.MINUTE), span(5, TimeUnit.MONTH)])
            )
            return bind_step(bound(inner), bound(size), AT)
        case 6:
            return convert(date(draw, sides, depth - 1), TIMESTAMP)
        case 7:
            op = draw(st.sampled_from([Op.GREATEST, Op.LEAST, Op.COALESCE]))
            return Call(op, (inner, timestamp(draw, sides, depth - 1)), TIMESTAMP)
        case 8:
            unit = draw(st.sampled_from([TimeUnit.WEEK, TimeUnit.MONTH, TimeUnit.HOUR]))
            count = bound(number(draw(st.integers(-3, 3))))
            return bind_timestamp_add(unit, count, bound(inner), AT)
        case _:
            when = comparison(draw, sides, 0)
            return Case(((when, inner),), timestamp(draw, sides, depth - 1), TIMESTAMP)


def date(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    if depth == 0:
        return column(draw, sides, D)
    inner = date(draw, sides, depth - 1)
    match draw(st.integers(0, 3)):
        case 0:
            return convert(timestamp(draw, sides, depth - 1), DATE)
        case 1:
            shift = draw(
                st.sampled_from(
                    [
                        span(MILLIS_PER_DAY, TimeUnit.DAY),
                        span(1, TimeUnit.MONTH),
                        span(-1, TimeUnit.MONTH),
                    ]
                )
            )
            return bind_arithmetic(BinaryOperator.PLUS, bound(inner), bound(shift), AT)
        case 2:
            unit = draw(st.sampled_from([*CALENDAR, TimeUnit.WEEK, TimeUnit.DAY]))
            return bind_round(draw(st.booleans()), bound(inner), unit, AT)
        case _:
            return Call(Op.LAST_DAY, (timestamp(draw, sides, depth - 1),), DATE)


def time(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    inner = convert(timestamp(draw, sides, max(depth - 1, 0)), TIME)
    if draw(st.booleans()):
        return inner
    if draw(st.booleans()):
        unit = draw(st.sampled_from([TimeUnit.HOUR, TimeUnit.MINUTE]))
        return bind_round(False, bound(inner), unit, AT)
    shift = bound(span(draw(st.integers(-30, 30)) * HOUR, TimeUnit.HOUR))
    return bind_arithmetic(BinaryOperator.PLUS, bound(inner), shift, AT)


def duration(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """An interval of days to seconds."""
    unit = draw(st.sampled_from(FIXED))
    if depth == 0:
        size = {TimeUnit.DAY: MILLIS_PER_DAY, TimeUnit.HOUR: HOUR, TimeUnit.MINUTE: 60_000}
        return span(draw(st.integers(-3, 3)) * size.get(unit, 500), unit)
    inner = duration(draw, sides, depth - 1)
    match draw(st.integers(0, 5)):
        case 0 | 1 | 2:
            a, b = (timestamp(draw, sides, depth - 1) for _ in range(2))
            return bind_distance(bound(a), bound(b), interval(unit), AT)
        case 3:
            op = draw(st.sampled_from([BinaryOperator.TIMES, BinaryOperator.DIVIDE]))
            factor = draw(
                st.sampled_from([number(2), number(-3), Literal(Decimal("0.7"), decimal(2, 1))])
            )
            return bind_arithmetic(op, bound(inner), bound(factor), AT)
        case 4:
            return Call(Op.ABS, (inner,), inner.type)
        case _:
            return convert(inner, interval(unit))


def months(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """An interval of years and months."""
    if depth == 0:
        return span(draw(st.integers(-3, 3)), TimeUnit.MONTH)
    a, b = (timestamp(draw, sides, depth - 1) for _ in range(2))
    unit = draw(st.sampled_from([TimeUnit.MONTH, TimeUnit.MONTH, TimeUnit.YEAR]))
    return bind_distance(bound(a), bound(b), interval(unit), AT)


def integer(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    if depth == 0:
        if draw(st.integers(0, 2)) == 0:
            return number(draw(st.integers(-5, 5)))
        return column(draw, sides, N, N, J)
    inner = integer(draw, sides, depth - 1)
    match draw(st.integers(0, 10)):
        case 0 | 1:
            op = draw(st.sampled_from([BinaryOperator.PLUS, BinaryOperator.MINUS]))
            return bind_arithmetic(op, bound(inner), bound(integer(draw, sides, depth - 1)), AT)
        case 2 | 3 | 4:
            op = draw(
                st.sampled_from(
                    [BinaryOperator.TIMES, BinaryOperator.DIVIDE, BinaryOperator.MODULO]
                )
            )
            factor = number(draw(st.sampled_from([-7, -1, 2, 3, 10])))
            return bind_arithmetic(op, bound(inner), bound(factor), AT)
        case 5:
            function = draw(st.sampled_from([Op.ABS, Op.SIGN, Op.NEGATE]))
            return Call(function, (inner,), inner.type)
        case 6:
            return bind_step(bound(inner), bound(number(draw(st.integers(1, 5)))), AT)
        case 7:
            return convert(price(draw, sides, depth - 1), INTEGER)
        case 8:
            unit = draw(st.sampled_from(FIELDS))
            return bind_extract(unit, bound(timestamp(draw, sides, depth - 1)), AT)
        case 9:
            unit = draw(st.sampled_from([*FIXED, TimeUnit.MONTH, TimeUnit.WEEK, TimeUnit.QUARTER]))
            a, b = (bound(timestamp(draw, sides, depth - 1)) for _ in range(2))
            return bind_timestamp_diff(unit, a, b, AT)
        case _:
            digits = number(draw(st.integers(-2, 1)))
            return Call(draw(st.sampled_from([Op.ROUND, Op.TRUNCATE])), (inner, digits), inner.type)


def price(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """A DECIMAL."""
    if depth == 0:
        return column(draw, sides, P)
    inner = price(draw, sides, depth - 1)
    match draw(st.integers(0, 5)):
        case 0:
            op = draw(st.sampled_from([BinaryOperator.PLUS, BinaryOperator.MINUS]))
            return bind_arithmetic(op, bound(inner), bound(integer(draw, sides, depth - 1)), AT)
        case 1 | 2:
            op = draw(
                st.sampled_from(
                    [BinaryOperator.TIMES, BinaryOperator.DIVIDE, BinaryOperator.MODULO]
                )
            )
            factor = Literal(
                draw(st.sampled_from([Decimal("0.3"), Decimal("-2.5")])), decimal(2, 1)
            )
            return bind_arithmetic(op, bound(inner), bound(factor), AT)
        case 3:
            return bind_round(draw(st.booleans()), bound(inner), None, AT)
        case 4:
            return convert(inner, decimal(12, draw(st.integers(0, 3))))
        case _:
            return Call(Op.ROUND, (inner, number(draw(st.integers(-1, 3)))), inner.type)


def floating(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """A DOUBLE, usually one that equals an exact number."""
    inner = convert(draw(st.sampled_from([integer, price]))(draw, sides, depth), DOUBLE)
    if draw(st.booleans()):
        return inner
    return bind_round(draw(st.booleans()), bound(inner), None, AT)


MAKERS: tuple[Maker, ...] = (
    timestamp, timestamp, timestamp, date, time, duration, months, integer, integer, price,
    floating,
)  # fmt: skip

# --- conditions ---------------------------------------------------------------------------------


def comparison(draw: DrawFn, sides: Sides, depth: int) -> Expression:
    """A comparison, often of a value of the left with one of the right side."""
    make = draw(st.sampled_from(MAKERS))
    across = len(sides) > 1 and draw(st.integers(0, 3)) > 0
    a = make(draw, sides[:1] if across else sides, depth)
    b = make(draw, sides[1:] if across else sides, depth)
    match draw(st.integers(0, 7)):
        case 0:
            high = make(draw, sides[1:] if across else sides, depth)
            rows = ((bound(a),), (bound(b),), (bound(high),))
            symmetric, without = draw(st.booleans()), draw(st.booleans())
            return between(*rows, AT, symmetric=symmetric, negated=without)
        case 1:
            other = make(draw, sides, depth)
            return in_list((bound(a),), [(bound(b),), (bound(other),)], [AT, AT])
        case _:
            return compare(draw(st.sampled_from(COMPARISONS)), (bound(a),), (bound(b),), AT)


def condition(draw: DrawFn, depth: int, sides: Sides = (0, 1)) -> Expression:
    """A condition; raises `SqlError` if the drawn operands do not fit together."""
    if depth == 0:
        return comparison(draw, sides, draw(st.sampled_from([0, 0, 1, 1, 1, 2])))
    a = condition(draw, depth - 1, sides)
    match draw(st.integers(0, 8)):
        case 0 | 1 | 2:
            return conjunction([a, condition(draw, depth - 1, sides)])
        case 3:
            return disjunction([a, condition(draw, depth - 1, sides)])
        case 4 | 5:
            return not_(a)
        case 6:
            test = draw(st.sampled_from([Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE, Op.IS_NOT_FALSE]))
            return Call(test, (a,), BOOLEAN.as_nullable(False))
        case 7:
            otherwise = Literal(draw(st.booleans()), BOOLEAN)
            return Call(Op.COALESCE, (a, otherwise), BOOLEAN)
        case _:
            then, last = condition(draw, 0, sides), condition(draw, 0, sides)
            return Case(((a, then),), last, BOOLEAN)


@st.composite
def conditions(draw: DrawFn) -> Expression:
    """A condition on a pair of rows of `COLUMNS`."""
    while True:
        try:
            return condition(draw, draw(st.integers(0, 2)))
        except SqlError:
            continue  # two values that do not go together, like intervals of both families


@st.composite
def values(draw: DrawFn) -> Expression:
    """A value computed from a pair of rows of `COLUMNS`."""
    while True:
        try:
            return draw(st.sampled_from(MAKERS))(draw, (0, 1), draw(st.integers(0, 2)))
        except SqlError:
            continue


# --- rows ---------------------------------------------------------------------------------------

#: 2015-02-28 23:30, 1970-01-01, 1999-12-31 23:59:59.999, 2016-01-31, 1969-12-31 12:00, 2000-02-29.
BASES = (
    1_425_166_200_000, 0, 946_684_799_999, 1_454_198_400_000, -43_200_000, 951_782_400_000,
)  # fmt: skip
#: How far other times are: near whole units.
STEPS = (0, 1, 500, 60_000, HOUR, MILLIS_PER_DAY, 7 * MILLIS_PER_DAY, 31 * MILLIS_PER_DAY)


def near(random: Random, base: int) -> int:
    return base + random.randint(-2, 2) * random.choice(STEPS) + random.randint(-1, 1)


def side(random: Random, base: int, count: int) -> list[Value]:
    """A row of `COLUMNS` near a time and a number."""
    time = near(random, base)
    return [
        time,
        None if random.random() < 0.2 else near(random, time),
        near(random, time) // MILLIS_PER_DAY,
        count + random.randint(-3, 3),
        None if random.random() < 0.2 else count + random.randint(-9, 9),
        None if random.random() < 0.1 else Decimal(random.randint(-999, 999)).scaleb(-2),
    ]


def pair(random: Random) -> list[Value]:
    """A left and a right row that are close to each other."""
    base, count = random.choice(BASES), random.choice([-100, 0, 7])
    return side(random, base, count) + side(random, near(random, base), count)


def is_time(type: Type) -> bool:
    return type.kind in (Kind.DATE, Kind.TIMESTAMP)
