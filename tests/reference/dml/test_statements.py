"""The script's DML, standing statements, producers of one stream (S-603, S-605)."""

from reference.backend import ReferenceBackend
from reference.incremental.standing.named_stream import Producers, Sent
from reference.incremental.train import ENDED, NOTHING_KNOWN
from tck.protocol import Open, Refused, Rows
from tests.reference.conversation import DDL, ORDERS, at, opened, rows, told

BIG = """\
CREATE STREAM Big (rowtime TIMESTAMP(3) ASCENDING, units INTEGER CHECK (units <= 12)) WITH HISTORY;
INSERT INTO Big SELECT STREAM rowtime, units FROM Orders WHERE units > 5;
"""


def test_a_standing_insert_feeds_its_stream_through_its_gate() -> None:
    output = told(opened("SELECT STREAM units FROM Big", DDL + BIG), Rows("ORDERS", ORDERS))
    assert output.rows == ((6,), (12,))
    (lost,) = output.late
    assert (lost.input, lost.row, lost.code) == ("BIG", (at("10:18:07"), 20), "BAD_ROW")


def test_statements_work_in_the_order_of_their_flow() -> None:
    """The statement that reads Big is written before the one that fills it."""
    ddl = (
        DDL
        + """\
CREATE STREAM Big (rowtime TIMESTAMP(3) ASCENDING, units INTEGER);
CREATE STREAM Bigger (rowtime TIMESTAMP(3) ASCENDING, units INTEGER);
INSERT INTO Bigger SELECT STREAM rowtime, units FROM Big WHERE units > 10;
INSERT INTO Big SELECT STREAM rowtime, units FROM Orders WHERE units > 5;
"""
    )
    assert rows("SELECT STREAM units FROM Bigger", Rows("ORDERS", ORDERS), ddl=ddl) == [
        (20,),
        (12,),
    ]


def test_producers_of_a_stream_are_merged_by_rowtime() -> None:
    ddl = DDL + "CREATE STREAM All_ (rowtime TIMESTAMP(3) ASCENDING, n INTEGER);\n"
    ddl += "INSERT INTO All_ SELECT STREAM rowtime, orderId FROM Orders;\n"
    ddl += "INSERT INTO All_ SELECT STREAM rowtime, -orderId FROM Orders WHERE units > 10;\n"
    direct = Rows("ALL_", ((at("10:17:30"), 0), (at("11:30:00"), 1)))
    sql = "SELECT STREAM n FROM All_"
    found = [n for (n,) in rows(sql, direct, Rows("ORDERS", ORDERS), ddl=ddl)]
    assert found == [5, 6, 0, 7, 8, -8, 9, 10, 11, -11, 12, 1]
    output = told(opened(sql, ddl), Rows("ORDERS", ORDERS), direct)
    assert [each.row for each in output.late] == [direct.rows[0]], "a newcomer starts at the clock"
    assert [n for (n,) in output.rows] == [5, 6, 7, 8, -8, 9, 10, 11, -11, 12, 1]


def test_an_upsert_keeps_the_last_row_of_each_key() -> None:
    ddl = DDL + "CREATE TABLE Last_ (productId INTEGER PRIMARY KEY, units INTEGER);\n"
    ddl += "UPSERT INTO Last_ SELECT STREAM productId, units FROM Orders;\n"
    sql = "SELECT * FROM Last_ ORDER BY productId"
    found = rows(sql, Rows("ORDERS", ORDERS), ddl=ddl)
    assert found == [(10, 4), (20, 2), (30, 20), (40, 12)]


def test_statements_in_a_circle_are_refused() -> None:
    ddl = DDL + "INSERT INTO Orders SELECT STREAM * FROM Orders;"
    answer = ReferenceBackend().open(Open(ddl, "SELECT STREAM * FROM Orders"))
    assert isinstance(answer, Refused)
    assert answer.code == "NOT_SUPPORTED"


