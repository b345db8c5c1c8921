"""Streaming plans are printed so that Spark knows the watermark of their group keys."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.streaming import StreamPrinter, order_of

DDL = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, id INTEGER, units INTEGER) WITH HISTORY;
CREATE STREAM Shipments (rowtime TIMESTAMP(3) ASCENDING, id INTEGER);
"""
HOUR = "window(t0.`ROWTIME`, '1 hour')"


@pytest.mark.parametrize(
    ("key", "value", "group"),
    [
        ("FLOOR(rowtime TO HOUR)", f"{HOUR}.start", HOUR),
        ("TUMBLE(rowtime, INTERVAL '1' HOUR)", "", HOUR),
        ("STEP(rowtime BY INTERVAL '1' HOUR)", f"{HOUR}.start", HOUR),
        (
            "FLOOR(rowtime TO HOUR) + INTERVAL '1' HOUR",
            f"({HOUR}.start + INTERVAL '3600' SECOND)",
            HOUR,
        ),
        # 11:00 is its own CEIL: the window is closed at its end, not at its start.
        (
            "CEIL(rowtime TO HOUR)",
            ("(window(t0.`ROWTIME`, '1 hour', '1 hour', '1000 microseconds').end"
            " - INTERVAL '0.001' SECOND)"),
            "window(t0.`ROWTIME`, '1 hour', '1 hour', '1000 microseconds')",
        ),
        # 1970-01-01 was a Thursday, and weeks begin on Mondays.
        (
            "FLOOR(rowtime TO WEEK)",
            "window(t0.`ROWTIME`, '7 days', '7 days', '4 days').start",
            "window(t0.`ROWTIME`, '7 days', '7 days', '4 days')",
        ),
        (
            "HOP(rowtime, INTERVAL '30' MINUTE, INTERVAL '1' HOUR, TIME '00:12:00')",
            "",
            "window(t0.`ROWTIME`, '1 hour', '30 minutes', '12 minutes')",
        ),
        ("rowtime", "t0.`ROWTIME`", "t0.`ROWTIME`"),
        ("rowtime + INTERVAL '1' HOUR", "(t0.`ROWTIME` + INTERVAL '3600' SECOND)", "t0.`ROWTIME`"),
    ],
)  # fmt: skip
def test_key_of_event_time_is_grouped_by_what_has_a_watermark(
    key: str, value: str, group: str
) -> None:
    item = f"{key} AS k, " if value else ""
    text = printed(f"SELECT STREAM {item}COUNT(*) AS c FROM Orders GROUP BY {key}")
    shown = f"{value} AS `K`, " if value else ""
    assert text == f"SELECT {shown}COUNT(*) AS `C` FROM ORDERS AS t0 GROUP BY {group}"


def test_coarser_window_is_computed_from_the_finest() -> None:
    text = printed(
        "SELECT STREAM FLOOR(rowtime TO DAY) AS d, FLOOR(rowtime TO HOUR) AS h, COUNT(*) AS c"
        " FROM Orders GROUP BY FLOOR(rowtime TO DAY), FLOOR(rowtime TO HOUR)"
    )
    assert text == (
        f"SELECT date_trunc('DAY', {HOUR}.start) AS `D`, {HOUR}.start AS `H`, COUNT(*) AS `C`"
        f" FROM ORDERS AS t0 GROUP BY {HOUR}"
    )


def test_history_is_grouped_as_a_table() -> None:
    text = printed("SELECT COUNT(*) AS c FROM Orders GROUP BY FLOOR(rowtime TO HOUR)")
    assert text == (
        "SELECT COUNT(*) AS `C` FROM ORDERS_HISTORY AS t0 GROUP BY date_trunc('HOUR', t0.`ROWTIME`)"
    )


def test_end_of_a_window_is_an_event_time_to_the_window_around_it() -> None:
    text = printed(
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' DAY) AS e, SUM(c) AS c FROM ("
        "  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c"
        "  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR))"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' DAY)"
    )
    # A window is at its last microsecond; its end, one later, may belong to the next day.
    day = "window(t1.`EVENT_TIME_1`, '1 day', '1 day', '86399999999 microseconds')"
    assert text == (
        f"SELECT ({day}.end + INTERVAL '0.000001' SECOND) AS `E`, SUM(t1.`C`) AS `C` FROM ("
        f"SELECT {HOUR}.end AS `ROWTIME`, COUNT(*) AS `C`, {HOUR} AS `EVENT_TIME_1`"
        f" FROM ORDERS AS t0 GROUP BY {HOUR}) AS t1 GROUP BY {day}"
    )


