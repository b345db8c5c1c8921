"""What binding refuses: the code, the guilty text, and what would pass (S-801, S-802)."""

# ruff: noqa: ISC004 - long queries in tables

import pytest

from algebra.catalog import Profile
from grammar.codes import Code
from grammar.source import Edit, edited
from tests.algebra.page_schema import ORDERS, TICKS, guilty, ready, refusal, repaired

#: Query, code, guilty text.
NAMES = [
    ("SELECT * FROM Nowhere", Code.UNKNOWN_OBJECT, "Nowhere"),
    ("SELECT x.units FROM Orders o", Code.UNKNOWN_OBJECT, "x"),
    ("SELECT Orders.units FROM Orders o", Code.UNKNOWN_OBJECT, "Orders"),
    ("SELECT x.* FROM Orders o", Code.UNKNOWN_OBJECT, "x"),
    ("SELECT nope FROM Orders", Code.UNKNOWN_COLUMN, "nope"),
    ('SELECT "units" FROM Orders', Code.UNKNOWN_COLUMN, '"units"'),
    ("SELECT o.nope FROM Orders o", Code.UNKNOWN_COLUMN, "nope"),
    ("SELECT units AS u FROM Orders WHERE u > 1", Code.UNKNOWN_COLUMN, "u"),
    ("SELECT units + 1 AS u FROM Orders GROUP BY u", Code.UNKNOWN_COLUMN, "u"),
    ("SELECT * FROM Orders JOIN Products USING (units)", Code.UNKNOWN_COLUMN, "units"),
    ("SELECT productId FROM Orders o JOIN Products p ON TRUE", Code.AMBIGUOUS_COLUMN, "productId"),
    ("SELECT units AS a, orderId AS a FROM Orders ORDER BY a", Code.AMBIGUOUS_COLUMN, "a"),
    ("SELECT * FROM Orders o JOIN Products o ON TRUE", Code.DUPLICATE_NAME, "o"),
    ("WITH t AS (SELECT 1), t AS (SELECT 2) SELECT * FROM t", Code.DUPLICATE_NAME, "t"),
    ("SELECT * FROM (SELECT 1, 2) AS t (a, a)", Code.DUPLICATE_NAME, "a"),
    ("SELECT 1 FROM Orders WINDOW w AS (), w AS ()", Code.DUPLICATE_NAME, "w"),
    ("SELECT SUM(units) OVER w FROM Orders", Code.UNKNOWN_WINDOW, "w"),
    (
        "SELECT * FROM (SELECT SUM(units) OVER w FROM Orders) WINDOW w AS (ORDER BY 1)",
        Code.UNKNOWN_WINDOW,
        "w",
    ),
    ("SELECT uper(name) FROM Products", Code.UNKNOWN_FUNCTION, "uper"),
    ("WITH t AS (SELECT nope FROM Orders) SELECT 1", Code.UNKNOWN_COLUMN, "nope"),
]

