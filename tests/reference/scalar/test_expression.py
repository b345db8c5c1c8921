"""Expressions on rows: logic, NULL, choice, sub-queries."""

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import product

import pytest

from algebra.expression import (
    Case,
    Cast,
    Exists,
    Expression,
    Extract,
    GroupId,
    Grouping,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
    Value,
)
from algebra.plan import Filter, Project
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NULL,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from tests.reference.building import ENV, NOW, call, given, literal, ref, result, ts

T, F, U = True, False, None
FAILS = call(Op.DIVIDE, INTEGER, literal(1), literal(0))
FAILS_AS_TRUTH = call(Op.EQUAL, BOOLEAN, FAILS, literal(1))


def truth(value: Value) -> Literal:
    return Literal(value, BOOLEAN)


AND: Mapping[tuple[Value, Value], Value] = {
    (T, T): T, (T, U): U, (T, F): F,
    (U, T): U, (U, U): U, (U, F): F,
    (F, T): F, (F, U): F, (F, F): F,
}  # fmt: skip
OR: Mapping[tuple[Value, Value], Value] = {
    (T, T): T, (T, U): T, (T, F): T,
    (U, T): T, (U, U): U, (U, F): U,
    (F, T): T, (F, U): U, (F, F): F,
}  # fmt: skip


@pytest.mark.parametrize(("op", "table"), [(Op.AND, AND), (Op.OR, OR)])
def test_and_and_or_are_the_tables_of_the_standard(
    op: Op, table: Mapping[tuple[Value, Value], Value]
) -> None:
    assert set(table) == set(product([T, U, F], repeat=2))
    for (a, b), value in table.items():
        assert result(call(op, BOOLEAN, truth(a), truth(b))) is value


@pytest.mark.parametrize("values", list(product([T, U, F], repeat=3)))
def test_and_of_three_is_and_of_two_twice(values: tuple[Value, Value, Value]) -> None:
    a, b, c = values
    assert result(call(Op.AND, BOOLEAN, *map(truth, values))) is AND[AND[a, b], c]
    assert result(call(Op.OR, BOOLEAN, *map(truth, values))) is OR[OR[a, b], c]


@pytest.mark.parametrize(
    ("op", "of_true", "of_unknown", "of_false"),
    [
        (Op.NOT, F, U, T),
        (Op.IS_TRUE, T, F, F),
        (Op.IS_NOT_TRUE, F, T, T),
        (Op.IS_FALSE, F, F, T),
        (Op.IS_NOT_FALSE, T, T, F),
        (Op.IS_NULL, F, T, F),
        (Op.IS_NOT_NULL, T, F, T),
    ],
)
def test_tests_of_truth(op: Op, of_true: Value, of_unknown: Value, of_false: Value) -> None:
    values = [result(call(op, BOOLEAN, truth(v))) for v in (T, U, F)]
    assert values == [of_true, of_unknown, of_false]


def test_and_or_stop_at_the_operand_that_decides() -> None:
    assert result(call(Op.AND, BOOLEAN, truth(F), FAILS_AS_TRUTH)) is False
    assert result(call(Op.OR, BOOLEAN, truth(T), FAILS_AS_TRUTH)) is True
    with pytest.raises(SqlError):
        result(call(Op.AND, BOOLEAN, truth(U), FAILS_AS_TRUTH))


COMPARED = [
    (Op.EQUAL, (F, T, F)),
    (Op.NOT_EQUAL, (T, F, T)),
    (Op.LESS, (T, F, F)),
    (Op.LESS_OR_EQUAL, (T, T, F)),
    (Op.GREATER, (F, F, T)),
    (Op.GREATER_OR_EQUAL, (F, T, T)),
]


