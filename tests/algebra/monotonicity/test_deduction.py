"""Deduction: the rules of S-402 one by one; their soundness is in test_soundness."""

from decimal import Decimal
from fractions import Fraction

import pytest

from algebra.constraints.number_range import Range
from algebra.expression import Call, Case, Cast, Expression, Extract, InputRef, Literal, Op, Round
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
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
    Kind,
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
SECONDS = interval(TimeUnit.SECOND)


def number(value: int) -> Literal:
    return Literal(value, INTEGER)


def call(op: Op, *operands: Expression, type_: Type = INTEGER) -> Call:
    return Call(op, operands, type_)


def column(type_: Type = INTEGER) -> InputRef:
    return InputRef(0, type_)


def null(type_: Type) -> Literal:
    return Literal(None, type_)


def condition(op: Op, *operands: Expression) -> Call:
    return call(op, *operands, type_=BOOLEAN.as_nullable(False))


def case(condition: Expression, then: Expression, otherwise: Expression) -> Case:
    return Case(((condition, then),), otherwise, INTEGER.as_nullable(False))


M, R, PRICE = column(), column(TIMESTAMP), column(decimal(5, 2))
CERTAIN = column(INTEGER.as_nullable(False))
MINUS_M = call(Op.NEGATE, M)
TEXT = Literal("abc", VARCHAR)
PADDED = Cast(column(Type(Kind.CHAR, precision=3)), Type(Kind.VARCHAR, precision=3))
#: 1970-01-31 12:00, to which no day is clamped, and 1970-04-30 12:00, to which the 31st is.
LATE_DAY = Literal(30 * MILLIS_PER_DAY + MILLIS_PER_DAY // 2, TIMESTAMP)
CLAMPED = Literal(119 * MILLIS_PER_DAY + MILLIS_PER_DAY // 2, TIMESTAMP)
#: 0, or no number where f is infinite.
NOUGHT = call(Op.TIMES, column(DOUBLE), Literal(0.0, DOUBLE), type_=DOUBLE)
GREATER = condition(Op.GREATER, CERTAIN, number(3))


def tenths(count: int) -> Literal:
    return Literal(Decimal(count).scaleb(-1), decimal(3, 1))


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
    ("FLOOR(p)", call(Op.FLOOR, PRICE, type_=decimal(5, 0)), I),
    ("CEIL(-p)", call(Op.CEIL, call(Op.NEGATE, PRICE, type_=PRICE.type), type_=decimal(5, 0)), D),
    ("FLOOR(f)", call(Op.FLOOR, column(DOUBLE), type_=DOUBLE), I),
    ("FLOOR(m), which is m", call(Op.FLOOR, M), S),
    ("CEIL(-m), which is -m", call(Op.CEIL, call(Op.NEGATE, M)), T),
    ("SIGN(m)", call(Op.SIGN, M), I),
    ("ROUND(m), which is m", call(Op.ROUND, M), S),
    ("ROUND(p)", call(Op.ROUND, PRICE), I),
    ("ROUND(p, 1)", call(Op.ROUND, PRICE, number(1)), I),
    ("ROUND(p, 2), which is p", call(Op.ROUND, PRICE, number(2)), S),
    ("ROUND(f, 9)", call(Op.ROUND, column(DOUBLE), number(9), type_=DOUBLE), I),
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
    ("GREATEST(m, m + 1)", call(Op.GREATEST, M, call(Op.PLUS, M, number(1))), S),
    ("LEAST(m, m, 7)", call(Op.LEAST, M, M, number(7)), I),
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
    ("COALESCE(NULL, m)", call(Op.COALESCE, null(INTEGER), M), S),
    ("COALESCE(m, 7), m not NULL", call(Op.COALESCE, CERTAIN, number(7)), S),
    ("COALESCE(m, 7)", call(Op.COALESCE, M, number(7)), N),
    ("m > 3", condition(Op.GREATER, M, number(3)), I),
    ("m >= 3", condition(Op.GREATER_OR_EQUAL, M, number(3)), I),
    ("3 > m", condition(Op.GREATER, number(3), M), D),
    ("m < 3", condition(Op.LESS, M, number(3)), D),
    ("m <= -m", condition(Op.LESS_OR_EQUAL, M, call(Op.NEGATE, M)), D),
    ("m > m", condition(Op.GREATER, M, M), N),
    ("m = 3", condition(Op.EQUAL, M, number(3)), N),
    ("m <> 3", condition(Op.NOT_EQUAL, M, number(3)), N),
    ("NOT m > 3", condition(Op.NOT, condition(Op.GREATER, M, number(3))), D),
    ("m > 3 AND m > 4", condition(Op.AND, GREATER, GREATER), I),
    ("m > 3 OR m > 4", condition(Op.OR, GREATER, GREATER), I),
    ("m > 3 AND m < 4", condition(Op.AND, GREATER, condition(Op.NOT, GREATER)), N),
    ("m > 3 AND m > 3, m maybe NULL", call(Op.AND, GREATER, GREATER, type_=BOOLEAN), N),
    ("m IS NULL, m not NULL", condition(Op.IS_NULL, CERTAIN), C),
    ("m IS NULL", condition(Op.IS_NULL, M), N),
    ("(m > 3) IS TRUE", condition(Op.IS_TRUE, GREATER), I),
    ("(m > 3) IS NOT TRUE", condition(Op.IS_NOT_TRUE, GREATER), D),
    ("(m > 3) IS FALSE", condition(Op.IS_FALSE, GREATER), D),
    ("(m > 3) IS NOT FALSE", condition(Op.IS_NOT_FALSE, GREATER), I),
    ("m IN (1, 2)", condition(Op.IN, M, number(1), number(2)), N),
    ("2 > 3", call(Op.GREATER, number(2), number(3), type_=BOOLEAN), C),
    ("CASE of one branch for all", case(Literal(True, BOOLEAN), M, M), S),
    ("CASE, NULL in some rows", Case(((GREATER, null(INTEGER)),), M, INTEGER), N),
    ("CASE WHEN m > 3 THEN 1 ELSE 0", case(GREATER, number(1), number(0)), I),
    ("CASE WHEN m > 3 THEN 0 ELSE 1", case(GREATER, number(0), number(1)), D),
    ("CASE WHEN m > 3 THEN 1 ELSE 1", case(GREATER, number(1), number(1)), C),
    ("CASE WHEN m > 3 THEN m ELSE 3", case(GREATER, CERTAIN, number(3)), I),
    ("CASE WHEN m > 3 THEN m ELSE 5", case(GREATER, CERTAIN, number(5)), N),
    ("CASE WHEN m > 3 THEN m ELSE m", case(GREATER, CERTAIN, CERTAIN), S),
    ("CASE WHEN m > 3 THEN m ELSE -m", case(GREATER, CERTAIN, call(Op.NEGATE, CERTAIN)), N),
    ("CASE WHEN m = 3 THEN 1 ELSE 0", case(condition(Op.EQUAL, M, M), number(1), number(0)), N),
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
    (
        "d + half a day, rounded down to d",
        call(Op.DATETIME_PLUS, column(DATE), Literal(43_200_000, HOURS), type_=DATE),
        S,
    ),
    ("t + HOUR", call(Op.DATETIME_PLUS, column(TIME), Literal(3_600_000, HOURS), type_=TIME), N),
    ("(r - 0) HOUR", call(Op.DATETIME_MINUS, R, Literal(0, TIMESTAMP), type_=HOURS), I),
    ("(0 - r) HOUR", call(Op.DATETIME_MINUS, Literal(0, TIMESTAMP), R, type_=HOURS), D),
    ("(r - 0) SECOND", call(Op.DATETIME_MINUS, R, Literal(0, TIMESTAMP), type_=SECONDS), S),
    ("(d - 0) HOUR", call(Op.DATETIME_MINUS, column(DATE), Literal(0, DATE), type_=HOURS), S),
    ("(d - d) MONTH", call(Op.DATETIME_MINUS, column(DATE), column(DATE), type_=MONTHS), N),
    ("(d - 30) MONTH", call(Op.DATETIME_MINUS, column(DATE), Literal(30, DATE), type_=MONTHS), I),
    ("(30 - d) MONTH", call(Op.DATETIME_MINUS, Literal(30, DATE), column(DATE), type_=MONTHS), D),
    ("(r - 1 January) MONTH", call(Op.DATETIME_MINUS, R, Literal(0, TIMESTAMP), type_=MONTHS), I),
    ("(r - 31 January) MONTH", call(Op.DATETIME_MINUS, R, LATE_DAY, type_=MONTHS), I),
    ("(30 April - r) MONTH", call(Op.DATETIME_MINUS, CLAMPED, R, type_=MONTHS), N),
    ("(r - 30 April) MONTH", call(Op.DATETIME_MINUS, R, CLAMPED, type_=MONTHS), N),
    ("CURRENT_TIMESTAMP", call(Op.CURRENT_TIMESTAMP, type_=TIMESTAMP), I),
    ("CURRENT_TIME", call(Op.CURRENT_TIMESTAMP, type_=TIME), N),
    ("SUBSTRING(s FROM 0 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(0), number(3)), I),
    ("SUBSTRING(s FROM 1 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(1), number(3)), I),
    ("SUBSTRING(s FROM 2 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(2), number(3)), N),
    ("SUBSTRING(s FROM 1 FOR m)", call(Op.SUBSTRING, column(VARCHAR), number(1), M), I),
    ("SUBSTRING('abc' FROM 1 FOR m)", call(Op.SUBSTRING, TEXT, number(1), M), I),
    ("SUBSTRING(s FROM 1 FOR -m)", call(Op.SUBSTRING, column(VARCHAR), number(1), MINUS_M), N),
    ("SUBSTRING(s FROM -1 FOR 3)", call(Op.SUBSTRING, column(VARCHAR), number(-1), number(3)), I),
    ("SUBSTRING(s FROM 1)", call(Op.SUBSTRING, column(VARCHAR), number(1)), S),
    ("SUBSTRING(s FROM 2)", call(Op.SUBSTRING, column(VARCHAR), number(2)), N),
    ("SUBSTRING(s FROM m)", call(Op.SUBSTRING, TEXT, M), N),
    ("'x' || s", call(Op.CONCAT, TEXT, column(VARCHAR), type_=VARCHAR), S),
    ("s || 'x'", call(Op.CONCAT, column(VARCHAR), TEXT, type_=VARCHAR), N),
    ("c || 'x', c a CHAR", call(Op.CONCAT, PADDED, TEXT, type_=VARCHAR), S),
    ("c || s, c a CHAR", call(Op.CONCAT, PADDED, column(VARCHAR), type_=VARCHAR), S),
    ("d || 'x'", call(Op.CONCAT, Cast(column(DATE), VARCHAR), TEXT, type_=VARCHAR), S),
    ("r || 'x'", call(Op.CONCAT, Cast(R, VARCHAR), TEXT, type_=VARCHAR), N),
    ("f + 1.0", call(Op.PLUS, column(DOUBLE), Literal(1.0, DOUBLE), type_=DOUBLE), I),
    ("-f", call(Op.NEGATE, column(DOUBLE), type_=DOUBLE), T),
    ("f * 0.0", call(Op.TIMES, column(DOUBLE), Literal(0.0, DOUBLE), type_=DOUBLE), N),
    ("(f * 0.0) * 1.0", call(Op.TIMES, NOUGHT, Literal(1.0, DOUBLE), type_=DOUBLE), N),
    ("(f * 0.0) / 1.0", call(Op.DIVIDE, NOUGHT, Literal(1.0, DOUBLE), type_=DOUBLE), N),
    ("f / 2.0", call(Op.DIVIDE, column(DOUBLE), Literal(2.0, DOUBLE), type_=DOUBLE), I),
    ("f / f", call(Op.DIVIDE, column(DOUBLE), column(DOUBLE), type_=DOUBLE), N),
    ("x * 0.5, exact", call(Op.TIMES, column(decimal(5, 1)), HALF, type_=decimal(7, 2)), S),
    ("x * 0.5, rounded", call(Op.TIMES, column(decimal(5, 1)), HALF, type_=decimal(7, 1)), I),
    ("h * 1.5, cut to milliseconds", call(Op.TIMES, column(HOURS), tenths(15), type_=HOURS), I),
    ("h * 2.5, far apart", call(Op.TIMES, column(HOURS), tenths(25), type_=HOURS), S),
    ("h * 2.0", call(Op.TIMES, column(HOURS), tenths(20), type_=HOURS), S),
    ("h / 0.5", call(Op.DIVIDE, column(HOURS), tenths(5), type_=HOURS), S),
    ("h / 2", call(Op.DIVIDE, column(HOURS), number(2), type_=HOURS), I),
    ("p / 2, with digits enough", call(Op.DIVIDE, PRICE, number(2), type_=decimal(9, 6)), S),
    ("p / 200, without", call(Op.DIVIDE, PRICE, number(200), type_=decimal(9, 3)), I),
    ("INTEGER as BIGINT", Cast(M, BIGINT), S),
    ("INTEGER as SMALLINT, or an error", Cast(M, SMALLINT), S),
    ("INTEGER as DOUBLE", Cast(M, DOUBLE), S),
    ("BIGINT as DOUBLE", Cast(column(BIGINT), DOUBLE), I),
    ("INTEGER as REAL", Cast(M, REAL), I),
    ("DOUBLE as INTEGER", Cast(column(DOUBLE), INTEGER), I),
    ("INTEGER as DECIMAL(12, 2)", Cast(M, decimal(12, 2)), S),
    ("DECIMAL(5, 2) as DECIMAL(5, 1)", Cast(column(decimal(5, 2)), decimal(5, 1)), I),
    ("INTEGER as text", Cast(M, VARCHAR), N),
    ("text as INTEGER", Cast(column(VARCHAR), INTEGER), N),
    ("TIMESTAMP as text", Cast(R, VARCHAR), S),
    ("TIMESTAMP as VARCHAR(10)", Cast(R, Type(VARCHAR.kind, precision=10)), S),
    ("DATE as text", Cast(column(DATE), VARCHAR), S),
    ("TIME as text", Cast(column(TIME), VARCHAR), S),
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
    """What ascends with its column descends with a descending one; the clock always ascends."""
    rising, descending = monotonicity(expression, (S,)), monotonicity(expression, (T,))
    ignores = Op.CURRENT_TIMESTAMP, Op.MONOTONIC
    if not (isinstance(expression, Call) and expression.op in ignores):
        assert descending is rising.reverse()


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
    """``12 / EXTRACT(YEAR FROM r)`` decreases (S-403)."""
    assert monotonicity(call(Op.DIVIDE, number(12), Extract(TimeUnit.YEAR, R)), (S,)) is D


def test_a_length_that_may_be_null_makes_a_beginning_null() -> None:
    """SUBSTRING(c FROM 1 FOR x) of a CHAR(3) and an x above 3 is c, or NULL where x is."""
    length = InputRef(1, INTEGER)
    beginning = call(Op.SUBSTRING, PADDED, number(1), length, type_=PADDED.type)
    four = Range(Fraction(4), None)
    assert monotonicity(beginning, (S, N), (Range(), four)) is N
    assert monotonicity(beginning, (S, C), (Range(), four)) is S


def test_zero_times_what_may_be_null_is_zero_or_null() -> None:
    x = InputRef(0, INTEGER)
    assert monotonicity(call(Op.TIMES, x, number(0)), (N,)) is N
    certain = call(Op.TIMES, CERTAIN, number(0), type_=CERTAIN.type)
    assert monotonicity(certain, (N,)) is C


def test_a_product_goes_by_the_signs_of_its_columns() -> None:
    """S-403: m * m ascends only if m is known to be 0 or above."""
    square = call(Op.TIMES, M, M)
    assert monotonicity(square, (S,), (POSITIVE,)) is S
    assert monotonicity(square, (S,), (Range(Fraction(0), None),)) is I
    assert monotonicity(square, (S,), (Range(None, Fraction(-1)),)) is T
    assert monotonicity(square, (S,)) is N


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (((100, TimeUnit.YEAR), (1, TimeUnit.MONTH)), I),
        (((11, TimeUnit.YEAR), (1, TimeUnit.MONTH)), I),  # 12 - 1 is lost, and 11 gained
        (((10, TimeUnit.YEAR), (1, TimeUnit.MONTH)), N),
        (((-100, TimeUnit.YEAR), (1, TimeUnit.MONTH)), N),
        (((100, TimeUnit.YEAR), (1, TimeUnit.WEEK)), N),
        (((100, TimeUnit.ISOYEAR), (1, TimeUnit.WEEK)), I),
        (((366, TimeUnit.YEAR), (1, TimeUnit.DOY)), I),
        (((100, TimeUnit.YEAR), (1, TimeUnit.DAY)), N),
        (((4, TimeUnit.YEAR), (1, TimeUnit.QUARTER)), I),
        (((24, TimeUnit.DAY), (1, TimeUnit.HOUR)), N),
        (((9999, TimeUnit.YEAR), (99, TimeUnit.MONTH), (1, TimeUnit.DAY)), I),
        (((9999, TimeUnit.YEAR), (29, TimeUnit.MONTH), (1, TimeUnit.DAY)), N),
        (((10**6, TimeUnit.YEAR), (10**4, TimeUnit.DOY), (100, TimeUnit.HOUR)), N),
        (((10**7, TimeUnit.YEAR), (10**4, TimeUnit.DOY), (100, TimeUnit.HOUR)), I),
    ],
)
def test_a_sum_of_fields_rises_if_each_outweighs_all_finer_ones(
    weights: tuple[tuple[int, TimeUnit], ...], expected: Monotonicity
) -> None:
    terms = [call(Op.TIMES, number(w), Extract(u, R), type_=BIGINT) for w, u in weights]
    total: Expression = terms[0]
    for each in terms[1:]:
        total = call(Op.PLUS, total, each, type_=BIGINT)
    assert monotonicity(total, (I,)) is expected
    assert monotonicity(total, (D,)) is expected.reverse()


def test_a_constant_that_may_be_null_is_no_result_to_end_with() -> None:
    """0, 0, then a constant from 5 to 9 ascends; 0, 0, then NULL has no order."""
    known = (Range(), Range(Fraction(5), Fraction(9)))
    for nullable, expected in ((True, N), (False, I)):
        type_ = INTEGER.as_nullable(nullable)
        choice = Case(((GREATER, InputRef(1, type_)),), number(0), type_)
        assert monotonicity(choice, (S, C), known) is expected


#: What is not NULL in all rows, though an operand is NULL; next to a column in no order.
TOLERANT: list[tuple[str, Expression]] = [
    ("FALSE AND NULL is FALSE", call(Op.AND, column(BOOLEAN), null(BOOLEAN), type_=BOOLEAN)),
    ("TRUE OR NULL is TRUE", call(Op.OR, column(BOOLEAN), null(BOOLEAN), type_=BOOLEAN)),
    ("NULL is distinct from 1", condition(Op.IS_DISTINCT_FROM, column(), null(INTEGER))),
    ("NULL is not distinct from NULL", condition(Op.IS_NOT_DISTINCT_FROM, column(), null(INTEGER))),
    ("1 IN (NULL, 1)", call(Op.IN, column(), null(INTEGER), number(1), type_=BOOLEAN)),
    *(
        (f"NULL {op} is a constant, and x is not", condition(Op.EQUAL, column(BOOLEAN), deduced))
        for op in (
            Op.IS_NULL,
            Op.IS_NOT_NULL,
            Op.IS_TRUE,
            Op.IS_NOT_TRUE,
            Op.IS_FALSE,
            Op.IS_NOT_FALSE,
        )
        for deduced in [condition(op, null(BOOLEAN))]
    ),
]


@pytest.mark.parametrize("expression", [each[1] for each in TOLERANT], ids=[e[0] for e in TOLERANT])
def test_an_operator_that_takes_null_is_not_null_for_it(expression: Expression) -> None:
    """S-201; what is NULL in all rows is constant, and these are not."""
    assert monotonicity(expression, [N]) is N


def test_an_operator_that_does_not_take_null_is_null_in_all_rows() -> None:
    assert monotonicity(call(Op.PLUS, column(), null(INTEGER)), [N]) is C
    assert monotonicity(condition(Op.EQUAL, column(), null(INTEGER)), [N]) is C
