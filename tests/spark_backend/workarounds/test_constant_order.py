"""Windows without ORDER BY are numbered and ranked."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.workarounds.constant_order import keys_or_constant
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def test_a_constant_makes_all_rows_peers(spark: Spark) -> None:
    window = Window.orderBy(*keys_or_constant([]))
    found = spark.session.range(3).select(F.row_number().over(window), F.rank().over(window))
    assert sorted((row[0], row[1]) for row in found.collect()) == [(1, 1), (2, 1), (3, 1)]


def test_spark_still_numbers_no_rows_without_an_order(spark: Spark) -> None:
    with pytest.raises(AnalysisException, match="WINDOW_FUNCTION_FRAME_NOT_ORDERED"):
        spark.session.range(3).select(F.row_number().over(Window.partitionBy("id")))
