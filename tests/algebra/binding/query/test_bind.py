"""Queries and their plans: written by hand from the rules, compared as `explain` prints them."""

# ruff: noqa: E501, ISC004 - plans are compared as they print, one node a line

from textwrap import dedent

import pytest

from algebra.catalog import Profile
from grammar.codes import Code
from tests.algebra.page_schema import TICKS, guilty, names_of, ready, refusal, shown

#: Query, plan.
PLANS = [
    pytest.param(
        "SELECT STREAM * FROM Orders WHERE units > 3",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$0], PRODUCTID=[$1], ORDERID=[$2], UNITS=[$3])
            LogicalFilter(condition=[>($3, 3)])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-019 a streaming query reads the stream",
    ),
    pytest.param(
        "SELECT * FROM Orders",
        """
        LogicalProject(ROWTIME=[$0], PRODUCTID=[$1], ORDERID=[$2], UNITS=[$3])
          LogicalTableScan(table=[[ORDERS]], reads=[history])
        """,
        id="CAL-015 a relational query reads its history",
    ),
    pytest.param(
        "SELECT STREAM CEIL(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c, "
        "SUM(units) AS units FROM Orders GROUP BY CEIL(rowtime TO HOUR), productId",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$0], PRODUCTID=[$1], C=[$2], UNITS=[$3])
            LogicalAggregate(group=[{CEIL($0, FLAG(HOUR)), $1}], $m0=[COUNT()], $m1=[SUM($3)])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-029 keys are expressions over the input",
    ),
    pytest.param(
        "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '30' MINUTE, TIME '00:12:00') AS rowtime, "
        "COUNT(*) AS c FROM Orders "
        "GROUP BY TUMBLE(rowtime, INTERVAL '30' MINUTE, TIME '00:12:00'), productId",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$0], C=[$3])
            LogicalAggregate(group=[{5, 4, 1}], $m0=[COUNT()])
              LogicalHop(time=[$0], emit=[1800000:INTERVAL MINUTE], retain=[1800000:INTERVAL MINUTE], align=[720000])
                LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-056 an aligned TUMBLE is a Hop below the Aggregate",
    ),
    pytest.param(
        "SELECT STREAM HOP_END(rowtime), SUM(EXP((rowtime - HOP_START(rowtime)) SECOND / "
        "INTERVAL '1' HOUR)) AS w FROM Orders "
        "GROUP BY HOP(rowtime, INTERVAL '1' SECOND, INTERVAL '1' HOUR)",
        """
        LogicalDelta
          LogicalProject(EXPR$0=[$0], W=[$2])
            LogicalAggregate(group=[{5, 4}], $m0=[SUM(EXP(/(-($0, $4):INTERVAL SECOND, 3600000:INTERVAL HOUR)))])
              LogicalHop(time=[$0], emit=[1000:INTERVAL SECOND], retain=[3600000:INTERVAL HOUR], align=[0])
                LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-069 HOP_START inside an aggregate is a column of the Hop",
    ),
    pytest.param(
        "SELECT STREAM rowtime FROM HourlyOrderTotals WHERE productId = 10",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$0])
            LogicalFilter(condition=[=($1, 10)])
              LogicalProject(ROWTIME=[$0], PRODUCTID=[$2], C=[$3], SU=[$4])
                LogicalAggregate(group=[{5, 4, 1}], $m0=[COUNT()], $m1=[SUM($3)])
                  LogicalHop(time=[$0], emit=[3600000:INTERVAL HOUR], retain=[3600000:INTERVAL HOUR], align=[0])
                    LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-096 a view reads what the query over it reads",
    ),
    pytest.param(
        "SELECT max(su) FROM HourlyOrderTotals",
        """
        LogicalProject(EXPR$0=[$0])
          LogicalAggregate(group=[{}], $m0=[MAX($3)])
            LogicalProject(ROWTIME=[$0], PRODUCTID=[$2], C=[$3], SU=[$4])
              LogicalAggregate(group=[{5, 4, 1}], $m0=[COUNT()], $m1=[SUM($3)])
                LogicalHop(time=[$0], emit=[3600000:INTERVAL HOUR], retain=[3600000:INTERVAL HOUR], align=[0])
                  LogicalTableScan(table=[[ORDERS]], reads=[history])
        """,
        id="CAL-095 so a relational query over it reads history",
    ),
    pytest.param(
        "SELECT STREAM productId FROM Orders GROUP BY FLOOR(rowtime TO HOUR), productId "
        "HAVING COUNT(*) > 2 OR SUM(units) > 10",
        """
        LogicalDelta
          LogicalProject(PRODUCTID=[$1])
            LogicalFilter(condition=[OR(>($2, CAST(2):BIGINT), >($3, CAST(10):BIGINT))])
              LogicalAggregate(group=[{FLOOR($0, FLAG(HOUR)), $1}], $m0=[COUNT()], $m1=[SUM($3)])
                LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-082 HAVING filters the groups",
    ),
    pytest.param(
        "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, units FROM Orders "
        "ORDER BY FLOOR(rowtime TO HOUR) ASC, units DESC, orderId",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$0], UNITS=[$1])
            LogicalSort(sort0=[$0], sort1=[$1], sort2=[$2], dir0=[ASC], dir1=[DESC], dir2=[ASC])
              LogicalProject(ROWTIME=[FLOOR($0, FLAG(HOUR))], UNITS=[$3], $s0=[$2])
                LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="CAL-115 a sort column that is not selected is hidden",
    ),
    pytest.param(
        "SELECT STREAM o.orderId, s.rowtime AS shipTime FROM Orders AS o JOIN Shipments AS s "
        "ON o.orderId = s.orderId AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR",
        """
        LogicalDelta
          LogicalProject(ORDERID=[$2], SHIPTIME=[$4])
            LogicalJoin(condition=[AND(=($2, $5), >=($4, $0), <=($4, +($0, 3600000:INTERVAL HOUR)))], joinType=[inner])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
              LogicalTableScan(table=[[SHIPMENTS]], reads=[stream])
        """,
        id="CAL-157 a join of two streams",
    ),
    pytest.param(
        "SELECT STREAM p.unitPrice FROM Orders AS o JOIN ProductVersions "
        "FOR SYSTEM_TIME AS OF o.rowtime AS p ON o.productId = p.productId",
        """
        LogicalDelta
          LogicalProject(UNITPRICE=[$5])
            LogicalJoin(condition=[AND(AND(>=($0, $6), <=($0, $7)), =($1, $4))], joinType=[inner])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
              LogicalTableScan(table=[[PRODUCTVERSIONS]], reads=[table])
        """,
        id="CAL-154 the version of the order's time, closed at both ends",
    ),
    pytest.param(
        "SELECT STREAM ROWTIME, o.orderId FROM Orders AS o "
        "LEFT JOIN Shipments OVER (RANGE INTERVAL '10' MINUTE FOLLOWING) AS s "
        "ON o.orderId = s.orderId",
        """
        LogicalDelta
          LogicalProject(ROWTIME=[$6], ORDERID=[$2])
            LogicalWindowJoin(condition=[=($2, $5)], joinType=[left], leftWindow=[RANGE 0 PRECEDING 0 FOLLOWING], rightWindow=[RANGE 0 PRECEDING 600000 FOLLOWING], rowtimes=[[0, 0]])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
              LogicalTableScan(table=[[SHIPMENTS]], reads=[stream])
        """,
        id="RTB-130 ROWTIME over a window join is the join's",
    ),
    pytest.param(
        "SELECT STREAM units FROM Orders AS o WHERE units > "
        "(SELECT AVG(i.units) FROM Orders AS i WHERE i.productId = o.productId)",
        """
        LogicalDelta
          LogicalProject(UNITS=[$3])
            LogicalFilter(condition=[>(CAST($3):DOUBLE, $SCALAR_QUERY({
        LogicalProject(EXPR$0=[$0])
          LogicalAggregate(group=[{}], $m0=[AVG($3)])
            LogicalFilter(condition=[=($1, $cor1.$1)])
              LogicalTableScan(table=[[ORDERS]], reads=[history])
        }))])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
        """,
        id="S-308 a sub-query in a streaming query reads what has passed",
    ),
    pytest.param(
        "SELECT STREAM units FROM Orders UNION ALL SELECT STREAM orderId FROM Shipments",
        """
        LogicalDelta
          LogicalUnion(all=[true])
            LogicalProject(UNITS=[$3])
              LogicalTableScan(table=[[ORDERS]], reads=[stream])
            LogicalProject(ORDERID=[$1])
              LogicalTableScan(table=[[SHIPMENTS]], reads=[stream])
        """,
        id="CAL-122 UNION ALL of streams",
    ),
    pytest.param(
        "SELECT 1 AS a, 'x' AS b UNION SELECT 2.5, NULL ORDER BY a LIMIT 2 OFFSET 1",
        """
        LogicalSort(sort0=[$0], dir0=[ASC], offset=[1], fetch=[2])
          LogicalUnion(all=[false])
            LogicalProject(A=[CAST($0):DECIMAL(11, 1)], B=[$1])
              LogicalProject(A=[1], B=['x'])
                LogicalValues(tuples=[[{  }]])
            LogicalProject(A=[CAST($0):DECIMAL(11, 1)], B=[CAST($1):VARCHAR])
              LogicalProject(EXPR$0=[2.5:DECIMAL(2, 1)], EXPR$1=[null:NULL])
                LogicalValues(tuples=[[{  }]])
        """,
        id="S-202 branches are cast to common types",
    ),
    pytest.param(
        "SELECT DISTINCT productId, units + 1 AS u FROM Orders ORDER BY u",
        """
        LogicalSort(sort0=[$1], dir0=[ASC])
          LogicalAggregate(group=[{0, 1}])
            LogicalProject(PRODUCTID=[$1], U=[+($3, 1)])
              LogicalTableScan(table=[[ORDERS]], reads=[history])
        """,
        id="S-512 DISTINCT groups by all columns",
    ),
    pytest.param(
        "SELECT productId, GROUPING(productId) AS g, SUM(GROUP_ID()) AS s FROM Orders "
        "GROUP BY orderId, GROUPING SETS ((productId), ())",
        """
        LogicalProject(PRODUCTID=[$1], G=[$2], S=[$3])
          LogicalAggregate(group=[{2, 1}], groups=[[{2, 1}, {2}]], $m0=[LITERAL_AGG(GROUPING(1))], $m1=[SUM(GROUP_ID())])
            LogicalTableScan(table=[[ORDERS]], reads=[history])
        """,
        id="CAL-081 elements of GROUP BY multiply; GROUPING may be aggregated",
    ),
    pytest.param(
        "SELECT COUNT(*) AS c FROM Orders "
        "GROUP BY GROUPING SETS ((HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '2' HOUR)), (productId))",
        """
        LogicalProject(C=[$3])
          LogicalUnion(all=[true])
            LogicalAggregate(group=[{5, 4, 1}], groups=[[{5, 4}]], $m0=[COUNT()])
              LogicalHop(time=[$0], emit=[3600000:INTERVAL HOUR], retain=[7200000:INTERVAL HOUR], align=[0])
                LogicalTableScan(table=[[ORDERS]], reads=[history])
            LogicalAggregate(group=[{5, 4, 1}], groups=[[{1}]], $m0=[COUNT()])
              LogicalProject(ROWTIME=[$0], PRODUCTID=[$1], ORDERID=[$2], UNITS=[$3], WINDOW_START=[null:TIMESTAMP(3)], WINDOW_END=[null:TIMESTAMP(3)])
                LogicalTableScan(table=[[ORDERS]], reads=[history])
        """,
        id="ours a set without the window counts each row once",
    ),
    pytest.param(
        "SELECT STREAM taken FROM Readings ORDER BY taken WITHIN INTERVAL '5' SECOND",
        """
        LogicalDelta
          LogicalSort(sort0=[$0], dir0=[ASC], within=[5000:INTERVAL SECOND])
            LogicalProject(TAKEN=[$1])
              LogicalTableScan(table=[[READINGS]], reads=[stream])
        """,
        id="S-507 a t-sort",
    ),
    pytest.param(
        "SELECT STREAM COUNT(*) AS c FROM Readings "
        "GROUP BY FLOOR(taken TO HOUR) WITHIN INTERVAL '5' SECOND",
        """
        LogicalDelta
          LogicalProject(C=[$1])
            LogicalAggregate(group=[{FLOOR($1, FLAG(HOUR))}], $m0=[COUNT()])
              LogicalSort(sort0=[$1], dir0=[ASC], within=[5000:INTERVAL SECOND])
                LogicalTableScan(table=[[READINGS]], reads=[stream])
        """,
        id="S-507 a key within a slack is sorted below",
    ),
]


