"""The types of aggregates and window functions (S-203)."""

import pytest

from algebra.expression import AggregateFunction, Cast, InputRef, Literal, WindowFunction
from algebra.functions.aggregates import (
    ArgumentError,
    aggregate_type,
    window_arguments,
    window_type,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NULL,
    REAL,
    SMALLINT,
    TIMESTAMP,
    TINYINT,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.tree import TimeUnit

A, W = AggregateFunction, WindowFunction
HOUR = interval(TimeUnit.HOUR)
MONTH = interval(TimeUnit.MONTH)
D = decimal(5, 2)
NUMBERS = (TINYINT, SMALLINT, INTEGER, BIGINT, D, REAL, DOUBLE)
OTHERS = (BOOLEAN, VARCHAR, DATE, TIMESTAMP)

#: By function, the result for each argument that it takes; every other argument is refused.
RESULTS = {
    A.SUM: {
        TINYINT: BIGINT,
        SMALLINT: BIGINT,
        INTEGER: BIGINT,
        BIGINT: BIGINT,
        D: decimal(38, 2),
        REAL: DOUBLE,
        DOUBLE: DOUBLE,
        HOUR: HOUR,
        MONTH: MONTH,
    },
    A.AVG: {**dict.fromkeys(NUMBERS, DOUBLE), D: decimal(38, 6)},
    A.MIN: {each: each for each in (*NUMBERS, *OTHERS, HOUR, MONTH)},
    A.MAX: {each: each for each in (*NUMBERS, *OTHERS, HOUR, MONTH)},
    A.ANY_VALUE: {each: each for each in (*NUMBERS, *OTHERS, HOUR, MONTH)},
    A.EVERY: {BOOLEAN: BOOLEAN},
    A.SOME: {BOOLEAN: BOOLEAN},
    A.STDDEV_POP: dict.fromkeys(NUMBERS, DOUBLE),
    A.STDDEV_SAMP: dict.fromkeys(NUMBERS, DOUBLE),
    A.VAR_POP: dict.fromkeys(NUMBERS, DOUBLE),
    A.VAR_SAMP: dict.fromkeys(NUMBERS, DOUBLE),
    A.MEDIAN: dict.fromkeys(NUMBERS, DOUBLE),
}


@pytest.mark.parametrize("function", RESULTS)
def test_an_aggregate_has_the_type_of_the_table(function: AggregateFunction) -> None:
    for argument in (*NUMBERS, *OTHERS, HOUR, MONTH, NULL):
        expected = RESULTS[function].get(argument)
        if expected is None:
            with pytest.raises(ArgumentError) as caught:
                aggregate_type(function, [argument])
            assert (caught.value.code, caught.value.place) == (Code.TYPE_MISMATCH, 0)
        else:
            assert aggregate_type(function, [argument]) == expected


def test_the_average_of_decimals_has_six_digits_after_the_point_or_more() -> None:
    assert aggregate_type(A.AVG, [decimal(10, 9)]) == decimal(38, 9)


@pytest.mark.parametrize("arguments", [[], [NULL], [INTEGER], [INTEGER, VARCHAR]])
def test_a_count_is_bigint_and_never_null(arguments: list[Type]) -> None:
    assert aggregate_type(A.COUNT, arguments) == BIGINT.as_nullable(False)


@pytest.mark.parametrize("function", RESULTS)
def test_an_aggregate_can_be_null_whatever_its_argument(function: AggregateFunction) -> None:
    argument = next(iter(RESULTS[function])).as_nullable(False)
    assert aggregate_type(function, [argument]).nullable


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (A.COVAR_POP, [INTEGER, D], DOUBLE),
        (A.COVAR_SAMP, [REAL, BIGINT], DOUBLE),
        (A.CORR, [DOUBLE, TINYINT], DOUBLE),
        (A.LISTAGG, [VARCHAR], VARCHAR),
        (A.LISTAGG, [Type(Kind.CHAR, precision=3), VARCHAR], VARCHAR),
        (A.PERCENTILE_CONT, [decimal(2, 1), INTEGER], DOUBLE),
        (A.PERCENTILE_CONT, [DOUBLE, D], DOUBLE),
        (A.PERCENTILE_DISC, [decimal(2, 1), D], D),
        (A.PERCENTILE_DISC, [INTEGER, DATE], DATE),
        (A.PERCENTILE_DISC, [INTEGER, VARCHAR], VARCHAR),
    ],
)
def test_an_aggregate_of_two_has_the_type_of_the_table(
    function: AggregateFunction, arguments: list[Type], expected: Type
) -> None:
    assert aggregate_type(function, arguments) == expected


