"""A script and a query, bound: steps, standing statements, and the text in which a fault counts."""

from algebra.catalog import Profile, Pump
from algebra.modify import Insert
from grammar.codes import Code
from tests.algebra.page_schema import ORDERS, guilty, ready, refusal

_PUMP = "AS INSERT INTO Shipments SELECT STREAM rowtime, orderId FROM Orders;"


def test_an_empty_script_and_no_query_are_ready() -> None:
    prepared = ready(None, ddl="")
    assert (prepared.steps, prepared.standing, prepared.query) == ((), (), None)
    assert prepared.catalog.objects == {}


def test_steps_come_in_the_order_of_the_script() -> None:
    ddl = ORDERS + (
        "INSERT INTO Suppliers VALUES (1, 'a'); DELETE FROM Suppliers; "
        "INSERT INTO Products (productId) VALUES (1);"
    )
    names = [type(each).__name__ for each in ready(None, ddl=ddl).steps]
    assert names == ["Insert", "Delete", "Insert"]


def test_a_statement_sees_what_was_created_before_it() -> None:
    ddl = "INSERT INTO t VALUES (1); CREATE TABLE t (a INTEGER)"
    assert refusal(None, ddl=ddl).code is Code.UNKNOWN_OBJECT


def test_started_pumps_stand_and_stopped_ones_do_not() -> None:
    ddl = ORDERS + f"CREATE PUMP a STARTED {_PUMP} CREATE PUMP b {_PUMP}"
    assert len(ready(None, ddl=ddl).standing) == 1
    assert len(ready(None, ddl=ddl + "ALTER PUMP b START;").standing) == 2
    assert ready(None, ddl=ddl + "ALTER PUMP a STOP;").standing == ()
    assert ready(None, ddl=ddl + "DROP PUMP a;").standing == ()
    pump = ready(None, ddl=ddl).catalog.objects[("B",)]
    assert isinstance(pump, Pump)
    assert not pump.started


def test_standing_statements_come_in_the_order_in_which_they_began() -> None:
    ddl = ORDERS + (
        f"CREATE PUMP p {_PUMP}"
        "UPSERT INTO OrdersSummary SELECT STREAM productId, 1 FROM Orders; ALTER PUMP p START;"
    )
    first, second = ready(None, ddl=ddl).standing
    assert isinstance(first, Insert)
    assert (first.upsert, second.upsert) == (True, False)


def test_a_fault_counts_in_the_text_it_is_in() -> None:
    in_query = refusal("SELECT nope FROM Orders")
    assert in_query.sql == "SELECT nope FROM Orders"
    ddl = ORDERS + "CREATE VIEW v AS SELECT nope FROM Orders;"
    in_script = refusal("SELECT nada FROM Orders", ddl=ddl)
    assert (in_script.sql, guilty(in_script)) == (ddl, "nope")


def test_a_query_in_the_script_is_checked() -> None:
    assert refusal(None, ddl=ORDERS + "SELECT nope FROM Orders").code is Code.UNKNOWN_COLUMN
    explained = ORDERS + "EXPLAIN PLAN FOR SELECT nope FROM Orders"
    assert refusal(None, ddl=explained).code is Code.UNKNOWN_COLUMN
    assert ready(None, ddl=ORDERS + "SELECT units FROM Orders").steps == ()


def test_the_profile_of_the_script_is_that_of_the_query() -> None:
    ddl = "CREATE STREAM s (a INTEGER)"
    assert refusal("SELECT STREAM ROWTIME FROM s", ddl=ddl).code is Code.UNKNOWN_COLUMN
    assert ready("SELECT STREAM ROWTIME FROM s", ddl=ddl, profile=Profile.SQLSTREAM).query
