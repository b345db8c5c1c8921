"""Results as notebooks show them."""

from collections.abc import Callable
from operator import methodcaller

import rowtime
from tests.rowtime.driver.conftest import at

#: What a notebook shows of a result.
shown: Callable[[object], str] = methodcaller("_repr_html_")


def test_a_result_is_a_table_that_can_still_be_fetched(streams: rowtime.Connection) -> None:
    result = streams.execute("SELECT 1 AS a, '<b>' AS b, CAST(NULL AS INTEGER) AS c, 'NULL' AS d")
    table = shown(result)
    assert table == (
        '<table><thead><tr><th title="INTEGER">A</th><th title="VARCHAR">B</th>'
        '<th title="INTEGER">C</th><th title="VARCHAR">D</th></tr></thead><tbody><tr>'
        '<td style="text-align: right">1</td><td>&lt;b&gt;</td>'
        '<td style="text-align: right"><i>NULL</i></td><td>NULL</td></tr></tbody></table>'
    )
    assert shown(result) == table
    assert result.fetchone() == (1, "<b>", None, "NULL")


def test_twenty_rows_are_shown_and_the_others_counted(streams: rowtime.Connection) -> None:
    streams.executescript("CREATE TABLE T (a INTEGER)")
    insert = streams.prepare("INSERT INTO T VALUES (?)")
    insert.executemany([(number,) for number in range(1_030)])
    assert shown(insert.cursor) == "<p>1,030 rows written</p>"
    result = streams.execute("SELECT a FROM T")
    assert shown(result).count("<tr>") == 21
    assert "<p>1,010 more rows</p>" in shown(result)
    result.fetchmany(1_025)
    assert shown(result).count("<tr>") == 6
    assert len(result.fetchall()) == 5


def test_a_stream_shows_what_is_there(streams: rowtime.Connection) -> None:
    reader = streams.execute("SELECT STREAM ticker FROM Orders")
    assert "<td>" not in shown(reader)
    streams.execute("INSERT INTO Orders VALUES (?, ?)", (at("10:00"), "A"))
    assert "<td>A</td>" in shown(reader)
    assert "<p>a streaming query: it will emit more rows</p>" in shown(reader)
    assert reader.fetch_available() == [("A",)]


def test_a_definition_has_no_result(streams: rowtime.Connection) -> None:
    assert shown(streams.execute("CREATE TABLE T (a INTEGER)")) == "<p>no result</p>"
