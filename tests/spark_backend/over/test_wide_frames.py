"""Frames of many rows: each way to compute them gives Spark's own rows (S-505, S-506)."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# PySpark's createDataFrame and Arrow's arrays have no whole types.

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types

from algebra.catalog import Profile, Table
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.source import SqlError
from spark_backend.data.contents import Contents
from spark_backend.data.dataframes import answer
from spark_backend.over.sliding import (
    FrameEnd,
    FrameRows,
    SumOverflowError,
    double_sums,
    extremes,
    frame_rows,
    integer_sums,
)
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import tune
from spark_backend.translate import in_order
from spark_backend.translator import Frames
from tests.examples import NIGHTLY, examples, scaled
from tests.spark_backend.conftest import Spark

DDL = """CREATE TABLE T (rowtime TIMESTAMP(3) NOT NULL, id INTEGER, g INTEGER, k INTEGER,
  i INTEGER, b BIGINT, d DECIMAL(10, 2), w DECIMAL(30, 4), x DOUBLE, s VARCHAR(5), f BOOLEAN);"""

#: Of each, one way to compute it differs.
CALLS = [
    "COUNT(*)", "COUNT(i)", "COUNT(*) FILTER (WHERE f)", "SUM(i)", "SUM(b)", "SUM(d)", "SUM(w)",
    "SUM(x)", "AVG(i)", "AVG(b)", "AVG(d)", "AVG(w)", "AVG(x)", "MIN(i)", "MAX(b)", "MIN(d)",
    "MAX(w)", "MIN(x)", "MAX(s)", "MIN(s)", "EVERY(f)", "SOME(f)", "FIRST_VALUE(s)",
    "LAST_VALUE(i)", "FIRST_VALUE(i) IGNORE NULLS", "NTH_VALUE(d, 2)",
]  # fmt: skip
_THREE = "INTERVAL '3' SECOND"
FRAMES = [
    "ORDER BY rowtime RANGE INTERVAL '3' SECOND PRECEDING",
    f"ORDER BY rowtime RANGE BETWEEN {_THREE} PRECEDING AND INTERVAL '2' SECOND FOLLOWING",
    f"ORDER BY rowtime RANGE BETWEEN {_THREE} PRECEDING AND INTERVAL '2' SECOND PRECEDING",
    "ORDER BY rowtime RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY k RANGE 2 PRECEDING",
    "ORDER BY k DESC RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    "ORDER BY k NULLS FIRST RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    "ORDER BY s, k RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW",
    "ORDER BY k, id ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING",
    "ORDER BY k, id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY k GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
]

#: A call for each way in which a frame's rows are used: counted, added up, compared, picked.
FEW_CALLS = ["COUNT(*)", "SUM(i)", "MIN(x)", "LAST_VALUE(i)", "NTH_VALUE(d, 2)"]
#: The frames that have all calls by default: a frame's first and last row are found without them.
_WHOLE_FRAMES = (FRAMES[1], FRAMES[9])

ROW = st.tuples(
    st.integers(0, 9_000),
    st.integers(0, 2) | st.none(),
    st.integers(-3, 4) | st.none(),
    st.integers(-(2**31), 2**31 - 1) | st.none(),
    st.integers(-(2**58), 2**58) | st.none(),
    st.decimals(-99_999_999, 99_999_999, places=2) | st.none(),
    st.decimals(-(10**26) + 1, 10**26 - 1, places=4) | st.none(),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9) | st.none(),
    st.text("abé", max_size=3) | st.none(),
    st.booleans() | st.none(),
)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[object, ...]]:
    """Rows in any order; where few are tried, each has enough of them for frames to differ."""
    rows = draw(st.lists(ROW, min_size=scaled(8, 1), max_size=25))
    assume(NIGHTLY or len(set(rows)) >= 8)  # not the least example, whose rows are all alike
    return list[tuple[object, ...]](rows)


SCHEMA = types.StructType(
    [
        types.StructField("rowtime", types.LongType()),
        types.StructField("id", types.IntegerType()),
        types.StructField("g", types.IntegerType()),
        types.StructField("k", types.IntegerType()),
        types.StructField("i", types.IntegerType()),
        types.StructField("b", types.LongType()),
        types.StructField("d", types.DecimalType(10, 2)),
        types.StructField("w", types.DecimalType(30, 4)),
        types.StructField("x", types.DoubleType()),
        types.StructField("s", types.StringType()),
        types.StructField("f", types.BooleanType()),
    ]
)


@pytest.mark.spark
@pytest.mark.parametrize("frame", FRAMES)
@examples(1, 50)  # each asks Spark twice
@given(rows=histories())
def test_sliding_gives_what_sparks_over_gives(
    spark: Spark, frame: str, rows: list[tuple[object, ...]]
) -> None:
    rows = sorted(rows, key=lambda row: str(row[0]).zfill(5))
    table = [(row[0], number, *row[1:]) for number, row in enumerate(rows)]
    tried = CALLS if NIGHTLY or frame in _WHOLE_FRAMES else FEW_CALLS
    calls = ", ".join(
        f"{call} OVER (PARTITION BY g {frame}) AS c{n}" for n, call in enumerate(tried)
    )
    plan = prepare(DDL, f"SELECT id, {calls} FROM T", Profile.CALCITE)
    assert plan.query is not None
    found: list[list[tuple[object, ...]]] = []
    for frames in (Frames.SPARK, Frames.SLIDING):
        contents = Contents(spark.session, 0)
        tune(spark.session, len(table))
        (input_table,) = (each for each in plan.catalog.objects.values() if each.name[-1] == "T")
        data = spark.session.createDataFrame(table, SCHEMA)
        columns = [F.col(name) for name in SCHEMA.names]
        assert isinstance(input_table, Table)
        contents.of(input_table).passed.adopt(data, columns, F.col("id"))
        translator = replace(contents.translator(), small=True, frames=frames)
        found.append(sorted(map(tuple, in_order(translator.translate(plan.query)).collect())))
    assert found[0] == found[1]


@pytest.mark.spark
def test_a_sum_outside_of_its_type_is_refused_and_only_that_one(spark: Spark) -> None:
    """Running sums may be anything: only a frame's own sum must fit."""
    greatest = 2**63 - 1
    sql = (
        "SELECT SUM(b) OVER (ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS c,"
        " AVG(b) OVER (ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS a FROM U"
    )
    ddl = "CREATE TABLE U (id INTEGER, b BIGINT);"
    apart = [(i, greatest if i % 100 == 0 else 0) for i in range(300)]
    frame = spark.session.createDataFrame(apart, "id int, b bigint")
    rows = answer(ddl, sql, {"U": frame}).frame.collect()
    assert {row[0] for row in rows} == {greatest}
    together = spark.session.createDataFrame([(1, greatest), (2, 1)], "id int, b bigint")
    with pytest.raises(SqlError) as refused, failures():
        answer(ddl, sql, {"U": together}).frame.collect()
    assert refused.value.code == Code.OVERFLOW


