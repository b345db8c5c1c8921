"""What cannot be streamed, and what would pass instead: each edit that is offered passes."""

# ruff: noqa: E501, ISC004 - long queries in tables

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from algebra.binding.query.bind import bind_body, bind_query
from algebra.binding.scope.environment import Environment, Modality
from algebra.binding.scope.faults import Faults
from algebra.catalog import Catalog, Column, Ordering, Profile, Stream
from algebra.explain import explain
from algebra.expression import InputRef, Literal, SortKey
from algebra.plan import Aggregate, Delta, Filter, Plan, Project, Reads, Scan, SetOp, Sort
from algebra.prepare import prepare
from algebra.refusal.suggestion import seconds
from algebra.refusal.tried_suggestions import composed_edits
from algebra.refusal.validate import check_state
from algebra.types import BOOLEAN, INTEGER, TIMESTAMP
from grammar.codes import Code, Family, family
from grammar.parse import parse_query
from grammar.source import Edit, Span, SqlError, edited
from grammar.tree import SetOperator
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tests.algebra.page_schema import ORDERS, TICKS, guilty, ready, refusal
from tests.algebra.refusal.test_bind_refusals import STREAMING
from tests.strategies_streaming import DDL, queries

#: A query that cannot be streamed, and the text that is offered in its place, rule by rule.
CORRECTED = [
    # S-308, S-512: what is read
    ("SELECT * FROM Shipments", "SELECT STREAM * FROM Shipments"),
    (
        "SELECT orderId, COUNT(*) FROM Shipments GROUP BY orderId",
        "SELECT STREAM orderId, COUNT(*) FROM Shipments GROUP BY FLOOR(ROWTIME TO HOUR), orderId",
    ),
    (
        "SELECT rowtime FROM Shipments UNION ALL SELECT rowtime FROM Shipments",
        "SELECT STREAM rowtime FROM Shipments UNION ALL SELECT STREAM rowtime FROM Shipments",
    ),
    (
        "SELECT STREAM * FROM Orders WHERE units > 1 AND orderId IN (SELECT orderId FROM Shipments)",
        "SELECT STREAM * FROM Orders JOIN (SELECT ROWTIME AS T0, orderId AS K0 FROM Shipments) AS S0 "
        "ON orderId = K0 AND S0.T0 BETWEEN ORDERS.ROWTIME AND ORDERS.ROWTIME + INTERVAL '1' HOUR "
        "WHERE units > 1 AND TRUE",
    ),
    (
        "SELECT STREAM o.units FROM Orders AS o WHERE EXISTS "
        "(SELECT 1 FROM Shipments AS s WHERE s.orderId = o.orderId OR o.units = 1)",
        "SELECT STREAM o.units FROM Orders AS o JOIN Shipments AS s "
        "ON ((s.orderId = o.orderId OR o.units = 1) "
        "AND S.ROWTIME BETWEEN O.ROWTIME AND O.ROWTIME + INTERVAL '1' HOUR)",
    ),
    (
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o WHERE EXISTS (SELECT 1 FROM Shipments AS s "
        "WHERE s.rowtime BETWEEN o.rowtime - INTERVAL '5' MINUTE AND o.rowtime)",
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o JOIN Shipments AS s "
        "ON s.rowtime BETWEEN o.rowtime - INTERVAL '5' MINUTE AND o.rowtime",
    ),
    (
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o WHERE EXISTS (SELECT 1 FROM Shipments AS s "
        "WHERE s.rowtime >= o.rowtime - INTERVAL '5' MINUTE)",
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o JOIN Shipments AS s "
        "ON s.rowtime >= o.rowtime - INTERVAL '5' MINUTE "
        "AND S.ROWTIME <= O.ROWTIME + INTERVAL '1' HOUR",
    ),
    (
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o "
        "WHERE (o.orderId IN (SELECT s.orderId FROM Shipments AS s))",
        "SELECT STREAM o.rowtime, o.units FROM Orders AS o JOIN Shipments AS s "
        "ON o.orderId = s.orderId AND S.ROWTIME BETWEEN O.ROWTIME AND O.ROWTIME + INTERVAL '1' HOUR "
        "WHERE (TRUE)",
    ),
    # S-309: nothing that streams
    ("SELECT STREAM * FROM Products", "SELECT * FROM Products"),
    ("SELECT STREAM name FROM (SELECT * FROM Products)", "SELECT name FROM (SELECT * FROM Products)"),
    (
        "SELECT STREAM * FROM Products p JOIN Suppliers s ON TRUE",
        "SELECT * FROM Products p JOIN Suppliers s ON TRUE",
    ),
    ("SELECT STREAM * FROM (VALUES (1, 'abc'))", "SELECT * FROM (VALUES (1, 'abc'))"),
    ("SELECT STREAM 1", "SELECT 1"),
    # S-302, S-309: mixed branches
    (
        "SELECT STREAM units FROM Orders UNION ALL SELECT units FROM Orders",
        "SELECT STREAM units FROM Orders UNION ALL SELECT STREAM units FROM Orders",
    ),
    (
        "SELECT STREAM units FROM Orders UNION ALL SELECT productId FROM Products",
        "SELECT units FROM Orders UNION ALL SELECT productId FROM Products",
    ),
    (
        "SELECT orderId FROM Shipments UNION ALL SELECT STREAM orderId FROM Shipments",
        "SELECT STREAM orderId FROM Shipments UNION ALL SELECT STREAM orderId FROM Shipments",
    ),
    (
        "SELECT STREAM orderId FROM Shipments UNION ALL (SELECT STREAM productId FROM Products)",
        "SELECT STREAM orderId FROM Shipments",
    ),
    (
        "SELECT STREAM * FROM (SELECT orderId FROM Shipments UNION ALL VALUES (1)) AS t",
        "SELECT STREAM * FROM (SELECT orderId FROM Shipments) AS t",
    ),
    # S-106, S-311: rows
    ("SELECT STREAM units * RAND() FROM Orders", "SELECT STREAM units * 0.5E0 FROM Orders"),
    (
        "SELECT STREAM taken AS rowtime FROM Readings",
        "SELECT STREAM taken AS EVENT_TIME FROM Readings",
    ),
    (
        "SELECT STREAM p.rowtime, units FROM Orders o JOIN Products p USING (productId)",
        "SELECT STREAM p.rowtime AS EVENT_TIME, units FROM Orders o JOIN Products p "
        "USING (productId)",
    ),
    (
        "SELECT STREAM s.*, event_time FROM Readings AS r (event_time, rowtime, n) "
        "JOIN Suppliers AS s ON n = supplierId",
        None,  # nothing is wrong with it
    ),
    (
        "SELECT STREAM r.* FROM Readings AS r (event_time, rowtime, n)",
        "SELECT STREAM R.EVENT_TIME, R.ROWTIME AS EVENT_TIME0, R.N "
        "FROM Readings AS r (event_time, rowtime, n)",
    ),
    # S-503, S-404: groups
    (
        "SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId",
        "SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR), productId",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders WHERE (units = 1)",
        "SELECT STREAM COUNT(*) FROM Orders WHERE (units = 1) GROUP BY FLOOR(ROWTIME TO HOUR)",
    ),
    (
        "SELECT STREAM MAX(units) FROM Orders HAVING (COUNT(*) > 1)",
        "SELECT STREAM MAX(units) FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR) HAVING (COUNT(*) > 1)",
    ),
    (
        "SELECT STREAM SUM(COUNT(*)) OVER w FROM Orders WINDOW w AS (ROWS 2 PRECEDING)",
        "SELECT STREAM SUM(COUNT(*)) OVER w FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR) "
        "WINDOW w AS (ROWS 2 PRECEDING)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY ()",
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY 1",
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR), 1",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Countdown GROUP BY seen",
        "SELECT STREAM COUNT(*) FROM Countdown GROUP BY LEFT_OVER, seen",
    ),
    (
        "SELECT STREAM COUNT(*) FROM (SELECT taken FROM Readings) GROUP BY taken",
        "SELECT STREAM COUNT(*) FROM (SELECT taken, ROWTIME FROM Readings) "
        "GROUP BY FLOOR(ROWTIME TO HOUR), taken",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY CUBE(productId, units)",
        "SELECT STREAM COUNT(*) FROM Orders "
        "GROUP BY FLOOR(ROWTIME TO HOUR), CUBE(productId, units)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY CUBE(productId, rowtime)",
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY rowtime, ROLLUP(productId)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders "
        "GROUP BY ROLLUP(TUMBLE(rowtime, INTERVAL '1' HOUR), productId)",
        "SELECT STREAM COUNT(*) FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), ROLLUP(productId)",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY GROUPING SETS ((rowtime, units), (units))",
        "SELECT STREAM COUNT(*) FROM Orders GROUP BY rowtime, units",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Orders "
        "GROUP BY GROUPING SETS ((rowtime, units), (productId), (units, productId))",
        "SELECT STREAM COUNT(*) FROM Orders "
        "GROUP BY rowtime, GROUPING SETS ((units), (productId), (units, productId))",
    ),
    (
        "SELECT STREAM COUNT(*) FROM Readings GROUP BY FLOOR(rowtime TO HOUR) WITHIN INTERVAL '1' SECOND",
        "SELECT STREAM COUNT(*) FROM Readings "
        "GROUP BY FLOOR(rowtime TO HOUR) WITHIN INTERVAL '10' SECOND",
    ),
    # S-512, S-502: equal rows
    (
        "SELECT STREAM DISTINCT productId FROM Orders",
        "SELECT STREAM DISTINCT FLOOR(ROWTIME TO HOUR) AS ROWTIME, productId FROM Orders",
    ),
    (
        "SELECT STREAM DISTINCT productId FROM (SELECT productId FROM Orders)",
        "SELECT STREAM productId FROM (SELECT productId FROM Orders)",
    ),
    (
        "SELECT STREAM DISTINCT COUNT(*) FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)",
        "SELECT STREAM DISTINCT TUMBLE_END(rowtime, INTERVAL '1' HOUR), COUNT(*) FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)",
    ),
    (
        "(SELECT STREAM units FROM Orders) UNION SELECT STREAM orderId FROM Shipments",
        "(SELECT STREAM units FROM Orders) UNION ALL SELECT STREAM orderId FROM Shipments",
    ),
    (
        "SELECT STREAM units FROM Orders MINUS SELECT STREAM orderId FROM Shipments",
        "SELECT STREAM units, ROWTIME FROM Orders MINUS SELECT STREAM orderId, ROWTIME FROM Shipments",
    ),
    # S-505: windows
    (
        "SELECT STREAM SUM(units) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) "
        "FROM Orders",
        "SELECT STREAM SUM(units) OVER (ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM Orders",
    ),
    (
        "SELECT STREAM SUM(units) OVER (ORDER BY rowtime DESC) FROM Orders",
        "SELECT STREAM SUM(units) OVER (ORDER BY ROWTIME) FROM Orders",
    ),
    (
        "SELECT STREAM RANK() OVER (ORDER BY units) FROM Orders",
        "SELECT STREAM RANK() OVER (PARTITION BY FLOOR(ROWTIME TO HOUR) ORDER BY units) FROM Orders",
    ),
    (
        "SELECT STREAM RANK() OVER (PARTITION BY productId ORDER BY units) FROM Orders",
        "SELECT STREAM RANK() OVER (PARTITION BY FLOOR(ROWTIME TO HOUR), productId ORDER BY units) "
        "FROM Orders",
    ),
    (
        "SELECT STREAM MEDIAN(units) OVER w FROM Orders WINDOW v AS (ORDER BY units), w AS (v)",
        "SELECT STREAM MEDIAN(units) OVER w FROM Orders "
        "WINDOW v AS (ORDER BY units), w AS (v PARTITION BY FLOOR(ROWTIME TO HOUR))",
    ),
    (
        "SELECT STREAM NTILE(2) OVER () FROM Orders",
        "SELECT STREAM NTILE(2) OVER (PARTITION BY FLOOR(ROWTIME TO HOUR)) FROM Orders",
    ),
    (
        "SELECT STREAM RANK() OVER (ORDER BY COUNT(*)) FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)",
        "SELECT STREAM RANK() OVER (PARTITION BY TUMBLE_END(rowtime, INTERVAL '1' HOUR) "
        "ORDER BY COUNT(*)) FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)",
    ),
    # S-507, S-310: order
    (
        "SELECT STREAM units FROM Orders ORDER BY units DESC",
        "SELECT STREAM units FROM Orders ORDER BY FLOOR(ROWTIME TO HOUR), units DESC",
    ),
    (
        "SELECT STREAM * FROM Orders ORDER BY rowtime DESC, units",
        "SELECT STREAM * FROM Orders ORDER BY ROWTIME, units",
    ),
    (
        "SELECT STREAM left_over AS n FROM Countdown ORDER BY n",
        "SELECT STREAM left_over AS n FROM Countdown ORDER BY N DESC",
    ),
    (
        "SELECT STREAM * FROM (SELECT taken FROM Readings) ORDER BY taken",
        "SELECT STREAM * FROM (SELECT taken FROM Readings) "
        "ORDER BY taken WITHIN INTERVAL '10' SECOND",
    ),
    (
        "SELECT STREAM productId FROM (SELECT productId FROM Orders) ORDER BY 1",
        "SELECT STREAM productId FROM (SELECT productId FROM Orders)",
    ),
    (
        "SELECT STREAM * FROM Readings ORDER BY rowtime WITHIN INTERVAL '9' SECOND, sensor",
        "SELECT STREAM * FROM Readings ORDER BY rowtime WITHIN INTERVAL '10' SECOND, sensor",
    ),
    ("SELECT STREAM * FROM Orders LIMIT 3", "SELECT STREAM * FROM Orders"),
    (
        "SELECT STREAM * FROM (SELECT * FROM Orders OFFSET 2 ROWS FETCH NEXT ROW ONLY) AS o",
        "SELECT STREAM * FROM (SELECT * FROM Orders) AS o",
    ),
    # S-508 to S-510: joins
    (
        "SELECT STREAM name FROM Products p LEFT OUTER JOIN Orders o ON p.productId = o.productId",
        "SELECT STREAM name FROM Products p JOIN Orders o ON p.productId = o.productId",
    ),
    (
        "SELECT STREAM units FROM Orders o FULL JOIN Products p ON p.productId = o.productId",
        "SELECT STREAM units FROM Orders o LEFT JOIN Products p ON p.productId = o.productId",
    ),
    (
        "SELECT STREAM units FROM Products p FULL JOIN Orders o ON p.productId = o.productId",
        "SELECT STREAM units FROM Products p RIGHT JOIN Orders o ON p.productId = o.productId",
    ),
    (
        "SELECT STREAM 1 FROM Orders OVER (ROWS UNBOUNDED PRECEDING) o JOIN Shipments s ON TRUE",
        "SELECT STREAM 1 FROM Orders OVER (ROWS 10 PRECEDING) o JOIN Shipments s ON TRUE",
    ),
    (
        "SELECT STREAM 1 FROM Orders OVER () o JOIN Shipments s ON TRUE",
        "SELECT STREAM 1 FROM Orders OVER (RANGE INTERVAL '10' MINUTE PRECEDING) o "
        "JOIN Shipments s ON TRUE",
    ),
    (
        "SELECT STREAM 1 FROM Orders OVER w o JOIN Shipments s ON TRUE WINDOW w AS (ORDER BY rowtime)",
        "SELECT STREAM 1 FROM Orders OVER (w RANGE INTERVAL '10' MINUTE PRECEDING) o "
        "JOIN Shipments s ON TRUE WINDOW w AS (ORDER BY rowtime)",
    ),
    (
        "SELECT STREAM units FROM Orders o JOIN Shipments s ON o.orderId = s.orderId OR units = 1",
        "SELECT STREAM units FROM Orders o JOIN Shipments s "
        "ON (o.orderId = s.orderId OR units = 1) "
        "AND S.ROWTIME BETWEEN O.ROWTIME AND O.ROWTIME + INTERVAL '1' HOUR",
    ),
    (
        "SELECT STREAM units FROM Orders o JOIN Shipments s "
        "ON s.rowtime >= o.rowtime + INTERVAL '30' MINUTE",
        "SELECT STREAM units FROM Orders o JOIN Shipments s "
        "ON s.rowtime >= o.rowtime + INTERVAL '30' MINUTE "
        "AND S.ROWTIME <= O.ROWTIME + INTERVAL '5400' SECOND",
    ),
    (
        "SELECT STREAM units FROM Orders o, Shipments s WHERE s.rowtime < o.rowtime",
        "SELECT STREAM units FROM Orders o, Shipments s WHERE s.rowtime < o.rowtime "
        "AND S.ROWTIME >= O.ROWTIME - INTERVAL '3600.001' SECOND",
    ),
    (
        "SELECT STREAM units FROM Orders o CROSS JOIN Shipments s",
        "SELECT STREAM units FROM Orders o CROSS JOIN Shipments s "
        "WHERE S.ROWTIME BETWEEN O.ROWTIME AND O.ROWTIME + INTERVAL '1' HOUR",
    ),
    (
        "SELECT STREAM units FROM Orders o LEFT JOIN Shipments s USING (orderId)",
        "SELECT STREAM units FROM Orders o LEFT JOIN Shipments s ON O.ORDERID = S.ORDERID "
        "AND S.ROWTIME BETWEEN O.ROWTIME AND O.ROWTIME + INTERVAL '1' HOUR",
    ),
    (
        "SELECT STREAM a.orderId FROM Orders AS a JOIN (SELECT orderId FROM Shipments) AS b "
        "ON a.orderId = b.orderId",
        "SELECT STREAM a.orderId FROM Orders AS a JOIN (SELECT orderId, ROWTIME FROM Shipments) AS b "
        "ON a.orderId = b.orderId AND B.ROWTIME BETWEEN A.ROWTIME AND A.ROWTIME + INTERVAL '1' HOUR",
    ),
    (
        "SELECT STREAM c.seen FROM Countdown c JOIN Countdown d ON c.seen = d.seen",
        "SELECT STREAM c.seen FROM Countdown c JOIN Countdown d ON c.seen = d.seen "
        "AND C.LEFT_OVER = D.LEFT_OVER",
    ),
    # S-1005: rows that are deleted again
    (
        "SELECT STREAM o.units, price FROM Orders AS o JOIN Prices AS p ON o.productId = p.productId",
        "SELECT STREAM o.units, price FROM Orders AS o JOIN Prices AS p ON o.productId = p.productId "
        "EMIT CHANGES",
    ),
    # S-1006: EMIT
    (
        "SELECT productId FROM Orders EMIT CHANGES",
        "SELECT STREAM productId FROM Orders EMIT CHANGES",
    ),
    # several faults, of which the later ones come to light when the first is gone
    (
        "SELECT STREAM * FROM Products p LEFT JOIN Orders o ON p.productId = o.productId "
        "ORDER BY units LIMIT 1",
        "SELECT STREAM P.ROWTIME AS EVENT_TIME, P.PRODUCTID, P.NAME, P.UNITPRICE, O.ROWTIME, "
        "O.PRODUCTID, O.ORDERID, O.UNITS FROM Products p JOIN Orders o ON p.productId = o.productId "
        "ORDER BY FLOOR(O.ROWTIME TO HOUR), units",
    ),
    # views: what is wrong in one is corrected where it is used, if at all
    ("SELECT STREAM * FROM ByProduct", "SELECT * FROM ByProduct"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "corrected"), CORRECTED)
def test_a_refusal_offers_a_text_that_passes(sql: str, corrected: str | None) -> None:
    if corrected is None:
        assert ready(sql).query is not None
        return
    assert refusal(sql).corrected == corrected
    assert ready(corrected).query is not None


@pytest.mark.parametrize(("sql", "code", "at"), STREAMING)
def test_each_kind_of_refusal_is_mended(sql: str, code: Code, at: str) -> None:
    error = refusal(sql)
    assert (error.code, guilty(error)) == (code, at)
    assert ready(error.corrected).query is not None


def test_every_code_of_the_family_that_a_query_can_have_is_mended() -> None:
    """STREAM_DML is of statements; each other code of the family is in the table above."""
    suggested = {refusal(sql).code for sql, corrected in CORRECTED if corrected is not None}
    codes = {each for each in Code if family(each) is Family.STREAMING}
    assert suggested == codes - {Code.STREAM_DML}


# --- profile sqlstream --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "corrected"),
    [
        (
            "SELECT STREAM ticker, COUNT(*) FROM Trades GROUP BY ticker",
            "SELECT STREAM ticker, COUNT(*) FROM Trades GROUP BY FLOOR(ROWTIME TO HOUR), ticker",
        ),
        (
            "SELECT STREAM DISTINCT ticker FROM Trades",
            "SELECT STREAM DISTINCT FLOOR(ROWTIME TO HOUR) AS ROWTIME, ticker FROM Trades",
        ),
        (
            "SELECT STREAM t.price FROM Trades AS t JOIN Asks AS a ON t.ticker = a.ticker",
            "SELECT STREAM t.price FROM Trades AS t JOIN Asks AS a ON t.ticker = a.ticker "
            "AND A.ROWTIME BETWEEN T.ROWTIME AND T.ROWTIME + INTERVAL '1' HOUR",
        ),
        (
            "SELECT STREAM t.price FROM Trades OVER (RANGE UNBOUNDED PRECEDING) AS t "
            "JOIN Asks AS a ON t.ticker = a.ticker",
            "SELECT STREAM t.price FROM Trades OVER (RANGE INTERVAL '10' MINUTE PRECEDING) AS t "
            "JOIN Asks AS a ON t.ticker = a.ticker",
        ),
        (
            "SELECT STREAM price AS rowtime FROM Trades",
            "SELECT STREAM price AS EVENT_TIME FROM Trades",
        ),
        (
            "SELECT STREAM price FROM Trades ORDER BY price",
            "SELECT STREAM price FROM Trades ORDER BY FLOOR(ROWTIME TO HOUR), price",
        ),
    ],
)
def test_an_implicit_rowtime_is_named_in_the_offer(sql: str, corrected: str) -> None:
    error = refusal(sql, ddl=TICKS, profile=Profile.SQLSTREAM)
    assert error.corrected == corrected
    assert ready(corrected, ddl=TICKS, profile=Profile.SQLSTREAM).query is not None


