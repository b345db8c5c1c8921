"""The kit's texts in LaminarDB's dialect."""

import pytest

from engines.harness.declarations import LackError, read_script
from engines.laminardb.script import Windows, plain, source, stateless, windows

HOUR = "tumble(rowtime, interval '1' hour)"


def test_an_event_time_is_a_number_with_a_watermark() -> None:
    ddl = """CREATE STREAM Orders (
        rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '90' SECOND, units INTEGER) WITH HISTORY"""
    ((relation,), views) = read_script(ddl, streaming=True)
    assert source(relation) == (
        "CREATE SOURCE orders (rowtime BIGINT, units INTEGER,"
        " WATERMARK FOR rowtime AS rowtime - INTERVAL '90' SECOND)"
    )
    assert views == []


def test_texts_keep_their_letters_and_names_lose_them() -> None:
    assert plain("SELECT STREAM Units FROM Orders -- all\nWHERE k = 'SELECT STREAM'") == (
        "select units from orders  \nwhere k = 'SELECT STREAM'"
    )


@pytest.mark.parametrize("key", ["TUMBLE(rowtime, INTERVAL '1' HOUR)", "FLOOR(rowtime TO HOUR)"])
def test_edges_of_a_window_are_columns_of_the_answer(key: str) -> None:
    sql = plain(
        f"SELECT STREAM {key.replace('TUMBLE', 'TUMBLE_START')} AS s, COUNT(*) AS c FROM o"
        f" WHERE rowtime > 5 GROUP BY {key}, k"
    )
    assert windows(sql, ["ROWTIME"]) == Windows(
        f"SELECT {HOUR} AS w0, count(*) AS c1 FROM o WHERE to_timestamp_millis(rowtime) > 5"
        f" GROUP BY {HOUR}, k",
        ("window_start", "c1"),
        3_600_000,
    )


def test_a_window_that_is_not_shown_is_not_selected() -> None:
    found = windows(plain(f"SELECT STREAM COUNT(*) AS c FROM o GROUP BY {HOUR}"), ["ROWTIME"])
    assert found == Windows(f"SELECT count(*) AS c0 FROM o GROUP BY {HOUR}", ("c0",), 3_600_000)


def test_a_session_has_no_size() -> None:
    key = "SESSION(rowtime, INTERVAL '1' HOUR)"
    found = windows(plain(f"SELECT STREAM COUNT(*) AS c FROM o GROUP BY {key}"), ["ROWTIME"])
    assert found is not None
    assert found.size is None


def test_a_union_of_windows_is_not_a_query_over_windows() -> None:
    one = f"SELECT STREAM COUNT(*) AS c FROM o GROUP BY {HOUR}"
    assert windows(plain(f"{one} UNION ALL {one}"), ["ROWTIME"]) is None


def test_a_time_outside_of_windows_is_a_timestamp() -> None:
    sql = plain("SELECT STREAM o.rowtime AS rowtime, units FROM o WHERE FLOOR(rowtime TO DAY) > d")
    assert stateless(sql, ["ROWTIME"]) == (
        "select to_timestamp_millis(o.rowtime) as rowtime, units from o"
        " where date_trunc('day', to_timestamp_millis(rowtime)) > d"
    )


def test_a_group_without_a_window_is_lacking() -> None:
    with pytest.raises(LackError, match="needs a window that is written in the same query"):
        stateless("select k, count(*) from o group by k", ["ROWTIME"])


def test_a_window_without_its_size_is_lacking() -> None:
    with pytest.raises(LackError, match="without its size"):
        windows("select count(*) as c from o group by tumble(rowtime)", ["ROWTIME"])
