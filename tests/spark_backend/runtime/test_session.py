"""Which settings a query runs with."""

from collections.abc import Iterator

import pytest
from pyspark import SparkConf, SparkContext

from spark_backend.runtime import session as settings
from spark_backend.runtime.session import tune, tune_micro_batch
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

SHUFFLE = "spark.sql.shuffle.partitions"


@pytest.fixture
def started_with(monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkConf]:
    """What Spark was started with, as if the user had said more."""
    conf = SparkConf(loadDefaults=False)

    def conf_of(_: SparkContext) -> SparkConf:
        return conf

    monkeypatch.setattr(SparkContext, "getConf", conf_of)
    settings._chosen.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield conf
    settings._chosen.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_a_micro_batch_has_a_partition_for_each_core(spark: Spark, started_with: SparkConf) -> None:
    assert not started_with.getAll()
    tune(spark.session, 0)
    tune_micro_batch(spark.session)
    cores = spark.session.sparkContext.defaultParallelism
    assert spark.session.conf.get(SHUFFLE) == str(cores)
    assert spark.session.conf.get("spark.sql.adaptive.enabled") == "false"


def test_what_the_user_has_set_stays(spark: Spark, started_with: SparkConf) -> None:
    started_with.set(SHUFFLE, "7").set("spark.sql.adaptive.enabled", "true")
    tune(spark.session, 0)
    tune_micro_batch(spark.session)
    assert spark.session.conf.get(SHUFFLE) == "7"
    assert spark.session.conf.get("spark.sql.adaptive.enabled") == "true"