def test_join_without_an_equality_is_by_a_constant() -> None:
    text = printed(
        "SELECT STREAM o.rowtime FROM Orders AS o JOIN Shipments AS s"
        " ON s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR"
    )
    assert "1 AS `SAME`" in text
    assert "ON t2.`SAME` = t3.`SAME` AND" in text


#: The two streams in windows of an hour, each with the number of the row.
WINDOWS = (
    "FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)) AS o"
    " {} JOIN TABLE(TUMBLE(TABLE Shipments, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)) AS s ON {}"
)


def test_join_of_two_windows_is_by_the_struct_that_has_a_watermark() -> None:
    """A row may have one event time in a join, so its rowtime becomes a computed time."""
    same = "o.window_start = s.window_start AND o.window_end = s.window_end AND o.id = s.id"
    text = printed(f"SELECT STREAM o.window_end, s.id {WINDOWS.format('LEFT', same)}")
    assert text.endswith("ON t4.`EVENT_TIME_1` = t5.`EVENT_TIME_1` AND (t4.`ID` = t5.`ID`)")
    for source in ("t1", "t3"):
        assert f"({source}.`ROWTIME` + INTERVAL '0' SECOND) AS `ROWTIME`" in text
        assert f"window({source}.`ROWTIME`, '1 hour') AS `EVENT_TIME_1`" in text


def test_window_in_the_condition_of_another_join_is_a_column_of_a_derived_table() -> None:
    """A start is not an end, and an hour later is not the same hour: no window is shared."""
    text = printed(f"SELECT STREAM o.id {WINDOWS.format('', 'o.window_end = s.window_start')}")
    assert text.partition(" ON ")[2] == "(t4.`WINDOW_END` = t5.`WINDOW_START`)"
    assert "t1.`ROWTIME` AS `ROWTIME`" in text
    later = "o.window_end + INTERVAL '1' HOUR = s.window_end"
    text = printed(f"SELECT STREAM o.id {WINDOWS.format('', later)}")
    condition = text.partition(" ON ")[2]
    assert condition == "((t4.`WINDOW_END` + INTERVAL '1' HOUR) = t5.`WINDOW_END`)"


def test_over_is_a_join_with_itself_grouped_by_row() -> None:
    text = printed(
        "SELECT STREAM rowtime, SUM(units) OVER (PARTITION BY id ORDER BY rowtime"
        " RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM Orders"
    )
    assert text.startswith("SELECT t2.`ROWTIME` AS `ROWTIME`, SUM(t3.`UNITS`) AS `S` FROM ")
    assert text.endswith(
        " ON t2.`ID` <=> t3.`ID` AND t3.`ROWTIME` <= t2.`ROWTIME`"
        " AND t3.`ROWTIME` >= (t2.`ROWTIME` - INTERVAL '3600' SECOND)"
        " GROUP BY t2.`ROWTIME`, t2.`OFFSET`, t2.`ID`, t2.`UNITS`"
    )


def test_over_windows_of_two_lengths_share_the_longer_ones_join() -> None:
    text = printed(
        "SELECT STREAM COUNT(*) OVER (ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING) AS h,"
        " COUNT(*) OVER (ORDER BY rowtime RANGE INTERVAL '1' MINUTE PRECEDING) AS m FROM Orders"
    )
    assert text.startswith(
        "SELECT COUNT(*) AS `H`, COUNT(*) FILTER (WHERE t3.`ROWTIME` <= t2.`ROWTIME`"
        " AND t3.`ROWTIME` >= (t2.`ROWTIME` - INTERVAL '60' SECOND)) AS `M` FROM "
    )


@pytest.mark.parametrize(
    ("operator", "join", "where"),
    [("INTERSECT", "JOIN", ""), ("EXCEPT", "LEFT JOIN", " WHERE t3.`ROWTIME` IS NULL")],
)
def test_intersect_and_except_are_joins_of_distinct_rows(
    operator: str, join: str, where: str
) -> None:
    text = printed(
        f"SELECT STREAM rowtime, id FROM Orders {operator} SELECT STREAM rowtime, id FROM Shipments"
    )
    assert f") AS t2 {join} (SELECT" in text
    assert (
        " ON t2.`ROWTIME` = t3.`ROWTIME` AND t2.`ID` <=> t3.`ID`"
        f"{where} GROUP BY t2.`ROWTIME`, t2.`ID`"
    ) in text