@pytest.mark.parametrize(
    ("function", "arguments", "code", "place"),
    [
        (A.COVAR_POP, [INTEGER], Code.WRONG_ARGUMENTS, None),
        (A.COVAR_POP, [VARCHAR, INTEGER], Code.TYPE_MISMATCH, 0),
        (A.CORR, [INTEGER, HOUR], Code.TYPE_MISMATCH, 1),
        (A.LISTAGG, [INTEGER], Code.TYPE_MISMATCH, 0),
        (A.LISTAGG, [VARCHAR, INTEGER], Code.TYPE_MISMATCH, 1),
        (A.LISTAGG, [VARCHAR, VARCHAR, VARCHAR], Code.WRONG_ARGUMENTS, None),
        (A.PERCENTILE_CONT, [VARCHAR, INTEGER], Code.TYPE_MISMATCH, 0),
        (A.PERCENTILE_CONT, [INTEGER, HOUR], Code.TYPE_MISMATCH, 1),
        (A.PERCENTILE_DISC, [INTEGER, NULL], Code.TYPE_MISMATCH, 1),
    ],
)
def test_an_aggregate_of_two_refuses_other_arguments(
    function: AggregateFunction, arguments: list[Type], code: Code, place: int | None
) -> None:
    with pytest.raises(ArgumentError) as caught:
        aggregate_type(function, arguments)
    assert (caught.value.code, caught.value.place) == (code, place)


@pytest.mark.parametrize("arguments", [[], [INTEGER, INTEGER]])
def test_an_aggregate_has_one_argument(arguments: list[Type]) -> None:
    with pytest.raises(ArgumentError) as caught:
        aggregate_type(A.SUM, arguments)
    assert (caught.value.code, caught.value.place) == (Code.WRONG_ARGUMENTS, None)


I_ = INTEGER.as_nullable(False)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (W.ROW_NUMBER, [], BIGINT.as_nullable(False)),
        (W.RANK, [], BIGINT.as_nullable(False)),
        (W.DENSE_RANK, [], BIGINT.as_nullable(False)),
        (W.PERCENT_RANK, [], DOUBLE.as_nullable(False)),
        (W.CUME_DIST, [], DOUBLE.as_nullable(False)),
        (W.NTILE, [I_], INTEGER.as_nullable(False)),
        (W.FIRST_VALUE, [I_], INTEGER),
        (W.LAST_VALUE, [DATE], DATE),
        (W.NTH_VALUE, [VARCHAR, BIGINT], VARCHAR),
        (W.LAG, [I_], INTEGER),
        (W.LEAD, [I_, I_], INTEGER),
        (W.LAG, [I_, I_, I_], I_),
        (W.LAG, [I_, I_, D.as_nullable(False)], decimal(12, 2).as_nullable(False)),
        (W.LAG, [I_, I_, NULL], INTEGER),
        (W.LEAD, [DATE, I_, TIMESTAMP], TIMESTAMP),
    ],
)
def test_a_window_function_has_the_type_of_the_table(
    function: WindowFunction, arguments: list[Type], expected: Type
) -> None:
    assert window_type(function, arguments) == expected


@pytest.mark.parametrize(
    ("function", "arguments", "code", "place"),
    [
        (W.RANK, [INTEGER], Code.WRONG_ARGUMENTS, None),
        (W.NTILE, [], Code.WRONG_ARGUMENTS, None),
        (W.NTILE, [D], Code.TYPE_MISMATCH, 0),
        (W.FIRST_VALUE, [NULL], Code.TYPE_MISMATCH, 0),
        (W.NTH_VALUE, [INTEGER], Code.WRONG_ARGUMENTS, None),
        (W.NTH_VALUE, [INTEGER, VARCHAR], Code.TYPE_MISMATCH, 1),
        (W.LAG, [INTEGER, DOUBLE], Code.TYPE_MISMATCH, 1),
        (W.LAG, [INTEGER, INTEGER, VARCHAR], Code.TYPE_MISMATCH, 2),
        (W.LEAD, [I_, I_, I_, I_], Code.WRONG_ARGUMENTS, None),
    ],
)
def test_a_window_function_refuses_other_arguments(
    function: WindowFunction, arguments: list[Type], code: Code, place: int | None
) -> None:
    with pytest.raises(ArgumentError) as caught:
        window_type(function, arguments)
    assert (caught.value.code, caught.value.place) == (code, place)


def test_the_value_and_the_default_of_lag_come_out_of_one_type() -> None:
    value, offset, default = InputRef(0, I_), Literal(1, I_), InputRef(1, BIGINT)
    assert window_arguments(W.LAG, (value, offset, default)) == (
        Cast(value, BIGINT.as_nullable(False)),
        offset,
        default,
    )
