"""Ranges: never too narrow, and as narrow as CHECK and conditions say."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Call, Cast, Expression, Extract, InputRef, Literal, Op
from algebra.ranges import ANY, Range, hull, narrowed, value_range
from algebra.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, TIMESTAMP, decimal
from grammar.tree import TimeUnit

M = InputRef(0, INTEGER)


def between(lower: int | None, upper: int | None) -> Range:
    ends = [None if each is None else Fraction(each) for each in (lower, upper)]
    return Range(*ends)


def number(value: int) -> Literal:
    return Literal(value, INTEGER)


def compare(op: Op, a: Expression, b: Expression) -> Call:
    return Call(op, (a, b), BOOLEAN)


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
            ANY,
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


def test_a_strict_end_of_a_float_gives_no_sign() -> None:
    """Between 0 and the least float above it there is no step to speak of; 0 itself stays in."""
    weight = InputRef(0, DOUBLE)
    (known,) = narrowed((ANY,), compare(Op.GREATER, weight, Literal(0.0, DOUBLE)))
    assert known.sign is None


def test_a_product_of_floats_may_come_to_zero() -> None:
    tiny = Literal(1e-200, DOUBLE)
    assert value_range(Call(Op.TIMES, (tiny, tiny), DOUBLE)) == between(0, None)


def test_the_fields_of_a_datetime_have_their_ranges() -> None:
    rowtime = InputRef(0, TIMESTAMP)
    assert value_range(Extract(TimeUnit.YEAR, rowtime)) == between(1, 9999)
    assert value_range(Extract(TimeUnit.SECOND, rowtime)) == ANY


# --- soundness --------------------------------------------------------------------------------

ENDS = st.one_of(st.none(), st.integers(-5, 5))
BINARY = st.sampled_from([Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE])


def binary(op: Op, a: Expression, b: Expression) -> Expression:
    return Call(op, (a, b), INTEGER)


def negated(a: Expression) -> Expression:
    return Call(Op.NEGATE, (a,), INTEGER)


def terms(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(st.builds(binary, BINARY, inner, inner), st.builds(negated, inner))


COLUMNS = [InputRef(i, INTEGER) for i in range(3)]
LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from(COLUMNS), st.integers(-3, 3).map(number)
)
TERMS = st.recursive(LEAVES, terms, max_leaves=6)


def evaluated(expression: Expression, row: tuple[int, ...]) -> int | None:
    """The value; None: a division by zero, so no row."""
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
    above = known.lower is None or known.lower <= value
    return above and (known.upper is None or value <= known.upper)


@given(TERMS, st.tuples(*[st.tuples(ENDS, st.integers(-5, 5), ENDS)] * 3))
def test_no_value_is_outside_its_range(
    expression: Expression, declared: tuple[tuple[int | None, int, int | None], ...]
) -> None:
    """S-403: every range holds the values that rows in declared ranges give."""
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
