"""The order in which the rows of a streaming query come at the end, where they show no rowtime."""

import pytest

from tck.protocol import Accepted, Bound, End, Event, Open, Rows, WireRow
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

#: Streams without a rowtime column: the implicit rowtime of a row is the bound (S-311.b).
UNTIMED = "CREATE STREAM A (k INTEGER);"
TIMED = "CREATE STREAM C (rowtime TIMESTAMP(3) ASCENDING, k INTEGER);"
TEXTS = "(rowtime TIMESTAMP(3) ASCENDING, t VARCHAR(9) ASCENDING, k INTEGER)"


def emitted(spark: Spark, ddl: str, sql: str, *events: Event) -> list[WireRow]:
    """The rows of a streaming query once its inputs have ended."""
    accepted = spark.backend.open(Open(ddl, sql))
    assert isinstance(accepted, Accepted), accepted
    for each in (*events, End()):
        spark.backend.feed(each)
    output = spark.backend.poll()
    assert output.error is None, output.error
    return list(output.rows)


def at(input: str, time: str, *rows: WireRow) -> tuple[Bound, Rows]:
    """A bound of a stream without a rowtime column, and rows that come then."""
    return Bound(input, f"2015-02-15 {time}"), Rows(input, rows)


def test_explicit_and_implicit_rowtimes_are_merged(spark: Spark) -> None:
    found = emitted(
        spark,
        UNTIMED + TIMED,
        "SELECT STREAM k FROM A UNION ALL SELECT STREAM k FROM C",
        Rows("A", ((0,),)),
        *at("A", "10:30:00", (1,)),
        Rows("C", (("2015-02-15 10:00:00", 2), ("2015-02-15 10:45:00", 3))),
    )
    assert found == [(0,), (2,), (1,), (3,)]


def test_an_order_by_a_text_stays_where_the_rows_show_no_rowtime(spark: Spark) -> None:
    found = emitted(
        spark,
        f"CREATE STREAM T {TEXTS}",
        "SELECT STREAM t, k FROM T ORDER BY t, k DESC",
        Rows(
            "T",
            (
                ("2015-02-15 10:00:00", "a", 1),
                ("2015-02-15 10:01:00", "a", 2),
                ("2015-02-15 10:02:00", "b", 1),
            ),
        ),
    )
    assert found == [("a", 2), ("a", 1), ("b", 1)]