def test_a_descending_key_is_offered_in_profile_calcite_only() -> None:
    sql = "SELECT STREAM COUNT(*) FROM Countdown GROUP BY seen"
    assert refusal(sql).corrected == sql.replace("seen", "LEFT_OVER, seen")
    offered = refusal(sql, profile=Profile.SQLSTREAM).corrected
    assert offered == sql.replace("seen", "FLOOR(ROWTIME TO HOUR), seen")
    assert ready(offered, profile=Profile.SQLSTREAM).query is not None


# --- views, scripts and other texts -------------------------------------------------------------


def test_the_edits_of_a_statement_in_a_script_count_in_the_script() -> None:
    script = (
        ORDERS + "INSERT INTO OrdersSummary SELECT STREAM productId, units FROM Orders LIMIT 3;\n"
    )
    error = refusal(None, ddl=script)
    assert (error.code, error.sql) == (Code.STREAMING_LIMIT, script)
    assert error.corrected == script.replace(" LIMIT 3", "")
    assert len(ready(None, ddl=error.corrected).standing) == 1


def test_parameters_and_comments_do_not_matter() -> None:
    sql = "SELECT /* all */ STREAM units -- of ours\nFROM Orders WHERE units > ? ORDER BY units"
    error = refusal(sql)
    assert error.corrected == sql.replace("ORDER BY ", "ORDER BY FLOOR(ROWTIME TO HOUR), ")
    assert ready(error.corrected).query is not None


