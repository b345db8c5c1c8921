"""Groups that grow row by row: what NULL, equal values and FILTER leave, step by step (S-203)."""

import pytest

from algebra.expression import HOLISTIC, AggregateCall, AggregateFunction, Expression, Op, Value
from algebra.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, Type
from reference.incremental.group_sort.accumulators import accumulator
from tests.reference.building import ENV, call, literal, ref

X, D = ref(0, INTEGER), ref(1, DOUBLE)
POSITIVE = call(Op.GREATER, BOOLEAN, X, literal(0))
A = AggregateFunction


def of(
    function: A, type: Type, *arguments: Expression, distinct: bool = False, chosen: bool = False
) -> AggregateCall:
    """An aggregate of the columns x, an INTEGER, and d, a DOUBLE; ``chosen``: where x > 0."""
    return AggregateCall(
        function, arguments, type, distinct=distinct, filter=POSITIVE if chosen else None
    )


#: What comes in two trains, and the aggregate after each.
ROWS: tuple[list[tuple[Value, ...]], list[tuple[Value, ...]]] = (
    [(3, 1e300), (None, None), (-1, 0.5)],
    [(3, -1e300), (0, 0.25), (None, 1.0)],
)
CASES = {
    "COUNT(*)": (of(A.COUNT, BIGINT), 3, 6),
    "COUNT(x)": (of(A.COUNT, BIGINT, X), 2, 4),
    "COUNT(x) of positive": (of(A.COUNT, BIGINT, X, chosen=True), 1, 2),
    "COUNT(DISTINCT x)": (of(A.COUNT, BIGINT, X, distinct=True), 2, 3),
    "COUNT(DISTINCT x) of positive": (of(A.COUNT, BIGINT, X, distinct=True, chosen=True), 1, 1),
    "SUM(x)": (of(A.SUM, BIGINT, X), 2, 5),
    "SUM(DISTINCT x)": (of(A.SUM, BIGINT, X, distinct=True), 2, 2),
    # 1e300 and its opposite cancel, and nothing of 0.5, 0.25 and 1.0 is lost.
    "SUM(d)": (of(A.SUM, DOUBLE, D), 1e300, 1.75),
    # The mean of 3 and -1; then of 3, -1, 3, 0: NULLs do not count.
    "AVG(x)": (of(A.AVG, DOUBLE, X), 1.0, 1.25),
    "AVG(d)": (of(A.AVG, DOUBLE, D), 5e299, 0.35),
    "MIN(x)": (of(A.MIN, INTEGER, X), -1, -1),
    "MAX(x)": (of(A.MAX, INTEGER, X), 3, 3),
    "MIN(d)": (of(A.MIN, DOUBLE, D), 0.5, -1e300),
    "MEDIAN(x)": (of(A.MEDIAN, DOUBLE, X), 1.0, 1.5),
    "ANY_VALUE(x)": (of(A.ANY_VALUE, INTEGER, X), 3, 3),
    # Of x and d the pairs are (3, 1e300) and (-1, 0.5); then (3, -1e300) and (0, 0.25), too.
    "COUNT(x, d)": (of(A.COUNT, BIGINT, X, D), 2, 4),
    # The mean of 3 and -1 is 1; that of 3, -1, 3, 0 is 1.25, the squares of the distances from it
    # 3.0625, 5.0625, 3.0625 and 1.5625, in all 12.75.
    "VAR_POP(x)": (of(A.VAR_POP, DOUBLE, X), 4.0, 3.1875),
    "VAR_SAMP(x)": (of(A.VAR_SAMP, DOUBLE, X), 8.0, 4.25),
    "STDDEV_POP(x)": (of(A.STDDEV_POP, DOUBLE, X), 2.0, 1.7853571071357126),
    "COVAR_POP(x, x)": (of(A.COVAR_POP, DOUBLE, X, X), 4.0, 3.1875),
    "CORR(x, x)": (of(A.CORR, DOUBLE, X, X), 1.0, 1.0),
    # Without the pair of NULL and 1.0; what is not positive is left out.
    "VAR_POP(x) of positive": (of(A.VAR_POP, DOUBLE, X, chosen=True), 0.0, 0.0),
    "VAR_SAMP(x) of positive": (of(A.VAR_SAMP, DOUBLE, X, chosen=True), None, 0.0),
    "EVERY(x > 0)": (of(A.EVERY, BOOLEAN, POSITIVE), False, False),
    "SOME(x > 0)": (of(A.SOME, BOOLEAN, POSITIVE), True, True),
}


@pytest.mark.parametrize("name", CASES)
def test_an_aggregate_that_grows(name: str) -> None:
    asked, first, second = CASES[name]
    growing = accumulator(asked, ENV)()
    growing.add(ROWS[0])
    assert growing.result() == first
    growing.add(ROWS[1])
    assert growing.result() == second


@pytest.mark.parametrize("name", CASES)
def test_an_aggregate_of_nothing(name: str) -> None:
    """COUNT is 0, the others NULL; and so of NULLs alone, but for COUNT(*)."""
    asked = CASES[name][0]
    growing = accumulator(asked, ENV)()
    counts = asked.function is A.COUNT
    assert growing.result() == (0 if counts else None)
    growing.add([(None, None)])
    if asked.arguments:
        assert growing.result() == (0 if counts else None)


def test_of_equal_values_the_first_is_kept() -> None:
    """0.0 and -0.0 are equal: what differs of them is that of the first."""
    growing = accumulator(of(A.SUM, DOUBLE, D, distinct=True), ENV)()
    growing.add([(1, 0.0), (1, -0.0), (1, float("nan")), (1, float("nan"))])
    assert list(map(repr, growing.retained())) == ["(0.0,)", "(nan,)"]


@pytest.mark.parametrize(
    ("name", "kept"), [("COUNT(*)", 0), ("SUM(d)", 0), ("MIN(x)", 0), ("COUNT(DISTINCT x)", 3)]
)
def test_what_a_group_keeps_of_its_rows(name: str, kept: int) -> None:
    """Numbers, or what differs; never the rows, unless the order of them is asked."""
    growing = accumulator(CASES[name][0], ENV)()
    for rows in (*ROWS, *ROWS):
        growing.add(rows)
    assert len(list(growing.retained())) == kept


@pytest.mark.parametrize("name", CASES)
def test_only_holistic_aggregates_and_distinct_ones_retain_rows(name: str) -> None:
    """As the metadata says of state (S-408.d, S-408.i)."""
    asked = CASES[name][0]
    growing = accumulator(asked, ENV)()
    growing.add(ROWS[0])
    assert bool(growing.retained()) == (asked.distinct or asked.function in HOLISTIC)


def test_the_constant_of_a_grouping_set_retains_nothing() -> None:
    growing = accumulator(of(A.LITERAL_AGG, BIGINT, literal(2)), ENV)()
    growing.add(ROWS[0])
    assert growing.result() == 2
    assert not growing.retained()
