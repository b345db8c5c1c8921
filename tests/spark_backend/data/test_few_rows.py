"""Few rows of a frame come into memory; many rows stay there, and are tried less and less."""

import pytest
from pyspark.sql import SparkSession

from algebra.types import Kind, Type
from spark_backend.data import few_rows
from spark_backend.data.few_rows import FewRows
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.runtime.session import spark_session
from spark_backend.types import Row

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

TYPES = (Type(Kind.BIGINT),)


def in_frame(count: int) -> RowBuffer:
    """The numbers from 1 to ``count`` in a frame, which has them in descending order."""
    numbers = spark_session().range(count).selectExpr(f"{count} - id AS c0")
    return RowBuffer.of_frame(numbers.selectExpr("c0", f"c0 AS {ARRIVAL}"), TYPES)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that were asked for, one for each frame that is tried; 3 are few."""
    monkeypatch.setattr(few_rows, "FEW", 3)
    asked: list[int] = []
    first = RowBuffer.first

    def spied(self: RowBuffer, most: int, session: SparkSession) -> list[Row]:
        asked.append(most)
        return first(self, most, session)

    monkeypatch.setattr(RowBuffer, "first", spied)
    return asked


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_rows_come_into_memory_in_their_order(count: int, tried: list[int]) -> None:
    found = FewRows().collected(in_frame(count), spark_session())
    assert not found.framed
    assert list(found.rows()) == [(i,) for i in range(1, count + 1)]
    assert tried == [4]


def test_many_rows_stay_in_their_frame_and_are_tried_at_longer_and_longer_distances(
    tried: list[int],
) -> None:
    few, rows = FewRows(), in_frame(4)
    at: list[int] = []
    for number in range(1, 17):
        before = len(tried)
        assert few.collected(rows, spark_session()) is rows
        at += [number] * (len(tried) - before)
    assert at == [1, 3, 7, 15]
    assert few.collected(in_frame(2), spark_session()).framed  # 17 to 30 are not tried
    for _ in range(13):
        few.collected(rows, spark_session())
    assert not few.collected(in_frame(2), spark_session()).framed
    assert not few.collected(in_frame(3), spark_session()).framed


def test_rows_in_memory_are_returned(tried: list[int]) -> None:
    rows = RowBuffer.of(TYPES, [(1,), (2,), (3,), (4,), (5,)])
    assert FewRows().collected(rows, spark_session()) is rows
    assert not tried