QUERY = [
    ("SELECT 1 UNION ALL SELECT 1, 2", Code.COLUMN_COUNT, "SELECT 1, 2"),
    ("SELECT 1 UNION ALL SELECT 'a'", Code.TYPE_MISMATCH, "SELECT 'a'"),
    ("VALUES (1, 2), (3)", Code.COLUMN_COUNT, "3"),
    ("VALUES (1), ('a')", Code.TYPE_MISMATCH, "'a'"),
    ("SELECT * FROM (SELECT 1) AS t (a, b)", Code.COLUMN_COUNT, "a, b"),
    ("SELECT * FROM Orders WHERE (SELECT 1, 2) = 1", Code.SUBQUERY_COLUMNS, "SELECT 1, 2"),
    ("SELECT units FROM Orders WHERE SUM(units) > 1", Code.AGGREGATE_MISPLACED, "SUM(units)"),
    (
        "SELECT 1 FROM Orders o JOIN Products p ON COUNT(*) = 1",
        Code.AGGREGATE_MISPLACED,
        "COUNT(*)",
    ),
    ("SELECT 1 FROM Orders GROUP BY COUNT(*)", Code.AGGREGATE_MISPLACED, "COUNT(*)"),
    ("VALUES (COUNT(*))", Code.AGGREGATE_MISPLACED, "COUNT(*)"),
    ("SELECT SUM(MAX(units)) FROM Orders", Code.AGGREGATE_NESTED, "MAX(units)"),
    (
        "SELECT SUM(units) FILTER (WHERE MAX(units) > 1) FROM Orders",
        Code.AGGREGATE_NESTED,
        "MAX(units)",
    ),
    ("SELECT units, COUNT(*) FROM Orders", Code.NOT_GROUPED, "units"),
    ("SELECT orderId + units FROM Orders GROUP BY orderId", Code.NOT_GROUPED, "units"),
    ("SELECT * FROM Orders GROUP BY orderId", Code.NOT_GROUPED, "*"),
    ("SELECT 1 FROM Orders GROUP BY orderId HAVING units > 1", Code.NOT_GROUPED, "units"),
    ("SELECT 1 FROM Orders GROUP BY orderId ORDER BY units", Code.NOT_GROUPED, "units"),
    (
        "SELECT (SELECT MAX(p.name) FROM Products p WHERE p.productId = o.units) FROM Orders o "
        "GROUP BY o.productId",
        Code.NOT_GROUPED,
        "o.units",
    ),
    ("SELECT DISTINCT units FROM Orders ORDER BY orderId", Code.NOT_GROUPED, "orderId"),
    ("SELECT GROUPING(units) FROM Orders GROUP BY orderId", Code.NOT_GROUPED, "units"),
    (
        "SELECT 1 FROM Orders WHERE SUM(units) OVER () > 1",
        Code.WINDOW_MISPLACED,
        "SUM(units) OVER ()",
    ),
    (
        "SELECT 1 FROM Orders GROUP BY RANK() OVER (ORDER BY units)",
        Code.WINDOW_MISPLACED,
        "RANK() OVER (ORDER BY units)",
    ),
    (
        "SELECT 1 FROM Orders GROUP BY units HAVING COUNT(*) OVER () > 1",
        Code.WINDOW_MISPLACED,
        "COUNT(*) OVER ()",
    ),
    (
        "SELECT SUM(COUNT(*) OVER ()) OVER () FROM Orders",
        Code.WINDOW_MISPLACED,
        "COUNT(*) OVER ()",
    ),
    (
        "SELECT SUM(RANK() OVER (ORDER BY units)) FROM Orders",
        Code.WINDOW_MISPLACED,
        "RANK() OVER (ORDER BY units)",
    ),
    ("SELECT RANK() FROM Orders", Code.OVER_REQUIRED, "RANK()"),
    ("SELECT UPPER('a') OVER () FROM Orders", Code.OVER_NOT_ALLOWED, "()"),
    (
        "SELECT TUMBLE(rowtime, INTERVAL '1' HOUR) FROM Orders",
        Code.GROUP_WINDOW_MISPLACED,
        "TUMBLE(rowtime, INTERVAL '1' HOUR)",
    ),
    (
        "SELECT TUMBLE_END(rowtime) FROM Orders",
        Code.NO_MATCHING_GROUP_WINDOW,
        "TUMBLE_END(rowtime)",
    ),
    (
        "SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR) FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '2' HOUR)",
        Code.NO_MATCHING_GROUP_WINDOW,
        "TUMBLE_END(rowtime, INTERVAL '1' HOUR)",
    ),
    (
        "SELECT TUMBLE_END(rowtime) FROM Orders "
        "GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
        Code.NO_MATCHING_GROUP_WINDOW,
        "TUMBLE_END(rowtime)",
    ),
    (
        "SELECT TUMBLE_END(rowtime) FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), TUMBLE(rowtime, INTERVAL '2' HOUR)",
        Code.AMBIGUOUS_GROUP_WINDOW,
        "TUMBLE_END(rowtime)",
    ),
    ("SELECT 1 FROM Orders GROUP BY TUMBLE(rowtime)", Code.WRONG_ARGUMENTS, "TUMBLE(rowtime)"),
    ("SELECT 1 FROM Orders GROUP BY TUMBLE(units, INTERVAL '1' DAY)", Code.TYPE_MISMATCH, "units"),
    ("SELECT 1 FROM Orders LIMIT -1", Code.BAD_LIMIT, "-1"),
    ("SELECT 1 FROM Orders LIMIT units", Code.BAD_LIMIT, "units"),
    ("SELECT 1 FROM Orders OFFSET 1.5 ROWS", Code.BAD_LIMIT, "1.5"),
    ("SELECT 1 FROM Orders ORDER BY 2", Code.BAD_ORDINAL, "2"),
    ("SELECT 1 FROM Orders ORDER BY 0", Code.BAD_ORDINAL, "0"),
    (
        "SELECT * FROM Products FOR SYSTEM_TIME AS OF TIMESTAMP '2015-02-15 10:00:00'",
        Code.NOT_TEMPORAL,
        "Products",
    ),
    (
        "WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t",
        Code.NOT_SUPPORTED,
        "RECURSIVE",
    ),
    (
        "SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY unitPrice) FROM Products",
        Code.WRONG_ARGUMENTS,
        "1.5",
    ),
    (
        "SELECT PERCENTILE_CONT(unitPrice) WITHIN GROUP (ORDER BY unitPrice) FROM Products",
        Code.WRONG_ARGUMENTS,
        "unitPrice",
    ),
    (
        "SELECT PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY name) FROM Products",
        Code.TYPE_MISMATCH,
        "name",
    ),
    (
        "SELECT PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY unitPrice, name) FROM Products",
        Code.WRONG_ARGUMENTS,
        "PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY unitPrice, name)",
    ),
    ("SELECT PERCENTILE_DISC(0.3) FROM Products", Code.WRONG_ARGUMENTS, "PERCENTILE_DISC(0.3)"),
    (
        "SELECT PERCENTILE_DISC(DISTINCT 0.3) WITHIN GROUP (ORDER BY name) FROM Products",
        Code.WRONG_ARGUMENTS,
        "PERCENTILE_DISC(DISTINCT 0.3) WITHIN GROUP (ORDER BY name)",
    ),
    ("SELECT LISTAGG(unitPrice) FROM Products", Code.TYPE_MISMATCH, "unitPrice"),
    ("SELECT STRING_AGG(name) FROM Products", Code.WRONG_ARGUMENTS, "STRING_AGG(name)"),
    ("SELECT LISTAGG(name, city) FROM Products, Suppliers", Code.WRONG_ARGUMENTS, "city"),
    (
        "SELECT LISTAGG(DISTINCT name) WITHIN GROUP (ORDER BY unitPrice) FROM Products",
        Code.WRONG_ARGUMENTS,
        "unitPrice",
    ),
    ("SELECT CORR(unitPrice) FROM Products", Code.WRONG_ARGUMENTS, "CORR(unitPrice)"),
    ("SELECT CORR(unitPrice, name) FROM Products", Code.TYPE_MISMATCH, "name"),
    (
        "SELECT COVAR_POP(DISTINCT unitPrice, productId) FROM Products",
        Code.WRONG_ARGUMENTS,
        "COVAR_POP(DISTINCT unitPrice, productId)",
    ),
    (
        "SELECT SUM(unitPrice) WITHIN GROUP (ORDER BY name) FROM Products",
        Code.WRONG_ARGUMENTS,
        "SUM(unitPrice) WITHIN GROUP (ORDER BY name)",
    ),
    (
        "SELECT LISTAGG(name) WITHIN GROUP (ORDER BY name) OVER (ORDER BY name) FROM Products",
        Code.OVER_NOT_ALLOWED,
        "(ORDER BY name)",
    ),
    (
        "SELECT SUM(productId) OVER (GROUPS CURRENT ROW) FROM Products",
        Code.BAD_FRAME,
        "GROUPS CURRENT ROW",
    ),
    (
        "SELECT SUM(productId) OVER (ORDER BY name GROUPS 1.5 PRECEDING) FROM Products",
        Code.BAD_FRAME,
        "1.5",
    ),
    (
        "SELECT SUM(productId) OVER (ORDER BY name GROUPS BETWEEN 1 PRECEDING AND 2 PRECEDING)"
        " FROM Products",
        Code.BAD_FRAME,
        "GROUPS BETWEEN 1 PRECEDING AND 2 PRECEDING",
    ),
    ("SELECT STREAM RAND() FROM Orders", Code.NOT_DETERMINISTIC, "RAND()"),
    (
        "SELECT STREAM * FROM Orders WHERE units > (SELECT MAX(RAND()) FROM Products)",
        Code.NOT_DETERMINISTIC,
        "RAND()",
    ),
    (
        "SELECT 1 FROM Orders GROUP BY SESSION(rowtime, INTERVAL '1' MONTH)",
        Code.BAD_GROUP_WINDOW,
        "INTERVAL '1' MONTH",
    ),
]