@pytest.mark.parametrize(("sql", "plan"), PLANS)
def test_a_query_means_this_plan(sql: str, plan: str) -> None:
    """S-513.a, S-513.c: the columns ROWTIME of joins among them."""
    assert shown(sql) == dedent(plan).strip()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT STREAM rowtime FROM (SELECT STREAM * FROM Orders)", "SELECT STREAM rowtime FROM "
         "(SELECT * FROM Orders)"),
        ("SELECT rowtime FROM (SELECT STREAM * FROM Orders)", "SELECT rowtime FROM "
         "(SELECT * FROM Orders)"),
        ("WITH t AS (SELECT units FROM Orders) SELECT STREAM units FROM t",
         "SELECT STREAM units FROM (SELECT units FROM Orders)"),
        ("TABLE Orders", "SELECT * FROM Orders"),
        ("SELECT o.units FROM Orders o, Products p", "SELECT o.units FROM Orders o "
         "CROSS JOIN Products p"),
        ("SELECT o.units FROM Orders o CROSS JOIN Products p",
         "SELECT o.units FROM Orders o JOIN Products p ON TRUE"),
        ("SELECT orders.UNITS FROM oRDERS", 'SELECT "ORDERS"."UNITS" FROM "ORDERS"'),
        ("SELECT units FROM Orders ORDER BY 1", "SELECT units FROM Orders ORDER BY units"),
        ("SELECT units AS productId FROM Orders ORDER BY productId",
         "SELECT units AS productId FROM Orders ORDER BY Orders.units"),
        ("SELECT COUNT(*) AS c FROM Orders o GROUP BY o.units HAVING COUNT(*) > 1 AND units > 1",
         "SELECT COUNT(*) AS c FROM Orders GROUP BY units HAVING COUNT(*) > 1 AND Orders.units > 1"),
        ("SELECT units + 1 AS u, COUNT(*) FROM Orders GROUP BY units + 1",
         "SELECT o.units + 1 AS u, COUNT(*) FROM Orders o GROUP BY (o.units + 1)"),
        ("SELECT TUMBLE_END(rowtime) AS e FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)",
         "SELECT HOP_END(rowtime, INTERVAL '60' MINUTE, INTERVAL '1' HOUR, TIME '00:00:00') AS e "
         "FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"),
        ("SELECT 1 AS x FROM Orders GROUP BY ROLLUP(productId, orderId)",
         "SELECT 1 AS x FROM Orders GROUP BY GROUPING SETS ((productId, orderId), productId, ())"),
        ("SELECT 1 AS x FROM Orders GROUP BY CUBE(productId, orderId)",
         "SELECT 1 AS x FROM Orders GROUP BY GROUPING SETS "
         "((productId, orderId), (productId), (orderId), ())"),
        ("SELECT 1 AS x FROM Orders GROUP BY ROLLUP((productId, orderId), units)",
         "SELECT 1 AS x FROM Orders GROUP BY GROUPING SETS "
         "((productId, orderId, units), (productId, orderId), ())"),
    ],
)  # fmt: skip
def test_two_spellings_mean_one_plan(one: str, other: str) -> None:
    assert ready(one).query == ready(other).query


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT units, units + 1, COUNT(*) OVER () FROM Orders", ["UNITS", "EXPR$1", "EXPR$2"]),
        ('SELECT units AS "u", orderId AS U FROM Orders', ["u", "U"]),
        (
            "SELECT STREAM * FROM Orders o JOIN Shipments s ON o.rowtime = s.rowtime",
            ["ROWTIME", "PRODUCTID", "ORDERID", "UNITS", "ROWTIME0", "ORDERID0"],
        ),
        ("SELECT units, units, units FROM Orders", ["UNITS", "UNITS0", "UNITS1"]),
        (
            "SELECT * FROM Orders JOIN Products USING (productId)",
            ["PRODUCTID", "ROWTIME", "ORDERID", "UNITS", "ROWTIME0", "NAME", "UNITPRICE"],
        ),
        (
            "SELECT * FROM Suppliers NATURAL JOIN OrdersSummary",
            ["SUPPLIERID", "CITY", "PRODUCTID", "C"],
        ),
        ("SELECT s.*, 1 AS one FROM Suppliers s", ["SUPPLIERID", "CITY", "ONE"]),
        ("SELECT * FROM (SELECT units, orderId FROM Orders) AS t (a, b)", ["A", "B"]),
        ("SELECT * FROM HourlyOrderTotals", ["ROWTIME", "PRODUCTID", "C", "SU"]),
        ("SELECT EXPR$1 FROM (VALUES (1, 2))", ["EXPR$1"]),
        ("SELECT units AS a FROM Orders UNION SELECT productId AS b FROM Products", ["A"]),
    ],
)
def test_columns_are_named(sql: str, names: list[str]) -> None:
    assert names_of(sql) == names


