"""The gate's rules (S-103, S-301, S-601) and the lives of rows in tables and named streams."""

from collections.abc import Sequence

import pytest

from tck.protocol import Accepted, Bound, End, Open, Rows, Wire, WireRow
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def late(
    spark: Spark,
    column: str,
    values: Sequence[Wire | WireRow],
    bounds: dict[int, tuple[str, bool]] | None = None,
) -> list[tuple[int, str]]:
    """The places and codes of the refused rows of a stream of this one column.

    ``bounds``: what is said before the row of that place.
    """
    answer = spark.backend.open(Open(f"CREATE STREAM S ({column})", "SELECT STREAM * FROM S"))
    assert isinstance(answer, Accepted), answer
    for place, value in enumerate(values):
        if bounds and place in bounds:
            at, strict = bounds[place]
            spark.backend.feed(Bound("S", at, strict))
        row = value if isinstance(value, tuple) else (value,)
        spark.backend.feed(Rows("S", (row,)))
    spark.backend.feed(End())
    output = spark.backend.poll()
    assert output.error is None, output.error
    assert len(output.rows) + len(output.late) == len(values)
    return [(each.place, each.code) for each in output.late if each.place is not None]


def day(*days: int) -> list[str]:
    return [f"2015-01-{each:02} 00:00:00" for each in days]


def test_an_ascending_column_refuses_what_is_below(spark: Spark) -> None:
    found = late(spark, "t TIMESTAMP(3) ASCENDING", day(1, 3, 2, 3, 4))
    assert found == [(2, "LATE")]


def test_a_strict_column_refuses_repetitions(spark: Spark) -> None:
    assert late(spark, "t TIMESTAMP(3) ASCENDING STRICT", day(1, 3, 3, 4)) == [(2, "LATE")]
    assert late(spark, "k VARCHAR ASCENDING STRICT", ["a", "b", "b", "c"]) == [(2, "LATE")]
    assert late(spark, "k INTEGER ASCENDING STRICT", [1, 1, 2]) == [(1, "LATE")]


def test_a_descending_column_refuses_greater_values(spark: Spark) -> None:
    assert late(spark, "k INTEGER DESCENDING", [5, 3, 4, 3, 1]) == [(2, "LATE")]


def test_a_t_sorted_column_takes_disorder_within_its_slack(spark: Spark) -> None:
    found = late(spark, "t TIMESTAMP(3) ASCENDING WITHIN INTERVAL '2' DAY", day(1, 5, 3, 2, 4))
    assert found == [(3, "LATE")]


def test_a_k_sorted_column_is_bounded_by_its_k_plus_first_greatest(spark: Spark) -> None:
    # k = 1: after 5, 7 the bound is 5; after 6 it is 6.
    found = late(spark, "k INTEGER ASCENDING WITHIN 1 ROWS", [5, 7, 4, 6, 5, 9])
    assert found == [(2, "LATE"), (4, "LATE")]


def test_a_punctuated_column_is_bounded_by_bounds_alone(spark: Spark) -> None:
    found = late(
        spark,
        "t TIMESTAMP(3) ASCENDING PUNCTUATED",
        day(5, 1, 3, 2, 4),
        {3: ("2015-01-03 00:00:00", False)},
    )
    assert found == [(3, "LATE")]


def test_a_strict_bound_refuses_its_own_instant(spark: Spark) -> None:
    bounds = {1: ("2015-01-03 00:00:00", True)}
    assert late(spark, "t TIMESTAMP(3) ASCENDING", day(1, 3, 4), bounds) == [(1, "LATE")]
    bounds = {1: ("2015-01-03 00:00:00", False)}
    assert late(spark, "t TIMESTAMP(3) ASCENDING", day(1, 3, 4), bounds) == []


@pytest.mark.parametrize("order", ["ASCENDING", "ASCENDING STRICT", "ASCENDING PUNCTUATED"])
def test_a_weaker_bound_is_refused_and_lost(spark: Spark, order: str) -> None:
    """S-103, S-601: the clock stays, and rows go on."""
    answer = spark.backend.open(
        Open(f"CREATE STREAM S (t TIMESTAMP(3) {order})", "SELECT STREAM * FROM S")
    )
    assert isinstance(answer, Accepted), answer
    spark.backend.feed(Bound("S", "2015-01-03 00:00:00", strict=False))
    spark.backend.feed(Bound("S", "2015-01-03 00:00:00", strict=False))
    assert spark.backend.poll().warnings == ()
    spark.backend.feed(Bound("S", "2015-01-01 00:00:00", strict=False))
    refused = spark.backend.poll()
    assert [(each.event, each.code) for each in refused.warnings] == [(2, "BOUND_BACKWARDS")]
    assert refused.error is None
    spark.backend.feed(Rows("S", tuple((each,) for each in day(2, 4))))
    spark.backend.feed(End())
    output = spark.backend.poll()
    assert output.error is None
    assert output.rows == (("2015-01-04 00:00:00",),)
    assert [each.code for each in output.late] == ["LATE"]


