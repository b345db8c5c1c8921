"""Relational queries are evaluated once in a process, by the batch backend for both."""

import pytest

from spark_backend.backend import SparkBackend
from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import Accepted, End, Load, Open, Output, WireRow
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

DDL = "CREATE TABLE T (a INTEGER, b DOUBLE);"


def asked(backend: SparkBackend, rows: tuple[WireRow, ...]) -> Output:
    """What is answered to a sum over these rows."""
    assert isinstance(backend.open(Open(DDL, "SELECT SUM(a) AS s FROM T")), Accepted)
    backend.feed(Load("T", rows))
    backend.feed(End())
    try:
        return backend.poll()
    finally:
        backend.close()


def jobs(spark: Spark) -> int:
    """How many jobs Spark has had."""
    return len(spark.session.sparkContext.statusTracker().getJobIdsForGroup(None))


def test_what_batch_has_answered_takes_no_job(spark: Spark, backend: SparkStreamBackend) -> None:
    """The same rows and the same rows dropped; what differs in type alone is evaluated."""
    rows: tuple[WireRow, ...] = ((1, 1.0), (2, 2.0), ("x", 3.0))
    first = asked(spark.backend, rows)
    before = jobs(spark)
    assert asked(backend, rows) == first
    assert first.rows == ((3,),)
    assert len(first.late) == 1
    assert jobs(spark) == before
    assert len(asked(backend, ((1, 1.0), (True, 2.0), ("x", 3.0))).late) == 2
    assert jobs(spark) > before
