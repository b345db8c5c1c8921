"""The driver moves Spark's watermark by rows and by bounds, and answers when Spark has."""

import pytest

pytest.importorskip("pyspark")

from engines.sparknative.backend import SparkNativeBackend
from tck.protocol import Accepted, Bound, End, Open, Rows

pytestmark = pytest.mark.spark

DDL = "CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, units INTEGER);"
SQL = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, SUM(units) AS units
FROM Orders WHERE units > 3 GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
"""


def test_windows_end_at_rows_and_at_bounds() -> None:
    backend = SparkNativeBackend()
    backend.start()
    answer = backend.open(Open(DDL, SQL))
    assert isinstance(answer, Accepted)
    assert [each.type for each in answer.columns] == ["TIMESTAMP(6)", "BIGINT"]
    backend.feed(Rows("ORDERS", (("2015-02-15 10:17:00", 9),)))
    # A row that WHERE drops is at 12:30 all the same.
    backend.feed(Rows("ORDERS", (("2015-02-15 11:30:00", 4), ("2015-02-15 12:30:00", 1))))
    assert sorted(backend.poll().rows) == [("2015-02-15 11:00:00", 9), ("2015-02-15 12:00:00", 4)]
    backend.feed(Rows("ORDERS", (("2015-02-15 12:40:00", 7),)))
    assert backend.poll().rows == ()
    backend.feed(Bound("ORDERS", "2015-02-15 13:00:00"))
    assert backend.poll().rows == (("2015-02-15 13:00:00", 7),)
    backend.feed(End())
    output = backend.poll()
    assert (output.rows, output.bound, output.error) == ((), "end", None)
    backend.close()
