"""Queries in Flink's dialect."""

import pytest

from engines.dialect.unsupported import UnsupportedError
from engines.flink.dialect import in_flink, is_streaming
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