@pytest.mark.parametrize(("op", "answers"), COMPARED)
@pytest.mark.parametrize(
    ("low", "high", "type"),
    [
        (-1, 1, INTEGER),
        (Decimal("1.50"), Decimal("1.51"), decimal(3, 2)),
        ("Z", "a", VARCHAR),
        ("z", "é", VARCHAR),
        ("a", "a ", VARCHAR),
        ("\uffff", "\U0001f600", VARCHAR),  # by code point, not by UTF-16 unit
        (False, True, BOOLEAN),
        (1.5, math.inf, DOUBLE),
        (b"\x7f", b"\x80", Type(Kind.VARBINARY)),
    ],
)
def test_comparisons(
    op: Op, answers: tuple[bool, bool, bool], low: Value, high: Value, type: Type
) -> None:
    pairs = [(low, high), (low, low), (high, low)]
    found = [result(call(op, BOOLEAN, literal(a, type), literal(b, type))) for a, b in pairs]
    assert tuple(found) == answers
    assert result(call(op, BOOLEAN, literal(low, type), literal(None, type))) is None
    assert result(call(op, BOOLEAN, literal(None, type), literal(low, type))) is None


def test_texts_compare_as_they_are() -> None:
    # A tab is below a blank.
    assert result(call(Op.LESS, BOOLEAN, literal("ab\t "), literal("ab  "))) is True
    assert result(call(Op.EQUAL, BOOLEAN, literal("ab"), literal("ab  "))) is False


def test_nan_equals_nothing_but_is_not_distinct_from_itself() -> None:
    nan, one = literal(math.nan), literal(1.0)
    assert [result(call(op, BOOLEAN, nan, nan)) for op, _ in COMPARED] == [F, T, F, F, F, F]
    assert [result(call(op, BOOLEAN, one, nan)) for op, _ in COMPARED] == [F, T, F, F, F, F]
    assert result(call(Op.IS_DISTINCT_FROM, BOOLEAN, nan, nan)) is False
    assert result(call(Op.IS_DISTINCT_FROM, BOOLEAN, nan, one)) is True


@pytest.mark.parametrize(
    ("a", "b", "distinct"), [(1, 1, F), (1, 2, T), (1, None, T), (None, 1, T), (None, None, F)]
)
def test_is_distinct_from_is_never_unknown(a: Value, b: Value, distinct: bool) -> None:
    operands = (literal(a, INTEGER), literal(b, INTEGER))
    assert result(call(Op.IS_DISTINCT_FROM, BOOLEAN, *operands)) is distinct
    assert result(call(Op.IS_NOT_DISTINCT_FROM, BOOLEAN, *operands)) is not distinct


MEMBERSHIP: list[tuple[Value, list[Value], Value]] = [
    (1, [1, 2], T),
    (3, [1, 2], F),
    (3, [1, None], U),
    (1, [1, None], T),
    (None, [1, 2], U),
    (None, [None], U),
]


@pytest.mark.parametrize(("value", "members", "answer"), MEMBERSHIP)
def test_in_is_three_valued(value: Value, members: list[Value], answer: Value) -> None:
    operands = [literal(each, INTEGER) for each in (value, *members)]
    assert result(call(Op.IN, BOOLEAN, *operands)) is answer
    plan = given([(each,) for each in members], INTEGER)
    assert result(InQuery((operands[0],), plan)) is answer
    assert result(Quantified(Op.EQUAL, False, operands[0], plan)) is answer


def test_in_of_no_row_is_false_also_for_null() -> None:
    empty = given([], INTEGER)
    assert result(InQuery((literal(None, INTEGER),), empty)) is False
    assert result(Quantified(Op.LESS, False, literal(None, INTEGER), empty)) is False
    assert result(Quantified(Op.LESS, True, literal(None, INTEGER), empty)) is True


def test_rows_are_in_a_query_column_by_column() -> None:
    plan = given([(1, None), (2, 5)], INTEGER, INTEGER)
    answers = [
        result(InQuery((literal(a), literal(b)), plan)) for a, b in [(2, 5), (1, 5), (2, 6), (3, 5)]
    ]
    assert answers == [T, U, F, F]


@pytest.mark.parametrize(
    ("op", "value", "members", "any_of", "all_of"),
    [
        (Op.LESS, 1, [2, 3], T, T),
        (Op.LESS, 2, [2, 3], T, F),
        (Op.LESS, 3, [2, 3], F, F),
        (Op.LESS, 1, [2, None], T, U),
        (Op.LESS, 5, [2, None], U, F),
        (Op.LESS, None, [2], U, U),
        (Op.NOT_EQUAL, 1, [1, 2], T, F),
    ],
)
def test_any_and_all_are_or_and_and_over_the_rows(
    op: Op, value: Value, members: list[Value], any_of: Value, all_of: Value
) -> None:
    plan = given([(each,) for each in members], INTEGER)
    assert result(Quantified(op, False, literal(value, INTEGER), plan)) is any_of
    assert result(Quantified(op, True, literal(value, INTEGER), plan)) is all_of