WINDOWS = [
    ("SUM(units) OVER (w PARTITION BY units)", Code.BAD_WINDOW, "units"),
    ("SUM(units) OVER (w ORDER BY units)", Code.BAD_WINDOW, "units"),
    ("SUM(units) OVER (f ORDER BY units)", Code.BAD_WINDOW, "units"),
    ("SUM(units) OVER (f ROWS 1 PRECEDING)", Code.BAD_WINDOW, "ROWS 1 PRECEDING"),
    ("RANK() OVER (w ROWS 1 PRECEDING)", Code.BAD_FRAME, "ROWS 1 PRECEDING"),
    ("LAG(units) OVER f", Code.BAD_FRAME, "ROWS 2 PRECEDING"),
    (
        "SUM(units) OVER (w ROWS BETWEEN CURRENT ROW AND 1 PRECEDING)",
        Code.BAD_FRAME,
        "ROWS BETWEEN CURRENT ROW AND 1 PRECEDING",
    ),
    (
        "SUM(units) OVER (w ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING)",
        Code.BAD_FRAME,
        "ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING",
    ),
    ("SUM(units) OVER (w ROWS -1 PRECEDING)", Code.BAD_FRAME, "-1"),
    ("SUM(units) OVER (w ROWS units PRECEDING)", Code.BAD_FRAME, "units"),
    ("SUM(units) OVER (w RANGE 5 PRECEDING)", Code.BAD_FRAME, "5"),
    ("SUM(units) OVER (w ROWS 1.5 PRECEDING)", Code.BAD_FRAME, "1.5"),
    (
        "SUM(units) OVER (ORDER BY rowtime, units RANGE INTERVAL '1' HOUR PRECEDING)",
        Code.BAD_FRAME,
        "INTERVAL '1' HOUR",
    ),
]


