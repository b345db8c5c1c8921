"""INSERT, UPSERT, UPDATE, DELETE and MERGE, bound (S-604 to S-606)."""

import pytest

from algebra.catalog import Profile
from algebra.explain import explain
from algebra.modify import Delete, Insert, Modify
from algebra.plan import Delta
from grammar.codes import Code
from tests.algebra.page_schema import ORDERS, TICKS, guilty, ready, refusal


def done(statement: str, *, ddl: str = ORDERS, profile: Profile = Profile.CALCITE) -> str:
    """What one statement after the schema does, as `explain` prints it."""
    prepared = ready(None, ddl=ddl + statement, profile=profile)
    found: tuple[Modify, ...] = prepared.steps + prepared.standing
    assert len(found) == 1
    return explain(found[0])


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("INSERT INTO Suppliers VALUES (1, 'Bergen')", "SUPPLIERID=[$0], CITY=[CAST($1)"),
        ("INSERT INTO Suppliers (city, supplierId) VALUES ('Bergen', 1)",
         "SUPPLIERID=[$1], CITY=[CAST($0)"),
        ("INSERT INTO Suppliers (supplierId) VALUES (1)", "SUPPLIERID=[$0], CITY=[CAST('Oslo')"),
        ("INSERT INTO OrdersSummary (productId) VALUES (1)", "PRODUCTID=[$0], C=[null:BIGINT]"),
        ("INSERT INTO Shipments (orderId) VALUES (1)", "ROWTIME=[CURRENT_TIMESTAMP], ORDERID=[$0]"),
        ("INSERT INTO Shipments SELECT STREAM rowtime, orderId FROM Orders",
         "ROWTIME=[$0], ORDERID=[$2]"),
        ("INSERT INTO Shipments (orderId) VALUES (?)", "ROWTIME=[CURRENT_TIMESTAMP], ORDERID=[$0]"),
    ],
)  # fmt: skip
def test_an_insert_gives_each_column_a_value(statement: str, row: str) -> None:
    assert row in done(statement)


def test_an_insert_of_a_streaming_query_is_a_standing_statement() -> None:
    prepared = ready(
        None, ddl=ORDERS + "INSERT INTO Shipments SELECT STREAM rowtime, orderId FROM Orders"
    )
    assert prepared.steps == ()
    (insert,) = prepared.standing
    assert isinstance(insert.input, Delta)


def test_the_standing_upsert_of_the_page() -> None:
    text = done(
        "UPSERT INTO OrdersSummary SELECT STREAM productId, COUNT(*) OVER lastHour AS c "
        "FROM Orders WINDOW lastHour AS (PARTITION BY productId ORDER BY rowtime "
        "RANGE INTERVAL '1' HOUR PRECEDING)"
    )
    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == "LogicalTableModify(table=[[ORDERSSUMMARY]], operation=[UPSERT])"
    assert lines[1:3] == ["LogicalDelta", "LogicalProject(PRODUCTID=[$1], C=[$4])"]


def test_a_streaming_insert_carries_it_on_in_sqlstream() -> None:
    text = done(
        "INSERT INTO Asks SELECT STREAM ticker, price FROM Trades",
        ddl=TICKS,
        profile=Profile.SQLSTREAM,
    )
    lines = [line.strip() for line in text.splitlines()]
    assert lines[2] == "LogicalProject(ROWTIME=[$2], TICKER=[$0], ASK=[$1])"
    assert lines[3] == "LogicalProject(TICKER=[$1], PRICE=[$2], ROWTIME=[$0])"


def test_values_get_the_session_clock_in_sqlstream() -> None:
    text = done("INSERT INTO Asks VALUES ('A', 1)", ddl=TICKS, profile=Profile.SQLSTREAM)
    assert "ROWTIME=[CURRENT_TIMESTAMP], TICKER=[CAST($0)" in text


def test_it_can_be_inserted_in_sqlstream() -> None:
    text = done(
        "INSERT INTO Asks (ROWTIME, ask) VALUES (TIMESTAMP '2015-02-15 10:00:00', 1)",
        ddl=TICKS,
        profile=Profile.SQLSTREAM,
    )
    assert "ROWTIME=[$0], TICKER=[null:VARCHAR(5)], ASK=[$1]" in text


def test_update_keeps_the_columns_it_does_not_name() -> None:
    text = done("UPDATE OrdersSummary AS s SET c = s.c + 1 WHERE productId = 7")
    assert "operation=[UPDATE], row=[[$0, +($1, 1)]], condition=[=($0, 7)]" in text


