"""Sums of DOUBLEs, exact and rounded once, of few rows and of many (S-203)."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# PySpark's createDataFrame has no whole types.

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction
from spark_backend.data.dataframes import answer
from spark_backend.exact.exact_states import value_of_all
from spark_backend.exact.exact_statistics import interpolated
from spark_backend.exact.partial_sums import Partial, scale_of, scaled_by, value_of_parts
from tests.examples import examples
from tests.spark_backend.conftest import Spark

_F = AggregateFunction

DOUBLES = st.floats(width=64)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
#: The rows of a frame that is not counted, which Spark has in several partitions: their number
#: does not decide how they are added up.
MANY = 6_000


def rounded(number: Fraction) -> float:
    """The nearest DOUBLE."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def same(a: float | None, b: float | None) -> bool:
    """Whether both are the same DOUBLE, or NaN, or NULL."""
    return a == b or (a is not None and b is not None and math.isnan(a) and math.isnan(b))


def cut(values: Iterable[float]) -> list[Partial]:
    """What Spark makes of DOUBLEs before they are put together, each a part of its own."""
    parts: list[Partial] = []
    for each in values:
        if not math.isfinite(each):
            parts.append((1001 if math.isnan(each) else 1002 if each > 0 else 1003, 1, 0, 0, 0))
            continue
        scale = 0 if each == 0 else math.floor(math.log2(abs(each)) / 16)
        scaled = each * 2.0 ** (-8 * scale) * 2.0 ** (-8 * scale)
        upper = math.floor(scaled)
        behind = (scaled - upper) * 2.0**27
        middle = math.floor(behind)
        last = (behind - middle) * 2.0**26
        assert last == int(last)
        parts.append((scale, 1, upper, middle, int(last)))
    return parts


@given(st.lists(DOUBLES, max_size=20))
def test_values_that_are_cut_add_up_to_the_rounded_exact_sum(values: list[float]) -> None:
    assert same(value_of_parts(cut(values), _F.SUM), value_of_all(values, _F.SUM))
    assert same(value_of_parts(cut(values), _F.AVG), value_of_all(values, _F.AVG))


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_a_sum_and_an_average_are_rounded_once(values: list[float]) -> None:
    total = sum(map(Fraction, values), Fraction())
    assert value_of_all(values, _F.SUM) == rounded(total)
    assert value_of_all(values, _F.AVG) == rounded(total / len(values))


@given(st.lists(FINITE, min_size=2, max_size=12))
def test_a_variance_is_rounded_once(values: list[float]) -> None:
    mean = sum(map(Fraction, values), Fraction()) / len(values)
    apart = [Fraction(each) - mean for each in values]
    squares = sum((each * each for each in apart), Fraction())
    assert value_of_all(values, _F.VAR_POP) == rounded(squares / len(values))
    assert value_of_all(values, _F.VAR_SAMP) == rounded(squares / (len(values) - 1))
    root = value_of_all(values, _F.STDDEV_POP)
    assert root is not None
    assert math.isinf(root) or abs(Fraction(root) ** 2 - squares / len(values)) <= (
        squares / len(values) / 2**51 + Fraction(2) ** -2140
    )


@given(st.lists(st.tuples(FINITE, FINITE), min_size=2, max_size=12))
def test_a_covariance_is_rounded_once(pairs: list[tuple[float, float]]) -> None:
    n = len(pairs)
    xs, ys = ([Fraction(pair[i]) for pair in pairs] for i in range(2))
    x_mean, y_mean = (sum(each, Fraction()) / n for each in (xs, ys))
    products = sum(((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)), Fraction())
    assert value_of_all(pairs, _F.COVAR_SAMP) == rounded(products / (n - 1))
    found = value_of_all(pairs, _F.CORR)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        assert found is None
    else:
        assert found is not None
        assert -1 <= found <= 1


def test_what_a_statistic_is_of_too_few_or_of_no_numbers() -> None:
    assert value_of_all([], _F.VAR_POP) is None
    assert value_of_all([1.0], _F.STDDEV_SAMP) is None
    assert value_of_all([1.0], _F.STDDEV_POP) == 0.0
    assert math.isnan(value_of_all([1.0, math.inf], _F.VAR_POP) or 0.0)
    assert value_of_all([(1.0, 2.0)], _F.COVAR_SAMP) is None
    assert value_of_all([], _F.CORR) is None
    assert interpolated(None, None, None) is None