@pytest.mark.parametrize(("sql", "code", "at"), NAMES + QUERY)
def test_a_query_is_refused_at_its_fault(sql: str, code: Code, at: str) -> None:
    error = refusal(sql)
    assert (error.code, error.sql) == (code, sql)
    assert guilty(error) == at


@pytest.mark.parametrize(("call", "code", "at"), WINDOWS)
def test_a_window_is_refused_at_its_fault(call: str, code: Code, at: str) -> None:
    named = "WINDOW w AS (PARTITION BY productId ORDER BY rowtime), f AS (ROWS 2 PRECEDING)"
    error = refusal(f"SELECT {call} FROM Orders {named}")
    assert error.code is code
    assert guilty(error) == at


STREAMING = [
    (
        "SELECT STREAM SUM(units) OVER (ORDER BY rowtime "
        "GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY rowtime GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
    ),
    (
        "SELECT STREAM SUM(units) OVER (ORDER BY units GROUPS 1 PRECEDING) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY units GROUPS 1 PRECEDING)",
    ),
    (
        "SELECT STREAM LISTAGG('x') OVER (ORDER BY rowtime) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY rowtime)",
    ),
    ("SELECT * FROM Shipments", Code.STREAM_TO_TABLE, "Shipments"),
    ("SELECT STREAM * FROM Products", Code.TABLE_TO_STREAM, "Products"),
    ("SELECT STREAM p.name FROM Products AS p", Code.TABLE_TO_STREAM, "Products"),
    ("SELECT STREAM * FROM (SELECT * FROM Products)", Code.TABLE_TO_STREAM, "Products"),
    (
        "SELECT STREAM * FROM Products p JOIN Suppliers s ON TRUE",
        Code.NO_STREAMING_INPUT,
        "Products p JOIN Suppliers s ON TRUE",
    ),
    ("SELECT STREAM * FROM (VALUES (1, 'abc'))", Code.STREAMING_VALUES, "VALUES (1, 'abc')"),
    ("SELECT STREAM 1", Code.STREAMING_VALUES, "SELECT STREAM 1"),
    (
        "SELECT STREAM units FROM Orders UNION ALL SELECT productId FROM Products",
        Code.MIXED_SET_OPERATION,
        "SELECT productId FROM Products",
    ),
    (
        "SELECT units FROM Orders UNION ALL SELECT STREAM units FROM Orders",
        Code.MIXED_SET_OPERATION,
        "SELECT STREAM units FROM Orders",
    ),
    (
        "SELECT STREAM units FROM Orders UNION ALL SELECT STREAM productId FROM Products",
        Code.TABLE_TO_STREAM,
        "Products",
    ),
    (
        "SELECT STREAM a FROM "
        "(SELECT units a FROM Orders UNION ALL SELECT productId FROM Products)",
        Code.MIXED_SET_OPERATION,
        "SELECT productId FROM Products",
    ),
    ("SELECT STREAM rowtime FROM Orders LIMIT 3", Code.STREAMING_LIMIT, "LIMIT 3"),
    ("SELECT STREAM rowtime FROM Orders OFFSET 2 ROWS", Code.STREAMING_LIMIT, "OFFSET 2 ROWS"),
    (
        "SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId",
        Code.NO_MONOTONIC_KEY,
        "GROUP BY productId",
    ),
    ("SELECT STREAM 1, COUNT(*) FROM Orders", Code.NO_MONOTONIC_KEY, "COUNT(*)"),
    ("SELECT STREAM 1 FROM Orders HAVING TRUE", Code.NO_MONOTONIC_KEY, "TRUE"),
    ("SELECT STREAM COUNT(*) FROM Orders GROUP BY ()", Code.NO_MONOTONIC_KEY, "GROUP BY ()"),
    ("SELECT STREAM COUNT(*) FROM Orders GROUP BY 1", Code.NO_MONOTONIC_KEY, "GROUP BY 1"),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY ROLLUP(rowtime)",
        Code.NO_MONOTONIC_KEY,
        "GROUP BY ROLLUP(rowtime)",
    ),
    (
        "SELECT STREAM rowtime, productId FROM Orders "
        "GROUP BY GROUPING SETS ((rowtime, productId), (productId))",
        Code.NO_MONOTONIC_KEY,
        "GROUP BY GROUPING SETS ((rowtime, productId), (productId))",
    ),
    (
        "SELECT STREAM c FROM (SELECT COUNT(*) AS c FROM "
        "(SELECT productId FROM Orders) GROUP BY productId)",
        Code.NO_MONOTONIC_KEY,
        "GROUP BY productId",
    ),
    ("SELECT STREAM DISTINCT productId FROM Orders", Code.NO_MONOTONIC_KEY, "productId"),
    (
        "SELECT STREAM units FROM Orders UNION SELECT STREAM orderId FROM Shipments",
        Code.NO_MONOTONIC_KEY,
        "SELECT STREAM units FROM Orders UNION SELECT STREAM orderId FROM Shipments",
    ),
    (
        "SELECT STREAM * FROM Orders ORDER BY productId, rowtime",
        Code.NOT_MONOTONIC_ORDER,
        "productId",
    ),
    ("SELECT STREAM * FROM Orders ORDER BY rowtime DESC", Code.NOT_MONOTONIC_ORDER, "rowtime DESC"),
    ("SELECT STREAM * FROM Countdown ORDER BY left_over", Code.NOT_MONOTONIC_ORDER, "left_over"),
    (
        "SELECT STREAM * FROM Readings ORDER BY rowtime WITHIN INTERVAL '9' SECOND",
        Code.NOT_MONOTONIC_ORDER,
        "rowtime WITHIN INTERVAL '9' SECOND",
    ),
    (
        "SELECT STREAM o.units FROM Orders o JOIN Shipments s ON o.orderId = s.orderId",
        Code.NO_LOCK_STEP,
        "o.orderId = s.orderId",
    ),
    ("SELECT STREAM 1 FROM Orders o, Shipments s", Code.NO_LOCK_STEP, "Orders o, Shipments s"),
    (
        "SELECT STREAM o.units FROM Orders o LEFT JOIN Shipments s ON o.orderId = s.orderId "
        "WHERE s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR",
        Code.NO_LOCK_STEP,
        "o.orderId = s.orderId",
    ),
    (
        "SELECT STREAM 1 FROM Orders OVER (RANGE UNBOUNDED PRECEDING) o JOIN Shipments s ON TRUE",
        Code.INFINITE_WINDOW,
        "UNBOUNDED PRECEDING",
    ),
    (
        "SELECT STREAM SUM(units) OVER (ORDER BY rowtime ROWS BETWEEN CURRENT ROW AND "
        "UNBOUNDED FOLLOWING) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY rowtime ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
    ),
    (
        "SELECT STREAM RANK() OVER (ORDER BY units) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY units)",
    ),
    (
        "SELECT STREAM MEDIAN(units) OVER (ORDER BY rowtime) FROM Orders",
        Code.UNBOUNDED_FRAME,
        "(ORDER BY rowtime)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Readings "
        "GROUP BY FLOOR(rowtime TO HOUR) WITHIN INTERVAL '9' SECOND",
        Code.NOT_MONOTONIC_ORDER,
        "FLOOR(rowtime TO HOUR) WITHIN INTERVAL '9' SECOND",
    ),
    (
        "SELECT STREAM taken AS rowtime FROM Readings",
        Code.ROWTIME_NOT_ASCENDING,
        "taken AS rowtime",
    ),
    (
        "SELECT STREAM orderId AS rowtime FROM Orders",
        Code.ROWTIME_NOT_ASCENDING,
        "orderId AS rowtime",
    ),
    (
        "SELECT STREAM * FROM Products p LEFT JOIN Orders o ON p.productId = o.productId",
        Code.TABLE_PRESERVED,
        "Products p",
    ),
    (
        "SELECT STREAM o.units FROM Orders o FULL JOIN Products p ON p.productId = o.productId",
        Code.TABLE_PRESERVED,
        "Products p",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE EXISTS (SELECT 1 FROM Shipments)",
        Code.STREAM_IN_SUBQUERY,
        "Shipments",
    ),
]


