"""Ranges: never too narrow, and as narrow as CHECK and conditions say."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile, Table
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.number_range import ANY, Range, Sign, hull
from algebra.constraints.ranges import narrowed, value_range
from algebra.expression import Call, Case, Cast, Expression, Extract, InputRef, Literal, Op
from algebra.plan import Reads, Scan
from algebra.prepare import prepare
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    REAL,
    TIMESTAMP,
    decimal,
    interval,
)
from grammar.tree import TimeUnit

M, X = InputRef(0, INTEGER), InputRef(1, INTEGER)
MONTHS = interval(TimeUnit.MONTH)


def between(lower: int | None, upper: int | None) -> Range:
    ends = [None if each is None else Fraction(each) for each in (lower, upper)]
    return Range(*ends)


def number(value: int) -> Literal:
    return Literal(value, INTEGER)


def compare(op: Op, a: Expression, b: Expression) -> Call:
    return Call(op, (a, b), BOOLEAN)


def negated(condition: Expression) -> Call:
    return Call(Op.NOT, (condition,), BOOLEAN)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (compare(Op.GREATER, M, number(0)), between(1, None)),
        (compare(Op.GREATER_OR_EQUAL, M, number(0)), between(0, None)),
        (compare(Op.LESS, number(0), M), between(1, None)),
        (compare(Op.LESS, M, number(0)), between(None, -1)),
        (compare(Op.EQUAL, M, number(7)), between(7, 7)),
        (compare(Op.NOT_EQUAL, M, number(0)), ANY),
        (compare(Op.GREATER, Cast(M, BIGINT), Literal(3, BIGINT)), between(4, None)),
        (compare(Op.LESS_OR_EQUAL, M, Call(Op.NEGATE, (number(3),), INTEGER)), between(None, -3)),
        (
            Call(
                Op.AND,
                (
                    compare(Op.GREATER_OR_EQUAL, M, number(1)),
                    compare(Op.LESS_OR_EQUAL, M, number(1000)),
                ),
                BOOLEAN,
            ),
            between(1, 1000),
        ),
        (
            Call(
                Op.OR,
                (compare(Op.GREATER, M, number(1)), compare(Op.GREATER, M, number(2))),
                BOOLEAN,
            ),
            between(2, None),
        ),
        (
            Call(Op.OR, (compare(Op.GREATER, M, number(1)), compare(Op.LESS, M, M)), BOOLEAN),
            ANY,
        ),
        (Call(Op.IN, (M, number(7), number(3)), BOOLEAN), between(3, 7)),
        (negated(compare(Op.LESS, M, number(3))), between(3, None)),
        (negated(compare(Op.NOT_EQUAL, M, number(3))), between(3, 3)),
        (negated(negated(compare(Op.LESS, M, number(3)))), between(None, 2)),
        (
            negated(
                Call(
                    Op.OR,
                    (compare(Op.LESS, M, number(1)), compare(Op.GREATER, M, number(9))),
                    BOOLEAN,
                )
            ),
            between(1, 9),
        ),
    ],
)
def test_a_condition_narrows_its_column(condition: Expression, expected: Range) -> None:
    assert narrowed((ANY,), condition) == (expected,)


def test_a_strict_end_of_a_decimal_is_one_digit_further() -> None:
    price = InputRef(0, decimal(5, 2))
    assert narrowed((ANY,), compare(Op.GREATER, price, number(0))) == (
        Range(Fraction(1, 100), None),
    )


def test_a_strict_end_of_a_float_is_the_next_float() -> None:
    """Above 0 there is the least float, so that the sign is known (S-403)."""
    weight = InputRef(0, DOUBLE)
    (known,) = narrowed((ANY,), compare(Op.GREATER, weight, Literal(0.0, DOUBLE)))
    assert known == Range(Fraction(5e-324), None)
    assert known.sign is Sign.POSITIVE


def test_not_below_says_nothing_of_a_float() -> None:
    """NaN is neither below 0 nor at or above it (S-202)."""
    weight = InputRef(0, DOUBLE)
    assert narrowed((ANY,), negated(compare(Op.LESS, weight, Literal(0.0, DOUBLE)))) == (ANY,)


def checked(check: str) -> tuple[Range, ...]:
    """The ranges of ``m`` and ``x`` that a CHECK of a table implies."""
    catalog = prepare(f"CREATE TABLE T (m INTEGER, x INTEGER, {check})", None, Profile.CALCITE)
    [table] = catalog.catalog.objects.values()
    assert isinstance(table, Table)
    return column_ranges(Scan(table, Reads.TABLE))


def test_a_check_that_may_be_unknown_tells_nothing() -> None:
    """(-7, NULL) keeps CHECK (m > x), which is unknown, so m need not be above x (S-301)."""
    assert checked("CHECK (x BETWEEN 1 AND 5), CHECK (m > x)") == (ANY, between(1, 5))
    assert checked("CHECK (m > 1)")[0] == between(2, None)


def test_where_is_true_or_drops_the_row() -> None:
    both = Call(
        Op.AND,
        (compare(Op.GREATER, InputRef(1, INTEGER), number(0)), compare(Op.GREATER, M, X)),
        BOOLEAN,
    )
    assert narrowed((ANY, ANY), both) == (between(2, None), between(1, None))


#: An expression of column 0, the column's range, and the expression's.
RANGES: list[tuple[str, Expression, Range, Range]] = [
    ("m * m", Call(Op.TIMES, (M, M), INTEGER), between(2, 3), between(4, 9)),
    ("m / 2", Call(Op.DIVIDE, (M, number(2)), INTEGER), between(3, 9), between(1, 5)),
    ("12 / m", Call(Op.DIVIDE, (number(12), M), INTEGER), between(3, None), between(0, 4)),
    ("12 / m, 0 in it", Call(Op.DIVIDE, (number(12), M), INTEGER), between(0, 3), ANY),
    ("MOD(m, 4)", Call(Op.MOD, (M, number(4)), INTEGER), between(0, None), between(0, 4)),
    ("MOD(m, -4)", Call(Op.MOD, (M, number(-4)), INTEGER), ANY, between(-4, 4)),
    ("ABS(m)", Call(Op.ABS, (M,), INTEGER), ANY, between(0, None)),
    ("ABS(m), both", Call(Op.ABS, (M,), INTEGER), between(-3, 2), between(0, 3)),
    ("ABS(m), below", Call(Op.ABS, (M,), INTEGER), between(-3, -2), between(2, 3)),
    ("SIGN(m)", Call(Op.SIGN, (M,), INTEGER), between(1, None), between(1, 1)),
    ("GREATEST(m, 3)", Call(Op.GREATEST, (M, number(3)), INTEGER), ANY, between(3, None)),
    ("LEAST(m, 3)", Call(Op.LEAST, (M, number(3)), INTEGER), between(1, 9), between(1, 3)),
    ("STEP(m BY 5)", Call(Op.STEP, (M, number(5)), INTEGER), between(-1, 12), between(-5, 10)),
    (
        "ROUND(m, -1)",
        Call(Op.ROUND, (M, number(-1)), INTEGER),
        between(14, 16),
        between(10, 20),
    ),
    ("EXP(f)", Call(Op.EXP, (InputRef(0, DOUBLE),), DOUBLE), ANY, between(0, None)),
    (
        "m as DOUBLE",
        Cast(M, DOUBLE),
        between(2, 3),
        between(2, 3),
    ),
    (
        "months as years",
        Cast(InputRef(0, MONTHS), interval(TimeUnit.YEAR)),
        between(-13, 25),
        between(-12, 24),
    ),
    (
        "CASE WHEN m < 0 THEN 0 ELSE m END",
        Case(((compare(Op.LESS, M, number(0)), number(0)),), M, INTEGER),
        ANY,
        between(0, None),
    ),
    (
        "CASE WHEN m < 1 THEN 1 WHEN m < 9 THEN m ELSE 9 END",
        Case(
            ((compare(Op.LESS, M, number(1)), number(1)), (compare(Op.LESS, M, number(9)), M)),
            number(9),
            INTEGER,
        ),
        ANY,
        between(1, 9),
    ),
    (
        "CASE WHEN m < x THEN 0 ELSE m END",
        Case(((compare(Op.LESS, M, X), number(0)),), M, INTEGER),
        ANY,  # where x is NULL, m is any number
        ANY,
    ),
]


@pytest.mark.parametrize(
    ("expression", "column", "expected"), [r[1:] for r in RANGES], ids=[r[0] for r in RANGES]
)
def test_the_range_of_an_expression(expression: Expression, column: Range, expected: Range) -> None:
    assert value_range(expression, (column,)) == expected


def test_five_months_are_no_year() -> None:
    """CAST(INTERVAL '5' MONTH AS INTERVAL YEAR) is 0, though 5 months are more than 0."""
    five = Cast(Literal(5, MONTHS), interval(TimeUnit.YEAR))
    assert value_range(five) == between(0, 0)


def test_a_product_of_floats_may_be_zero() -> None:
    tiny = Literal(1e-200, DOUBLE)
    assert value_range(Call(Op.TIMES, (tiny, tiny), DOUBLE)).sign is Sign.NOT_NEGATIVE


def test_a_number_as_a_float_keeps_its_sign() -> None:
    """0.1 is not a float; what it is rounded to is above 0 all the same."""
    tenth = Literal(Decimal("0.1"), decimal(2, 1))
    for type_ in (REAL, DOUBLE):
        known = value_range(Cast(tenth, type_))
        assert known.sign is Sign.POSITIVE
        assert known.lower is not None
        assert known.lower < Fraction(1, 10)


def test_the_fields_of_a_datetime_have_their_ranges() -> None:
    rowtime = InputRef(0, TIMESTAMP)
    assert value_range(Extract(TimeUnit.YEAR, rowtime)) == between(1, 9999)
    assert value_range(Extract(TimeUnit.SECOND, rowtime)) == between(0, 59)
    assert value_range(Extract(TimeUnit.EPOCH, rowtime)) == ANY


@pytest.mark.parametrize(
    ("known", "sign"),
    [
        (between(1, 9), Sign.POSITIVE),
        (between(0, 9), Sign.NOT_NEGATIVE),
        (between(0, 0), Sign.ZERO),
        (between(-9, 0), Sign.NOT_POSITIVE),
        (between(None, -1), Sign.NEGATIVE),
        (between(-1, 1), None),
        (ANY, None),
    ],
)
def test_the_sign_is_what_all_values_have(known: Range, sign: Sign | None) -> None:
    assert known.sign is sign


# --- soundness --------------------------------------------------------------------------------

ENDS = st.one_of(st.none(), st.integers(-5, 5))
BINARY = st.sampled_from([Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE])


def binary(op: Op, a: Expression, b: Expression) -> Expression:
    return Call(op, (a, b), INTEGER)


def minus(a: Expression) -> Expression:
    return Call(Op.NEGATE, (a,), INTEGER)


def terms(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(st.builds(binary, BINARY, inner, inner), st.builds(minus, inner))


COLUMNS = [InputRef(i, INTEGER) for i in range(3)]
LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(COLUMNS), st.integers(-3, 3).map(number)
)
TERMS = st.recursive(LEAVES, terms, max_leaves=6)


def evaluated(expression: Expression, row: tuple[int, ...]) -> int | None:
    """The value; None after a division by zero, which leaves no row."""
    match expression:
        case InputRef(index):
            return row[index]
        case Literal(int(value)):
            return value
        case Call(Op.NEGATE, (a,)):
            x = evaluated(a, row)
            return None if x is None else -x
        case Call(op, (a, b)):
            x, y = evaluated(a, row), evaluated(b, row)
            if x is None or y is None or (op is Op.DIVIDE and y == 0):
                return None
            match op:
                case Op.PLUS:
                    return x + y
                case Op.MINUS:
                    return x - y
                case Op.TIMES:
                    return x * y
                case _:
                    return int(Fraction(x, y))
        case _:
            raise AssertionError(expression)


def inside(value: int, known: Range) -> bool:
    greater = known.lower is None or known.lower <= value
    return greater and (known.upper is None or value <= known.upper)


@given(TERMS, st.tuples(*[st.tuples(ENDS, st.integers(-5, 5), ENDS)] * 3))
def test_no_value_is_outside_its_range(
    expression: Expression, declared: tuple[tuple[int | None, int, int | None], ...]
) -> None:
    """S-403: every range contains the values computed from rows in the declared ranges."""
    row = tuple(value for _, value, _ in declared)
    columns = [
        hull([between(low, value), between(value, high)])
        if low is None or high is None
        else between(min(low, value), max(high, value))
        for low, value, high in declared
    ]
    assert all(inside(value, known) for value, known in zip(row, columns, strict=True))
    value = evaluated(expression, row)
    assert value is None or inside(value, value_range(expression, columns))


@pytest.mark.parametrize("text", ["0.1", "1E23", "0.15", "-0.3", "123456789012345678"])
def test_a_float_is_a_decimal_by_its_digits(text: str) -> None:
    """S-202: 0.1 is a little more than a tenth inside, 1E23 a little less than the number."""
    target = decimal(38, 14)
    cast = Cast(Literal(float(text), DOUBLE), target)
    known = value_range(cast)
    value = Fraction(repr(float(text)))
    assert known.lower is not None
    assert known.upper is not None
    assert known.lower <= value <= known.upper
    assert known.upper - known.lower <= abs(value) / 10**12


def test_a_whole_float_of_few_digits_is_that_decimal() -> None:
    known = value_range(Cast(Literal(12.0, DOUBLE), decimal(5, 2)))
    assert known == Range(Fraction(12), Fraction(12))
