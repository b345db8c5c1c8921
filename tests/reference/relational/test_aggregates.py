"""Aggregates and grouping sets (S-203, S-503)."""

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    GroupId,
    Grouping,
    Op,
    SortKey,
    Value,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    REAL,
    VARCHAR,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.relation import Row
from reference.relational.aggregates import aggregate, aggregate_value
from reference.scalar.statistics import square_root
from tests.reference.building import (
    ENV,
    aggregate_call,
    ascending,
    call,
    count,
    descending,
    literal,
    ref,
)

A = AggregateFunction
D = Decimal
HOUR = interval(TimeUnit.HOUR)


def over(
    function: AggregateFunction,
    values: list[Value],
    type: Type,
    of: Type = INTEGER,
    distinct: bool = False,
) -> Value:
    """The aggregate of one column of these values."""
    measure = aggregate_call(function, type, ref(0, of), distinct=distinct)
    return aggregate_value(measure, [(each,) for each in values], ENV)


@pytest.mark.parametrize(
    ("function", "values", "of", "type", "value"),
    [
        (A.COUNT, [1, None, 1], INTEGER, BIGINT, 2),
        (A.SUM, [1, None, 2], INTEGER, BIGINT, 3),
        (A.SUM, [2**31 - 1, 2**31 - 1], INTEGER, BIGINT, 2**32 - 2),
        (A.SUM, [D("1.50"), D("-0.25")], decimal(3, 2), decimal(38, 2), D("1.25")),
        (A.SUM, [3_600_000, 60_000], HOUR, HOUR, 3_660_000),
        (A.SUM, [1e16, 1.0, -1e16], DOUBLE, DOUBLE, 1.0),
        (A.SUM, [0.1] * 10, DOUBLE, DOUBLE, 1.0),
        (A.SUM, [1e308, 1e308, -1e308], DOUBLE, DOUBLE, 1e308),
        (A.SUM, [1e308, 1e308], DOUBLE, DOUBLE, math.inf),
        (A.SUM, [math.inf, 1.0], DOUBLE, DOUBLE, math.inf),
        (A.SUM, [16777216.0, 1.0, 1.0], REAL, REAL, 16777218.0),
        (A.AVG, [4, 1, 2], INTEGER, DOUBLE, 7 / 3),
        (A.AVG, [2**63 - 1, 2**63 - 3], BIGINT, DOUBLE, float(2**63 - 2)),
        (A.AVG, [1e308, 1e308], DOUBLE, DOUBLE, 1e308),
        (A.AVG, [D("1.00"), D("1.00"), D("0.00")], decimal(3, 2), decimal(38, 6), D("0.666667")),
        (A.AVG, [D("-0.1"), D("-0.2")], decimal(2, 1), decimal(38, 1), D("-0.2")),
        (A.AVG, [3, 4], HOUR, HOUR, 3),
        (A.MIN, [3, 1, None, 2], INTEGER, INTEGER, 1),
        (A.MAX, ["b", "a", "é"], VARCHAR, VARCHAR, "é"),
        (A.MIN, [math.nan, 1.0], DOUBLE, DOUBLE, 1.0),
        (A.MAX, [math.inf, 1.0], DOUBLE, DOUBLE, math.inf),
        (A.ANY_VALUE, [None, 7, 8], INTEGER, INTEGER, 7),
        (A.EVERY, [True, None, True], BOOLEAN, BOOLEAN, True),
        (A.EVERY, [True, False], BOOLEAN, BOOLEAN, False),
        (A.SOME, [False, None], BOOLEAN, BOOLEAN, False),
        (A.SOME, [False, True], BOOLEAN, BOOLEAN, True),
        (A.VAR_POP, [2, 4, 4, 4, 5, 5, 7, 9], INTEGER, DOUBLE, 4.0),
        (A.STDDEV_POP, [2, 4, 4, 4, 5, 5, 7, 9], INTEGER, DOUBLE, 2.0),
        (A.VAR_SAMP, [1, 2, 3, 4], INTEGER, DOUBLE, 5 / 3),
        (A.STDDEV_SAMP, [1, 3], INTEGER, DOUBLE, math.sqrt(2)),
        (A.VAR_POP, [7], INTEGER, DOUBLE, 0.0),
        (A.STDDEV_POP, [7], INTEGER, DOUBLE, 0.0),
        (A.VAR_SAMP, [7], INTEGER, DOUBLE, None),
        (A.STDDEV_SAMP, [7], INTEGER, DOUBLE, None),
        (A.VAR_POP, [10**9 + 1, 10**9 + 3], INTEGER, DOUBLE, 1.0),
        (A.STDDEV_POP, [1e200, -1e200], DOUBLE, DOUBLE, 1e200),
        (A.MEDIAN, [3, 1, 2], INTEGER, DOUBLE, 2.0),
        (A.MEDIAN, [4, 1, None, 3, 2], INTEGER, DOUBLE, 2.5),
        (A.MEDIAN, [D("0.1"), D("0.2")], decimal(2, 1), DOUBLE, 0.15),
        (A.MEDIAN, [1.0, math.inf], DOUBLE, DOUBLE, math.inf),
    ],
)
def test_aggregates_of_one_column(
    function: AggregateFunction, values: list[Value], of: Type, type: Type, value: Value
) -> None:
    result = over(function, values, type, of)
    assert result == value
    assert str(result) == str(value)
    assert str(over(function, values[::-1], type, of)) == str(value) or function is A.ANY_VALUE