def test_names_that_need_quotes_are_quoted() -> None:
    ddl = 'CREATE STREAM "s" ("timestamp" TIMESTAMP(3) ASCENDING, "a""b" INTEGER ASCENDING, k INTEGER);'
    error = refusal('SELECT STREAM COUNT(*) FROM "s" GROUP BY k', ddl=ddl)
    assert error.corrected.endswith('GROUP BY FLOOR("timestamp" TO HOUR), k')
    error = refusal('SELECT STREAM x.k FROM "s" AS x JOIN "s" AS "Y" ON x.k = "Y".k', ddl=ddl)
    between = 'Y."timestamp" BETWEEN X."timestamp" AND X."timestamp" + INTERVAL \'1\' HOUR'
    assert error.corrected.endswith(between)
    assert ready(error.corrected, ddl=ddl).query is not None


def test_what_only_the_schema_can_repair_has_a_hint_without_edits() -> None:
    for sql in (
        "SELECT STREAM units, (SELECT MAX(orderId) FROM Shipments) FROM Orders",
        "SELECT name FROM Products AS p WHERE EXISTS (SELECT 1 FROM Shipments)",
    ):
        error = refusal(sql)
        assert error.edits == ()
        assert "WITH HISTORY" in error.hint
    ddl = ORDERS.replace("orderId INTEGER);", "orderId INTEGER) WITH HISTORY;")
    assert ready(sql, ddl=ddl).query is not None