def test_distinct_values_of_a_stream_are_counted_in_a_set() -> None:
    streamed = "SELECT STREAM COUNT(DISTINCT id) AS n FROM Orders GROUP BY rowtime"
    assert "size(collect_set(t0.`ID`)) AS `N`" in printed(streamed)
    assert "COUNT(DISTINCT t0.`ID`) AS `N`" in printed(streamed.replace("STREAM ", ""))


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        (
            "SELECT STREAM COUNT(*) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS c FROM Orders",
            "cannot express a frame of ROWS",
        ),
        (
            "SELECT STREAM 1 FROM Orders GROUP BY HOP(rowtime, INTERVAL '2' DAY, INTERVAL '1' DAY)",
            "cannot leave gaps between windows",
        ),
        (
            "SELECT STREAM COUNT(*) AS c FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' MONTH)",
            "no months in window()",
        ),
        (
            (
                "SELECT STREAM 1 FROM Orders"
                " GROUP BY GROUPING SETS ((FLOOR(rowtime TO DAY)), (rowtime))"
            ),
            "no grouping sets of several windows",
        ),
    ],
)
def test_what_spark_cannot_say_has_a_reason(sql: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        printed(sql)


def test_order_of_a_stream_is_over_its_result() -> None:
    plan = prepare(
        DDL, "SELECT STREAM rowtime, units FROM Orders ORDER BY rowtime, units", Profile.CALCITE
    ).query
    assert plan is not None
    assert order_of(plan) == "`ROWTIME` ASC NULLS LAST, `UNITS` ASC NULLS LAST"


def printed(sql: str) -> str:
    """The query in Spark's SQL."""
    plan = prepare(DDL, sql, Profile.CALCITE).query
    assert plan is not None
    return StreamPrinter().query(plan)


def test_sessions_have_a_gap_that_is_a_millisecond_shorter() -> None:
    """Spark joins rows that are one gap apart."""
    session = "session_window(t0.`ROWTIME`, '1799999000 microseconds')"
    assert printed(
        "SELECT STREAM SESSION_END(rowtime) AS rowtime, SESSION_START(rowtime) AS s, id,"
        " COUNT(*) AS c FROM Orders GROUP BY SESSION(rowtime, INTERVAL '30' MINUTE), id"
    ) == (
        f"SELECT ({session}.end + INTERVAL '0.001' SECOND) AS `ROWTIME`, {session}.start AS `S`,"
        f" t0.`ID` AS `ID`, COUNT(*) AS `C` FROM ORDERS AS t0 GROUP BY {session}, t0.`ID`"
    )


def test_groups_of_the_table_function_are_groups_of_sessions() -> None:
    assert printed(
        "SELECT STREAM window_end AS rowtime, id, COUNT(*) AS c"
        " FROM SESSION(TABLE Orders PARTITION BY id, DESCRIPTOR(rowtime), INTERVAL '1' SECOND)"
        " GROUP BY window_start, window_end, id"
    ).endswith("GROUP BY session_window(t1.`ROWTIME`, '999000 microseconds'), t1.`ID`")


@pytest.mark.parametrize(
    "sql",
    [
        # Spark needs a key besides the session.
        "SELECT STREAM COUNT(*) AS c FROM Orders GROUP BY SESSION(rowtime, INTERVAL '1' HOUR)",
        # The sessions of all rows, and their groups by id.
        (
            "SELECT STREAM id FROM SESSION(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)"
            " GROUP BY window_start, window_end, id"
        ),
        # session_window() is a key of GROUP BY alone.
        (
            "SELECT STREAM window_end AS rowtime, id"
            " FROM SESSION(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)"
        ),
    ],
)
def test_other_sessions_of_streams_are_not_asked_for(sql: str) -> None:
    with pytest.raises(UnsupportedError, match="session"):
        printed(sql)


def test_rows_of_tables_are_in_sessions_by_window_functions() -> None:
    text = printed(
        "SELECT id, window_start FROM"
        " SESSION(TABLE Orders PARTITION BY id, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)"
    )
    assert "LAG(t1.`ROWTIME`) OVER (PARTITION BY t1.`ID` ORDER BY t1.`ROWTIME`)" in text
    assert "session_window" not in text