def test_a_correlated_sub_query_counts_the_queries_between() -> None:
    text = shown(
        "SELECT (SELECT MAX(p.name) FROM Products p WHERE EXISTS (SELECT 1 FROM Suppliers s "
        "WHERE s.supplierId = o.productId AND s.city = p.name)) AS n FROM Orders o"
    )
    assert "=($0, $cor2.$1)" in text
    assert "=($1, $cor1.$2)" in text


def test_a_with_query_of_a_correlated_query_keeps_its_rows() -> None:
    text = shown(
        "SELECT (WITH t AS (SELECT p.name FROM Products p WHERE p.productId = o.productId) "
        "SELECT MAX(name) FROM t WHERE EXISTS (SELECT 1 FROM t)) AS n FROM Orders o"
    )
    assert "$cor1.$1" in text
    assert "$cor2.$1" in text


def test_an_inner_name_hides_an_outer_one() -> None:
    text = shown("SELECT (SELECT MAX(productId) FROM Products) AS m FROM Orders")
    assert "$cor" not in text


def sqlstream_names(sql: str) -> list[str]:
    """The names of the query's columns, in profile sqlstream."""
    return names_of(sql, ddl=TICKS, profile=Profile.SQLSTREAM)


def test_star_leaves_it_out_in_sqlstream() -> None:
    assert sqlstream_names("SELECT STREAM * FROM Trades") == ["TICKER", "PRICE"]
    assert sqlstream_names("SELECT STREAM t.* FROM Trades AS t") == ["TICKER", "PRICE"]