@pytest.mark.parametrize(("sql", "code", "at"), STREAMING)
def test_what_cannot_stream_is_refused_at_its_fault(sql: str, code: Code, at: str) -> None:
    error = refusal(sql)
    assert (error.code, error.sql) == (code, sql)
    assert guilty(error) == at


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT productId FROM Orders o JOIN Products p ON TRUE",
        "SELECT units FROM Orders ORDER BY 7",
        "SELECT units AS a, orderId AS a FROM Orders ORDER BY a",
        "SELECT units FROM Orders LIMIT -1",
        "SELECT 1 FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '0' HOUR)",
        "SELECT 1 FROM Orders GROUP BY TUMBLE(rowtime, units)",
        "SELECT 1 FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR, 7)",
        "SELECT SUM(units) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM Orders",
    ],
)
def test_the_hint_in_the_place_of_the_fault_passes(sql: str) -> None:
    fixed = repaired(refusal(sql))
    assert ready(fixed).query is not None


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM Shipments", "Cannot convert stream 'SHIPMENTS' to a table"),
        ("SELECT STREAM * FROM Products", "Cannot convert table 'PRODUCTS' to a stream"),
        ("SELECT STREAM * FROM (VALUES (1))", "Cannot stream VALUES"),
        (
            "SELECT STREAM COUNT(*) FROM Orders",
            "Streaming aggregation requires at least one monotonic expression in GROUP BY clause",
        ),
        (
            "SELECT STREAM * FROM Orders ORDER BY units",
            "Streaming ORDER BY must start with monotonic expression",
        ),
        (
            "SELECT STREAM * FROM Orders UNION ALL SELECT * FROM Orders",
            "Set operator cannot combine streaming and non-streaming inputs",
        ),
        (
            "SELECT STREAM * FROM Products JOIN Suppliers ON TRUE",
            "Cannot stream results of a query with no streaming inputs: 'PRODUCTS, SUPPLIERS'. "
            "At least one input should be convertible to a stream",
        ),
    ],
)
def test_the_messages_are_those_of_the_pages(sql: str, message: str) -> None:
    """S-803.a."""
    assert refusal(sql).message == message