# --- the arithmetic, without Spark ----------------------------------------------------------------


@st.composite
def _frames(draw: st.DrawFn, rows: int) -> FrameRows:
    ends = st.integers(0, rows)
    pairs = [sorted((draw(ends), draw(ends))) for _ in range(rows)]
    low, high = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
    return FrameRows(low, high)


@given(st.data(), st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=20))
def test_double_sums_are_rounded_once(data: st.DataObject, values: list[float]) -> None:
    of = data.draw(_frames(len(values)))
    found = double_sums(np.array(values), of, average=False)
    for low, high, each in zip(of.low, of.high, found, strict=True):
        frame = values[low:high]
        if not frame:
            assert each is None
            continue
        assert each is not None
        if not all(map(math.isfinite, frame)):
            expected = sum(v for v in frame if not math.isfinite(v))
            assert each == expected or (math.isnan(each) and math.isnan(expected))
            continue
        total = sum(map(Fraction, frame), Fraction())
        try:
            assert each == float(total)
        except OverflowError:
            assert each == (math.inf if total > 0 else -math.inf)


@given(st.data(), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_integer_sums_are_exact_or_refused(data: st.DataObject, values: list[int]) -> None:
    of = data.draw(_frames(len(values)))
    expected = [sum(values[a:b]) for a, b in zip(of.low, of.high, strict=True)]
    if all(-(2**63) <= each < 2**63 for each in expected):
        assert integer_sums(np.array(values), of).tolist() == expected
    else:
        with pytest.raises(SumOverflowError):
            integer_sums(np.array(values), of)


@given(st.data(), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40))
def test_extremes_are_those_of_the_frame(data: st.DataObject, values: list[int]) -> None:
    of = data.draw(_frames(len(values)))
    for greatest, pick in ((True, max), (False, min)):
        found = extremes(np.array(values), of, greatest=greatest)
        for low, high, each in zip(of.low, of.high, found, strict=True):
            assert low == high or each == pick(values[low:high])


@given(st.integers(1, 20), st.integers(-(2**40), 2**40), st.integers(-(2**40), 2**40))
def test_frames_of_rows_stay_in_their_partition(rows: int, start: int, end: int) -> None:
    found = frame_rows(FrameEnd(rows=start), FrameEnd(rows=end), rows, None, descending=False)
    for i, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        inside = [j for j in range(rows) if i + start <= j <= i + end]
        assert list(range(low, high)) == inside
