"""Each operator step by step: which rows are free after which rows and bounds."""

from collections.abc import Callable

import pytest

from tests.examples import asked_by_core
from tests.spark_backend.stream.conftest import Steps

pytestmark = pytest.mark.spark

Query = Callable[..., Steps]

S = "CREATE STREAM S (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), v INTEGER);"
T = "CREATE STREAM T (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), w INTEGER);"
D = "2015-02-15 "


def at(time: str, *values: str | int | None) -> tuple[str | int | None, ...]:
    """A row of that day."""
    return (D + time, *values)


@asked_by_core("train-cut-in-two-before-a-filter")
def test_a_filter_gives_rows_as_they_come(query: Query) -> None:
    """Nothing can come before a row at the clock, and its ties come behind it."""
    s = query(S, "SELECT STREAM * FROM S WHERE v > 3")
    assert s.rows(S=[at("10:00:00", "a", 5), at("10:00:01", "b", 1)]).rows == (
        at("10:00:00", "a", 5),
    )
    assert s.rows(S=[at("10:00:02", "c", 9)]).rows == (at("10:00:02", "c", 9),)
    assert s.rows(S=[at("10:00:02", "d", 8)]).rows == (at("10:00:02", "d", 8),)
    out = s.bound(S=D + "10:00:03")
    assert (out.rows, out.bound) == ((), D + "10:00:03")


def test_late_rows_are_dropped_one_by_one_in_the_order_of_arrival(query: Query) -> None:
    """Between two rows of one batch the clock moves: 10:00:01 is late behind 10:00:02."""
    s = query(S, "SELECT STREAM * FROM S")
    out = s.rows(S=[at("10:00:02", "a", 1), at("10:00:01", "b", 2), at("10:00:02", "c", 3)])
    assert [(each.place, each.code) for each in out.late] == [(1, "LATE")]
    assert out.rows == (at("10:00:02", "a", 1), at("10:00:02", "c", 3))
    assert s.end().rows == ()


@asked_by_core("sums-of-doubles-by-colour")
def test_an_hour_comes_out_when_the_clock_has_left_it(query: Query) -> None:
    """FLOOR's hour 10:00 needs a clock of 11:00, and the output's own clock is then 11:00."""
    sql = (
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k, SUM(v) AS v FROM S "
        "GROUP BY FLOOR(rowtime TO HOUR), k"
    )
    s = query(S, sql)
    assert s.rows(S=[at("10:10:00", "a", 1), at("10:59:59", "a", 2)]).rows == ()
    out = s.rows(S=[at("11:00:00", "b", 4)])
    assert (out.rows, out.bound) == ((at("10:00:00", "a", 3),), D + "11:00:00")
    assert s.end().rows == (at("11:00:00", "b", 4),)


@asked_by_core("open-window-takes-no-bound-back")
def test_the_end_of_a_window_is_ahead_of_the_clock(query: Query) -> None:
    """At 10:30 the next window that may come out ends at 11:00."""
    sql = (
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM S "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
    )
    s = query(S, sql)
    out = s.rows(S=[at("10:30:00", "a", 1)])
    assert (out.rows, out.bound) == ((), D + "11:00:00")
    out = s.bound(S=D + "11:00:00")
    assert (out.rows, out.bound) == ((at("11:00:00", 1),), D + "12:00:00")


def test_a_month_is_a_window(query: Query) -> None:
    """February is complete at March, and not before."""
    sql = (
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MONTH) AS rowtime, SUM(v) AS v FROM S "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' MONTH)"
    )
    s = query(S, sql)
    assert s.rows(S=[("2015-02-01 00:00:00", "a", 1), ("2015-02-28 23:59:59", "a", 2)]).rows == ()
    assert s.rows(S=[("2015-03-01 00:00:00", "a", 4)]).rows == (("2015-03-01 00:00:00", 3),)


@asked_by_core("sliding-frame-has-all-rows-of-a-time")
def test_a_sliding_sum_waits_for_its_peers_only(query: Query) -> None:
    """The frame of 10:40 reaches back to 9:40, a row that has long come out."""
    sql = (
        "SELECT STREAM rowtime, v, SUM(v) OVER (PARTITION BY k ORDER BY rowtime "
        "RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM S"
    )
    s = query(S, sql)
    assert s.rows(S=[at("09:40:00", "a", 1), at("10:00:00", "b", 2)]).rows == (
        at("09:40:00", 1, 1),
    )
    assert s.rows(S=[at("10:40:00", "a", 4)]).rows == (at("10:00:00", 2, 2),)
    assert s.bound(S=D + "10:40:01").rows == (at("10:40:00", 4, 5),)