@pytest.mark.parametrize(
    ("sql", "code", "at"),
    [
        ("SELECT nope, nada FROM Orders WHERE bad = 1", Code.UNKNOWN_COLUMN, "nope"),
        ("SELECT units FROM Orders WHERE bad = 1 ORDER BY worse", Code.UNKNOWN_COLUMN, "bad"),
        ("SELECT STREAM nope FROM Products", Code.UNKNOWN_COLUMN, "nope"),
        ("SELECT STREAM name FROM Products ORDER BY nope", Code.TABLE_TO_STREAM, "Products"),
        (
            "SELECT STREAM COUNT(*) FROM Orders GROUP BY units HAVING nope > 1",
            Code.NO_MONOTONIC_KEY,
            "GROUP BY units",
        ),
        ("SELECT SUM(MAX(nope)) FROM Orders", Code.UNKNOWN_COLUMN, "nope"),
        (
            "SELECT STREAM c FROM (SELECT COUNT(*) AS c FROM Orders GROUP BY units) ORDER BY c",
            Code.NO_MONOTONIC_KEY,
            "GROUP BY units",
        ),
        (
            "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime FROM Orders "
            "GROUP BY CUBE(FLOOR(rowtime TO HOUR))",
            Code.NO_MONOTONIC_KEY,
            "GROUP BY CUBE(FLOOR(rowtime TO HOUR))",
        ),
    ],
)
def test_of_several_faults_the_first_that_is_no_consequence_is_raised(
    sql: str, code: Code, at: str
) -> None:
    error = refusal(sql)
    assert (error.code, guilty(error)) == (code, at)