def test_rows_that_are_none_are_bad_and_move_no_clock(spark: Spark) -> None:
    found = late(
        spark,
        "t TIMESTAMP(3) ASCENDING, v INTEGER CHECK (v BETWEEN 1 AND 9)",
        [
            ("2015-01-01 00:00:00", 1),
            ("2015-01-05 00:00:00", 10),
            ("2015-01-05 00:00:00", "x"),
            ("2015-01-05 00:00:00",),
            (None, 1),
            ("2015-01-05 noon", 1),
            ("2015-01-05 00:00:00", 2**31),
            ("2015-01-02 00:00:00", None),
        ],
    )
    assert found == [(place, "BAD_ROW") for place in range(1, 7)]


def test_a_row_late_in_one_column_moves_no_other(spark: Spark) -> None:
    rows: list[WireRow] = [(1, 1), (9, 0), (2, 2)]
    assert late(spark, "a INTEGER ASCENDING, b INTEGER ASCENDING", rows) == [(1, "LATE")]


# --- tables, histories, named streams ---------------------------------------------------------

T = "CREATE TABLE T (id INTEGER NOT NULL PRIMARY KEY, v INTEGER CHECK (v > 0));"


def test_relational_statements_take_effect_in_turn(spark: Spark) -> None:
    ddl = (
        T
        + """INSERT INTO T VALUES (1, 10), (2, 20), (3, 30);
    UPDATE T SET v = v + id WHERE id > 1; DELETE FROM T WHERE v = 22;
    UPSERT INTO T VALUES (3, 300), (4, 40);
    MERGE INTO T USING (VALUES (1, 5), (9, 6)) AS s (id, v) ON T.id = s.id
      WHEN MATCHED THEN UPDATE SET v = T.v * s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);"""
    )
    assert spark.rows("SELECT * FROM T ORDER BY id", ddl) == [(1, 50), (3, 300), (4, 40), (9, 6)]


def test_a_statement_whose_row_breaks_a_check_fails(spark: Spark) -> None:
    assert spark.code("SELECT * FROM T", T + "INSERT INTO T VALUES (1, 0);") == "BAD_ROW"


S = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, v INTEGER);"
FEED: dict[str, list[WireRow]] = {
    "S": [
        ("2015-01-01 10:00:00", 1, 5),
        ("2015-01-01 10:30:00", 2, 7),
        ("2015-01-01 11:00:00", 1, 6),
    ]
}


def test_pumps_feed_streams_in_the_order_that_they_need(spark: Spark) -> None:
    ddl = (
        S
        + """CREATE STREAM Big (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE STREAM Bigger (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE PUMP two STARTED AS INSERT INTO Bigger SELECT STREAM rowtime, v * 2 FROM Big;
    CREATE PUMP one STARTED AS INSERT INTO Big SELECT STREAM rowtime, v FROM S WHERE v > 5;"""
    )
    rows = spark.rows("SELECT STREAM * FROM Bigger", ddl, FEED)
    assert rows == [("2015-01-01 10:30:00", 14), ("2015-01-01 11:00:00", 12)]


def test_the_last_upsert_of_a_key_wins(spark: Spark) -> None:
    ddl = S + T + "UPSERT INTO T SELECT STREAM k, v FROM S;"
    assert spark.rows("SELECT * FROM T ORDER BY id", ddl, FEED) == [(1, 6), (2, 7)]


def test_a_stream_is_what_passes_and_its_history_all(spark: Spark) -> None:
    ddl = S.replace(");", ") WITH HISTORY;")
    load: dict[str, list[WireRow]] = {"S": [("2014-12-31 00:00:00", 9, 9)]}
    assert len(spark.rows("SELECT STREAM * FROM S", ddl, FEED, load=load)) == 3
    assert len(spark.rows("SELECT * FROM S", ddl, FEED, load=load)) == 4


def test_a_history_that_is_too_short_is_an_error(spark: Spark) -> None:
    ddl = S.replace(");", ") WITH HISTORY INTERVAL '45' MINUTE;")
    assert spark.code("SELECT * FROM S", ddl, FEED) == "INSUFFICIENT_HISTORY"
    recent = "SELECT k FROM S WHERE rowtime >= TIMESTAMP '2015-01-01 10:15:00'"
    assert sorted(spark.rows(recent, ddl, FEED)) == [(1,), (2,)]
