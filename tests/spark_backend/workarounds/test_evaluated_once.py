"""Spark leaves the expression of a window's end where it stands."""

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.data.dataframes import answer
from spark_backend.workarounds.evaluated_once import evaluated_once
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def end_of_minute() -> Column:
    """The arithmetic of a window's end, over the column ``id``."""
    return F.col("id") - F.pmod(F.col("id"), F.lit(60_000)) + F.lit(60_000)


def times_in_plan(spark: Spark, capsys: pytest.CaptureFixture[str], end: Column) -> int:
    """How often the optimized plan of a query between two bounds has the arithmetic of ``end``."""
    rows = spark.session.range(10).select("id", end.alias("end"))
    rows.filter((F.col("end") >= 5) & (F.col("end") < 70_000)).explain("extended")
    optimized = capsys.readouterr().out.partition("== Optimized Logical Plan ==")[2]
    return optimized.partition("== Physical Plan ==")[0].count("pmod(")


def test_conditions_do_not_repeat_the_expression(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert times_in_plan(spark, capsys, evaluated_once(end_of_minute())) == 1


def test_spark_still_copies_a_deterministic_expression(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert times_in_plan(spark, capsys, end_of_minute()) > 1


def test_bounds_do_not_repeat_what_makes_a_window(
    spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    ddl = "CREATE TABLE T (rowtime TIMESTAMP(3) NOT NULL)"
    sql = """SELECT * FROM (
        SELECT TUMBLE_END(rowtime, INTERVAL '1' MINUTE) AS e, COUNT(*) AS c
        FROM T GROUP BY TUMBLE(rowtime, INTERVAL '1' MINUTE))
      WHERE e >= TIMESTAMP '2015-01-01 00:01:00' AND e < TIMESTAMP '2015-01-01 00:03:00'"""
    rows = spark.session.range(1).select(F.lit(1_420_070_430_000).alias("rowtime"))
    found = answer(ddl, sql, {"T": rows})
    found.frame.explain("extended")
    optimized = capsys.readouterr().out.partition("== Optimized Logical Plan ==")[2]
    filters = [line for line in optimized.splitlines() if "Filter (" in line]
    assert filters
    assert not any("pmod(" in each for each in filters)
    found.contents.close()
