"""Queries in Flink's dialect."""

import pytest

from engines.dialect.unsupported import UnsupportedError
from engines.flink.dialect import in_flink, is_streaming, tried_in_flink
from grammar.parse import parse_query


def flink(sql: str) -> tuple[str, ...]:
    query = parse_query(sql)
    return tuple(each.replace("`", "") for each in in_flink(query, streaming=is_streaming(query)))


def test_names_are_quoted_as_rowtime_folds_them() -> None:
    assert in_flink(parse_query('SELECT a, "b`c" FROM t'), streaming=False) == (
        "SELECT `A`, `b``c` FROM `T`",
    )


def test_a_quote_in_a_text_is_no_name() -> None:
    assert flink("""SELECT 'say "a"' FROM t""") == ("""SELECT 'say "a"' FROM T""",)


def test_an_hour_to_group_by_is_a_window_first_and_then_as_written() -> None:
    assert flink(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS h, COUNT(*) AS c FROM o"
        " GROUP BY FLOOR(rowtime TO HOUR)"
    ) == (
        (
            "SELECT TUMBLE_START(ROWTIME, INTERVAL '1' HOUR) AS H, COUNT(*) AS C FROM O"
            " GROUP BY TUMBLE(ROWTIME, INTERVAL '1' HOUR)"
        ),
        "SELECT FLOOR(ROWTIME TO HOUR) AS H, COUNT(*) AS C FROM O GROUP BY FLOOR(ROWTIME TO HOUR)",
    )


def test_weeks_are_no_windows_since_these_begin_on_thursdays() -> None:
    sql = "SELECT STREAM COUNT(*) AS C FROM O GROUP BY FLOOR(ROWTIME TO WEEK)"
    assert flink(sql) == (sql.replace("STREAM ", ""),)


def test_the_end_of_a_window_has_its_sizes() -> None:
    assert flink(
        "SELECT STREAM HOP_END(rowtime) FROM o"
        " GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '2' HOUR)"
    ) == (
        (
            "SELECT HOP_END(ROWTIME, INTERVAL '1' HOUR, INTERVAL '2' HOUR) FROM O"
            " GROUP BY HOP(ROWTIME, INTERVAL '1' HOUR, INTERVAL '2' HOUR)"
        ),
    )


def test_a_window_table_function_has_the_columns_of_flink() -> None:
    assert flink(
        "SELECT STREAM window_end AS rowtime, COUNT(*) AS c"
        " FROM HOP(TABLE o, DESCRIPTOR(rowtime), INTERVAL '1' HOUR, INTERVAL '2' HOUR)"
        " GROUP BY window_start, window_end"
    ) == (
        (
            "SELECT window_end AS ROWTIME, COUNT(*) AS C"
            " FROM TABLE(HOP(TABLE O, DESCRIPTOR(ROWTIME), INTERVAL '1' HOUR, INTERVAL '2' HOUR))"
            " GROUP BY window_start, window_end"
        ),
    )


def test_an_alignment_by_an_interval_is_the_offset_itself() -> None:
    (text,) = flink(
        "SELECT STREAM COUNT(*) AS c FROM o"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR, INTERVAL -'12' MINUTE)"
    )
    assert "DESCRIPTOR(ROWTIME), INTERVAL '1' HOUR, INTERVAL -'12' MINUTE)" in text


def test_an_alignment_is_the_offset_of_a_table_function() -> None:
    assert flink(
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR, TIME '00:12:00') AS e, k FROM o"
        " GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR, TIME '00:12:00'), k"
    ) == (
        (
            "SELECT window_end AS E, K FROM TABLE(TUMBLE((SELECT * FROM O), DESCRIPTOR(ROWTIME),"
            " INTERVAL '1' HOUR, INTERVAL '0 00:12:00' DAY TO SECOND)) AS O"
            " GROUP BY window_start, window_end, K"
        ),
    )


def test_a_window_without_an_order_goes_by_the_rowtime_in_a_stream_alone() -> None:
    sql = "SELECT {} SUM(v) OVER (PARTITION BY k) FROM o"
    assert flink(sql.format("STREAM")) == (
        "SELECT SUM(V) OVER (PARTITION BY K ORDER BY ROWTIME) FROM O",
    )
    assert flink(sql.format("")) == ("SELECT SUM(V) OVER (PARTITION BY K) FROM O",)