def test_it_can_be_named_in_sqlstream() -> None:
    assert sqlstream_names("SELECT STREAM ROWTIME, * FROM Trades") == ["ROWTIME", "TICKER", "PRICE"]


def test_a_sub_query_has_it_selected_or_not_in_sqlstream() -> None:
    sql = "SELECT STREAM ROWTIME FROM (SELECT STREAM price FROM Trades WHERE price > 1)"
    assert sqlstream_names(sql) == ["ROWTIME"]


def test_a_union_of_streams_has_it_in_sqlstream() -> None:
    sql = (
        "SELECT STREAM ROWTIME, x FROM "
        "(SELECT price FROM Trades UNION ALL SELECT ask FROM Asks) AS u (x)"
    )
    assert sqlstream_names(sql) == ["ROWTIME", "X"]


def test_it_is_grouped_by_in_sqlstream() -> None:
    sql = "SELECT STREAM COUNT(*) AS c FROM (SELECT price FROM Trades) GROUP BY ROWTIME"
    assert sqlstream_names(sql) == ["C"]


def test_it_is_not_in_a_natural_join_in_sqlstream() -> None:
    sql = "SELECT STREAM t.price FROM Trades t NATURAL JOIN Asks a WHERE t.ROWTIME = a.ROWTIME"
    text = shown(sql, ddl=TICKS, profile=Profile.SQLSTREAM)
    assert "LogicalJoin(condition=[AND(=($1, $4), =($0, $3))]" in text


def test_the_columns_of_using_come_in_the_order_of_the_left_side() -> None:
    """SQL:2016 7.10: in their order in the left table, whatever the list."""
    sql = "SELECT * FROM Orders AS a JOIN Orders AS b USING (units, productId)"
    assert names_of(sql) == ["PRODUCTID", "UNITS", "ROWTIME", "ORDERID", "ROWTIME0", "ORDERID0"]


@pytest.mark.parametrize(
    ("join", "at"), [("A JOIN B USING (k)", "k"), ("A NATURAL JOIN B", "A NATURAL JOIN B")]
)
def test_joined_columns_must_be_comparable(join: str, at: str) -> None:
    tables = "CREATE TABLE A (k INTEGER); CREATE TABLE B (k DATE);"
    error = refusal(f"SELECT * FROM {join}", ddl=tables)
    assert (error.code, guilty(error)) == (Code.TYPE_MISMATCH, at)
    assert error.message == "column 'K' is INTEGER on the left, and DATE on the right"


def test_a_column_named_twice_in_using_is_refused() -> None:
    error = refusal("SELECT * FROM Orders AS a JOIN Orders AS b USING (units, units)")
    assert (error.code, guilty(error)) == (Code.DUPLICATE_NAME, "units")