def test_a_fault_in_a_view_is_at_its_name_in_the_query() -> None:
    error = refusal("SELECT STREAM * FROM ByProduct")
    assert (error.code, guilty(error)) == (Code.NO_MONOTONIC_KEY, "ByProduct")
    assert "in view 'BYPRODUCT'" in error.message


def test_a_fault_in_the_list_is_raised_before_one_in_group_by() -> None:
    error = refusal("SELECT STREAM nope, TIME '0:12' FROM Orders GROUP BY also_nope")
    assert (error.code, guilty(error)) == (Code.UNKNOWN_COLUMN, "nope")
    error = refusal("SELECT STREAM units + TIME '0:12' FROM Orders GROUP BY also_nope")
    assert (error.code, guilty(error)) == (Code.BAD_LITERAL, "TIME '0:12'")
    error = refusal("SELECT STREAM COUNT(*), units FROM Orders GROUP BY also_nope")
    assert (error.code, guilty(error)) == (Code.UNKNOWN_COLUMN, "also_nope")


def test_a_fault_before_a_view_is_raised_before_one_in_it() -> None:
    assert refusal("SELECT STREAM nope FROM ByProduct").code is Code.NO_MONOTONIC_KEY
    error = refusal("SELECT STREAM s.* FROM Shipments s JOIN ByProduct b ON nope = 1")
    assert error.code is Code.NO_MONOTONIC_KEY


def test_a_descending_key_makes_progress_in_profile_calcite_only() -> None:
    sql = "SELECT STREAM COUNT(*) FROM Countdown GROUP BY left_over"
    assert ready(sql).query is not None
    assert refusal(sql, profile=Profile.SQLSTREAM).code is Code.NO_MONOTONIC_KEY


def test_rowtime_alone_is_ambiguous_over_a_join_by_condition_in_calcite_only() -> None:
    ddl = TICKS.replace("(ticker", "(rowtime TIMESTAMP(3) ASCENDING, ticker")
    sql = (
        "SELECT STREAM ROWTIME FROM Trades t JOIN Asks a "
        "ON a.ROWTIME BETWEEN t.ROWTIME AND t.ROWTIME + INTERVAL '1' HOUR"
    )
    assert refusal(sql, ddl=ddl).code is Code.AMBIGUOUS_COLUMN
    assert ready(sql, ddl=ddl, profile=Profile.SQLSTREAM).query is not None


def test_a_random_number_behind_a_name_is_refused_in_a_stream_too() -> None:
    """At the view's name, and in a function at the call that its text has (S-802)."""
    ddl = f"{ORDERS} CREATE VIEW Dice AS SELECT rowtime, RAND() AS r FROM Orders;"
    assert ready("SELECT r FROM Dice", ddl=ddl).query is not None
    error = refusal("SELECT STREAM r FROM Dice", ddl=ddl)
    assert (error.code, guilty(error)) == (Code.NOT_DETERMINISTIC, "Dice")
    ddl = f"{ORDERS} CREATE FUNCTION roll (n INTEGER) RETURNS DOUBLE RETURN n * RAND();"
    assert ready("SELECT roll(6) FROM Orders", ddl=ddl).query is not None
    error = refusal("SELECT STREAM roll(6) FROM Orders", ddl=ddl)
    assert (error.code, guilty(error)) == (Code.NOT_DETERMINISTIC, "RAND()")