def test_named_windows_are_written_out_with_what_they_refine() -> None:
    assert flink(
        "SELECT STREAM SUM(v) OVER ten FROM o"
        " WINDOW w AS (PARTITION BY k ORDER BY rowtime), ten AS (w ROWS 9 PRECEDING)"
    ) == ("SELECT SUM(V) OVER (PARTITION BY K ORDER BY ROWTIME ROWS 9 PRECEDING) FROM O",)


def test_each_window_has_a_select_of_its_own_in_a_stream() -> None:
    assert flink(
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS a,"
        " SUM(v) OVER (ORDER BY rowtime ROWS 2 PRECEDING) AS b FROM o WHERE v > 1"
    ) == (
        (
            "SELECT ROWTIME, OVER2_0 AS A, SUM(V) OVER (ORDER BY ROWTIME ROWS 2 PRECEDING) AS B"
            " FROM (SELECT *, SUM(V) OVER (ORDER BY ROWTIME ROWS 1 PRECEDING) AS OVER2_0"
            " FROM O WHERE V > 1) AS O"
        ),
    )


def test_a_join_of_windows_is_an_interval_join() -> None:
    assert flink(
        "SELECT STREAM ROWTIME, t.x FROM o"
        " LEFT JOIN t OVER (RANGE INTERVAL '10' MINUTE FOLLOWING) ON o.id = t.id"
    ) == (
        (
            "SELECT COALESCE(GREATEST(O.ROWTIME, T.ROWTIME - INTERVAL '10' MINUTE), O.ROWTIME,"
            " T.ROWTIME), T.X FROM O LEFT JOIN T ON O.ID = T.ID AND (O.ROWTIME <= T.ROWTIME"
            " AND T.ROWTIME - INTERVAL '10' MINUTE <= O.ROWTIME)"
        ),
    )


def test_a_window_of_rows_in_a_join_has_no_form() -> None:
    with pytest.raises(UnsupportedError, match="ROWS"):
        flink("SELECT STREAM t.x FROM o JOIN t OVER (ROWS 1 PRECEDING) ON o.id = t.id")


def test_what_is_concatenated_is_a_text() -> None:
    assert flink("SELECT 'a' || v || 'b' FROM o") == (
        "SELECT 'a' || CAST(V AS STRING) || 'b' FROM O",
    )


def tried(sql: str, *, disordered: bool = False) -> tuple[str, ...]:
    texts = tried_in_flink(parse_query(sql), disordered=disordered)
    return tuple(each.replace("`", "") for each in texts)


def test_a_unit_rounded_up_is_a_window_that_begins_a_millisecond_later() -> None:
    best, plain = tried(
        "SELECT STREAM CEIL(rowtime TO HOUR) AS rowtime, k, COUNT(*) AS c FROM o"
        " GROUP BY CEIL(rowtime TO HOUR), k"
    )
    assert best == (
        "SELECT window_end - INTERVAL '0.001' SECOND AS ROWTIME, K AS K, COUNT(*) AS C"
        " FROM TABLE(TUMBLE((SELECT * FROM O), DESCRIPTOR(ROWTIME), INTERVAL '1' HOUR,"
        " INTERVAL '0.001' SECOND)) AS O GROUP BY window_start, window_end, K"
    )
    assert "GROUP BY CEIL(ROWTIME TO HOUR), K" in plain


def test_a_group_by_the_rowtime_is_a_window_of_a_millisecond() -> None:
    assert tried("SELECT STREAM rowtime, COUNT(*) AS c FROM o GROUP BY rowtime")[0] == (
        "SELECT TUMBLE_START(ROWTIME, INTERVAL '0.001' SECOND) AS ROWTIME, COUNT(*) AS C FROM O"
        " GROUP BY TUMBLE(ROWTIME, INTERVAL '0.001' SECOND)"
    )


def test_distinct_hours_are_groups() -> None:
    assert tried("SELECT STREAM DISTINCT FLOOR(rowtime TO HOUR) AS rowtime, k FROM o")[0] == (
        "SELECT TUMBLE_START(ROWTIME, INTERVAL '1' HOUR) AS ROWTIME, K FROM O"
        " GROUP BY TUMBLE(ROWTIME, INTERVAL '1' HOUR), K"
    )


def test_a_distinct_star_is_asked_as_it_is() -> None:
    assert tried("SELECT STREAM DISTINCT * FROM o") == ("SELECT DISTINCT * FROM O",)


def test_grouping_sets_that_share_an_hour_are_sets_of_its_windows() -> None:
    assert tried(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k, COUNT(*) AS c FROM o"
        " GROUP BY GROUPING SETS ((FLOOR(rowtime TO HOUR), k), (FLOOR(rowtime TO HOUR)))"
    )[0] == (
        "SELECT window_start AS ROWTIME, K AS K, COUNT(*) AS C"
        " FROM TABLE(TUMBLE((SELECT * FROM O), DESCRIPTOR(ROWTIME), INTERVAL '1' HOUR,"
        " INTERVAL '0' HOUR)) AS O GROUP BY window_start, window_end, GROUPING SETS ((K), ())"
    )