def measure_of(
    function: AggregateFunction, filter: Expression | None = None, distinct: bool = False
) -> AggregateCall:
    """A call of any aggregate, of columns 0 and 1."""
    arguments: tuple[Expression, ...] = (ref(0),)
    order: tuple[SortKey, ...] = ()
    match function:
        case A.COVAR_POP | A.COVAR_SAMP | A.CORR:
            arguments = (ref(0), ref(1))
        case A.LISTAGG:
            arguments, order = (ref(0, VARCHAR), literal(",")), (ascending(ref(1)),)
        case A.PERCENTILE_CONT | A.PERCENTILE_DISC:
            arguments, order = (literal(0.5),), (ascending(ref(0)),)
        case _:
            pass
    return AggregateCall(function, arguments, DOUBLE, distinct=distinct, filter=filter, order=order)


@pytest.mark.parametrize("function", [each for each in A if each is not A.LITERAL_AGG])
@pytest.mark.parametrize("rows", [[], [(None, 1), (None, None)]])
@pytest.mark.parametrize("distinct", [False, True])
def test_over_nothing_count_is_0_and_the_others_null(
    function: AggregateFunction, rows: list[Row], distinct: bool
) -> None:
    nothing = 0 if function is A.COUNT else None
    measure = measure_of(function, distinct=distinct)
    assert aggregate_value(measure, rows, ENV) == nothing
    # A filter that is unknown keeps nothing either, nor a group of the empty set.
    unknown = measure_of(function, literal(None, BOOLEAN), distinct)
    assert aggregate_value(unknown, [("x", 1)], ENV) == nothing
    assert aggregate([], (ref(1),), ((),), (measure,), ENV) == [(None, nothing)]


@pytest.mark.parametrize("values", [[math.nan, 1.0], [math.inf, -math.inf]])
def test_sums_without_a_value_are_nan(values: list[Value]) -> None:
    for function in (A.SUM, A.AVG, A.VAR_POP):
        result = over(function, values, DOUBLE, DOUBLE)
        assert isinstance(result, float)
        assert math.isnan(result)


def test_nan_is_the_greatest() -> None:
    greatest = over(A.MAX, [1.0, math.nan, math.inf], DOUBLE, DOUBLE)
    assert isinstance(greatest, float)
    assert math.isnan(greatest)


def test_a_sum_beyond_bigint_overflows() -> None:
    with pytest.raises(SqlError) as caught:
        over(A.SUM, [2**63 - 1, 1], BIGINT, BIGINT)
    assert caught.value.code is Code.OVERFLOW
    # Only the sum counts, not what it passes on the way.
    assert over(A.SUM, [2**63 - 1, 1, -1], BIGINT, BIGINT) == 2**63 - 1