def test_rows_of_the_script_are_history_not_part_of_the_stream() -> None:
    ddl = DDL + f"INSERT INTO Orders VALUES (TIMESTAMP '{at('10:00:00')}', 10, 1, 1);"
    assert rows("SELECT STREAM orderId FROM Orders", Rows("ORDERS", ORDERS[:1]), ddl=ddl) == [(5,)]
    assert rows("SELECT orderId FROM Orders", Rows("ORDERS", ORDERS[:1]), ddl=ddl) == [(1,), (5,)]
    output = told(
        opened("SELECT STREAM orderId FROM Orders", ddl),
        Rows("ORDERS", ((at("09:59:59"), 1, 1, 1),)),
    )
    assert [each.code for each in output.late] == ["LATE"]


def test_dml_of_the_script_runs_in_order() -> None:
    ddl = (
        DDL
        + """\
UPDATE Products SET name = 'Ale' WHERE productId = 10;
DELETE FROM Products WHERE productId = 30;
INSERT INTO Products VALUES (40, 'Bread'), (50, 'Jam');
MERGE INTO Products AS p USING (VALUES (40, 'Roll'), (60, 'Tea')) AS v (id, name)
  ON p.productId = v.id
  WHEN MATCHED THEN UPDATE SET name = v.name
  WHEN NOT MATCHED THEN INSERT (productId, name) VALUES (v.id, v.name);
"""
    )
    assert rows("SELECT * FROM Products", ddl=ddl) == [
        (10, "Ale"), (40, "Roll"), (50, "Jam"), (60, "Tea"),
    ]  # fmt: skip


def sent(*times: int) -> list[tuple[float, Sent]]:
    """Rows of these times, each with its time as its only value."""
    return [(time, Sent((time,))) for time in times]


def flowing(*times: int) -> list[Sent]:
    return [each for _, each in sent(*times)]


def test_a_producer_waits_for_all_others_that_are_open() -> None:
    flow = Producers(["a", "b"])
    assert flow.send("a", sent(5, 7), 7) == []
    assert flow.bound == NOTHING_KNOWN
    assert flow.send("b", sent(6), 6) == flowing(5, 6)
    assert flow.bound == 6
    assert flow.send("b", [], 7) == flowing(7)
    assert flow.send("newcomer", sent(8), 8) == []
    assert flow.send("a", [], ENDED) == []
    assert flow.send("b", [], ENDED) == flowing(8)
    assert flow.bound == 8


def test_a_row_without_time_holds_up_nobody() -> None:
    flow = Producers(["a", "b"])
    untimed = Sent((None,))
    assert flow.send("a", [*sent(5), (NOTHING_KNOWN, untimed)], 5) == [untimed]


def test_a_producer_that_has_closed_leaves_its_rows() -> None:
    flow = Producers(["a", "b"])
    assert flow.send("a", sent(5, 7), 7) == []
    assert flow.close("a") == []
    assert flow.state().rows == 2
    assert flow.send("b", [], 6) == flowing(5)
    assert flow.bound == 6
    assert flow.close("b") == flowing(7)
    assert (flow.bound, flow.state().rows) == (NOTHING_KNOWN, 0)


def test_a_producer_that_opens_holds_up_from_its_bound_on() -> None:
    flow = Producers(["a"])
    flow.open("b", 5)
    assert flow.send("a", sent(5, 6), 6) == flowing(5)
    assert flow.close("b") == flowing(6)


def test_rows_inserted_without_rowtime_have_the_session_clock() -> None:
    ddl = (
        DDL
        + """\
CREATE STREAM Odd (rowtime TIMESTAMP(3) ASCENDING, n INTEGER);
INSERT INTO Odd (n) SELECT STREAM orderId FROM Orders;
"""
    )
    assert rows("SELECT STREAM n FROM Odd", Rows("ORDERS", ORDERS[:2]), ddl=ddl) == [(5,), (6,)]
