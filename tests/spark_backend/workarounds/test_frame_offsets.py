"""Frames with offsets and keys at the end of their types."""

import pytest
from pyspark.errors import AnalysisException, ArithmeticException
from pyspark.sql import Column, Window, WindowSpec
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.workarounds.frame_offsets import range_key, rows_offset
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

LAST = 2**63 - 1


def counts(spark: Spark, key: Column, window: WindowSpec) -> list[int]:
    """COUNT(*) over a frame of the rows 0, 1 and the greatest BIGINT, ordered by ``key``."""
    last = F.when(F.col("id") == 2, F.lit(LAST)).otherwise(F.col("id"))
    rows = spark.session.range(3).select(last.alias("id"))
    found = rows.select("id", F.count(F.lit(1)).over(window.orderBy(key))).collect()
    return [row[1] for row in sorted(found)]


def test_a_range_reaches_beyond_the_greatest_key(spark: Spark) -> None:
    window = Window.partitionBy().rangeBetween(0, 10)
    assert counts(spark, range_key(F.col("id"), is_bigint=True), window) == [2, 1, 1]


def test_spark_still_overflows_beyond_the_greatest_key(spark: Spark) -> None:
    with pytest.raises(ArithmeticException, match="ARITHMETIC_OVERFLOW"):
        counts(spark, F.col("id"), Window.partitionBy().rangeBetween(0, 10))


def test_a_row_offset_may_be_any_integer(spark: Spark) -> None:
    window = Window.partitionBy().rowsBetween(rows_offset(-(2**40)), rows_offset(2**40))
    assert counts(spark, F.col("id"), window) == [3, 3, 3]


def test_spark_still_takes_no_row_offset_beyond_an_integer() -> None:
    with pytest.raises(AnalysisException, match="INVALID_BOUNDARY"):
        Window.partitionBy().rowsBetween(-(2**40), 0)
