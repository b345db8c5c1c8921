"""Spark's answers to OVER (S-505, S-506), by hand."""

import pytest

from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

#: k is the sort key, with a tie at 2 and a NULL; v tells the rows apart.
T = """CREATE TABLE T (g INTEGER, k INTEGER, v INTEGER);
INSERT INTO T VALUES (1, 1, 10), (1, 2, 20), (1, 2, 30), (1, 5, 40), (1, NULL, 50), (2, 1, 60);"""
#: The rows' v in the order in which they are shown below.
V = [10, 20, 30, 40, 50, 60]

FRAMES: list[tuple[str, list[int | None]]] = [
    # of g = 1, then of g = 2
    ("ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", [10, 30, 50, 70, 90, 60]),
    ("ORDER BY k ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING", [50, 70, 90, 50, None, None]),
    ("ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING", [None, 10, 30, 60, 100, None]),
    ("ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", [150, 140, 120, 90, 50, 60]),
    ("ORDER BY k", [10, 60, 60, 100, 150, 60]),
    ("", [150, 150, 150, 150, 150, 60]),
    ("ORDER BY k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW", [10, 60, 60, 40, 50, 60]),
    ("ORDER BY k RANGE BETWEEN 1 PRECEDING AND 3 FOLLOWING", [60, 100, 100, 40, 50, 60]),
    ("ORDER BY k RANGE BETWEEN 2 FOLLOWING AND 4 FOLLOWING", [40, 40, 40, None, 50, None]),
    ("ORDER BY k RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", [150, 140, 140, 90, 50, 60]),
    ("ORDER BY k NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
     [60, 110, 110, 150, 50, 60]),
    ("ORDER BY k DESC RANGE BETWEEN 3 PRECEDING AND CURRENT ROW", [60, 90, 90, 40, 50, 60]),
    ("ORDER BY k DESC RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING", [10, 60, 60, 40, 50, 60]),
    # what Spark has no window for
    ("ORDER BY k RANGE BETWEEN 0.5 PRECEDING AND 1.5 FOLLOWING", [60, 50, 50, 40, 50, 60]),
    ("ORDER BY k DESC RANGE BETWEEN 1.5 PRECEDING AND CURRENT ROW", [60, 50, 50, 40, 50, 60]),
    ("ORDER BY k ROWS BETWEEN 3 FOLLOWING AND UNBOUNDED FOLLOWING",
     [90, 50, None, None, None, None]),
]  # fmt: skip


def test_frames_hold_their_rows(spark: Spark) -> None:
    sums = ", ".join(f"SUM(v) OVER (PARTITION BY g {order})" for order, _ in FRAMES)
    rows = spark.rows(f"SELECT v, {sums} FROM T ORDER BY v", T)
    assert [row[0] for row in rows] == V
    wrong = {
        order: (found, expected)
        for i, (order, expected) in enumerate(FRAMES)
        if (found := [row[i + 1] for row in rows]) != expected
    }
    assert not wrong


def test_the_running_frame_of_sqlstream_ends_with_the_row_itself(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT v, SUM(v) OVER (PARTITION BY g ORDER BY k),"
        " SUM(v) OVER (PARTITION BY g ORDER BY k RANGE 1 PRECEDING),"
        " SUM(v) OVER (PARTITION BY g ORDER BY k RANGE BETWEEN 1 PRECEDING AND 0 PRECEDING)"
        " FROM T ORDER BY v",
        T,
        profile="sqlstream",
    )
    assert rows == [
        (10, 10, 10, 10),
        (20, 30, 30, 60),
        (30, 60, 60, 60),
        (40, 100, 40, 40),
        (50, 150, 50, 50),
        (60, 60, 60, 60),
    ]


def test_months_before_clamp_to_the_end_of_the_month(spark: Spark) -> None:
    ddl = """CREATE TABLE D (d DATE, t TIMESTAMP(3));
    INSERT INTO D VALUES (DATE '2015-01-31', TIMESTAMP '2015-01-31 12:00:00'),
      (DATE '2015-02-28', TIMESTAMP '2015-02-28 12:00:00'),
      (DATE '2015-03-28', TIMESTAMP '2015-03-28 11:59:59'),
      (DATE '2015-03-31', TIMESTAMP '2015-03-31 12:00:00')"""
    rows = spark.rows(
        "SELECT COUNT(*) OVER (ORDER BY d RANGE INTERVAL '1' MONTH PRECEDING),"
        " COUNT(*) OVER (ORDER BY t RANGE INTERVAL '1' MONTH PRECEDING),"
        " COUNT(*) OVER (ORDER BY d DESC RANGE INTERVAL '1' MONTH PRECEDING),"
        " COUNT(*) OVER (ORDER BY d RANGE INTERVAL '28' DAY PRECEDING)"
        " FROM D ORDER BY d",
        ddl,
    )
    # 2015-02-28 less a month is 2015-01-28, 2015-03-28 less one 2015-02-28, 2015-03-31 too.
    # Upward under DESC: 2015-01-31 and a month is 2015-02-28, 2015-02-28 and one 2015-03-28.
    assert rows == [(1, 1, 2, 1), (2, 2, 2, 2), (2, 2, 2, 2), (3, 3, 1, 2)]


