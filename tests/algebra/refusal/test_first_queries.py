"""Wrong queries that users of other systems type first, with their refusals and suggestions."""

from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.codes import Code
from grammar.source import SqlError

_SCRIPT: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, productId INTEGER, orderId INTEGER, units INTEGER);
CREATE STREAM Shipments (rowtime TIMESTAMP(3) NOT NULL ASCENDING, orderId INTEGER);
CREATE STREAM Clicks (ts TIMESTAMP(3), userId INTEGER);
CREATE TABLE Products (productId INTEGER, name VARCHAR(20));
"""  # noqa: E501
_HOUR: Final = "INTERVAL '1' HOUR"
_TUMBLED: Final = f"GROUP BY TUMBLE(rowtime, {_HOUR})"

#: The query; its code; a part of its message, and of its hint; a part of the corrected text, empty
#: if the hint explains the fault and changes nothing.
QUERIES: Final = [
    # texts of intervals, and units
    (
        "SELECT STREAM * FROM Orders WHERE rowtime > CURRENT_TIMESTAMP - INTERVAL '1 HOUR'",
        Code.SYNTAX_ERROR, "a unit of time", "the unit stands after the text", _HOUR,
    ),
    (
        f"SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1 HOUR') AS rowtime FROM Orders {_TUMBLED}",
        Code.SYNTAX_ERROR,
        "a unit of time", "the unit stands after the text", f"END(rowtime, {_HOUR}",
    ),
    (
        "SELECT STREAM rowtime + INTERVAL '1:99' HOUR TO MINUTE FROM Orders",
        Code.BAD_LITERAL, "at most 59", "INTERVAL '2:39' HOUR TO MINUTE", "'2:39' HOUR TO MINUTE",
    ),
    (
        "SELECT STREAM FLOOR(rowtime TO HOURS) AS h FROM Orders",
        Code.SYNTAX_ERROR, "'HOURS' does not fit here", "HOUR", "FLOOR(rowtime TO HOUR)",
    ),
    (
        "SELECT STREAM rowtime + INTERVAL '5' MINUTES AS t FROM Orders",
        Code.SYNTAX_ERROR, "'MINUTES' does not fit here", "MINUTE", "INTERVAL '5' MINUTE AS t",
    ),
    # functions of other systems
    (
        "SELECT JSON_VALUE('{\"a\":1}', '$.a') FROM Products",
        Code.NOT_SUPPORTED, "JSON functions are not supported", "", "",
    ),
    (
        "SELECT STREAM CURRENT_WATERMARK(rowtime) FROM Orders",
        Code.NOT_SUPPORTED, "not a value that a query can read", "", "",
    ),
    (
        ("SELECT STREAM time_bucket(INTERVAL '1' HOUR, rowtime) AS b, COUNT(*) AS c FROM Orders "
        "GROUP BY time_bucket(INTERVAL '1' HOUR, rowtime)"),
        Code.NOT_SUPPORTED, "TIME_BUCKET", "STEP(rowtime BY INTERVAL '1' HOUR)",
        "GROUP BY STEP(rowtime BY INTERVAL '1' HOUR)",
    ),
    (
        ("SELECT STREAM DATE_TRUNC('hour', rowtime) AS h, COUNT(*) AS c FROM Orders "
        "GROUP BY DATE_TRUNC('hour', rowtime)"),
        Code.NOT_SUPPORTED, "DATE_TRUNC", "FLOOR(rowtime TO HOUR)",
        "GROUP BY FLOOR(rowtime TO HOUR)",
    ),
    (
        "SELECT STREAM IFNULL(units, 0) FROM Orders",
        Code.UNKNOWN_FUNCTION, "IFNULL", "did you mean COALESCE?", "COALESCE(units, 0)",
    ),
    (
        "SELECT STREAM NVL(units, 0) FROM Orders",
        Code.UNKNOWN_FUNCTION, "NVL", "did you mean COALESCE?", "COALESCE(units, 0)",
    ),
    (
        "SELECT STREAM TO_TIMESTAMP('2024-01-01 00:00:00') FROM Orders",
        Code.NOT_SUPPORTED, "TO_TIMESTAMP", "write CAST(", "CAST('2024-01-01 00:00:00' AS TIME",
    ),
    (
        "SELECT STREAM PROCTIME() FROM Orders",
        Code.NOT_SUPPORTED,
        "PROCTIME", "write CURRENT_TIMESTAMP", "STREAM CURRENT_TIMESTAMP FROM",
    ),
    (
        "SELECT STREAM NOW() FROM Orders",
        Code.NOT_SUPPORTED, "NOW", "write CURRENT_TIMESTAMP", "STREAM CURRENT_TIMESTAMP FROM",
    ),
    (
        "SELECT STREAM CONCAT_WS(',', 'a', 'b') FROM Orders",
        Code.UNKNOWN_FUNCTION, "there is no function CONCAT_WS", "", "",
    ),
    (
        "SELECT STREAM rowtime, LAST(units) OVER (ORDER BY rowtime) FROM Orders",
        Code.UNKNOWN_FUNCTION, "LAST", "did you mean LAST_VALUE?", "LAST_VALUE(units) OVER",
    ),
    (
        "SELECT STREAM UPER('x') FROM Orders",
        Code.UNKNOWN_FUNCTION, "UPER", "did you mean UPPER?", "UPPER('x')",
    ),
    # collections and rows
    (
        "SELECT ARRAY[1, 2, 3] FROM Products",
        Code.NOT_SUPPORTED, "ARRAY[…] is not supported", "a column for each element", "",
    ),
    (
        "CREATE TABLE T (tags ARRAY<VARCHAR>)",
        Code.NOT_SUPPORTED, "the type ARRAY is not supported", "a column for each element", "",
    ),
    (
        "CREATE TABLE T (tags MAP<VARCHAR, INTEGER>)",
        Code.NOT_SUPPORTED, "the type MAP is not supported", "a column for each element", "",
    ),
    (
        "CREATE TABLE T (place ROW(x INTEGER, y INTEGER))",
        Code.NOT_SUPPORTED, "the type ROW is not supported", "a column for each element", "",
    ),
    (
        "SELECT ROW(productId, name) FROM Products",
        Code.TYPE_MISMATCH, "a row of 2", "name the values one by one", "",
    ),
    # changelogs
    (
        "SUBSCRIBE (SELECT productId, COUNT(*) FROM Orders GROUP BY productId)",
        Code.NOT_SUPPORTED, "SUBSCRIBE is not supported", "EMIT CHANGES", "",
    ),
    # times and JSON
    (
        "SELECT STREAM rowtime AT TIME ZONE 'UTC' FROM Orders",
        Code.NOT_SUPPORTED, "AT TIME ZONE is not supported", "has no time zone",
        "SELECT STREAM rowtime FROM Orders",
    ),
    (
        "SELECT rowtime AT TIME ZONE 'Europe/Berlin' AS t FROM Orders",
        Code.NOT_SUPPORTED, "AT TIME ZONE is not supported", "add the difference", "",
    ),
    (
        "SELECT 1 FROM Orders WHERE (rowtime, INTERVAL '1' HOUR) OVERLAPS (rowtime, rowtime)",
        Code.NOT_SUPPORTED, "OVERLAPS is not supported", "compare the ends", "",
    ),
    (
        "SELECT name ->> 'a' FROM Products",
        Code.NOT_SUPPORTED, "->> is not supported", "a column for each value", "",
    ),
    (
        "SELECT name->'a' FROM Products",
        Code.NOT_SUPPORTED, "-> is not supported", "a column for each value", "",
    ),
    (
        "SELECT JSON_OBJECT('a' VALUE 1) FROM Products",
        Code.NOT_SUPPORTED, "JSON_OBJECT is not supported", "a column for each value", "",
    ),
    # types
    (
        "CREATE TABLE T (name STRING)",
        Code.SYNTAX_ERROR, "there is no type STRING", "did you mean VARCHAR?", "(name VARCHAR)",
    ),
    (
        "CREATE TABLE T (n INTEGRE)",
        Code.SYNTAX_ERROR, "there is no type INTEGRE", "did you mean INTEGER?", "(n INTEGER)",
    ),
    # CREATE
    (
        "CREATE MATERIALIZED VIEW v AS SELECT * FROM Orders",
        Code.NOT_SUPPORTED, "materialized views", "write CREATE VIEW", "CREATE VIEW v AS",
    ),
    (
        "CREATE TABLE Bids (price INTEGER) WITH ('connector' = 'kafka', 'topic' = 'bids')",
        Code.NOT_SUPPORTED, "WITH (…) is not supported", "CREATE FOREIGN STREAM", "",
    ),
    (
        "CREATE STREAM Bids (price INTEGER) WITH (kafka_topic = 'bids', value_format = 'json')",
        Code.NOT_SUPPORTED, "WITH (…) is not supported", "CREATE FOREIGN STREAM", "",
    ),
    (
        ("CREATE STREAM Bids (ts TIMESTAMP(3), price INTEGER, "
        "WATERMARK FOR ts AS SOURCE_WATERMARK())"),
        Code.TYPE_MISMATCH, "the watermark of TS", "TS - INTERVAL '5' SECOND",
        "WATERMARK FOR ts AS TS - INTERVAL '5' SECOND)",
    ),
    (
        "CREATE TABLE T (id INTEGER, PRIMARY KEY (id) NOT ENFORCED)",
        Code.NOT_SUPPORTED, "NOT ENFORCED", "leave NOT ENFORCED out", "PRIMARY KEY (id))",
    ),
    (
        "CREATE TABLE T (id INTEGER PRIMARY KEY NOT ENFORCED, n INTEGER)",
        Code.NOT_SUPPORTED, "NOT ENFORCED", "leave NOT ENFORCED out", "PRIMARY KEY, n INTEGER",
    ),
    (
        "CREATE SINK s FROM Orders INTO KAFKA",
        Code.NOT_SUPPORTED, "CREATE SINK", "CREATE FOREIGN STREAM", "",
    ),
    (
        "CREATE SOURCE s FROM KAFKA CONNECTION c",
        Code.NOT_SUPPORTED, "CREATE SOURCE", "CREATE FOREIGN STREAM", "",
    ),
    # windows
    (
        ("SELECT STREAM productId, COUNT(*) FROM Orders WINDOW TUMBLING (SIZE 1 HOUR) "
        "GROUP BY productId"),
        Code.NOT_SUPPORTED,
        "WINDOW TUMBLING", f"TUMBLE(rowtime, {_HOUR})", f"{_TUMBLED}, productId",
    ),
    (
        ("SELECT STREAM productId, COUNT(*) FROM Orders "
        "WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 10 MINUTES) GROUP BY productId"),
        Code.NOT_SUPPORTED,
        "WINDOW HOPPING", "HOP(rowtime, INTERVAL '10' MINUTE, INTERVAL '1' HOUR)",
        "GROUP BY HOP(rowtime, INTERVAL '10' MINUTE, INTERVAL '1' HOUR), productId",
    ),
    (
        ("SELECT STREAM productId, COUNT(*) FROM Orders "
        "WINDOW SESSION (60 SECONDS) GROUP BY productId"),
        Code.NOT_SUPPORTED, "WINDOW SESSION", "SESSION(rowtime, INTERVAL '60' SECOND)",
        "GROUP BY SESSION(rowtime, INTERVAL '60' SECOND), productId",
    ),
    (
        "SELECT STREAM * FROM TABLE(SESSIONS(Orders, 'PRODUCTID', INTERVAL '5' MINUTE))",
        Code.NOT_SUPPORTED,
        "there is no table function SESSIONS here", "an extension of an embedded engine", "",
    ),
    (
        "SELECT STREAM * FROM TUMBLE(Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)",
        Code.WRONG_ARGUMENTS, "TABLE t or a query in brackets", "write TABLE Orders",
        "TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)",
    ),
    (
        ("SELECT STREAM * FROM TABLE(HOP(TABLE Orders, rowtime, INTERVAL '10' MINUTE, "
        "INTERVAL '1' HOUR))"),
        Code.WRONG_ARGUMENTS, "DESCRIPTOR(c)", "write DESCRIPTOR(rowtime)",
        "HOP(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)",
    ),
    (
        ("SELECT STREAM * FROM TABLE(TUMBLE(TABLE Orders PARTITION BY units, "
        "DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"),
        Code.WRONG_ARGUMENTS, "takes no PARTITION BY", "leave PARTITION BY out",
        "TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR)",
    ),
    (
        ("SELECT STREAM * FROM TABLE(TUMBLE(DATA => TABLE Orders, TIMECOL => DESCRIPTOR(rowtime), "
        "SIZ => INTERVAL '1' HOUR))"),
        Code.WRONG_ARGUMENTS, "TUMBLE has no parameter SIZ", "did you mean SIZE?",
        "SIZE => INTERVAL '1' HOUR",
    ),
    (
        ("SELECT STREAM TUMBLE_END(ts, INTERVAL '1' HOUR) AS e, COUNT(*) AS c FROM Clicks "
        "GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)"),
        Code.NO_MONOTONIC_KEY, "at least one monotonic expression",
        "column TS has no declared order: declare it ASCENDING", "WITHIN INTERVAL",
    ),
    # clauses
    (
        "SELECT productId, COUNT(*) FROM Orders GROUP BY productId EMIT CHANGES",
        Code.EMIT_MISPLACED, "EMIT", "write STREAM", "SELECT STREAM productId, COUNT(*)",
    ),
    (
        "SELECT STREAM * FROM Orders EMIT FINAL",
        Code.NOT_SUPPORTED, "EMIT", "leave EMIT out", "SELECT STREAM * FROM Orders",
    ),
    (
        "SELECT STREAM rowtime, units FROM Orders QUALIFY units = 1",
        Code.BAD_WINDOW, "QUALIFY filters by window functions", "WHERE", "",
    ),
    (
        "SELECT STREAM * FROM Orders MATCH_RECOGNIZE (PARTITION BY productId)",
        Code.NOT_SUPPORTED, "MATCH_RECOGNIZE", "LAG(x) OVER", "",
    ),
    (
        ("SELECT STREAM o.rowtime FROM Orders o ASOF JOIN Shipments s "
        "ON o.orderId = s.orderId AND o.rowtime >= s.rowtime"),
        Code.SYNTAX_ERROR, "requires MATCH_CONDITION", "MATCH_CONDITION (o.rowtime >= s.rowtime)",
        "MATCH_CONDITION (o.rowtime >= s.rowtime) ON o.orderId = s.orderId",
    ),
    (
        ("SELECT STREAM o.rowtime FROM Orders o ASOF LEFT JOIN Shipments s "
        "MATCH_CONDITION (o.rowtime >= s.rowtime) ON o.orderId = s.orderId"),
        Code.SYNTAX_ERROR, "ASOF stands", "LEFT ASOF JOIN", "Orders o LEFT ASOF JOIN Shipments s",
    ),
    (
        "SELECT STREAM * FROM Orders o JOIN Shipments s WITHIN 1 HOUR ON o.orderId = s.orderId",
        Code.NOT_SUPPORTED, "WITHIN", "s.rowtime BETWEEN o.rowtime AND", "",
    ),
    (
        "SELECT STREAM * FROM Orders FOR SYSTEM_TIME AS OF rowtime",
        Code.NOT_TEMPORAL, "not a temporal table", "PERIOD", "",
    ),
    (
        "SELECT * FROM Products FOR SYSTEM_TIME BETWEEN 1 AND 2",
        Code.NOT_SUPPORTED, "FOR SYSTEM_TIME BETWEEN", "FOR SYSTEM_TIME AS OF", "",
    ),
    (
        "SELECT STREAM DISTINCT ON (productId) * FROM Orders",
        Code.NOT_SUPPORTED, "DISTINCT ON", "ROW_NUMBER() OVER", "",
    ),
    (
        "SELECT COUNT(*) FILTER WHERE productId > 3 FROM Products",
        Code.SYNTAX_ERROR, "FILTER", "FILTER (WHERE", "FILTER (WHERE productId > 3) FROM",
    ),
    # names, texts and quotes
    (
        'SELECT STREAM "productId" FROM Orders',
        Code.UNKNOWN_COLUMN, "'productId' not found",
        'did you mean productId (unquoted) or "PRODUCTID"?', "SELECT STREAM productId FROM",
    ),
    (
        'SELECT name FROM Products WHERE name = "abc"',
        Code.UNKNOWN_COLUMN, "'abc' not found", "a text is written 'abc'", "name = 'abc'",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE productId = 'abc",
        Code.SYNTAX_ERROR, "is not closed", "close it with '", "",
    ),
    (
        "SELECT STREAM * FROM orderz",
        Code.UNKNOWN_OBJECT, "'ORDERZ' not found", "did you mean ORDERS?", "FROM ORDERS",
    ),
    (
        "SELECT STREAM unit FROM Orders",
        Code.UNKNOWN_COLUMN, "'UNIT' not found", "did you mean UNITS?", "SELECT STREAM UNITS FROM",
    ),
    (
        "SELECT STREAM oders.units FROM Orders",
        Code.UNKNOWN_OBJECT, "'ODERS' not found", "did you mean ORDERS?", "ORDERS.units",
    ),
    (
        "SELECT order FROM Orders",
        Code.SYNTAX_ERROR,
        "ORDER does not fit here", 'as a name write "ORDER"', 'SELECT "ORDER" FROM',
    ),
    # misspelt words and foreign operators
    (
        "SELCT STREAM * FROM Orders",
        Code.SYNTAX_ERROR, "'SELCT' does not fit here", "did you mean SELECT?", "SELECT STREAM *",
    ),
    (
        "SELECT STREAM * FORM Orders",
        Code.SYNTAX_ERROR, "'FORM' does not fit here", "did you mean FROM?", "* FROM Orders",
    ),
    (
        "SELECT STREAM * FROM Orders WERE units > 3",
        Code.SYNTAX_ERROR, "'units' does not fit here", "did you mean WHERE?", "WHERE units > 3",
    ),
    (
        "SELECT STREAM units::VARCHAR FROM Orders",
        Code.SYNTAX_ERROR, "no operator ::", "CAST(x AS type)", "CAST(units AS VARCHAR) FROM",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE units == 3",
        Code.SYNTAX_ERROR, "no operator ==", "compare with =", "units = 3",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE units => 3",
        Code.SYNTAX_ERROR, "'=>' is not an operator", "compare with >=", "units >= 3",
    ),
    # types
    (
        "SELECT STREAM * FROM Orders WHERE units > 'x'",
        Code.TYPE_MISMATCH, "INTEGER is not compared with VARCHAR", "write a number", "",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE units > '7'",
        Code.TYPE_MISMATCH, "INTEGER is not compared with VARCHAR", "CAST('7' AS INTEGER)",
        "units > CAST('7' AS INTEGER)",
    ),
    (
        "SELECT STREAM COALESCE(units, 'none') FROM Orders",
        Code.TYPE_MISMATCH, "do not go together", "write a number in place of 'none'", "",
    ),
    (
        "SELECT SUM(name) FROM Products",
        Code.TYPE_MISMATCH, "SUM does not take VARCHAR(20)", "CAST(name AS INTEGER)",
        "SUM(CAST(name AS INTEGER))",
    ),
    # groups and streams
    (
        "SELECT STREAM rowtime, units, COUNT(*) FROM Orders GROUP BY productId",
        Code.NOT_GROUPED, "'ROWTIME' is not being grouped", "group by ROWTIME, too",
        "GROUP BY productId, rowtime, units",
    ),
    (
        "SELECT STREAM rowtime, COUNT(*) FROM Orders GROUP BY FLOOR(rowtime TO HOUR)",
        Code.NOT_GROUPED,
        "'ROWTIME' is not being grouped", "select the key: FLOOR(rowtime TO HOUR)",
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS ROWTIME, COUNT(*)",
    ),
    (
        "SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId",
        Code.NO_MONOTONIC_KEY, "at least one monotonic", "FLOOR(ROWTIME TO HOUR), too",
        "GROUP BY FLOOR(ROWTIME TO HOUR), productId",
    ),
    (
        "SELECT STREAM * FROM Orders AS o JOIN Shipments AS s ON o.orderId = s.orderId",
        Code.NO_LOCK_STEP, "not in lock step", "how far apart the rows may be", "BETWEEN O.ROWTIME",
    ),
    (
        "SELECT STREAM o.* FROM Orders o, Shipments s WHERE o.orderId = s.orderId",
        Code.NO_LOCK_STEP, "not in lock step", "how far apart the rows may be", "BETWEEN O.ROWTIME",
    ),
    (
        "SELECT STREAM * FROM Orders ORDER BY units",
        Code.NOT_MONOTONIC_ORDER, "must start with monotonic", "FLOOR(ROWTIME TO HOUR) first",
        "ORDER BY FLOOR(ROWTIME TO HOUR), units",
    ),
    (
        ("SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime "
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS s FROM Orders"),
        Code.UNBOUNDED_FRAME, "never completes", "end the frame at the current row",
        "AND CURRENT ROW)",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE orderId IN (SELECT STREAM orderId FROM Shipments)",
        Code.STREAM_IN_SUBQUERY, "'SHIPMENTS' to a table", "join the stream in FROM", "JOIN",
    ),
    (
        "SELECT STREAM * FROM Products",
        Code.TABLE_TO_STREAM,
        "'PRODUCTS' to a stream", "leave STREAM out", "SELECT * FROM Products",
    ),
    (
        "SELECT * FROM Orders",
        Code.STREAM_TO_TABLE, "'ORDERS' to a table", "STREAM", "SELECT STREAM * FROM Orders",
    ),
    (
        "SELECT STREAM * FROM Orders LIMIT 10",
        Code.STREAMING_LIMIT, "OFFSET, LIMIT or FETCH", "leave LIMIT 10 out", "FROM Orders",
    ),
    (
        "SELECT STREAM * FROM Orders LIMIT 10 OFFSET 5",
        Code.STREAMING_LIMIT,
        "OFFSET, LIMIT or FETCH", "leave LIMIT 10 OFFSET 5 out", "FROM Orders",
    ),
    (
        "SELECT STREAM * FROM Products AS p LEFT JOIN Orders AS o ON p.productId = o.productId",
        Code.TABLE_PRESERVED, "outer join with a stream", "join without the rows", "JOIN",
    ),
    (
        "SELECT STREAM orderId FROM Orders UNION ALL SELECT productId FROM Products",
        Code.MIXED_SET_OPERATION, "streaming and non-streaming", "leave this branch of UNION out",
        "SELECT STREAM orderId FROM Orders",
    ),
]  # fmt: skip


def _refusal(query: str) -> SqlError | None:
    """The refusal of the query, or of the definition at the end of the script."""
    try:
        if query.startswith("CREATE"):
            prepare(f"{_SCRIPT}{query};", None, Profile.CALCITE)
        else:
            prepare(_SCRIPT, query, Profile.CALCITE)
    except SqlError as error:
        return error
    return None


#: Corrected texts that have another fault, which is reported next.
_NEXT: Final = {
    "SELECT order FROM Orders": Code.UNKNOWN_COLUMN,
}


@pytest.mark.parametrize(("query", "code", "message", "hint", "corrected"), QUERIES)
def test_a_wrong_first_query_is_explained(
    query: str, code: Code, message: str, hint: str, corrected: str
) -> None:
    error = _refusal(query)
    assert error is not None
    assert (error.code, bool(error.hint), bool(error.edits)) == (code, bool(hint), bool(corrected))
    assert message in error.message
    assert hint in error.hint
    if corrected:
        text = error.corrected.removeprefix(_SCRIPT).removesuffix(";")
        assert corrected in text
        other = _refusal(text)
        assert (None if other is None else other.code) == _NEXT.get(query)


def test_emit_never_becomes_a_query_that_reads_a_history_once() -> None:
    for clause in ("EMIT ON WINDOW CLOSE", "EMIT FINAL", "EMIT"):
        error = _refusal(f"SELECT units FROM (SELECT * FROM Orders) AS o {clause}")
        assert error is not None
        assert error.corrected == "SELECT STREAM units FROM (SELECT * FROM Orders) AS o"