def test_distinct_counts_equal_values_once_and_nan_is_equal_to_itself() -> None:
    assert over(A.COUNT, [1, 1, 2, None, None], BIGINT, distinct=True) == 2
    assert over(A.SUM, [1, 1, 2], BIGINT, distinct=True) == 3
    assert over(A.COUNT, [math.nan, -math.nan, 0.0, -0.0], BIGINT, DOUBLE, distinct=True) == 2


def test_count_of_rows_and_of_several_columns() -> None:
    rows: list[Row] = [(1, 1), (1, None), (None, 1), (1, 1), (2, 1)]
    assert aggregate_value(count(), rows, ENV) == 5
    both = aggregate_call(A.COUNT, BIGINT, ref(0), ref(1))
    assert aggregate_value(both, rows, ENV) == 3
    distinct = aggregate_call(A.COUNT, BIGINT, ref(0), ref(1), distinct=True)
    assert aggregate_value(distinct, rows, ENV) == 2


def test_a_filter_keeps_the_rows_where_it_is_true() -> None:
    rows: list[Row] = [(1,), (2,), (3,), (None,)]
    above_1 = call(Op.GREATER, BOOLEAN, ref(0), literal(1))
    assert aggregate_value(aggregate_call(A.SUM, BIGINT, ref(0), filter=above_1), rows, ENV) == 5
    assert aggregate_value(aggregate_call(A.COUNT, BIGINT, filter=above_1), rows, ENV) == 2


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=6))
def test_a_sum_of_doubles_is_the_exact_one_rounded(values: list[float]) -> None:
    total = sum(map(Fraction, values))
    try:
        rounded = float(total)
    except OverflowError:
        rounded = math.inf if total > 0 else -math.inf
    assert over(A.SUM, list(values), DOUBLE, DOUBLE) == rounded


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=8))
def test_variances_are_those_of_exact_fractions(values: list[int]) -> None:
    exact = statistics.pvariance(map(Fraction, values))
    assert over(A.VAR_POP, list(values), DOUBLE) == float(exact)
    assert over(A.VAR_SAMP, list(values), DOUBLE) == float(
        statistics.variance(map(Fraction, values))
    )


@given(st.fractions(min_value=0, max_value=10**12))
def test_a_square_root_has_no_nearer_neighbour(number: Fraction) -> None:
    root = square_root(number)
    low, high = math.nextafter(root, -math.inf), math.nextafter(root, math.inf)
    # root is nearest iff number lies between the squares of the middles to its neighbours.
    below, above = (Fraction(root) + Fraction(low)) / 2, (Fraction(root) + Fraction(high)) / 2
    assert number <= above**2
    assert below <= 0 or below**2 <= number


def test_any_value_every_and_some_skip_nulls_also_distinct() -> None:
    truths: list[Value] = [None, True, False, None]
    assert over(A.ANY_VALUE, truths, BOOLEAN, BOOLEAN) is True
    assert over(A.EVERY, truths, BOOLEAN, BOOLEAN, distinct=True) is False
    assert over(A.SOME, truths, BOOLEAN, BOOLEAN, distinct=True) is True
    assert over(A.EVERY, [None, True], BOOLEAN, BOOLEAN) is True
    assert over(A.SOME, [None, False], BOOLEAN, BOOLEAN) is False


@pytest.mark.parametrize(
    ("function", "values", "value"),
    [
        (A.VAR_POP, [1, 1, 3], 1.0),
        (A.VAR_SAMP, [1, 1, 3], 2.0),
        (A.STDDEV_POP, [1, 1, 3], 1.0),
        (A.STDDEV_SAMP, [5, 5], None),
        (A.MEDIAN, [1, 1, 1, 4], 2.5),
        (A.AVG, [1, 1, 1, 4], 2.5),
    ],
)
def test_statistics_of_distinct_values(
    function: AggregateFunction, values: list[Value], value: Value
) -> None:
    assert over(function, values, DOUBLE, distinct=True) == value


