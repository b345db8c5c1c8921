"""The types of arithmetic on numbers: every pair of kinds, and DECIMAL's rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Op
from algebra.functions.numbers import arithmetic_type
from algebra.types import (
    BIGINT,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    Type,
    decimal,
)

D = decimal(5, 2)
T, S, I, L, R, F = TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE  # noqa: E741  a table's letters


def d(precision: int, scale: int) -> Type:
    return decimal(precision, scale)


KINDS = (T, S, I, L, D, R, F)
#: ``a + b`` and ``a - b``, given ``a`` (row) and ``b`` (column), both of `KINDS`.
PLUS = (
    (T, S, I, L, d(6, 2), F, F),
    (S, S, I, L, d(8, 2), F, F),
    (I, I, I, L, d(13, 2), F, F),
    (L, L, L, L, d(22, 2), F, F),
    (d(6, 2), d(8, 2), d(13, 2), d(22, 2), d(6, 2), F, F),
    (F, F, F, F, F, R, F),
    (F, F, F, F, F, F, F),
)
TIMES = (
    (T, S, I, L, d(8, 2), F, F),
    (S, S, I, L, d(10, 2), F, F),
    (I, I, I, L, d(15, 2), F, F),
    (L, L, L, L, d(24, 2), F, F),
    (d(8, 2), d(10, 2), d(15, 2), d(24, 2), d(10, 4), F, F),
    (F, F, F, F, F, R, F),
    (F, F, F, F, F, F, F),
)
#: Scale: the greater of 6 and s1 + p2 + 1; before the point p1 - s1 + s2.
DIVIDE = (
    (T, S, I, L, d(11, 6), F, F),
    (S, S, I, L, d(13, 6), F, F),
    (I, I, I, L, d(18, 6), F, F),
    (L, L, L, L, d(27, 6), F, F),
    (d(9, 6), d(11, 8), d(16, 13), d(25, 22), d(13, 8), F, F),
    (F, F, F, F, F, R, F),
    (F, F, F, F, F, F, F),
)
#: Of exact numbers only; of whole ones the second's type.
MOD = (
    (T, S, I, L, d(5, 2)),
    (T, S, I, L, d(5, 2)),
    (T, S, I, L, d(5, 2)),
    (T, S, I, L, d(5, 2)),
    (d(5, 2), d(5, 2), d(5, 2), d(5, 2), d(5, 2)),
)


@pytest.mark.parametrize(
    ("op", "table"),
    [(Op.PLUS, PLUS), (Op.MINUS, PLUS), (Op.TIMES, TIMES), (Op.DIVIDE, DIVIDE), (Op.MOD, MOD)],
)
def test_every_pair_of_numbers_has_the_type_of_the_table(
    op: Op, table: tuple[tuple[Type, ...], ...]
) -> None:
    for a, row in zip(KINDS, table, strict=False):
        for b, expected in zip(KINDS, row, strict=False):
            assert str(arithmetic_type(op, a, b)) == str(expected), (str(a), str(b))


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        (Op.PLUS, d(38, 10), d(38, 10), d(38, 10)),
        (Op.PLUS, d(10, 2), d(10, 4), d(13, 4)),
        (Op.MINUS, d(38, 0), d(38, 38), d(38, 38)),
        (Op.TIMES, d(38, 10), d(38, 10), d(38, 20)),
        (Op.TIMES, d(38, 30), d(38, 30), d(38, 38)),
        (Op.TIMES, d(10, 2), d(10, 4), d(20, 6)),
        (Op.DIVIDE, d(10, 2), d(10, 2), d(23, 13)),
        (Op.DIVIDE, d(38, 0), d(38, 38), d(38, 0)),
        (Op.DIVIDE, d(38, 2), d(3, 0), d(38, 2)),
        (Op.DIVIDE, d(20, 2), d(20, 0), d(38, 20)),
        (Op.MOD, d(10, 2), d(5, 3), d(5, 3)),
        (Op.MOD, d(10, 0), I, I),
        (Op.MOD, I, d(10, 0), d(10, 0)),
    ],
)
def test_decimals_have_the_precision_that_calcite_gives_them(
    op: Op, a: Type, b: Type, expected: Type
) -> None:
    assert str(arithmetic_type(op, a, b)) == str(expected)


_OPS = st.sampled_from([Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE])


@given(_OPS, st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_a_result_is_null_only_where_an_operand_may_be(op: Op, a: Type, b: Type) -> None:
    a_not, b_not = a.as_nullable(False), b.as_nullable(False)
    assert not arithmetic_type(op, a_not, b_not).nullable
    assert arithmetic_type(op, a, b_not).nullable
    assert arithmetic_type(op, a_not, b).nullable


@st.composite
def _decimals(draw: st.DrawFn) -> Type:
    precision = draw(st.integers(1, 38))
    return decimal(precision, draw(st.integers(0, precision)))


@given(st.sampled_from([Op.PLUS, Op.TIMES, Op.DIVIDE, Op.MOD]), _decimals(), _decimals())
def test_no_decimal_is_wider_than_38_digits(op: Op, a: Type, b: Type) -> None:
    found = arithmetic_type(op, a, b)
    assert 0 <= found.scale <= found.precision <= 38