# --- choice -------------------------------------------------------------------------------------


def test_case_takes_the_first_true_branch_and_evaluates_no_other() -> None:
    branches = ((truth(U), FAILS), (truth(F), FAILS), (truth(T), literal(7)), (truth(T), FAILS))
    assert result(Case(branches, FAILS, INTEGER)) == 7
    assert result(Case(branches[:2], literal(8), INTEGER)) == 8


def test_coalesce_takes_the_first_value_and_evaluates_no_further() -> None:
    null = literal(None, INTEGER)
    assert result(call(Op.COALESCE, INTEGER, null, literal(3), FAILS)) == 3
    assert result(call(Op.COALESCE, INTEGER, null, null)) is None


# --- NULL everywhere ----------------------------------------------------------------------------

HOUR = interval(TimeUnit.HOUR)
STRICT: list[tuple[Op, Type, tuple[Literal, ...]]] = [
    *(
        (op, INTEGER, (literal(6), literal(3)))
        for op in (Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE, Op.MOD, Op.STEP)
    ),
    *((op, INTEGER, (literal(6),)) for op in (Op.NEGATE, Op.ABS, Op.FLOOR, Op.CEIL)),
    *((op, DOUBLE, (literal(6.0),)) for op in (Op.EXP, Op.LN, Op.LOG10, Op.SQRT)),
    (Op.SIGN, INTEGER, (literal(6),)),
    (Op.ROUND, INTEGER, (literal(6), literal(1))),
    (Op.TRUNCATE, INTEGER, (literal(6), literal(1))),
    (Op.LAST_DAY, DATE, (literal(0, TIMESTAMP),)),
    (Op.INITCAP, VARCHAR, (literal("a"),)),
    (Op.REPLACE, VARCHAR, (literal("a"), literal("b"), literal("c"))),
    (Op.LPAD, VARCHAR, (literal("a"), literal(3), literal("x"))),
    (Op.RPAD, VARCHAR, (literal("a"), literal(3), literal("x"))),
    (Op.GREATEST, INTEGER, (literal(1), literal(2), literal(3))),
    (Op.LEAST, INTEGER, (literal(1), literal(2), literal(3))),
    (Op.POWER, DOUBLE, (literal(6.0), literal(2.0))),
    (Op.DATETIME_PLUS, TIMESTAMP, (literal(0, TIMESTAMP), literal(1, HOUR))),
    (Op.DATETIME_MINUS, HOUR, (literal(0, TIMESTAMP), literal(1, TIMESTAMP))),
    (Op.STEP, TIMESTAMP, (literal(0, TIMESTAMP), literal(1, HOUR))),
    (Op.CONCAT, VARCHAR, (literal("a"), literal("b"))),
    (Op.SUBSTRING, VARCHAR, (literal("abc"), literal(1), literal(2))),
    (Op.POSITION, INTEGER, (literal("a"), literal("b"))),
    (Op.TRIM_BOTH, VARCHAR, (literal("a"), literal("b"))),
    (Op.TRIM_LEADING, VARCHAR, (literal("a"), literal("b"))),
    (Op.TRIM_TRAILING, VARCHAR, (literal("a"), literal("b"))),
    (Op.OVERLAY, VARCHAR, (literal("abc"), literal("x"), literal(1), literal(2))),
    (Op.UPPER, VARCHAR, (literal("a"),)),
    (Op.LOWER, VARCHAR, (literal("a"),)),
    (Op.CHAR_LENGTH, INTEGER, (literal("a"),)),
    (Op.LIKE, BOOLEAN, (literal("a"), literal("b"), literal("!"))),
    (Op.SIMILAR, BOOLEAN, (literal("a"), literal("b"), literal("!"))),
]


@pytest.mark.parametrize(("op", "type", "operands"), STRICT)
def test_a_null_operand_makes_the_result_null(
    op: Op, type: Type, operands: tuple[Literal, ...]
) -> None:
    assert result(call(op, type, *operands)) is not None
    for place, each in enumerate(operands):
        null = Literal(None, each.type)
        with_null = (*operands[:place], null, *operands[place + 1 :])
        assert result(call(op, type, *with_null)) is None


