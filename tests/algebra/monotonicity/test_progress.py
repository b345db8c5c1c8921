"""The completeness rule: bounds, which of two is weaker, how far an expression has come (S-405)."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import pytest

from algebra.expression import Expression, Op, Value
from algebra.monotonicity.progress import Bound, Bounds, bound, passed, progress, weaker
from algebra.monotonicity.tables import Monotonicity
from algebra.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    TINYINT,
    VARCHAR,
    Type,
    decimal,
    interval,
)
from grammar.tree import TimeUnit
from reference.scalar.expression import meaning_of
from tests.reference.building import ENV, call, literal, ref

AMOUNT = decimal(6, 2)
UP, STRICTLY_UP = Monotonicity.INCREASING, Monotonicity.STRICTLY_INCREASING
DOWN = Monotonicity.DECREASING


# --- bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "value", "descending", "expected"),
    [
        (BIGINT, 7, False, Bound(8)),
        (BIGINT, 7, True, Bound(6)),
        (TIMESTAMP, 1_000, False, Bound(1_001)),
        (DATE, 3, True, Bound(2)),
        (interval(TimeUnit.SECOND), 5, False, Bound(6)),
        (interval(TimeUnit.MONTH), 5, True, Bound(4)),
        (DOUBLE, 0.5, False, Bound(0.5, strict=True)),
        (AMOUNT, Decimal("0.50"), True, Bound(Decimal("0.50"), strict=True)),
        (VARCHAR, "a", False, Bound("a", strict=True)),
    ],
)
def test_a_strict_bound_is_the_next_value_where_there_is_one(
    type: Type, value: Value, descending: bool, expected: Bound
) -> None:
    """S-102.b, S-406.c."""
    assert bound(type, value, strict=True, descending=descending) == expected
    assert bound(type, value, strict=False, descending=descending) == Bound(value)


@pytest.mark.parametrize(
    ("value", "limit", "descending", "expected"),
    [
        ("a", Bound("b"), False, True),
        ("b", Bound("b"), False, False),
        ("b", Bound("b", strict=True), False, True),
        ("c", Bound("b", strict=True), False, False),
        ("a", Bound("b", strict=True), True, False),
        ("b", Bound("b"), True, False),
        ("b", Bound("b", strict=True), True, True),
        ("c", Bound("b"), True, True),
        ("c", None, True, False),
    ],
)
def test_a_bound_passes_what_comes_before_it_and_a_strict_one_what_it_is(
    value: Value, limit: Bound | None, descending: bool, expected: bool
) -> None:
    assert passed(value, limit, descending) is expected


@pytest.mark.parametrize(
    ("one", "other", "descending", "expected"),
    [
        (Bound(5), Bound(7), False, Bound(5)),
        (Bound(5), Bound(7), True, Bound(7)),
        (Bound(0.5, strict=True), Bound(0.7), False, Bound(0.5, strict=True)),
        (Bound(0.5), Bound(0.7, strict=True), True, Bound(0.7, strict=True)),
        (Bound(0.5, strict=True), Bound(0.5), False, Bound(0.5)),
        (Bound(0.5, strict=True), Bound(0.5), True, Bound(0.5)),
        (Bound(0.5, strict=True), Bound(0.5, strict=True), False, Bound(0.5, strict=True)),
        (Bound(5), None, False, None),
        (None, None, False, None),
    ],
)
def test_of_two_bounds_the_one_less_far_is_about_the_rows_of_either(
    one: Bound | None, other: Bound | None, descending: bool, expected: Bound | None
) -> None:
    assert weaker(one, other, descending) == weaker(other, one, descending) == expected


# --- expressions --------------------------------------------------------------------------------

#: The columns of all cases: a TINYINT and an INTEGER, two amounts, a DOUBLE, a text.
N, K, X, Y, D, T = (
    ref(place, type)
    for place, type in enumerate([TINYINT, INTEGER, AMOUNT, AMOUNT, DOUBLE, VARCHAR])
)
#: Of each column the bound that is known.
KNOWN: Final = (
    Bound(127),
    Bound(7),
    Bound(Decimal("1.50"), strict=True),
    Bound(Decimal("2.00")),
    Bound(2.0, strict=True),
    Bound("ab", strict=True),
)
SUM = decimal(7, 2)


def limit(
    expression: Expression,
    known: Sequence[Bound | None] = KNOWN,
    *,
    descending: bool = False,
    constants: bool = False,
) -> Bound | None:
    """The bound of an expression; all columns ascend, the amounts strictly, or all descend."""
    orders = [DOWN] * 6 if descending else [UP, UP, STRICTLY_UP, STRICTLY_UP, UP, UP]
    found = progress(expression, orders, (), lambda e: meaning_of(e, ENV), constants)
    assert found is not None
    return found.bound(Bounds(tuple(known)))


CASES: dict[str, tuple[Expression, Bound | None]] = {
    "a column": (D, Bound(2.0, strict=True)),
    # No two amounts have one sum with the same amount, and no two DOUBLEs one opposite.
    "an amount more": (
        call(Op.PLUS, SUM, X, literal(Decimal("1.00"), decimal(3, 2))),
        Bound(Decimal("2.50"), strict=True),
    ),
    "the opposite": (call(Op.NEGATE, DOUBLE, D), Bound(-2.0, strict=True)),
    # Of 2.0 and the next DOUBLE the sums with 1e9 are one: the bound is reached, not passed.
    "a number more, rounded": (
        call(Op.PLUS, DOUBLE, D, literal(1e9)),
        Bound(1_000_000_002.0),
    ),
    # A later x is above 1.50, and y at least 2.00.
    "two amounts, one of them strict": (
        call(Op.PLUS, SUM, X, Y),
        Bound(Decimal("3.50"), strict=True),
    ),
    "two amounts, none of them strict": (call(Op.PLUS, SUM, Y, Y), Bound(Decimal("4.00"))),
    # 7 / 2 and 6 / 2 are 3.
    "a whole number": (call(Op.DIVIDE, INTEGER, K, literal(2)), Bound(3)),
    # "ab" is passed, but of "abc" the first two letters are the same.
    "the beginning of a text": (
        call(Op.SUBSTRING, VARCHAR, T, literal(1), literal(2)),
        Bound("ab"),
    ),
    # (1.60, 2.00) may come, with the sum 3.00: it is of y that the sum is strict, and y is not.
    "two amounts, that of the strict one rounded": (
        call(Op.PLUS, SUM, Y, call(Op.FLOOR, decimal(4, 0), X)),
        Bound(Decimal("3.00")),
    ),
    # There is no TINYINT above 127: a row that arrives is an error, and none is known not to.
    "an error": (call(Op.PLUS, TINYINT, N, literal(1, TINYINT)), None),
}


@pytest.mark.parametrize("name", CASES)
def test_an_expression_has_come_as_far_as_its_columns(name: str) -> None:
    expression, expected = CASES[name]
    assert limit(expression) == expected


def test_nothing_is_known_until_all_columns_have_a_bound() -> None:
    known: list[Bound | None] = [*KNOWN]
    known[3] = None
    assert limit(call(Op.PLUS, SUM, X, Y), known) is None
    assert limit(X, known) == KNOWN[2]


def test_a_descending_column_has_an_upper_bound() -> None:
    """With the bound 7 of a descending n, no later value of n + 1 is above 8."""
    expression = call(Op.PLUS, INTEGER, K, literal(1))
    assert limit(expression, descending=True) == Bound(8)


def test_a_constant_makes_no_progress_but_is_its_own_bound() -> None:
    """S-404."""
    assert progress(literal(5), [], (), lambda e: meaning_of(e, ENV)) is None
    assert limit(literal(5), constants=True) == Bound(5)


def test_of_what_is_always_null_nothing_is_known() -> None:
    """NULL has no place in the order, so it bounds nothing."""
    expression = call(Op.PLUS, INTEGER, K, literal(None, INTEGER))
    assert limit(expression, constants=True) is None