@pytest.mark.parametrize(
    "call",
    [
        "PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY unitPrice)",
        "PERCENTILE_CONT(-1) WITHIN GROUP (ORDER BY unitPrice)",
        "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY name)",
        "LISTAGG(unitPrice)",
        "LISTAGG(name, name)",
        "LISTAGG(DISTINCT name) WITHIN GROUP (ORDER BY unitPrice)",
        "CORR(unitPrice, name)",
        "EVERY(productId)",
        "EVERY(name)",
        "EVERY(rowtime)",
        "SUM(name)",
        "AVG(rowtime)",
        "SOME(productId = 1) FILTER (WHERE productId)",
    ],
)
def test_the_hint_of_a_wrong_aggregate_passes_in_its_place(call: str) -> None:
    error = refusal(f"SELECT {call} FROM Products")
    assert ready(repaired(error)).query is not None


def test_a_window_in_from_counts_no_groups() -> None:
    over = "RANGE INTERVAL '1' MINUTE PRECEDING EXCLUDE TIES"
    for frame in ("GROUPS 1 PRECEDING", over):
        sql = f"SELECT STREAM 1 FROM Trades OVER ({frame}) AS t JOIN Asks AS a ON TRUE"
        error = refusal(sql, ddl=TICKS, profile=Profile.SQLSTREAM)
        assert (error.code, guilty(error)) == (Code.BAD_FRAME, frame)


def test_a_qualifier_that_is_known_inside_is_not_looked_for_outside() -> None:
    error = refusal(
        "SELECT * FROM Products p WHERE EXISTS (SELECT 1 FROM Orders o WHERE o.name = 1)"
    )
    assert (error.code, guilty(error)) == (Code.UNKNOWN_COLUMN, "name")


#: A call of a group window, and the same call after the advice of its refusal.
ADVISED_WINDOWS = [
    ("TUMBLE(rowtime)", "TUMBLE(rowtime, INTERVAL '1' HOUR)"),
    ("HOP(rowtime)", "HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '3' HOUR)"),
    ("TUMBLE(rowtime, 1)", "TUMBLE(rowtime, INTERVAL '1' HOUR)"),
    ("TUMBLE(rowtime, INTERVAL '0' MONTH)", "TUMBLE(rowtime, INTERVAL '1' MONTH)"),
    (
        "HOP(rowtime, INTERVAL '0' HOUR, INTERVAL '1' YEAR)",
        "HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '1' YEAR)",
    ),
    (
        "HOP(rowtime, INTERVAL '1' MONTH, units)",
        "HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '1' MONTH)",
    ),
    (
        "HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '1' DAY)",
        "HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '1' MONTH)",
    ),
    (
        "TUMBLE(rowtime, INTERVAL '1' HOUR, 12)",
        "TUMBLE(rowtime, INTERVAL '1' HOUR, INTERVAL '12' MINUTE)",
    ),
    (
        "TUMBLE(rowtime, INTERVAL '1' MONTH, INTERVAL '12' MINUTE)",
        "TUMBLE(rowtime, INTERVAL '1' MONTH, INTERVAL '1' MONTH)",
    ),
    (
        "TUMBLE(rowtime, INTERVAL '1' MONTH, TIME '00:12:00')",
        "TUMBLE(rowtime, INTERVAL '1' MONTH, INTERVAL '1' MONTH)",
    ),
]


@pytest.mark.parametrize(("call", "advised"), ADVISED_WINDOWS)
def test_a_group_window_is_accepted_after_the_advice_of_its_refusal(
    call: str, advised: str
) -> None:
    query = "SELECT COUNT(*) FROM Orders GROUP BY "
    error = refusal(query + call)
    followed = edited(error.sql, [Edit(error.at, error.hint)])
    assert followed == query + advised
    assert ready(followed).query is not None