def test_every_operator_is_tried_with_null() -> None:
    never_strict = {
        Op.AND, Op.OR, Op.NOT, Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE,
        Op.IS_NOT_FALSE, *(op for op, _ in COMPARED), Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM,
        Op.IN, Op.COALESCE, Op.CURRENT_TIMESTAMP, Op.MONOTONIC, Op.RAND,
    }  # fmt: skip
    assert {op for op, _, _ in STRICT} | never_strict == set(Op)


def test_casts_and_datetime_functions_of_null_are_null() -> None:
    null = literal(None, TIMESTAMP)
    assert result(Cast(null, DATE)) is None
    assert result(Cast(Literal(None, NULL), INTEGER)) is None
    assert result(Extract(TimeUnit.YEAR, null)) is None
    assert result(Round(True, null, TimeUnit.HOUR, TIMESTAMP)) is None


# --- functions by operator ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (call(Op.CONCAT, VARCHAR, literal("ab"), literal("c")), "abc"),
        (call(Op.SUBSTRING, VARCHAR, literal("abc"), literal(0), literal(2)), "a"),
        (call(Op.POSITION, INTEGER, literal("c"), literal("abc")), 3),
        (call(Op.TRIM_BOTH, VARCHAR, literal("x"), literal("xax")), "a"),
        (call(Op.TRIM_LEADING, VARCHAR, literal("x"), literal("xax")), "ax"),
        (call(Op.TRIM_TRAILING, VARCHAR, literal("x"), literal("xax")), "xa"),
        (call(Op.OVERLAY, VARCHAR, literal("abc"), literal("X"), literal(2)), "aXc"),
        (call(Op.UPPER, VARCHAR, literal("aß")), "ASS"),
        (call(Op.LOWER, VARCHAR, literal("AÉ")), "aé"),
        (call(Op.CHAR_LENGTH, INTEGER, literal("a\U0001f600")), 2),
        (call(Op.LIKE, BOOLEAN, literal("50%"), literal("50!%"), literal("!")), True),
        (call(Op.SIMILAR, BOOLEAN, literal("ab"), literal("(a|b)+")), True),
        (call(Op.FLOOR, DOUBLE, literal(-1.5)), -2.0),
        (call(Op.CEIL, DOUBLE, literal(1.5)), 2.0),
        (call(Op.POWER, DOUBLE, literal(2), literal(3)), 8.0),
        (call(Op.LOG10, DOUBLE, literal(1000)), 3.0),
        (call(Op.SIGN, INTEGER, literal(-7)), -1),
        (call(Op.ROUND, INTEGER, literal(15), literal(-1)), 20),
        (call(Op.ROUND, DOUBLE, literal(2.5)), 3.0),
        (call(Op.TRUNCATE, INTEGER, literal(19), literal(-1)), 10),
        (call(Op.TRUNCATE, DOUBLE, literal(-2.5)), -2.0),
        (call(Op.INITCAP, VARCHAR, literal("hello WORLD")), "Hello World"),
        (call(Op.REPLACE, VARCHAR, literal("banana"), literal("an"), literal("o")), "booa"),
        (call(Op.LPAD, VARCHAR, literal("7"), literal(3), literal("0")), "007"),
        (call(Op.RPAD, VARCHAR, literal("7"), literal(3), literal("0")), "700"),
        (call(Op.LAST_DAY, DATE, literal(ts("10:17:00"), TIMESTAMP)), 16_494),
        (call(Op.LAST_DAY, DATE, literal(16_481, DATE)), 16_494),
        (call(Op.GREATEST, INTEGER, literal(2), literal(3), literal(1)), 3),
        (call(Op.LEAST, VARCHAR, literal("b"), literal("a"), literal("é")), "a"),
        (call(Op.STEP, INTEGER, literal(-1), literal(5)), -5),
        (Extract(TimeUnit.HOUR, literal(ts("10:17:00"), TIMESTAMP)), 10),
        (Round(True, literal(ts("10:17:00"), TIMESTAMP), TimeUnit.HOUR, TIMESTAMP), ts("11:00:00")),
        (call(Op.MONOTONIC, INTEGER, literal(5)), 5),
        (call(Op.CURRENT_TIMESTAMP, TIMESTAMP), NOW),
        (call(Op.CURRENT_TIMESTAMP, DATE), 16_481),
        (call(Op.CURRENT_TIMESTAMP, TIME), 37_020_250),
    ],
)
def test_operators_reach_their_definitions(expression: Expression, value: Value) -> None:
    assert result(expression) == value