def test_a_fault_that_is_not_of_streams_keeps_its_hint() -> None:
    error = refusal("SELECT STREAM nope FROM Orders GROUP BY units")
    assert (error.code, error.edits) == (Code.UNKNOWN_COLUMN, ())


def test_a_suggestion_is_made_beside_a_fault_that_it_cannot_remove() -> None:
    sql = "SELECT STREAM COUNT(*) FROM Orders GROUP BY units HAVING nope > 1"
    error = refusal(sql)
    assert error.code is Code.NO_MONOTONIC_KEY
    assert error.corrected == sql.replace("units", "FLOOR(ROWTIME TO HOUR), units")
    assert refusal(error.corrected).code is Code.UNKNOWN_COLUMN


# --- the hint and its edits ---------------------------------------------------------------------


def test_the_text_that_would_pass_is_shown_with_what_is_new_marked() -> None:
    sql = "SELECT STREAM productId,\n  COUNT(*)\nFROM Orders GROUP BY productId\nORDER BY 1"
    assert str(refusal(sql)).splitlines() == [
        "NO_MONOTONIC_KEY: Streaming aggregation requires at least one monotonic expression in "
        "GROUP BY clause",
        "3 | FROM Orders GROUP BY productId",
        "                ^^^^^^^^^^^^^^^^^^",
        "  hint: group by FLOOR(ROWTIME TO HOUR), too; sort by FLOOR(ROWTIME TO HOUR) first",
        "3 | FROM Orders GROUP BY FLOOR(ROWTIME TO HOUR), productId",
        "                         +++++++++++++++++++++++",
        "4 | ORDER BY FLOOR(ROWTIME TO HOUR), 1",
        "             +++++++++++++++++++++++",
    ]