@pytest.mark.spark
def test_spark_cuts_doubles_exactly_at_every_power_of_two(spark: Spark) -> None:
    """Around each of them log2 may round up or down: the parts are whole numbers either way."""
    values = [
        sign * each
        for power in range(-1074, 1024)
        for each in (2.0**power, math.nextafter(2.0**power, 0), math.nextafter(2.0**power, 9e307))
        for sign in (1.0, -1.0)
    ]
    values += [1.7976931348623157e308, 5e-324, 0.0, 0.1, 1 / 3]
    frame = spark.session.createDataFrame(pd.DataFrame({"x": values}))
    frame = frame.withColumn("s", scale_of(F.col("x")))
    frame = frame.withColumn("y", scaled_by(F.col("x"), F.col("s")))
    rows: list[tuple[float, int, float]] = [
        (row["x"], row["s"], row["y"]) for row in frame.select("x", "s", "y").collect()
    ]
    for x, scale, scaled in rows:
        assert Fraction(scaled) == Fraction(x) * Fraction(2) ** (-16 * scale)
        assert scaled == 0 or 0.5 <= abs(scaled) < 2**17
        assert (Fraction(scaled) * 2**53).denominator == 1


def cancelling(number: int) -> float:
    """Great values, their opposites far away, and what is left of them: 1 or a tiny number."""
    place, half = number % (MANY // 2), number < MANY // 2
    great = (1e300, 1e16, 3.7e-5, 8e307)[place % 4] * (1 + place % 97 / 97)
    if place % 5 == 0:
        return 2.0**-1074 if half else 1.0
    return great if half else -great


@pytest.fixture(scope="module")
def many() -> pd.DataFrame:
    """Rows of three groups, of which only a few small numbers are left in the sum."""
    numbers = range(MANY)
    return pd.DataFrame({
        "id": list(numbers), "g": [n % (MANY // 2) % 3 for n in numbers],
        "x": [cancelling(n) for n in numbers],
        "y": [None if n % 7 == 0 else 0.1 for n in numbers], "i": [n % 10 for n in numbers],
    })  # fmt: skip


DDL = "CREATE TABLE T (id INTEGER, g INTEGER, x DOUBLE, y DOUBLE, i INTEGER);"


def answered(spark: Spark, sql: str, rows: pd.DataFrame) -> list[tuple[object, ...]]:
    frame = spark.session.createDataFrame(rows).repartition(8)
    return sorted(map(tuple, answer(DDL, sql, {"T": frame}).frame.collect()), key=str)


def exact(values: Sequence[float]) -> Fraction:
    """The sum, counted in 2^-1074, of which every DOUBLE is a multiple."""
    ratios = (each.as_integer_ratio() for each in values)
    return Fraction(sum(n * (2**1074 // d) for n, d in ratios), 2**1074)


@pytest.mark.spark
def test_of_many_rows_a_sum_is_exact_though_all_that_is_great_cancels(
    spark: Spark, many: pd.DataFrame
) -> None:
    found = answered(
        spark,
        "SELECT g, SUM(x), AVG(x), SUM(y), COUNT(*), COUNT(y), SUM(i), AVG(i), MAX(i),"
        " SUM(x) FILTER (WHERE i < 0), MIN(x) FROM T GROUP BY GROUPING SETS ((g), ())",
        many,
    )
    groups: defaultdict[object, list[tuple[float, float, int]]] = defaultdict(list)
    for g, x, y, i in many[["g", "x", "y", "i"]].itertuples(index=False):
        groups[g].append((x, y, i))
        groups[None].append((x, y, i))
    assert len(found) == len(groups) == 4
    for row in found:
        rows = groups[row[0]]
        total = exact([x for x, _, _ in rows])
        ys = [y for _, y, _ in rows if y == 0.1]
        whole = sum(i for _, _, i in rows)
        assert 0 < total < MANY  # of 1e308 and more nothing is left
        assert row[1:] == (
            float(total),
            float(total / len(rows)),
            math.fsum(ys),
            len(rows),
            len(ys),
            whole,
            whole / len(rows),
            9,
            None,
            min(x for x, _, _ in rows),
        )


@pytest.mark.spark
def test_of_many_rows_the_sums_beside_other_aggregates_are_exact(
    spark: Spark, many: pd.DataFrame
) -> None:
    """What cannot be put together of parts: then the values are gathered."""
    (row,) = answered(
        spark,
        "SELECT SUM(x), AVG(x), COUNT(DISTINCT i), VAR_POP(i), SUM(DISTINCT y), STDDEV_POP(y)"
        " FROM T",
        many,
    )
    total = exact(list(many["x"]))
    assert row == (float(total), float(total / MANY), 10, 8.25, 0.1, 0.0)


@pytest.mark.spark
def test_of_many_rows_nothing_is_infinite_or_null_but_what_is(
    spark: Spark, many: pd.DataFrame
) -> None:
    rows = many.assign(x=1e308, g=[n % 4 for n in range(MANY)])
    rows.loc[6, "x"] = math.inf
    rows.loc[7, ["x"]] = -math.inf
    rows.loc[11, ["x"]] = math.inf
    unknown = "CASE WHEN id = 5 THEN 0E0 / 0E0 ELSE x END"  # pandas would make a NULL of a NaN
    found = answered(
        spark, f"SELECT g, SUM({unknown}), AVG({unknown}), SUM(x * 0E0) FROM T GROUP BY g", rows
    )
    assert [row[:2] for row in found if row[0] in (0, 2)] == [(0, math.inf), (2, math.inf)]
    assert found[0][2] == 1e308
    assert all(math.isnan(row[1]) for row in found if row[0] in (1, 3))  # type: ignore[arg-type]  # DOUBLEs
    assert found[0][3] == 0.0
    (empty,) = answered(spark, "SELECT SUM(x), AVG(x), COUNT(x) FROM T WHERE id < 0", rows)
    assert empty == (None, None, 0)


@pytest.mark.spark
def test_of_many_rows_running_and_excluding_frames_are_exact(
    spark: Spark, many: pd.DataFrame
) -> None:
    rows = many.assign(g=[n // 400 for n in range(MANY)])
    found = answered(
        spark,
        "SELECT id, SUM(x) OVER w, AVG(x) OVER w, STDDEV_POP(x) OVER w FROM T"
        " WINDOW w AS (PARTITION BY g ORDER BY id ROWS UNBOUNDED PRECEDING)",
        rows,
    )
    by_id = {row[0]: row[1:] for row in found}
    xs = list(rows["x"])
    for last in (0, 1, 399, 400, 777, MANY - 1):
        frame = xs[last // 400 * 400 : last + 1]
        total = exact(frame)
        sum_, average, deviation = by_id[last]
        assert (sum_, average) == (rounded(total), rounded(total / len(frame)))
        assert isinstance(deviation, float)
        assert math.isclose(deviation, value_of_all(frame, _F.STDDEV_POP) or 0.0, rel_tol=1e-12)


@pytest.mark.spark
@examples(2, 50)  # each starts three jobs
@given(st.lists(DOUBLES, min_size=1, max_size=60))
def test_one_stage_and_two_stages_have_the_same_sum(spark: Spark, values: list[float]) -> None:
    few = spark.rows("SELECT SUM(x), AVG(x) FROM T", DDL, load={
        "T": [(n, 0, _wire(each), None, 0) for n, each in enumerate(values)]
    })  # fmt: skip
    padded = pd.DataFrame({"id": 0, "g": 0, "x": [*values, *[0.0] * MANY], "y": None, "i": 0})
    (many,) = answered(spark, "SELECT SUM(x), SUM(x) + 0E0 FROM T", padded.astype({"y": "float64"}))
    expected = value_of_all(values, _F.SUM)
    assert same(many[0], expected)  # type: ignore[arg-type]  # a DOUBLE
    (one,) = few
    assert same(_unwired(one[0]), expected)


def _wire(value: float) -> float | str:
    """A DOUBLE as it goes over the wire."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _unwired(value: object) -> float:
    """A DOUBLE from the wire."""
    assert isinstance(value, float | int | str)
    return float(value)
