"""Frames of a stretch of time, whose rows go to spans of it: those that the whole query gives."""

# pyright: reportUnknownMemberType=false
# PySpark's createDataFrame has no whole type.

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Profile, Table
from algebra.plan import Plan
from algebra.prepare import Prepared, prepare
from spark_backend.data.contents import Contents
from spark_backend.relation import Relation
from spark_backend.runtime.session import tune
from spark_backend.stream.emission.sorting import window_by
from spark_backend.translate import in_order
from spark_backend.translator import Frames, Spans, Translator
from tests.examples import NIGHTLY, examples
from tests.spark_backend.conftest import Spark
from tests.spark_backend.over.test_wide_frames import CALLS, DDL, ROW, SCHEMA

pytestmark = pytest.mark.spark

PARTITIONS = ["g", "s", "g, f", "s, d, w", ""]
FRAMES = [
    "INTERVAL '3' SECOND PRECEDING",
    "BETWEEN INTERVAL '3' SECOND PRECEDING AND INTERVAL '1' SECOND PRECEDING",
    "BETWEEN INTERVAL '0.500' SECOND PRECEDING AND CURRENT ROW",
]
#: Not those that tell ties apart.  Which rows go to which span does not depend on the call: by
#: default there is one for each way in which a frame's rows are used.
TIMELESS = [
    each
    for each in (CALLS if NIGHTLY else ["COUNT(*)", "SUM(b)", "AVG(x)", "MIN(s)"])
    if "VALUE" not in each
]


def prepared_query(partition: str, frame: str, *more: str) -> Prepared:
    """A query of all calls over one window, with the time and the id in front."""
    by = f"PARTITION BY {partition} " if partition else ""
    over = f"OVER ({by}ORDER BY rowtime RANGE {frame})"
    calls = ", ".join(f"{call} {over} AS c{n}" for n, call in enumerate([*TIMELESS, *more]))
    return prepare(DDL, f"SELECT rowtime, id, {calls} FROM T", Profile.CALCITE)


def translator_over(spark: Spark, plan: Prepared, rows: list[tuple[object, ...]]) -> Translator:
    """A translator for which the table has these rows, in any order."""
    contents = Contents(spark.session, 0)
    tune(spark.session, len(rows))
    (input_table,) = (each for each in plan.catalog.objects.values() if each.name[-1] == "T")
    assert isinstance(input_table, Table)
    table = [(row[0], number, *row[1:]) for number, row in enumerate(rows)]
    data = spark.session.createDataFrame(table, SCHEMA).repartition(3)
    contents.of(input_table).passed.adopt(data, [F.col(each) for each in SCHEMA.names], F.col("id"))
    return replace(contents.translator(), small=True)


def collected(found: Relation) -> list[tuple[object, ...]]:
    """The rows as they come."""
    return [tuple(row) for row in found.frame.select(*found.columns).collect()]


def whole(plan: Plan, translator: Translator) -> list[tuple[object, ...]]:
    """The rows of all times, as Spark's own frames have them."""
    return [
        tuple(row)
        for row in in_order(replace(translator, frames=Frames.SPARK).translate(plan)).collect()
    ]


@pytest.mark.parametrize("frame", FRAMES)
@examples(2, 50)  # each asks Spark twice for all calls
@given(
    rows=st.lists(ROW, min_size=1, max_size=25),
    partition=st.sampled_from(PARTITIONS),
    start=st.integers(-1_000, 8_000),
    size=st.integers(1, 12_000),
    count=st.integers(1, 5),
    open=st.booleans(),
)
def test_they_come_in_order_and_are_those_of_the_whole_query(
    spark: Spark,
    frame: str,
    rows: list[tuple[object, ...]],
    partition: str,
    start: int,
    size: int,
    count: int,
    open: bool,
) -> None:
    """Where frames reach back too far for so many spans, they go by the window's partitions."""
    plan = prepared_query(partition, frame)
    assert plan.query is not None
    translator = translator_over(spark, plan, rows)
    window = window_by(plan.query, 0)
    assert window is not None
    spans = Spans(window, start, start + size, count, open)
    found = replace(translator, frames=Frames.SLIDING, spans=spans).translate(plan.query)
    assert found.sorted == (
        (500 if "0.500" in frame else 3_000) * (count - 1) <= size and count < 5
    )
    first = 0 if open else start
    right = [
        row for row in whole(plan.query, translator) if first <= int(str(row[0])) < start + size
    ]
    left = collected(found)
    if not found.sorted:
        left = [row for row in left if first <= int(str(row[0])) < start + size]
    else:
        assert [row[0] for row in left] == sorted(int(str(row[0])) for row in left)
    assert sorted(left, key=lambda row: int(str(row[1]))) == sorted(
        right, key=lambda row: int(str(row[1]))
    )


@pytest.mark.parametrize(
    ("partition", "frame", "more"),
    [
        ("x", FRAMES[0], ()),
        ("g", FRAMES[0], ("FIRST_VALUE(i)",)),
        ("g", FRAMES[0], ("MEDIAN(i)",)),
        ("g", "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", ()),
        ("g", "BETWEEN INTERVAL '3' SECOND PRECEDING AND INTERVAL '1' SECOND FOLLOWING", ()),
        ("g", "BETWEEN CURRENT ROW AND CURRENT ROW", ()),
    ],
)
def test_other_windows_go_by_their_partitions(
    spark: Spark, partition: str, frame: str, more: tuple[str, ...]
) -> None:
    """By a DOUBLE; with ties, or values that one function cannot tell; ahead, and without end."""
    plan = prepared_query(partition, frame, *more)
    assert plan.query is not None
    window = window_by(plan.query, 0)
    assert window is not None
    rows: list[tuple[object, ...]] = [
        (at, 1, 2, 3, 4, None, None, 0.5, "a", True) for at in (0, 500, 3_000, 3_000, 9_000)
    ]
    translator = translator_over(spark, plan, rows)
    spans = Spans(window, 0, 10_000, 2)
    found = replace(translator, frames=Frames.SLIDING, spans=spans).translate(plan.query)
    assert not found.sorted
    assert sorted(collected(found), key=str) == sorted(whole(plan.query, translator), key=str)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT rowtime, COUNT(*) AS c FROM T GROUP BY rowtime",
        """SELECT rowtime + INTERVAL '1' SECOND AS rowtime, SUM(i) OVER w AS s FROM T
          WINDOW w AS (ORDER BY rowtime RANGE INTERVAL '3' SECOND PRECEDING)""",
        "SELECT rowtime, SUM(i) OVER (ORDER BY k RANGE 2 PRECEDING) AS s FROM T",
    ],
    ids=["groups", "another time", "another key"],
)
def test_the_window_is_the_last_thing_done_to_the_rows(sql: str) -> None:
    """And it is ordered by the time that is shown."""
    plan = prepare(DDL, sql, Profile.CALCITE).query
    assert plan is not None
    assert window_by(plan, 0) is None


def test_a_window_over_a_window_is_none_of_these() -> None:
    """The lower one would be computed once for each span."""
    over = "OVER (ORDER BY rowtime RANGE INTERVAL '3' SECOND PRECEDING)"
    below = f"SELECT rowtime, SUM(i) {over} AS s FROM T"
    plan = prepare(DDL, f"SELECT rowtime, MAX(s) {over} AS m FROM ({below})", Profile.CALCITE).query
    assert plan is not None
    assert window_by(plan, 0) is None