def test_a_text_that_only_loses_words_is_shown_without_marks() -> None:
    assert str(refusal("SELECT STREAM 1")).splitlines()[-1] == "1 | SELECT 1"


@given(st.data())
def test_edits_done_together_do_what_they_do_one_after_the_other(data: st.DataObject) -> None:
    def edits(text: str) -> list[Edit]:
        places = data.draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
        pairs = [Span(a, b) for a, b in zip(places[::2], places[1::2], strict=False)]
        return [Edit(each, data.draw(st.text("xyz", max_size=3))) for each in pairs]

    sql = data.draw(st.text("abcdef", max_size=12))
    first = edits(sql)
    then = edits(edited(sql, first))
    assert edited(sql, composed_edits(sql, first, then)) == edited(edited(sql, first), then)


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (3_600_000, "INTERVAL '1' HOUR"),
        (90_000, "INTERVAL '90' SECOND"),
        (3_600_001, "INTERVAL '3600.001' SECOND"),
        (10, "INTERVAL '0.01' SECOND"),
    ],
)
def test_an_interval_in_an_offer_is_written_as_shortly_as_it_goes(millis: int, text: str) -> None:
    assert seconds(millis) == text


# --- the last line ------------------------------------------------------------------------------

_STREAM = Scan(
    Stream(("S",), (Column("T", TIMESTAMP, Ordering()), Column("K", INTEGER))), Reads.STREAM
)
_K = InputRef(1, INTEGER)


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (Sort(_STREAM, (SortKey(_K, False, False),)), Code.NOT_MONOTONIC_ORDER),
        (Aggregate(_STREAM, (_K,), ((0,),), (), ("K",)), Code.NO_MONOTONIC_KEY),
        (SetOp((_STREAM, _STREAM), SetOperator.EXCEPT, True), None),  # T progresses
        (SetOp((Project(_STREAM, (_K,), ("K",)),) * 2, SetOperator.EXCEPT, True),
         Code.NO_MONOTONIC_KEY),
        (Filter(_STREAM, Literal(True, BOOLEAN)), None),
    ],
)  # fmt: skip
def test_a_plan_that_no_rule_refuses_is_refused_if_it_has_no_end(
    plan: Plan, code: Code | None
) -> None:
    sql = "SELECT STREAM 1"
    query, faults = parse_query(sql), Faults(sql)
    modality = Modality.STREAM
    environment = Environment(Catalog(), Profile.CALCITE, sql, modality, faults, bind_body)
    check_state(plan, query, environment)
    if code is None:
        assert faults.count == 0
        return
    with pytest.raises(SqlError) as caught:
        faults.raise_first()
    assert (caught.value.code, caught.value.at) == (code, query.span)
    assert caught.value.hint


