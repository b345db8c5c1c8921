"""What is kept: the rows of which a row to come can still be made, and no others."""

from collections.abc import Callable
from typing import Final

import pytest

from spark_backend.stream.retention.policy import RetentionPolicy
from tck.protocol import Output
from tests.examples import scaled
from tests.spark_backend.stream.conftest import Steps

pytestmark = pytest.mark.spark

Query = Callable[..., Steps]

S = "CREATE STREAM S (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), v INTEGER);"
T = "CREATE STREAM T (rowtime TIMESTAMP ASCENDING, k VARCHAR(3), w INTEGER);"
D = "2015-02-15 "


def retained(output: Output) -> int:
    """How many rows are held after a step."""
    assert output.state is not None
    return output.state.rows


def at(time: str, value: int) -> tuple[str | int, ...]:
    """A row of key a."""
    return (D + time, "a", value)


def test_a_filter_keeps_nothing(query: Query) -> None:
    """All its rows have come out, those at the clock, too."""
    s = query(S, "SELECT STREAM * FROM S WHERE v > 1")
    assert retained(s.rows(S=[at("10:00:00", 1), at("10:00:01", 2), at("10:00:02", 3)])) == 0


def test_an_hour_keeps_the_rows_of_its_open_groups(query: Query) -> None:
    """At 11:05 those of the hour of 11:00, the next of which is the bound of the output."""
    sql = (
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM S "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
    )
    s = query(S, sql)
    assert retained(s.rows(S=[at("10:10:00", 1), at("10:50:00", 2)])) == 2
    assert retained(s.rows(S=[at("11:00:00", 3), at("11:05:00", 4)])) == 2
    assert retained(s.bound(S=D + "12:00:00")) == 0


def test_a_sliding_frame_keeps_what_it_reaches_back_to(query: Query) -> None:
    """At 11:00 the frames to come start at 10:00, that row included."""
    sql = (
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime "
        "RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM S"
    )
    s = query(S, sql)
    assert retained(s.rows(S=[at("09:59:59", 1), at("10:00:00", 2), at("10:30:00", 4)])) == 3
    assert retained(s.bound(S=D + "11:00:00")) == 2
    assert retained(s.bound(S=D + "11:30:01")) == 0


def test_a_side_of_a_join_is_evicted_by_the_other_side(query: Query) -> None:
    """A shipment of 10:40 can still meet orders since 9:40, and orders alone wait for shipments."""
    sql = (
        "SELECT STREAM s.rowtime, s.v, t.w FROM S AS s JOIN T AS t ON s.k = t.k "
        "AND t.rowtime BETWEEN s.rowtime AND s.rowtime + INTERVAL '1' HOUR"
    )
    s = query(S + T, sql)
    assert retained(s.rows(S=[at("09:00:00", 1), at("09:50:00", 2)])) == 2
    # T is at 10:40: the order of 9:00 met nothing beyond 10:00; both other rows stay.
    assert retained(s.rows(T=[at("10:40:00", 3)])) == 2
    # T may bring a shipment of the order of 9:50 until 10:50; so the output's bound is 9:50.
    assert retained(s.bound(S=D + "10:41:00")) == 2
    # Then orders alone tell: none at or after 10:41 meets the shipment of 10:40.
    assert retained(s.bound(T=D + "10:50:00.001")) == 0


def test_a_partner_is_retained_while_its_row_could_come_out_alone(query: Query) -> None:
    """The trade came at 10:02; without it the order, held until 10:10, would come alone then."""
    sql = (
        "SELECT STREAM ROWTIME, o.v, t.w FROM S OVER (RANGE INTERVAL '10' MINUTE PRECEDING) AS o "
        "LEFT JOIN T AS t ON o.k = t.k"
    )
    s = query(S + T, sql)
    out = s.rows(S=[at("10:00:00", 1)], T=[at("10:02:00", 7)])
    assert out.rows == ((D + "10:02:00", 1, 7),)
    out = s.bound(S=D + "10:05:00", T=D + "10:05:00")
    assert (out.rows, retained(out)) == ((), 2)
    out = s.bound(S=D + "11:00:00", T=D + "11:00:00")
    assert (out.rows, retained(out)) == ((), 0)


