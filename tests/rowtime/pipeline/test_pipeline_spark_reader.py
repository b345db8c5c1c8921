"""Rows on Spark that are dealt out to tasks, as a rate or a topic has them."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Profile, Stream
from algebra.prepare import prepare
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import ingress_of
from spark_backend.runtime.session import spark_session
from spark_backend.stream.connectors.records import Read, Reader
from spark_backend.stream.connectors.texts import of_value
from spark_backend.stream.ingress.arrivals import CAME, came
from spark_backend.stream.ingress.ingress_filter import filtered

pytestmark = pytest.mark.spark

DDL = "CREATE STREAM S (t BIGINT ASCENDING, n BIGINT);"
#: More rows than are judged one by one, and few enough.
SIZES = [8_000, 400]


@pytest.mark.parametrize("size", SIZES)
def test_rows_that_are_dealt_out_come_in_by_their_turn(size: int) -> None:
    """Of four tasks each makes every fourth value: none is late."""
    stream = prepare(DDL, "SELECT STREAM * FROM S", Profile.CALCITE).catalog.objects[("S",)]
    assert isinstance(stream, Stream)
    session = spark_session()
    value = F.col("id") % (size // 4) * 4 + F.floor(F.col("id") / (size // 4))
    frame = session.range(0, size, 1, 4).select(value.cast("bigint").alias("value"))
    frame = frame.withColumn(CAME, came(frame, "rate"))
    types = [field.dataType for field in frame.select("value", "value").schema.fields]
    readings = [
        of_value(F.col("value"), given, each.type)
        for given, each in zip(types, stream.columns, strict=True)
    ]
    reader = Reader(stream)
    store, bad, faults = reader.rows(Read(frame, readings, F.col(CAME)), dealt_out=True)
    assert (bad, faults, store.framed) == (None, 0, size > 5_000)
    found = filtered(ingress_of(stream), store, Contents(session, 0).checks(stream))
    assert (len(found.refused), list(found.rows.rows())) == (0, [(i, i) for i in range(size)])
    found.rows.close()
    reader.done()