# --- the kit's corpus ---------------------------------------------------------------------------

#: What only a declaration WITH HISTORY can mend, or another expression in place of a rowtime.
_OF_THE_SCHEMA = {
    "SELECT STREAM k FROM (SELECT k, rowtime FROM R INTERSECT "
    "SELECT k, rowtime - INTERVAL '1' DAY * k FROM S) AS x",
    "SELECT STREAM rowtime, (SELECT MAX(orderId) FROM Shipments) AS m FROM Orders",
    "SELECT p.name FROM Products AS p "
    "WHERE EXISTS (SELECT 1 FROM Shipments AS s WHERE s.orderId = p.productId)",
    "SELECT STREAM t AS rowtime, v FROM A UNION ALL SELECT STREAM t, v FROM A "
    "ORDER BY rowtime WITHIN INTERVAL '10' SECOND",
    "SELECT STREAM * FROM (SELECT x FROM P UNION SELECT x FROM S) AS t",
    "SELECT STREAM * FROM (SELECT x FROM P INTERSECT SELECT x FROM S) AS t",
    "SELECT STREAM * FROM (SELECT x FROM P EXCEPT SELECT x FROM S) AS t",
}

#: The beginnings of the names of cases whose query only other columns, or another question, mend,
#: and of those whose query has a second fault.  A view's own text is not changed, either.
_OF_THE_QUESTION = (
    "asof-join-is-refused-",
    "session-function-is-refused-table-function-by-a-time",
    "fault-that-follows-from-another-",
    "first-of-the-faults-of-two-clauses-",
    "question-that-a-stream-of-final-rows-cannot-answer-nearest-row",
    "question-that-a-stream-of-final-rows-cannot-answer-table-in-a-union",
    "nearest-rows-and-frames-that-a-stream-cannot-ask-falling-time-",
    "nearest-rows-and-frames-that-a-stream-cannot-ask-falling-times",
    "nearest-rows-and-frames-that-a-stream-cannot-ask-row-after",
    "clock-of-a-view-in-a-changelog-",
    "columns-of-types-that-have-no-distance-",
    "only-column-of-opposite-orders-is-rejected-",
    "fault-beside-the-fault-of-a-",
    "null-as-the-rowtime-of-a-part-of-a-query-with-a-window",
)