@pytest.mark.parametrize(
    ("operator", "having"),
    [
        ("UNION", ""),
        ("INTERSECT", " HAVING SUM(IN_LEFT) > 0 AND SUM(IN_RIGHT) > 0"),
        ("EXCEPT", " HAVING SUM(IN_LEFT) > 0 AND SUM(IN_RIGHT) = 0"),
    ],
)
def test_a_set_of_rows_with_a_rowtime_is_a_group_of_both_sides(operator: str, having: str) -> None:
    first = tried(f"SELECT STREAM rowtime, k FROM a {operator} SELECT STREAM rowtime, k FROM b")[0]
    assert first == (
        "SELECT TUMBLE_START(ROWTIME, INTERVAL '0.001' SECOND) AS ROWTIME, K AS K FROM"
        " (SELECT ROWTIME AS ROWTIME, K AS K, 1 AS IN_LEFT, 0 AS IN_RIGHT FROM A"
        " UNION ALL SELECT ROWTIME AS ROWTIME, K AS K, 0 AS IN_LEFT, 1 AS IN_RIGHT FROM B) AS BOTH"
        f" GROUP BY TUMBLE(ROWTIME, INTERVAL '0.001' SECOND), K{having} ORDER BY ROWTIME"
    )


def test_a_union_is_sorted_by_its_rowtime_first_and_then_as_written() -> None:
    plain = "SELECT ROWTIME, K FROM A UNION ALL SELECT ROWTIME, K FROM B"
    sql = "SELECT STREAM rowtime, k FROM a UNION ALL SELECT STREAM rowtime, k FROM b"
    assert tried(sql) == (f"{plain} ORDER BY ROWTIME", plain)


def test_rows_of_one_stream_are_sorted_if_they_come_out_of_order() -> None:
    sql = "SELECT STREAM * FROM a"
    assert tried(sql) == ("SELECT * FROM A",)
    assert tried(sql, disordered=True) == ("SELECT * FROM A ORDER BY ROWTIME", "SELECT * FROM A")


def test_a_step_that_does_not_divide_its_window_is_an_offset() -> None:
    """Windows of 90 minutes that end with the hours begin half an hour before them."""
    assert flink(
        "SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR, INTERVAL '90' MINUTE) AS rowtime"
        " FROM o GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '90' MINUTE)"
    ) == (
        (
            "SELECT window_end AS ROWTIME FROM TABLE(HOP((SELECT * FROM O), DESCRIPTOR(ROWTIME),"
            " INTERVAL '1' HOUR, INTERVAL '90' MINUTE, INTERVAL -'1800' SECOND(10))) AS O"
            " GROUP BY window_start, window_end"
        ),
    )


def test_qualify_is_a_filter_around_the_query() -> None:
    first, as_written = tried(
        "SELECT STREAM rowtime, k, v * 2 AS w FROM TUMBLE(TABLE o, DESCRIPTOR(rowtime),"
        " INTERVAL '1' HOUR) QUALIFY ROW_NUMBER() OVER (PARTITION BY window_end ORDER BY v) <= 3"
        " AND w > v"
    )
    assert first == (
        "SELECT ROWTIME, K, W FROM (SELECT ROWTIME AS ROWTIME, K AS K, V * 2 AS W,"
        " ROW_NUMBER() OVER (PARTITION BY window_end ORDER BY V) AS CALL_0, V AS READ_1"
        " FROM TABLE(TUMBLE(TABLE O, DESCRIPTOR(ROWTIME), INTERVAL '1' HOUR))) AS WINDOWED"
        " WHERE CALL_0 <= 3 AND W > READ_1"
    )
    assert "QUALIFY" in as_written


def test_sessions_are_asked_for_as_table_functions() -> None:
    assert tried(
        "SELECT STREAM window_end AS rowtime, k, COUNT(*) AS c FROM SESSION(TABLE o PARTITION BY k,"
        " DESCRIPTOR(rowtime), INTERVAL '5' MINUTE) GROUP BY window_start, window_end, k"
    ) == (
        (
            "SELECT window_end AS ROWTIME, K, COUNT(*) AS C"
            " FROM TABLE(SESSION(TABLE O PARTITION BY K, DESCRIPTOR(ROWTIME), INTERVAL '5' MINUTE))"
            " GROUP BY window_start, window_end, K"
        ),
    )


