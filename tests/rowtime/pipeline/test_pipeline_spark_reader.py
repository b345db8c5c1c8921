"""Records on Spark: how they come in that are dealt out to tasks, and how many are judged."""

from pathlib import Path

import pytest
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Profile, Stream
from algebra.prepare import prepare
from algebra.records.csv_fields import DEFAULT_TIMES
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import ingress_of
from spark_backend.runtime.session import spark_session
from spark_backend.stream.connectors.records import Reader, Values, json_texts
from spark_backend.stream.connectors.texts import of_value
from spark_backend.stream.ingress.arrivals import ARRIVAL_KEY, arrival_key
from spark_backend.stream.ingress.ingress_filter import filter_in_bulk, filter_rows

pytestmark = pytest.mark.spark

DDL = "CREATE STREAM S (t BIGINT ASCENDING, n BIGINT);"
#: More rows than are judged one by one, and few enough.
SIZES = [8_000, 400]


def stream_of(ddl: str) -> Stream:
    """The stream ``S`` of a declaration."""
    found = prepare(ddl, "SELECT STREAM * FROM S", Profile.CALCITE).catalog.objects[("S",)]
    assert isinstance(found, Stream)
    return found


@pytest.mark.parametrize("size", SIZES)
def test_rows_that_are_dealt_out_come_in_by_their_turn(size: int) -> None:
    """Of four tasks each makes every fourth value: none is late."""
    stream, session = stream_of(DDL), spark_session()
    value = F.col("id") % (size // 4) * 4 + F.floor(F.col("id") / (size // 4))
    frame = session.range(0, size, 1, 4).select(value.cast("bigint").alias("value"))
    frame = frame.withColumn(ARRIVAL_KEY, arrival_key(frame, "rate"))
    types = [field.dataType for field in frame.select("value", "value").schema.fields]
    readings = [
        of_value(F.col("value"), given, each.type, DEFAULT_TIMES)
        for given, each in zip(types, stream.columns, strict=True)
    ]
    reader = Reader(stream)
    records = reader.of_values(Values(frame, readings, F.col(ARRIVAL_KEY)), is_shuffled=True)
    assert (records.faults, records.rows.framed) == (0, size > 5_000)
    found = filter_rows(ingress_of(stream), records.rows, Contents(session, 0).checks(stream))
    assert (len(found.refused), list(found.rows.rows())) == (0, [(i, i) for i in range(size)])
    found.rows.close()
    reader.release()


UNUSUAL, MALFORMED = '{"T": 11, "N": 11, "X": {"Y": 0}}', '{"T": 12, "N": "twelve"}'


@pytest.mark.parametrize(
    ("changed", "in_doubt", "faults"),
    [({}, False, 0), ({11: UNUSUAL}, True, 0), ({11: UNUSUAL, 12: MALFORMED}, True, 1)],
)
def test_python_is_asked_about_many_records_only_if_one_is_in_doubt(
    changed: dict[int, str], in_doubt: bool, faults: int, tmp_path: Path
) -> None:
    """An object in an object is beyond Spark, and here a row; a text is not an INTEGER."""
    stream, session, count = stream_of(DDL), spark_session(), 6_000
    lines = [changed.get(i, f'{{"T": {i}, "N": {i}}}') for i in range(count)]
    (tmp_path / "lines.json").write_text("\n".join(lines))
    frame = session.read.text(str(tmp_path / "lines.json"))
    frame = frame.withColumn(ARRIVAL_KEY, arrival_key(frame))
    ingress, checks = ingress_of(stream), Contents(session, 0).checks(stream)
    reader = Reader(stream)
    records = reader.of_texts(
        json_texts(frame, stream.columns, F.col(ARRIVAL_KEY), F.col("value"), DEFAULT_TIMES)
    )
    assert records.decide is not None
    found = filter_in_bulk(ingress, records.rows, checks, in_doubt=True)
    assert (found is None) == in_doubt
    if found is None:
        assert (ingress.arrived, ingress.bounds[0].bound) == (0, None)
        records = records.decide()
        found = filter_rows(ingress, records.rows, checks)
    reasons = ["N: 'twelve' is not a value of BIGINT"]
    assert (records.faults, [each.reason for each in records.bad]) == (faults, reasons[:faults])
    expected = [(i, i) for i in range(count) if i != 12 or not faults]
    assert (len(found.refused), list(found.rows.rows())) == (0, expected)
    found.rows.close()
    reader.release()
