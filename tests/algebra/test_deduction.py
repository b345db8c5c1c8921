"""Deduction: the rules of S-402 one by one, and their soundness on random rows."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.deduction import monotonicity
from algebra.expression import Call, Case, Cast, Expression, Extract, InputRef, Literal, Op, Round
from algebra.lattice import Monotonicity
from algebra.ranges import Range
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    MILLIS_PER_DAY,
    REAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Type,
    decimal,
    interval,
)
from grammar.tree import TimeUnit

C = Monotonicity.CONSTANT
S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the lattice's own letter
T = Monotonicity.STRICTLY_DECREASING
D = Monotonicity.DECREASING
N = Monotonicity.NOT_MONOTONIC

HOURS, MONTHS = interval(TimeUnit.HOUR), interval(TimeUnit.MONTH)


def number(value: int) -> Literal:
    return Literal(value, INTEGER)


def call(op: Op, *operands: Expression, type_: Type = INTEGER) -> Call:
    return Call(op, operands, type_)


def column(type_: Type = INTEGER) -> InputRef:
    return InputRef(0, type_)


def null(type_: Type) -> Literal:
    return Literal(None, type_)


M, R = column(), column(TIMESTAMP)
HALF = Literal(Decimal("0.5"), decimal(2, 1))
POSITIVE = Range(Fraction(1), Fraction(1000))

#: An expression of column 0, and its monotonicity where the column is strictly increasing.
RULES: list[tuple[str, Expression, Monotonicity]] = [
    ("7", number(7), C),
    ("-m", call(Op.NEGATE, M), T),
    ("m + 7", call(Op.PLUS, M, number(7)), S),
    ("7 + m", call(Op.PLUS, number(7), M), S),
    ("m - 7", call(Op.MINUS, M, number(7)), S),
    ("7 - m", call(Op.MINUS, number(7), M), T),
    ("m - m", call(Op.MINUS, M, M), N),
    ("m - -m", call(Op.MINUS, M, call(Op.NEGATE, M)), S),
    ("7 - 3", call(Op.MINUS, number(7), number(3)), C),
    ("m * 3", call(Op.TIMES, M, number(3)), S),
    ("-3 * m", call(Op.TIMES, number(-3), M), T),
    ("m * (1 - 2)", call(Op.TIMES, M, call(Op.MINUS, number(1), number(2))), T),
    ("m * 0", call(Op.TIMES, M, number(0)), C),
    ("m * m", call(Op.TIMES, M, M), N),
    ("m / 4", call(Op.DIVIDE, M, number(4)), I),
    ("m / -4", call(Op.DIVIDE, M, number(-4)), D),
    ("m / 1", call(Op.DIVIDE, M, number(1)), S),
    ("m / 0", call(Op.DIVIDE, M, number(0)), N),
    ("12 / m", call(Op.DIVIDE, number(12), M), N),
    ("12 / (m + NULL)", call(Op.DIVIDE, number(12), call(Op.PLUS, M, null(INTEGER))), C),
    ("MOD(m, 4)", call(Op.MOD, M, number(4)), N),
    ("ABS(m)", call(Op.ABS, M), N),
    ("FLOOR(m)", call(Op.FLOOR, M), I),
    ("CEIL(-m)", call(Op.CEIL, call(Op.NEGATE, M)), D),
    ("SIGN(m)", call(Op.SIGN, M), I),
    ("ROUND(m)", call(Op.ROUND, M), I),
    ("ROUND(-m, -1)", call(Op.ROUND, call(Op.NEGATE, M), number(-1)), D),
    ("ROUND(m, m)", call(Op.ROUND, M, M), N),
    ("ROUND(7, m)", call(Op.ROUND, number(7), M), N),
    ("TRUNCATE(m, -1)", call(Op.TRUNCATE, M, number(-1)), I),
    ("TRUNCATE(7, m)", call(Op.TRUNCATE, number(7), M), N),
    ("EXP(f)", call(Op.EXP, column(DOUBLE), type_=DOUBLE), I),
    ("LN(f)", call(Op.LN, column(DOUBLE), type_=DOUBLE), I),
    ("LOG10(-f)", call(Op.LOG10, call(Op.NEGATE, column(DOUBLE)), type_=DOUBLE), D),
    ("SQRT(f)", call(Op.SQRT, column(DOUBLE), type_=DOUBLE), I),
    ("POWER(f, f)", call(Op.POWER, column(DOUBLE), column(DOUBLE), type_=DOUBLE), N),
    ("GREATEST(m, 7)", call(Op.GREATEST, M, number(7)), I),
    ("GREATEST(m, m + 1)", call(Op.GREATEST, M, call(Op.PLUS, M, number(1))), I),
    ("LEAST(7, -m)", call(Op.LEAST, number(7), call(Op.NEGATE, M)), D),
    ("LEAST(m, -m)", call(Op.LEAST, M, call(Op.NEGATE, M)), N),
    ("GREATEST(m, MOD(m, 4))", call(Op.GREATEST, M, call(Op.MOD, M, number(4))), N),
    ("GREATEST(3, 7)", call(Op.GREATEST, number(3), number(7)), C),
    ("GREATEST(m, NULL)", call(Op.GREATEST, M, null(INTEGER)), C),
    ("LAST_DAY(r)", call(Op.LAST_DAY, R, type_=DATE), I),
    ("LAST_DAY(d)", call(Op.LAST_DAY, column(DATE), type_=DATE), I),
    ("UPPER(s)", call(Op.UPPER, column(VARCHAR), type_=VARCHAR), N),
    ("LPAD(s, 3)", call(Op.LPAD, column(VARCHAR), number(3), type_=VARCHAR), N),
    ("RAND()", call(Op.RAND, type_=DOUBLE), N),
    ("FLOOR(RAND())", call(Op.FLOOR, call(Op.RAND, type_=DOUBLE), type_=DOUBLE), N),
    ("STEP(m BY 5)", call(Op.STEP, M, number(5)), I),
    ("STEP(m BY m)", call(Op.STEP, M, M), N),
    ("MONOTONIC(MOD(m, 4))", call(Op.MONOTONIC, call(Op.MOD, M, number(4))), I),
    ("MONOTONIC(m)", call(Op.MONOTONIC, M), S),
    ("MONOTONIC(4)", call(Op.MONOTONIC, number(4)), C),
    ("m + NULL", call(Op.PLUS, M, null(INTEGER)), C),
    ("m + CAST(NULL)", call(Op.PLUS, M, Cast(null(VARCHAR), INTEGER)), C),
    ("COALESCE(NULL, m)", call(Op.COALESCE, null(INTEGER), M), N),
    ("m > 3", call(Op.GREATER, M, number(3), type_=BOOLEAN), N),
    ("2 > 3", call(Op.GREATER, number(2), number(3), type_=BOOLEAN), C),
    ("CASE WHEN TRUE THEN m", Case(((Literal(True, BOOLEAN), M),), M, INTEGER), N),
    ("CASE WHEN TRUE THEN 1", Case(((Literal(True, BOOLEAN), number(1)),), number(2), INTEGER), C),
    ("FLOOR(r TO HOUR)", Round(False, R, TimeUnit.HOUR, TIMESTAMP), I),
    ("CEIL(r TO HOUR)", Round(True, R, TimeUnit.HOUR, TIMESTAMP), I),
    ("EXTRACT(YEAR FROM r)", Extract(TimeUnit.YEAR, R), I),
    ("EXTRACT(MONTH FROM r)", Extract(TimeUnit.MONTH, R), N),
    ("r + HOUR", call(Op.DATETIME_PLUS, R, Literal(3_600_000, HOURS), type_=TIMESTAMP), S),
    ("r + MONTH", call(Op.DATETIME_PLUS, R, Literal(1, MONTHS), type_=TIMESTAMP), N),
    ("d + MONTH", call(Op.DATETIME_PLUS, column(DATE), Literal(1, MONTHS), type_=DATE), I),
    (
        "d + DAY",
        call(Op.DATETIME_PLUS, column(DATE), Literal(MILLIS_PER_DAY, HOURS), type_=DATE),
        S,
    ),
    ("d + HOUR", call(Op.DATETIME_PLUS, column(DATE), Literal(3_600_000, HOURS), type_=DATE), I),
    ("t + HOUR", call(Op.DATETIME_PLUS, column(TIME), Literal(3_600_000, HOURS), type_=TIME), N),
    ("(r - 0) HOUR", call(Op.DATETIME_MINUS, R, Literal(0, TIMESTAMP), type_=HOURS), I),
    ("(0 - r) HOUR", call(Op.DATETIME_MINUS, Literal(0, TIMESTAMP), R, type_=HOURS), D),
    ("(r - 0) MONTH", call(Op.DATETIME_MINUS, R, Literal(0, TIMESTAMP), type_=MONTHS), N),
    ("CURRENT_TIMESTAMP", call(Op.CURRENT_TIMESTAMP, type_=TIMESTAMP), I),
    ("CURRENT_TIME", call(Op.CURRENT_TIMESTAMP, type_=TIME), N),
    ("SUBSTRING(s FROM 0 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(0), number(3)), I),
    ("SUBSTRING(s FROM 1 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(1), number(3)), I),
    ("SUBSTRING(s FROM 2 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(2), number(3)), N),
    ("SUBSTRING(s FROM 1 FOR m)", call(Op.SUBSTRING, column(VARCHAR), number(1), M), N),
    ("f + 1.0", call(Op.PLUS, column(DOUBLE), Literal(1.0, DOUBLE), type_=DOUBLE), I),
    ("-f", call(Op.NEGATE, column(DOUBLE), type_=DOUBLE), T),
    ("f * 0.0", call(Op.TIMES, column(DOUBLE), Literal(0.0, DOUBLE), type_=DOUBLE), N),
    ("x * 0.5, exact", call(Op.TIMES, column(decimal(5, 1)), HALF, type_=decimal(7, 2)), S),
    ("x * 0.5, rounded", call(Op.TIMES, column(decimal(5, 1)), HALF, type_=decimal(7, 1)), I),
    ("INTEGER as BIGINT", Cast(M, BIGINT), S),
    ("INTEGER as SMALLINT", Cast(M, SMALLINT), I),
    ("INTEGER as DOUBLE", Cast(M, DOUBLE), S),
    ("BIGINT as DOUBLE", Cast(column(BIGINT), DOUBLE), I),
    ("INTEGER as REAL", Cast(M, REAL), I),
    ("DOUBLE as INTEGER", Cast(column(DOUBLE), INTEGER), I),
    ("INTEGER as DECIMAL(12, 2)", Cast(M, decimal(12, 2)), S),
    ("DECIMAL(5, 2) as DECIMAL(5, 1)", Cast(column(decimal(5, 2)), decimal(5, 1)), I),
    ("INTEGER as text", Cast(M, VARCHAR), N),
    ("text as INTEGER", Cast(column(VARCHAR), INTEGER), N),
    ("TIMESTAMP as text", Cast(R, VARCHAR), S),
    ("TIMESTAMP as VARCHAR(10)", Cast(R, Type(VARCHAR.kind, precision=10)), I),
    ("DATE as text", Cast(column(DATE), VARCHAR), S),
    ("TIME as text", Cast(column(TIME), VARCHAR), N),
    ("DATE as TIMESTAMP", Cast(column(DATE), TIMESTAMP), S),
    ("TIMESTAMP as DATE", Cast(R, DATE), I),
    ("TIMESTAMP as TIME", Cast(R, TIME), N),
    ("months as years", Cast(column(MONTHS), interval(TimeUnit.YEAR)), I),
    ("years as months", Cast(column(interval(TimeUnit.YEAR)), MONTHS), S),
]


@pytest.mark.parametrize(
    ("expression", "expected"), [each[1:] for each in RULES], ids=[each[0] for each in RULES]
)
def test_each_rule_says_what_it_says_of_a_strictly_increasing_column(
    expression: Expression, expected: Monotonicity
) -> None:
    assert monotonicity(expression, (S,)) is expected


@pytest.mark.parametrize("expression", [each[1] for each in RULES], ids=[e[0] for e in RULES])
def test_each_rule_turns_with_its_column(expression: Expression) -> None:
    """What rises with a rising column falls with a falling one; the clock alone goes its way."""
    rising, falling = monotonicity(expression, (S,)), monotonicity(expression, (T,))
    ignores = Op.CURRENT_TIMESTAMP, Op.MONOTONIC
    if not (isinstance(expression, Call) and expression.op in ignores):
        assert falling is rising.reverse()


@pytest.mark.parametrize("expression", [each[1] for each in RULES], ids=[e[0] for e in RULES])
def test_no_rule_makes_more_of_a_weaker_column(expression: Expression) -> None:
    strict, weak = monotonicity(expression, (S,)), monotonicity(expression, (I,))
    assert weak is strict.unstrict()


@pytest.mark.parametrize(
    ("c", "m", "expected"),
    [
        (12, POSITIVE, D),
        (-12, POSITIVE, I),
        (0, POSITIVE, C),
        (12, Range(None, Fraction(-1)), D),
        (-12, Range(None, Fraction(-1)), I),
        (12, Range(Fraction(0), None), N),
        (12, Range(), N),
    ],
)
def test_a_quotient_needs_the_sign_of_its_divisor(c: int, m: Range, expected: Monotonicity) -> None:
    """E-50: only the sign of c decides the direction, but m must keep one and never be 0."""
    quotient = call(Op.DIVIDE, number(c), M)
    assert monotonicity(quotient, (S,), (m,)) is expected


def test_a_year_is_positive() -> None:
    """``12 / EXTRACT(YEAR FROM r)`` falls (S-403)."""
    assert monotonicity(call(Op.DIVIDE, number(12), Extract(TimeUnit.YEAR, R)), (S,)) is D


# --- soundness --------------------------------------------------------------------------------

Row = tuple[int, int, int]


def value(expression: Expression, row: Row) -> int | None:
    """What a plain expression of integers is; None: an error, so no row comes out."""
    match expression:
        case InputRef(index):
            return row[index]
        case Literal(int(constant)):
            return constant
        case Call(op, operands):
            values = [value(each, row) for each in operands]
            known = [each for each in values if each is not None]
            return arithmetic(op, known) if len(known) == len(values) else None
        case _:
            raise AssertionError(expression)


def arithmetic(op: Op, values: list[int]) -> int | None:
    match op, values:
        case Op.PLUS, [a, b]:
            return a + b
        case Op.MINUS, [a, b]:
            return a - b
        case Op.TIMES, [a, b]:
            return a * b
        case Op.DIVIDE, [a, b]:
            return None if b == 0 else int(Fraction(a, b))
        case Op.MOD, [a, b]:
            return None if b == 0 else a - b * int(Fraction(a, b))
        case Op.STEP, [a, b]:
            return a // b * b
        case (Op.NEGATE, [a]):
            return -a
        case (Op.ABS, [a]):
            return abs(a)
        case (Op.SIGN, [a]):
            return (a > 0) - (a < 0)
        case (Op.TRUNCATE, [a, digits]):
            unit: int = 10**-digits
            return int(Fraction(a, unit)) * unit
        case Op.GREATEST, [a, b]:
            return max(a, b)
        case Op.LEAST, [a, b]:
            return min(a, b)
        case _:
            raise AssertionError(op)


COLUMNS = st.sampled_from([InputRef(i, INTEGER) for i in range(3)])
CONSTANTS = st.integers(-4, 4).map(number)
BINARY = st.sampled_from([Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE, Op.MOD, Op.GREATEST, Op.LEAST])


def binary(op: Op, a: Expression, b: Expression) -> Expression:
    return call(op, a, b)


def unary(op: Op, a: Expression) -> Expression:
    return call(op, a)


def step(a: Expression, size: int) -> Expression:
    return call(Op.STEP, a, number(size))


def deeper(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(binary, BINARY, inner, inner),
        st.builds(unary, st.sampled_from([Op.NEGATE, Op.ABS, Op.SIGN]), inner),
        st.builds(step, inner, st.integers(1, 3)),
        inner.map(lambda a: call(Op.TRUNCATE, a, number(-1))),
    )


LEAVES: st.SearchStrategy[Expression] = st.one_of(COLUMNS, CONSTANTS)
EXPRESSIONS = st.recursive(LEAVES, deeper, max_leaves=6)


@st.composite
def declared_columns(
    draw: st.DrawFn,
) -> tuple[tuple[Monotonicity, ...], tuple[Range, ...], list[Row]]:
    """Three declarations, ranges that hold, and rows that keep them."""
    size = draw(st.integers(2, 5))
    orders: list[Monotonicity] = []
    ranges: list[Range] = []
    columns: list[list[int]] = []
    for _ in range(3):
        order = draw(st.sampled_from(list(Monotonicity)))
        start = draw(st.integers(-6, 6))
        least = 1 if order.strict else 0
        steps = draw(st.lists(st.integers(least, 3), min_size=size - 1, max_size=size - 1))
        sign = -1 if order.descending else 1
        match order:
            case Monotonicity.CONSTANT:
                column_ = [start] * size
            case Monotonicity.NOT_MONOTONIC:
                column_ = draw(st.lists(st.integers(-6, 6), min_size=size, max_size=size))
            case _:
                column_ = list(accumulate([start, *(sign * each for each in steps)]))
        orders.append(order)
        told = draw(st.booleans())
        ranges.append(Range(Fraction(min(column_)), Fraction(max(column_))) if told else Range())
        columns.append(column_)
    return tuple(orders), tuple(ranges), list(zip(*columns, strict=True))


def breaks(values: list[int], order: Monotonicity) -> Iterator[tuple[int, int]]:
    """The neighbours that do not compare as ``order`` says."""
    for a, b in pairwise(values):
        fine = {C: a == b, S: a < b, I: a <= b, T: a > b, D: a >= b, N: True}[order]
        if not fine:
            yield a, b


@given(EXPRESSIONS, declared_columns())
def test_values_keep_what_is_deduced_of_them(
    expression: Expression,
    declared: tuple[tuple[Monotonicity, ...], tuple[Range, ...], list[Row]],
) -> None:
    """S-403, MON-043: rows that keep the declarations keep every deduction."""
    orders, ranges, rows = declared
    deduced = monotonicity(expression, orders, ranges)
    values = [each for each in (value(expression, row) for row in rows) if each is not None]
    assert not list(breaks(values, deduced))
