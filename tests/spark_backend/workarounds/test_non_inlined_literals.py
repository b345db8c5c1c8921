"""Queries that differ in a non-inlined literal alone run the same generated code."""

from collections.abc import Callable

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.runtime.session import MANY_ROWS, tune
from spark_backend.workarounds.non_inlined_literals import non_inlined
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def generated(
    spark: Spark, capsys: pytest.CaptureFixture[str], condition: Callable[[int], Column]
) -> list[str]:
    """The Java text of one query with two values of its literal."""
    tune(spark.session, MANY_ROWS)  # with fewer rows Spark generates no code
    rows = spark.session.range(10)
    texts: list[str] = []
    for value in (1_234_567, 7_654_321):
        rows.filter(condition(value)).explain("codegen")
        texts.append(capsys.readouterr().out.partition("Generated code:")[2])
    assert all(texts)
    return texts


def test_a_non_inlined_literal_is_no_part_of_the_generated_code(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = generated(
        spark, capsys, lambda value: non_inlined(value, F.col("id")) < F.col("id")
    )
    assert first == second


def test_spark_still_inlines_a_plain_literal(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = generated(spark, capsys, lambda value: F.lit(value) < F.col("id"))
    assert first != second


def test_a_non_inlined_literal_is_null_beside_a_null(spark: Spark) -> None:
    rows = spark.session.range(2).select(F.when(F.col("id") > 0, F.col("id")).alias("a"))
    found = rows.select(non_inlined(7, F.col("a"))).collect()
    assert [row[0] for row in found] == [None, 7]