def test_places_in_a_partition(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT v, ROW_NUMBER() OVER w, RANK() OVER w, DENSE_RANK() OVER w, PERCENT_RANK() OVER w,"
        " CUME_DIST() OVER w, NTILE(3) OVER w, LAG(v) OVER w, LEAD(v, 2) OVER w,"
        " LAG(v, 2, -1) OVER w FROM T WINDOW w AS (PARTITION BY g ORDER BY k) ORDER BY v",
        T,
    )
    assert rows == [
        (10, 1, 1, 1, 0.0, 0.2, 1, None, 30, -1),
        (20, 2, 2, 2, 0.25, 0.6, 1, 10, 40, -1),
        (30, 3, 2, 2, 0.25, 0.6, 2, 20, 50, 10),
        (40, 4, 4, 3, 0.75, 0.8, 2, 30, None, 20),
        (50, 5, 5, 4, 1.0, 1.0, 3, 40, None, 30),
        (60, 1, 1, 1, 0.0, 1.0, 1, None, None, -1),
    ]


def test_values_of_a_frame_respect_nulls_by_default(spark: Spark) -> None:
    ddl = """CREATE TABLE N (k INTEGER, v INTEGER);
    INSERT INTO N VALUES (1, NULL), (2, 7), (3, NULL), (4, 9)"""
    rows = spark.rows(
        "SELECT FIRST_VALUE(v) OVER w, FIRST_VALUE(v) IGNORE NULLS OVER w, LAST_VALUE(v) OVER w,"
        " LAST_VALUE(v) IGNORE NULLS OVER w, NTH_VALUE(v, 2) OVER w,"
        " NTH_VALUE(v, 2) IGNORE NULLS OVER w, LAG(v) IGNORE NULLS OVER w,"
        " LEAD(v, 1, 0) IGNORE NULLS OVER w, LAG(v, k - 1) OVER w"
        " FROM N WINDOW w AS (ORDER BY k) ORDER BY k",
        ddl,
    )
    assert rows == [
        (None, None, None, None, None, None, None, 7, None),
        (None, 7, 7, 7, 7, None, None, 9, None),
        (None, 7, None, 7, 7, None, 7, 9, None),
        (None, 7, 9, 9, 7, 9, 7, 0, None),
    ]


def test_aggregates_over_frames_that_spark_does_not_have(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT v, COUNT(DISTINCT k) OVER (ORDER BY v ROWS 2 PRECEDING),"
        " SUM(DISTINCT k) OVER (ORDER BY v ROWS 2 PRECEDING),"
        " MEDIAN(v) OVER (ORDER BY v ROWS 2 PRECEDING),"
        " COUNT(*) FILTER (WHERE k = 2) OVER (ORDER BY v ROWS 2 PRECEDING)"
        " FROM T ORDER BY v",
        T,
    )
    assert rows == [
        (10, 1, 1, 10.0, 0),
        (20, 2, 3, 15.0, 1),
        (30, 2, 3, 20.0, 2),
        (40, 2, 7, 30.0, 2),
        (50, 2, 7, 40.0, 1),
        (60, 2, 6, 50.0, 0),
    ]


def test_a_key_at_the_end_of_its_range_does_not_overflow(spark: Spark) -> None:
    ddl = """CREATE TABLE B (k BIGINT);
    INSERT INTO B VALUES (9223372036854775807), (9223372036854775805), (-9223372036854775807)"""
    rows = spark.rows(
        "SELECT COUNT(*) OVER (ORDER BY k RANGE BETWEEN 2 PRECEDING AND 9 FOLLOWING)"
        " FROM B ORDER BY k",
        ddl,
    )
    assert rows == [(1,), (2,), (2,)]


def test_ties_in_rows_frames_come_in_the_order_of_arrival(spark: Spark) -> None:
    ddl = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, v INTEGER)"
    feed = {"S": [("2015-01-01 10:00:00", v) for v in (5, 3, 8, 1)]}
    rows = spark.rows(
        "SELECT STREAM rowtime, v, SUM(v) OVER (ORDER BY rowtime ROWS UNBOUNDED PRECEDING),"
        " FIRST_VALUE(v) OVER (ORDER BY rowtime) FROM S",
        ddl,
        feed,
    )
    assert [row[1:] for row in rows] == [(5, 5, 5), (3, 8, 5), (8, 16, 5), (1, 17, 5)]