@asked_by_core("bounds-strewn-over-a-left-join-and-its-frames-none")
def test_a_frame_that_looks_ahead_waits_for_its_end(query: Query) -> None:
    """The frame of 10:00 ends at 10:10, closed: the clock must be beyond it."""
    sql = (
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime RANGE BETWEEN CURRENT ROW "
        "AND INTERVAL '10' MINUTE FOLLOWING) AS s FROM S"
    )
    s = query(S, sql)
    assert s.rows(S=[at("10:00:00", "a", 1), at("10:10:00", "a", 2)]).rows == ()
    assert s.bound(S=D + "10:10:01").rows == (at("10:00:00", 3),)
    assert s.end().rows == (at("10:10:00", 2),)


@asked_by_core("union-hands-its-bound-to-the-windows-above")
def test_a_union_waits_for_the_slower_input(query: Query) -> None:
    """A row is free when the other input is at its time; the end of one frees all."""
    sql = "SELECT STREAM rowtime, v FROM S UNION ALL SELECT STREAM rowtime, w FROM T"
    s = query(S + T, sql)
    assert s.rows(S=[at("10:00:00", "a", 1), at("10:05:00", "a", 2)]).rows == ()
    assert s.rows(T=[at("10:02:00", "b", 3)]).rows == (at("10:00:00", 1), at("10:02:00", 3))
    assert s.rows(T=[at("10:02:00", "c", 4)]).rows == (at("10:02:00", 4),)
    assert s.end("T").rows == (at("10:05:00", 2),)
    assert s.end().rows == ()


@asked_by_core("left-join-waits-before-it-gives-nulls")
def test_an_order_that_no_shipment_meets_comes_alone_when_none_can_come(query: Query) -> None:
    """The order of 10:00 meets shipments up to 11:00: it is alone when T is beyond that."""
    sql = (
        "SELECT STREAM s.rowtime, s.v, t.w FROM S AS s LEFT JOIN T AS t ON s.k = t.k "
        "AND t.rowtime BETWEEN s.rowtime AND s.rowtime + INTERVAL '1' HOUR"
    )
    s = query(S + T, sql)
    assert s.rows(S=[at("10:00:00", "a", 1), at("10:30:00", "b", 2)]).rows == ()
    assert s.rows(T=[at("10:40:00", "b", 7)]).rows == ()
    assert s.bound(S=D + "12:00:00").rows == ()
    assert s.bound(T=D + "11:00:00").rows == ()
    # The pair of 10:30 was there; only the order of 10:00 could come before it.
    assert s.bound(T=D + "11:00:01").rows == (at("10:00:00", 1, None), at("10:30:00", 2, 7))
    assert s.end().rows == ()


@asked_by_core("group-by-a-column-that-descends")
def test_groups_of_order_numbers_come_by_the_time_of_their_last_row(query: Query) -> None:
    """No column tells the time: it is that of the group's last row, behind what is shown."""
    ddl = "CREATE STREAM S (rowtime TIMESTAMP ASCENDING, n INTEGER ASCENDING, v INTEGER);"
    s = query(ddl, "SELECT STREAM n, SUM(v) AS v FROM S GROUP BY n")
    assert s.rows(S=[at("10:00:00", 1, 5), at("10:01:00", 1, 6)]).rows == ()
    assert s.rows(S=[at("10:02:00", 2, 7)]).rows == ((1, 11),)
    assert s.end().rows == ((2, 7),)


def test_rows_of_a_stream_without_time_pass_with_their_batch(query: Query) -> None:
    """Nothing holds them: they come in the order of arrival."""
    s = query("CREATE STREAM S (k VARCHAR(3), v INTEGER);", "SELECT STREAM v, k FROM S")
    assert s.rows(S=[("b", 2), ("a", 1)]).rows == ((2, "b"), (1, "a"))
    assert s.rows(S=[("a", 0)]).rows == ((0, "a"),)
    assert s.end().rows == ()


def test_rows_sorted_within_the_hour_come_with_the_hour(query: Query) -> None:
    """ORDER BY explains that the rowtime goes back: the hour leads, then the units."""
    s = query(S, "SELECT STREAM rowtime, v FROM S ORDER BY FLOOR(rowtime TO HOUR), v")
    assert s.rows(S=[at("10:10:00", "a", 9), at("10:20:00", "a", 3)]).rows == ()
    assert s.rows(S=[at("11:00:00", "a", 1)]).rows == (at("10:20:00", 3), at("10:10:00", 9))
    assert s.end().rows == (at("11:00:00", 1),)


