"""Values between the wire and Spark: Arrow's on the way in, and on the way out."""

from pathlib import Path

import duckdb
import pytest

pytest.importorskip("pyspark")

from algebra.types import Field, Kind, Type
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.backend import SparkNativeBackend
from engines.sparknative.types import write
from tck.protocol import Accepted, End, Load, Open

FAR = """
CREATE TABLE Times (t TIMESTAMP(3), d DATE, c TIME(3), i INTERVAL SECOND, x DOUBLE);
"""
ROWS = (
    ("0001-01-01 00:00:00", "0001-01-01", "00:00:00", "0.5", "NaN"),
    ("1969-12-31 23:59:59.999", "1969-12-31", "23:59:59.999", "-60.5", "-Infinity"),
    ("9999-12-31 23:59:59.250", "9999-12-31", "10:17:00.250", "59", 0.5),
    (None, None, None, None, None),
)


def test_a_time_is_microseconds_and_an_int_is_one_already(tmp_path: Path) -> None:
    fields = (Field("T", Type(Kind.TIMESTAMP, 3)),)
    file = tmp_path / "rows.parquet"
    write(file, ["T"], fields, [("1970-01-01 00:00:00.001",), (2000,)])
    found = duckdb.connect().execute("SELECT epoch_us(T) FROM read_parquet(?)", [str(file)])
    assert found.fetchall() == [(1000,), (2000,)]


def test_an_interval_of_months_is_refused(tmp_path: Path) -> None:
    fields = (Field("I", Type(Kind.MONTHS)),)
    with pytest.raises(UnsupportedError, match="no INTERVAL of months"):
        write(tmp_path / "rows", ["I"], fields, [])


@pytest.mark.spark
def test_values_come_out_of_spark_as_they_went_in() -> None:
    backend = SparkNativeBackend()
    backend.start()
    assert isinstance(backend.open(Open(FAR, "SELECT * FROM Times")), Accepted)
    backend.feed(Load("TIMES", ROWS))
    backend.feed(End())
    assert sorted(backend.poll().rows, key=str) == sorted(ROWS, key=str)
    backend.close()