_CASES = [
    each
    for each in kit_corpus().cases
    if each.error is not None
    and each.sql is not None
    and family(Code(each.error.code)) is Family.STREAMING
]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.id)
def test_every_refused_query_of_the_kit_is_offered_a_text_that_passes(case: Case) -> None:
    profile = Profile(case.profile)
    assert case.sql is not None
    error = _refusal(case.ddl, case.sql, profile)
    if error is None:
        assert case.may_accept
        return
    assert family(error.code) is Family.STREAMING
    if case.sql not in _OF_THE_SCHEMA and not case.id.startswith(_OF_THE_QUESTION):
        assert error.edits
        assert prepare(case.ddl, error.corrected, profile).query is not None


def _refusal(ddl: str, sql: str, profile: Profile) -> SqlError | None:
    try:
        prepare(ddl, sql, profile)
    except SqlError as error:
        return error
    return None


_WRONG = Path(__file__).parents[2] / "golden" / "wrong_queries.sql"
_EXAMPLE = resources.files("rowtime").joinpath("example.sql").read_text("utf-8")


@pytest.mark.parametrize("sql", _WRONG.read_text("utf-8").splitlines())
def test_every_wrong_query_that_was_tried_by_hand_is_offered_a_text_that_passes(sql: str) -> None:
    error = _refusal(_EXAMPLE, sql, Profile.CALCITE)
    assert error is not None
    if family(error.code) is Family.STREAMING and sql not in _OF_THE_SCHEMA:
        assert error.edits
        assert prepare(_EXAMPLE, error.corrected, Profile.CALCITE).query is not None