def test_the_end_of_a_session_has_its_gap() -> None:
    assert flink(
        "SELECT STREAM SESSION_END(rowtime) AS rowtime, k FROM o"
        " GROUP BY SESSION(rowtime, INTERVAL '5' MINUTE), k"
    ) == (
        (
            "SELECT SESSION_END(ROWTIME, INTERVAL '5' MINUTE) AS ROWTIME, K FROM O"
            " GROUP BY SESSION(ROWTIME, INTERVAL '5' MINUTE), K"
        ),
    )


def out_of_order(sql: str) -> list[str]:
    texts = tried_in_flink(parse_query(sql), disordered=True)
    return [each.replace("`", "") for each in texts]


def test_named_arguments_are_put_in_order_with_an_offset_within_the_period() -> None:
    (text,) = flink(
        "SELECT STREAM window_end AS e FROM TABLE(HOP(SIZE => INTERVAL '1' HOUR,"
        " SLIDE => INTERVAL '20' MINUTE, DATA => TABLE o, TIMECOL => DESCRIPTOR(rowtime),"
        " OFFSET => INTERVAL '47' MINUTE))"
    )
    assert text == (
        "SELECT window_end AS E FROM TABLE(HOP(TABLE O, DESCRIPTOR(ROWTIME),"
        " INTERVAL '20' MINUTE, INTERVAL '1' HOUR, INTERVAL '420' SECOND(10)))"
    )


def test_an_offset_that_is_a_time_is_an_interval() -> None:
    (text,) = flink(
        "SELECT STREAM window_end AS e FROM"
        " TABLE(TUMBLE(TABLE o, DESCRIPTOR(rowtime), INTERVAL '1' HOUR, TIME '00:07:00'))"
    )
    assert "INTERVAL '1' HOUR, INTERVAL '420' SECOND(10))" in text


@pytest.mark.parametrize(
    ("function", "key", "keys"),
    [
        ("TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)", "window_end", "window_start"),
        ("TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)", "window_start", "window_end"),
        (
            "CUMULATE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
            "window_end",
            "window_start",
        ),
    ],
)
def test_a_group_by_one_end_of_a_window_is_one_by_both(function: str, key: str, keys: str) -> None:
    (text,) = flink(f"SELECT STREAM {key} AS e FROM TABLE({function}) GROUP BY {key}")
    assert text.endswith(f"GROUP BY {key}, {keys}")


def test_a_start_of_cumulative_windows_has_several_ends() -> None:
    (text,) = flink(
        "SELECT STREAM window_start AS s FROM TABLE("
        "CUMULATE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '2' HOUR))"
        " GROUP BY window_start"
    )
    assert text.endswith("GROUP BY window_start")


def test_an_asof_join_has_no_form() -> None:
    with pytest.raises(UnsupportedError, match="no ASOF JOIN"):
        flink("SELECT STREAM l.x FROM l ASOF JOIN r MATCH_CONDITION (l.t >= r.t) ON l.k = r.k")


def test_null_has_its_place_behind_the_first_key() -> None:
    (text, *_) = out_of_order("SELECT STREAM rowtime, v FROM s ORDER BY rowtime, v DESC, w")
    assert text.endswith("ORDER BY ROWTIME, V DESC NULLS FIRST, W NULLS LAST")


def test_a_union_without_a_rowtime_is_sorted_by_one_that_it_does_not_show() -> None:
    first, last = out_of_order("SELECT STREAM k FROM a UNION ALL SELECT STREAM k FROM b")
    assert first == (
        "SELECT K FROM (SELECT K, ROWTIME FROM A UNION ALL SELECT K, ROWTIME FROM B) AS MERGED"
        " ORDER BY ROWTIME"
    )
    assert last == "SELECT K FROM A UNION ALL SELECT K FROM B"


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT STREAM a.rowtime FROM
        TABLE(TUMBLE(TABLE r, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)) AS a JOIN q ON a.k = q.k""",
        "SELECT STREAM rowtime, k FROM o GROUP BY GROUPING SETS ((rowtime, k), (k))",
        """SELECT STREAM * FROM (SELECT rowtime FROM o UNION ALL SELECT FLOOR(rowtime TO HOUR)
        AS rowtime FROM o GROUP BY FLOOR(rowtime TO HOUR))""",
    ],
)
def test_rows_whose_time_is_over_are_not_sorted(sql: str) -> None:
    assert not any("ORDER BY" in each for each in out_of_order(sql))