def test_greatest_and_least_take_nan_for_the_greatest_as_an_order_does() -> None:
    operands = (literal(1.0), literal(math.nan), literal(math.inf))
    greatest = result(call(Op.GREATEST, DOUBLE, *operands))
    assert isinstance(greatest, float)
    assert math.isnan(greatest)
    assert result(call(Op.LEAST, DOUBLE, *operands)) == 1.0


def test_rand_is_from_0_to_below_1_and_one_for_each_row() -> None:
    values = {result(call(Op.RAND, DOUBLE)) for _ in range(50)}
    assert len(values) > 1
    assert all(isinstance(each, float) and 0 <= each < 1 for each in values)


def test_datetimes_move_by_intervals_and_subtract_to_them() -> None:
    hour = Literal(3_600_000, HOUR)
    at = literal(ts("10:17:00"), TIMESTAMP)
    later = call(Op.DATETIME_PLUS, TIMESTAMP, at, hour)
    assert result(later) == ts("11:17:00")
    assert result(call(Op.DATETIME_MINUS, HOUR, later, at)) == 3_600_000
    assert result(call(Op.STEP, TIMESTAMP, at, hour)) == ts("10:00:00")


# --- columns, parameters, groups ----------------------------------------------------------------


def test_references_read_the_row_the_enclosing_rows_and_the_parameters() -> None:
    env = replace(ENV, outer=((10, 11), (20, 21)), parameters=(5,))
    row = (1, 2)
    assert result(ref(1), *row, env=env) == 2
    assert result(OuterRef(1, 1, INTEGER), *row, env=env) == 11
    assert result(OuterRef(2, 0, INTEGER), *row, env=env) == 20
    assert result(Parameter(0, INTEGER), *row, env=env) == 5


def test_grouping_has_a_bit_per_key_the_first_highest() -> None:
    env = replace(ENV, grouping_set=(0, 2), group_id=3)
    assert result(Grouping((0, 1, 2)), env=env) == 0b010
    assert result(Grouping((1, 0)), env=env) == 0b10
    assert result(Grouping((1,)), env=env) == 1
    assert result(GroupId(), env=env) == 3


# --- sub-queries --------------------------------------------------------------------------------

NUMBERS = given([(1, "a"), (2, "b"), (3, "b")], INTEGER, VARCHAR)


def below(level: int) -> Filter:
    """The numbers below column 0 of a row ``level`` queries out."""
    return Filter(NUMBERS, call(Op.LESS, BOOLEAN, ref(0), OuterRef(level, 0, INTEGER)))


def test_a_correlated_query_sees_the_row_it_stands_on() -> None:
    assert [result(Exists(below(1)), n) for n in (1, 2)] == [False, True]
    assert [result(ScalarQuery(below(1), INTEGER), n) for n in (1, 2)] == [None, 1]


def test_a_query_two_levels_down_counts_levels_from_itself() -> None:
    inner = Exists(Filter(below(2), call(Op.EQUAL, BOOLEAN, ref(1), OuterRef(1, 1, VARCHAR))))
    outer = Project(Filter(NUMBERS, inner), (ref(0),), ("N",))
    # Rows of NUMBERS whose letter some number below the outermost row's 3 has: a and b.
    counted = InQuery((literal(3),), outer)
    assert result(counted, 3) is True
    assert result(counted, 2) is False


def test_a_scalar_query_of_several_rows_is_an_error() -> None:
    with pytest.raises(SqlError) as caught:
        result(ScalarQuery(NUMBERS, INTEGER))
    assert caught.value.code is Code.SCALAR_SUBQUERY_ROWS
    assert (caught.value.sql, caught.value.at.start, caught.value.at.end) == ("", 0, 0)


def test_extract_is_a_bigint() -> None:
    assert Extract(TimeUnit.YEAR, literal(0, TIMESTAMP)).type == BIGINT