# --- any query ----------------------------------------------------------------------------------

_CATALOGS = {each: prepare(DDL, None, each).catalog for each in Profile}


def _suggested(sql: str, profile: Profile) -> SqlError | None:
    """The refusal of the query; None: it is accepted, as a stream."""
    try:
        plan = bind_query(parse_query(sql), _CATALOGS[profile], profile, sql)
    except SqlError as error:
        return error
    assert isinstance(plan, Delta) == ("STREAM" in sql), explain(plan)
    return None


@given(queries(), st.sampled_from(Profile))
@example("SELECT STREAM k AS x, COUNT(*) AS c FROM W AS a GROUP BY k", Profile.CALCITE)
@example("SELECT STREAM * FROM L AS a FULL OUTER JOIN (SELECT id, k FROM O) AS b "
         "ON a.k = b.k OR a.k = 3 WHERE EXISTS (SELECT 1 FROM O AS o WHERE o.k = a.k)",
         Profile.CALCITE)  # fmt: skip
def test_any_query_is_accepted_or_refused_with_what_takes_the_fault_away(
    sql: str, profile: Profile
) -> None:
    error = _suggested(sql, profile)
    if error is None:
        return
    assume(family(error.code) is Family.STREAMING)
    assert not error.message.startswith("Streaming query never completes"), "a rule is missing"
    assert error.sql == sql
    assert 0 <= error.at.start < error.at.end <= len(sql)
    assert error.hint
    if not error.edits:
        return
    other = _suggested(error.corrected, profile)
    if other is None:
        return
    still = _after(error)
    assert (
        other.code is not error.code or other.at.end <= still.start or still.end <= other.at.start
    )


def _after(error: SqlError) -> Span:
    """Where the guilty text is after the edits, with all that they put into it."""
    before = [each for each in error.edits if each.at.end < error.at.start]
    until = [each for each in error.edits if each.at.start <= error.at.end]
    return Span(
        error.at.start + sum(len(e.text) - e.at.end + e.at.start for e in before),
        error.at.end + sum(len(e.text) - e.at.end + e.at.start for e in until),
    )