# --- grouping sets ------------------------------------------------------------------------------

ROWS: list[Row] = [("x", 1, 10), ("y", 1, 20), ("x", 2, 30), (None, 1, 40), (None, 1, 50)]
KEYS = (ref(0, VARCHAR), ref(1))
SUM = aggregate_call(A.SUM, BIGINT, ref(2))


def test_groups_come_in_the_order_of_their_first_rows_and_nulls_are_one() -> None:
    assert aggregate(ROWS, KEYS, ((0, 1),), (SUM, count()), ENV) == [
        ("x", 1, 10, 1), ("y", 1, 20, 1), ("x", 2, 30, 1), (None, 1, 90, 2),
    ]  # fmt: skip


def test_keys_that_a_set_leaves_out_are_null_and_a_set_may_repeat() -> None:
    grouping = aggregate_call(A.LITERAL_AGG, BIGINT, Grouping((0, 1)))
    group_id = aggregate_call(A.LITERAL_AGG, BIGINT, GroupId())
    sets = ((0,), (), (1,), (0,))
    assert aggregate(ROWS, KEYS, sets, (SUM, grouping, group_id), ENV) == [
        ("x", None, 40, 0b01, 0), ("y", None, 20, 0b01, 0), (None, None, 90, 0b01, 0),
        (None, None, 150, 0b11, 0),
        (None, 1, 120, 0b10, 0), (None, 2, 30, 0b10, 0),
        ("x", None, 40, 0b01, 1), ("y", None, 20, 0b01, 1), (None, None, 90, 0b01, 1),
    ]  # fmt: skip


def test_ordered_aggregates_are_of_each_group_of_each_set() -> None:
    names = AggregateCall(
        A.LISTAGG,
        (ref(0, VARCHAR), literal("+")),
        VARCHAR,
        distinct=True,
        order=(descending(ref(2)),),
    )
    middle = AggregateCall(A.PERCENTILE_DISC, (literal(0.5),), INTEGER, order=(ascending(ref(2)),))
    assert aggregate(ROWS, KEYS, ((1,), ()), (names, middle), ENV) == [
        (None, 1, "y+x", 20), (None, 2, "x", 30),
        (None, None, "x+y", 30),
    ]  # fmt: skip


def test_no_rows_give_no_groups_but_one_of_the_empty_set() -> None:
    assert aggregate([], KEYS, ((0, 1), (0,)), (SUM,), ENV) == []
    grouping = aggregate_call(A.LITERAL_AGG, BIGINT, Grouping((0,)))
    assert aggregate([], KEYS, ((),), (SUM, count(), grouping), ENV) == [(None, None, None, 0, 1)]


def test_nan_is_one_group() -> None:
    rows: list[Row] = [(math.nan,), (-math.nan,), (1.0,)]
    assert [n for _, n in aggregate(rows, (ref(0, DOUBLE),), ((0,),), (count(),), ENV)] == [2, 1]


groups = st.lists(
    st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from([1, 2, None]), st.integers(0, 9)),
    max_size=8,
)


@given(groups, st.lists(st.sampled_from([(0, 1), (0,), (1,), ()]), max_size=4))
def test_grouping_sets_are_the_union_of_their_sets(
    rows: list[Row], sets: list[tuple[int, ...]]
) -> None:
    measures = (SUM, count(), aggregate_call(A.LITERAL_AGG, BIGINT, Grouping((0, 1))))
    together = aggregate(rows, KEYS, tuple(sets), measures, ENV)
    apart = [row for each in sets for row in aggregate(rows, KEYS, (each,), measures, ENV)]
    assert together == apart


@given(groups)
def test_every_row_is_in_one_group_of_a_set(rows: list[Row]) -> None:
    for grouping_set in ((0, 1), (0,), (1,), ()):
        result = aggregate(rows, KEYS, (grouping_set,), (count(),), ENV)
        keys = [row[:2] for row in result]
        assert len(set(keys)) == len(keys)
        counts = [row[2] for row in result]
        assert sum(n for n in counts if isinstance(n, int)) == len(rows)
