"""Months that lead beyond Spark's calendar give a date beyond ours, not an error of Spark's."""

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import MAX_DATE, MIN_DATE
from spark_backend.workarounds.month_arithmetic import months_in_calendar
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def moved(spark: Spark, day: int, months: Column) -> int:
    """The day, since 1970-01-01, that lies so many months after a day."""
    date = F.date_from_unix_date(F.lit(day))
    (row,) = spark.session.range(1).select(F.unix_date(F.add_months(date, months))).collect()
    found = row[0]
    assert isinstance(found, int)
    return found


def test_far_months_lead_out_of_the_years_1_to_9999(spark: Spark) -> None:
    far = F.lit(2**40).cast("bigint")
    assert moved(spark, MIN_DATE, months_in_calendar(far)) > MAX_DATE
    assert moved(spark, MAX_DATE, months_in_calendar(-far)) < MIN_DATE


def test_spark_still_fails_beyond_its_calendar(spark: Spark) -> None:
    with pytest.raises(ArithmeticException, match="ARITHMETIC_OVERFLOW"):
        moved(spark, 0, F.lit(2**31 - 1))