def test_an_hour_of_a_view_over_a_sliding_sum(query: Query) -> None:
    """Operators at any depth: the hour is over when no frame in it is open."""
    ddl = S + (
        "CREATE VIEW W AS SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime RANGE BETWEEN "
        "CURRENT ROW AND INTERVAL '10' MINUTE FOLLOWING) AS s FROM S;"
    )
    sql = (
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, MAX(s) AS m FROM W "
        "GROUP BY FLOOR(rowtime TO HOUR)"
    )
    s = query(ddl, sql)
    assert s.rows(S=[at("10:55:00", "a", 1), at("11:04:00", "a", 2)]).rows == ()
    # 10:55 waits for 11:05; at 11:06 only the row of 11:04 waits, in the next hour.
    assert s.bound(S=D + "11:05:00").rows == ()
    assert s.bound(S=D + "11:06:00").rows == (at("10:00:00", 3),)


def test_a_pump_feeds_a_stream_that_is_read(query: Query) -> None:
    """The pump hands on rows and bounds: the hour of its target is complete at 11:00."""
    ddl = S + (
        "CREATE STREAM P (rowtime TIMESTAMP ASCENDING, v INTEGER);"
        "CREATE PUMP F STARTED AS INSERT INTO P SELECT STREAM rowtime, v FROM S WHERE v > 1;"
    )
    sql = (
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, COUNT(*) AS c FROM P "
        "GROUP BY FLOOR(rowtime TO HOUR)"
    )
    s = query(ddl, sql)
    assert s.rows(S=[at("10:10:00", "a", 1), at("10:20:00", "a", 2)]).rows == ()
    assert s.bound(S=D + "11:00:00").rows == (at("10:00:00", 1),)


def test_a_column_named_like_the_hidden_key_is_none(query: Query) -> None:
    """What a query calls its columns has no part in how it runs."""
    s = query(S, 'SELECT STREAM rowtime, v AS "$KEY" FROM S')
    out = s.rows(S=[at("10:00:00", "a", 7), at("10:00:01", "a", 1)])
    assert out.rows == (at("10:00:00", 7), at("10:00:01", 1))
    s = query(S, 'SELECT STREAM rowtime, v AS "$MOMENT" FROM S')
    assert s.rows(S=[at("10:00:00", "a", 7)]).rows == (at("10:00:00", 7),)
    assert s.rows(S=[at("10:00:00", "a", 9)]).rows == (at("10:00:00", 9),)


# --- rows at the clock ----------------------------------------------------------------------------


def test_a_row_at_the_clock_waits_for_the_one_that_it_looks_at(query: Query) -> None:
    """Of one key the next row is there, of the other it is not."""
    sql = "SELECT STREAM rowtime, k, LEAD(v) OVER (PARTITION BY k ORDER BY rowtime) AS v FROM S"
    s = query(S, sql)
    assert s.rows(S=[at("10:00:00", "a", 1), at("10:00:00", "b", 2)]).rows == ()
    assert s.rows(S=[at("10:00:00", "a", 3)]).rows == (at("10:00:00", "a", 3),)
    assert s.rows(S=[at("10:00:00", "b", 4)]).rows == (at("10:00:00", "b", 4),)
    assert sorted(s.end().rows) == [at("10:00:00", "a", None), at("10:00:00", "b", None)]


def test_a_sum_over_rows_that_wait_takes_them_as_they_come(query: Query) -> None:
    """The next row of b is there, so that its row comes before the one of a, which is a tie.

    Its frame in the sum ends with itself: it is determined at once (S-505.f).
    """
    sql = (
        "SELECT STREAM rowtime, k, SUM(n) OVER (ORDER BY rowtime ROWS UNBOUNDED PRECEDING) AS s "
        "FROM (SELECT rowtime, k, LEAD(v) OVER (PARTITION BY k ORDER BY rowtime) AS n FROM S)"
    )
    s = query(S, sql)
    three = [at("10:00:00", "a", 1), at("10:00:00", "b", 2), at("10:00:00", "b", 4)]
    assert s.rows(S=three).rows == (at("10:00:00", "b", 4),)
    assert s.rows(S=[at("10:00:00", "a", 8)]).rows == (at("10:00:00", "a", 12),)
    assert s.end().rows == (at("10:00:00", "b", 12), at("10:00:00", "a", 12))


def test_between_rows_out_of_order_another_may_come(query: Query) -> None:
    """The clock is at 10:00, and 10:01 is there: one of 10:00:30 may yet follow that of 10:00."""
    ddl = S.replace("ASCENDING", "ASCENDING WITHIN INTERVAL '1' MINUTE")
    sql = "SELECT STREAM rowtime, LEAD(v) OVER (ORDER BY rowtime) AS n FROM S"
    s = query(ddl, sql)
    assert s.rows(S=[at("10:00:00", "a", 1), at("10:01:00", "a", 2)]).rows == ()
    assert s.rows(S=[at("10:00:30", "a", 3)]).rows == ()
    # At 10:00:30 it is settled what follows 10:00:00.
    assert s.rows(S=[at("10:01:30", "a", 4)]).rows == (at("10:00:00", 3),)


