"""The rows of a micro-batch in order of time, in parts: as Spark's own sort has them."""

# pyright: reportUnknownMemberType=false
# PySpark's createDataFrame has no whole type.

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.types import BIGINT
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import SortColumn
from spark_backend.runtime.session import tune
from spark_backend.stream.emission.sorting import sorted_in_spans
from spark_backend.types import spark_type
from tests.examples import examples
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

TIME = SortColumn("time", nulls_first=True)
NUMBER = SortColumn("number")


@examples(8, 200)  # each is a query of Spark's
@given(
    times=st.lists(st.none() | st.just(-(2**45)) | st.integers(-100, 5_000), max_size=30),
    start=st.integers(-200, 5_000),
    size=st.integers(-100, 5_000),
)
def test_rows_before_the_start_and_unknown_times_come_first(
    spark: Spark, times: list[int | None], start: int, size: int
) -> None:
    """Wherever the rows begin; ties by the next key."""
    tune(spark.session, 0)
    numbered = [(number, at, number) for number, at in enumerate(times)]
    kind = spark_type(BIGINT).simpleString()
    frame = spark.session.createDataFrame(numbered, f"c0 {kind}, time {kind}, number {kind}")
    order = (TIME, NUMBER)
    sort = partial(
        sorted_in_spans,
        order=order,
        start=start,
        end=max([start + size, *(t + 1 for t in times if t is not None)]),
    )
    store = RowBuffer.of_frame(frame.repartition(3), (BIGINT,), order=order, sort=sort)
    expected = sorted(numbered, key=lambda row: (row[1] is not None, row[1] or 0, row[0]))
    assert [row[0] for row in store.rows()] == [row[0] for row in expected]