def test_the_length_of_the_stream_does_not_count(query: Query) -> None:
    """After many hours as much is kept as after one."""
    sql = (
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, SUM(v) AS v FROM S "
        "GROUP BY FLOOR(rowtime TO HOUR)"
    )
    s = query(S, sql)
    many = scaled(8, 50)
    hours = [f"2015-02-{15 + hour // 24} {hour % 24:02}" for hour in range(many)]
    found = [retained(s.rows(S=[(f"{h}:10:00", "a", 1), (f"{h}:20:00", "a", 1)])) for h in hours]
    assert found == [2] * many


def test_a_frame_of_rows_retains_some_of_each_key(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows back: of each key the last two stay, however old, and what is at the clock."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=3, eviction=3)
    )
    sql = (
        "SELECT STREAM rowtime, k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime "
        "ROWS 2 PRECEDING) AS s FROM S"
    )
    s = query(S, sql)
    s.rows(S=[(D + "09:00:00", "b", 1)])
    many = [at(f"10:00:{second:02}", 1) for second in range(20)]
    # Of a 10:00:17 and 10:00:18, and 10:00:19, which is at the clock; of b its one.
    assert retained(s.rows(S=many)) == 4
    out = s.rows(S=[(D + "10:01:00", "b", 4), (D + "10:01:01", "a", 8)])
    assert out.rows == ((D + "10:01:00", "b", 5), (D + "10:01:01", "a", 10))
    assert s.end().rows == ()


def test_a_rank_within_the_hour_lets_go_hours_that_are_over(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames that start with the partition keep it until it is complete."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=1, eviction=1)
    )
    sql = (
        "SELECT STREAM rowtime, v, RANK() OVER (PARTITION BY FLOOR(rowtime TO HOUR) ORDER BY v) "
        "AS r FROM S"
    )
    s = query(S, sql)
    assert retained(s.rows(S=[at("10:00:00", 5), at("10:30:00", 3)])) == 2
    out = s.rows(S=[at("11:00:00", 9), at("11:05:00", 8), at("11:10:00", 7)])
    assert out.rows == ((D + "10:00:00", 5, 2), (D + "10:30:00", 3, 1))
    assert retained(out) == 3
    ranked = ((D + "11:00:00", 9, 3), (D + "11:05:00", 8, 2), (D + "11:10:00", 7, 1))
    assert s.end().rows == ranked


ORDERS = "CREATE STREAM O (rowtime TIMESTAMP ASCENDING, id INTEGER ASCENDING, v INTEGER);"
#: So many of them come, four at a time.
_ORDERS: Final = scaled(24, 60)
BY_ID = "SELECT STREAM id, COUNT(*) AS c, SUM(v) AS v FROM O WHERE v > 0 GROUP BY id"


def order(number: int, value: int = 1) -> tuple[str | int, ...]:
    """The row with this number; three have one id."""
    return (f"2015-02-15 {number // 60:02}:{number % 60:02}:00", number // 3, value)


def test_groups_by_a_column_that_is_no_time_go_when_they_have_come_out(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept is the open group, and one that has come out at the clock itself."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=2, eviction=2)
    )
    s = query(ORDERS, BY_ID)
    found, most = list[object](), 0
    for start in range(0, _ORDERS, 4):
        out = s.rows(O=[order(each) for each in range(start, start + 4)])
        found += out.rows
        most = max(most, retained(out))
    found += s.end().rows
    assert found == [(each, 3, 3) for each in range(_ORDERS // 3)]
    assert most <= 12


def test_the_rows_of_a_group_go_when_its_time_has_passed(
    query: Query, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Group 0 is complete, and comes, at id 1; at the time of its last row others may come yet."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=0, eviction=0)
    )
    s = query(ORDERS, BY_ID)
    first = [("2015-02-15 10:00:00", 0, 1), ("2015-02-15 10:01:00", 0, 2)]
    assert s.rows(O=first).rows == ()
    out = s.rows(O=[("2015-02-15 10:01:00", 1, 4)])
    assert (out.rows, retained(out)) == (((0, 2, 3),), 3)
    out = s.rows(O=[("2015-02-15 10:02:00", 1, 8)] * 4)
    assert (out.rows, retained(out)) == ((), 5)
    assert s.end().rows == ((1, 5, 36),)