def test_rows_out_of_order_pass_as_they_come(query: Query) -> None:
    """The union waits for the other input alone; a group of it, for the hour, too."""
    ddl = S.replace("ASCENDING", "ASCENDING WITHIN INTERVAL '1' MINUTE") + T
    s = query(ddl, "SELECT STREAM rowtime, v FROM S WHERE v > 0")
    assert s.rows(S=[at("10:01:00", "a", 1)]).rows == (at("10:01:00", 1),)
    out = s.rows(S=[at("10:00:10", "a", 2)])
    assert (out.rows, out.bound) == ((at("10:00:10", 2),), D + "10:00:00")
    hours = (
        "SELECT STREAM rowtime, v FROM S UNION ALL SELECT STREAM TUMBLE_END(rowtime, "
        "INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS v FROM T GROUP BY TUMBLE(rowtime, "
        "INTERVAL '1' HOUR)"
    )
    s = query(ddl, hours)
    # The hour that the next row of T is in ends at 11:00: so far the rows of S are free.
    out = s.rows(S=[at("10:59:00", "a", 1), at("11:00:30", "a", 2)], T=[at("10:30:00", "b", 0)])
    assert out.rows == (at("10:59:00", 1),)
    assert s.rows(S=[at("10:59:40", "a", 3)]).rows == (at("10:59:40", 3),)
    # At 11:00 the group is complete; S is at 10:59:30, so that it may not come yet.
    assert s.bound(T=D + "11:00:00").rows == (at("11:00:30", 2),)
    assert s.rows(S=[at("11:01:00", "a", 4)]).rows == (at("11:00:00", 1), at("11:01:00", 4))


def test_a_row_of_a_group_has_the_clock_of_the_moment_at_which_it_passes(query: Query) -> None:
    """The row of 10:17 passes at 10:30, that of 10:40 at 10:45, and their hour is over at 11:05."""
    sql = (
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, MIN(CURRENT_TIMESTAMP) AS least, "
        "COUNT(*) FILTER (WHERE CURRENT_TIME < TIME '10:40:00') AS c FROM S "
        "GROUP BY FLOOR(rowtime TO HOUR)"
    )
    s = query(S, sql)
    s.now(D + "10:30:00")
    assert s.rows(S=[at("10:17:00", "a", 1)]).rows == ()
    s.now(D + "10:45:00")
    assert s.rows(S=[at("10:40:00", "b", 2)]).rows == ()
    s.now(D + "11:05:00")
    out = s.rows(S=[at("11:02:00", "c", 4)])
    assert out.rows == (at("10:00:00", D + "10:30:00", 1),)
    assert s.end().rows == (at("11:00:00", D + "11:05:00", 0),)


N = "CREATE STREAM N (k INTEGER ASCENDING, v INTEGER);"


def test_a_row_without_time_has_the_bound_of_its_stream_as_it_comes(query: Query) -> None:
    """The group of 1 has the time of its last row, 10:00, and holds the bound there until 2 is."""
    s = query(N, "SELECT STREAM k, COUNT(*) AS c FROM N GROUP BY k")
    assert s.rows(N=[(1, 10)]).bound is None
    s.bound(N=D + "10:00:00")
    assert s.rows(N=[(1, 20)]).bound == D + "10:00:00"
    assert s.bound(N=D + "10:30:00").bound == D + "10:00:00"
    out = s.rows(N=[(2, 30)])
    assert (out.rows, out.bound) == (((1, 2),), D + "10:30:00")
    assert s.end().rows == ((2, 1),)


@asked_by_core("groups-that-wait-hold-back-their-key-bound-at")
def test_groups_without_time_are_grouped_again(query: Query) -> None:
    """With the row of 11 the groups of 1 and 2 are complete, and so is that of both."""
    sql = (
        "SELECT STREAM k / 10 AS j, COUNT(*) AS c FROM "
        "(SELECT STREAM k, COUNT(*) AS c FROM N GROUP BY k) GROUP BY k / 10"
    )
    s = query(N, sql)
    assert s.rows(N=[(1, 10), (1, 20), (2, 30)]).rows == ()
    assert s.rows(N=[(11, 40)]).rows == ((0, 2),)
    assert s.rows(N=[(12, 50)]).rows == ()
    assert s.end().rows == ((1, 2),)