def test_delete_without_a_condition_takes_all() -> None:
    found = ready(None, ddl=ORDERS + "DELETE FROM Suppliers").steps[0]
    assert isinstance(found, Delete)
    assert "condition=[true]" in explain(found)


def test_merge_sees_the_target_then_the_source() -> None:
    text = done(
        "MERGE INTO OrdersSummary AS t USING Products AS p ON t.productId = p.productId "
        "WHEN MATCHED THEN UPDATE SET c = t.c + p.productId "
        "WHEN NOT MATCHED THEN INSERT (productId) VALUES (p.productId)"
    )
    assert "condition=[=($0, $3)]" in text
    assert "WHEN MATCHED THEN UPDATE [$0, +($1, $3)]" in text
    assert "WHEN NOT MATCHED THEN INSERT [$3, null:BIGINT]" in text


@pytest.mark.parametrize(
    ("statement", "code", "at"),
    [
        ("INSERT INTO Nowhere VALUES (1)", Code.UNKNOWN_OBJECT, "Nowhere"),
        ("INSERT INTO ByProduct VALUES (1, 2)", Code.WRONG_OBJECT, "ByProduct"),
        ("INSERT INTO Suppliers VALUES (1)", Code.COLUMN_COUNT, "VALUES (1)"),
        ("INSERT INTO Suppliers (city) VALUES ('Oslo')", Code.COLUMN_COUNT, "city"),
        ("INSERT INTO Suppliers (city, city) VALUES (1, 2)", Code.DUPLICATE_NAME, "city"),
        ("INSERT INTO Suppliers (town) VALUES (1)", Code.UNKNOWN_COLUMN, "town"),
        ("INSERT INTO Suppliers VALUES ('x', 'y')", Code.TYPE_MISMATCH, "'x'"),
        ("INSERT INTO Suppliers SELECT name, 'y' FROM Products", Code.TYPE_MISMATCH, "name"),
        ("UPSERT INTO Suppliers VALUES (1, 'Oslo')", Code.WRONG_OBJECT, "Suppliers"),
        ("UPSERT INTO Shipments (orderId) VALUES (1)", Code.STREAM_DML, "Shipments"),
        ("UPDATE Orders SET units = 1", Code.STREAM_DML, "Orders"),
        ("DELETE FROM Orders", Code.STREAM_DML, "Orders"),
        (
            "MERGE INTO Orders o USING Products p ON TRUE WHEN MATCHED THEN UPDATE SET units = 1",
            Code.STREAM_DML,
            "Orders",
        ),
        ("UPDATE Suppliers SET town = 'x'", Code.UNKNOWN_COLUMN, "town"),
        ("UPDATE Suppliers SET city = 1", Code.TYPE_MISMATCH, "1"),
        ("UPDATE Suppliers SET city = 'x', city = 'y'", Code.DUPLICATE_NAME, "city"),
        ("DELETE FROM Suppliers WHERE COUNT(*) > 1", Code.AGGREGATE_MISPLACED, "COUNT(*)"),
        ("COMMIT", Code.NOT_SUPPORTED, "COMMIT"),
        ("ROLLBACK", Code.NOT_SUPPORTED, "ROLLBACK"),
        ("INSERT INTO Suppliers SELECT STREAM productId, name FROM Products",
         Code.TABLE_TO_STREAM, "Products"),
        ("INSERT INTO OrdersSummary SELECT orderId, 1 FROM Shipments",
         Code.STREAM_TO_TABLE, "Shipments"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_at_its_fault(statement: str, code: Code, at: str) -> None:
    error = refusal(None, ddl=ORDERS + statement)
    assert (error.code, guilty(error)) == (code, at)


@pytest.mark.parametrize("query", ["SELECT * FROM Products", "TABLE Products"])
def test_a_column_of_the_wrong_type_is_named_if_no_expression_is_written(query: str) -> None:
    names = "CREATE TABLE T (t TIMESTAMP(3), day DATE, name VARCHAR(20), price DECIMAL(10, 2));"
    error = refusal(None, ddl=ORDERS + names + "INSERT INTO T " + query)
    assert guilty(error) == query
    assert error.message == "column PRODUCTID: INTEGER where DATE is expected"
    day = "DATE '1970-01-01' + PRODUCTID * INTERVAL '1' DAY"
    assert error.hint == f"select the columns one by one, with {day} for PRODUCTID"


def test_insert_expedited_is_an_insert() -> None:
    plain = ready(None, ddl=ORDERS + "INSERT INTO Suppliers VALUES (1, 'x')").steps
    fast = ready(None, ddl=ORDERS + "INSERT EXPEDITED INTO Suppliers VALUES (1, 'x')").steps
    assert plain == fast
    assert isinstance(plain[0], Insert)
